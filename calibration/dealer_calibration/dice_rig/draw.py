"""What both readers of a rig see, drawn on the camera's picture. Pure.

Green: both say the same. Yellow: one alone. Red: what lies there and belongs to no die.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_calibration.cameras.figures import Bgr, Figures, figures_of
from dealer_calibration.cameras.words_on import GREEN, RED, WHITE, YELLOW, banner, said_of, write
from dealer_drivers.dice.faces import Dice, Doubts
from dealer_drivers.dice.rig_decide import decide
from dealer_drivers.dice.rig_outline import top
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.dice.still_decide import decide_still


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with what was seen on it, and the same in words."""

    picture: Bgr
    values: tuple[int, ...] | None
    reasons: tuple[str, ...]
    detail: str
    figures: Figures

    def as_json(self) -> dict[str, object]:
        """For the page, and for ``--json``."""
        return {
            "values": None if self.values is None else list(self.values),
            "reasons": list(self.reasons),
            "detail": self.detail,
            **self.figures.as_json(),
        }


def drawn(picture: Bgr, reader: RigReader) -> Drawn:
    """With a rig's profile: both readers' words."""
    canvas = picture.copy()
    looked = reader.look(picture)
    if isinstance(looked, Doubts):
        return _told(canvas, looked, figures_of(picture))
    die, pip = looked
    answer = decide(reader.profile, reader.count, die, pip)
    for rest in die.rests:
        half = rest.length * reader.profile.die_px / 2
        corner, other = (round(rest.x - half), round(rest.y - half)), (round(rest.x + half), round(rest.y + half))
        cv2.rectangle(canvas, corner, other, RED, 1, cv2.LINE_AA)
    for found in die.faces:
        pose = found.square.pose
        near = [
            one.face.value
            for one in pip.faces
            if np.hypot(one.face.x - pose.x, one.face.y - pose.y) < 0.25 * reader.profile.die_px
        ]
        value = None if found.face is None else found.face.value
        colour = GREEN if value is not None and near == [value] else YELLOW
        corners = np.round(top(pose, 0.0)).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(canvas, [corners], True, colour, 2, cv2.LINE_AA)
        words = f"{'?' if value is None else value} | {', '.join(map(str, near)) or '?'}"
        write(canvas, words, (round(pose.x - 0.3 * pose.size_px), round(pose.y - 0.6 * pose.size_px)), colour)
    for layout in pip.faces:
        for spot in layout.face.pips:
            cv2.circle(canvas, (round(spot.x), round(spot.y)), max(2, round(spot.radius_px)), GREEN, 1, cv2.LINE_AA)
    for spot in (*pip.left, *pip.odd):
        cv2.circle(canvas, (round(spot.x), round(spot.y)), max(2, round(spot.radius_px)), RED, 1, cv2.LINE_AA)
    return _told(canvas, answer, figures_of(picture))


def drawn_still(picture: Bgr, count: int) -> Drawn:
    """Without a profile: what the strict rules for any camera say."""
    canvas = picture.copy()
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    answer = decide_still(grey, count)
    if isinstance(answer, Dice):
        for face in answer.faces:
            box = cv2.boxPoints(((face.x, face.y), (face.size_px, face.size_px), face.turn_deg))
            cv2.polylines(canvas, [np.round(box).astype(np.int32).reshape(-1, 1, 2)], True, GREEN, 2, cv2.LINE_AA)
            write(canvas, str(face.value), (round(face.x), round(face.y - 0.6 * face.size_px)), GREEN)
    return _told(canvas, answer, figures_of(picture), "no profile: strict rules for any camera")


def _told(canvas: Bgr, answer: Dice | Doubts, figures: Figures, note: str = "") -> Drawn:
    values: tuple[int, ...] | None = None
    reasons: tuple[str, ...] = ()
    detail = ""
    if isinstance(answer, Dice):
        values = answer.values
        lines = [(" ".join(map(str, values)), GREEN)]
    else:
        reasons, detail = tuple(map(str, answer.reasons)), answer.detail
        lines = [(", ".join(reasons), RED), (detail, WHITE)]
    lines.append((f"{said_of(figures)}   {note}", WHITE))
    return Drawn(banner(canvas, lines), values, reasons, detail, figures)
