"""What both readings of a cloth see, drawn on the camera's picture. Pure. Green: a bean by its outline. Yellow: one by
its whiteness. Lines join the beans of a group."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_calibration.cameras.figures import Bgr, Figures, figures_of
from dealer_calibration.cameras.words_on import GREEN, RED, WHITE, YELLOW, banner, said_of
from dealer_drivers.beans.cloth import look, width_map
from dealer_drivers.beans.layout import BeansCount
from dealer_drivers.beans.outlines import outlines
from dealer_drivers.beans.peaks import peaks
from dealer_drivers.beans.profile import BeansProfile
from dealer_drivers.beans.reader import BeansReader


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with what was seen on it, and the same in words."""

    picture: Bgr
    beans: int | None
    remainder: int | None
    reasons: tuple[str, ...]
    detail: str
    figures: Figures

    def as_json(self) -> dict[str, object]:
        """For the page, and for ``--json``."""
        return {
            "beans": self.beans,
            "remainder": self.remainder,
            "reasons": list(self.reasons),
            "detail": self.detail,
            **self.figures.as_json(),
        }


def drawn(picture: Bgr, profile: BeansProfile | None) -> Drawn:
    """With a profile what the readings say; without, focus and light alone."""
    canvas, figures = picture.copy(), figures_of(picture)
    if profile is None:
        text = "no calibration: focus and light alone"
        return Drawn(banner(canvas, [(said_of(figures), WHITE), (text, WHITE)]), None, None, (), text, figures)
    answer = BeansReader(profile).read(picture)
    if picture.shape == (profile.height, profile.width, 3):
        _spots(canvas, picture, profile)
    if isinstance(answer, BeansCount):
        for row in answer.rows:
            line = np.round([[bean.x + profile.region[0], bean.y + profile.region[1]] for bean in row])
            cv2.polylines(canvas, [line.astype(np.int32).reshape(-1, 1, 2)], False, GREEN, 1, cv2.LINE_AA)
        text = f"{answer.beans} beans, {answer.groups} groups, the last of {answer.remainder}"
        lines = [(text, GREEN), (said_of(figures), WHITE)]
        return Drawn(banner(canvas, lines), answer.beans, answer.remainder, (), "", figures)
    reasons = tuple(map(str, answer.reasons))
    lines = [(", ".join(reasons), RED), (answer.detail, WHITE), (said_of(figures), WHITE)]
    return Drawn(banner(canvas, lines), None, None, reasons, answer.detail, figures)


def _spots(canvas: Bgr, picture: Bgr, profile: BeansProfile) -> None:
    left, top, wide, high = profile.region
    region = np.ascontiguousarray(picture[top : top + high, left : left + wide])
    first = outlines(look(region, profile, width_map(profile))).beans
    second, _ = peaks(region, profile.size.middle_px)
    for x, y, size in zip(first.x, first.y, first.size_px, strict=True):
        cv2.circle(
            canvas, (round(float(x)) + left, round(float(y)) + top), round(float(size) / 2), GREEN, 1, cv2.LINE_AA
        )
    for x, y in zip(second.x, second.y, strict=True):
        cv2.circle(canvas, (round(float(x)) + left, round(float(y)) + top), 2, YELLOW, -1, cv2.LINE_AA)
    cv2.rectangle(canvas, (left, top), (left + wide - 1, top + high - 1), WHITE, 1)
