"""Where both readers say the same of the same die. The only module beside the decision that sees both."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.faces import Pip, PipFace
from dealer_drivers.dice.still_die_first import Seen

CENTRES_APART = 0.075
"""Of the face: the middle of the pips as one reader has it against the other's."""
TURNS_APART_DEG = 10.0
"""Of the rows of pips, likewise: drawings are 7 degrees apart."""
OFF_OUTLINE = 0.16
"""Of the face: the middle of the pips against the middle of the outline. A little more than the study's 0.135, for dice
seen from aslant, whose outline takes in part of a side face."""
ONE_OFF_OUTLINE = 0.13
"""The same for a one, whose only other evidence is the outline: narrower."""
SLANTED_DEG = 17.0
"""Rows of pips against the outline."""
PLACE_OFF = 0.07
"""A pip against its place, in sides."""
FREE_RIM = 0.06
"""Pips nearer to the outline than this, in sides, are a side face's or the plate's."""
ALONE_ONE_WAY, ALONE_ROUND = 0.75, 0.88
"""Where pips are taken without a layout, the outline must be beyond doubt, all sides darker or all brighter outside,
and every pip round. Half A and B: such dice have 0.78 and 0.9 at least."""
LIKE_CONTRAST, LIKE_RADIUS = 0.6, 1.5
"""Weakest over strongest pip of a face, largest over smallest."""
INSIDE, AT_RIM = 0.09, 0.02
"""Of the face: how far within its outline a pip stands that cannot, and that can, be a side face's."""
FOREIGN = 0.5
"""Contrast of a further pip on the face, in that of the weakest of its own, from which it belongs there."""
PITCH_OF_FACE = (0.13, 0.34)
"""Spacing of the places over the side of the face, of all dice kinds seen."""
ONE_RADIUS_OF_FACE = (0.04, 0.17)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """One die as both saw it."""

    seen: Seen
    pips: PipFace

    @property
    def value(self) -> int:
        """1 to 6."""
        return self.pips.value


def _on_face(seen: Seen, spot: tuple[float, float]) -> tuple[float, float]:
    """A point of the face (in sides, from its middle), in pixels."""
    top_left, top_right, bottom_right, bottom_left = seen.square.corners
    across = (top_right - top_left + bottom_right - bottom_left) / 2
    down = (bottom_left - top_left + bottom_right - top_right) / 2
    x, y = seen.square.corners.mean(axis=0) + across * spot[0] + down * spot[1]
    return float(x), float(y)


def turned_apart(one_deg: float, other_deg: float) -> float:
    """Degrees between two turns of a square."""
    return abs((one_deg - other_deg + 45.0) % 90.0 - 45.0)


def agrees(seen: Seen, pips: PipFace) -> bool:
    """Same value, same polarity, same place, same turn, and pips of a size and spacing that belong to that face."""
    if pips.value != seen.reading.value or pips.dark != seen.reading.dark:
        return False
    size = seen.square.size_px
    x, y = seen.square.centre
    off = float(np.hypot(pips.x - x, pips.y - y)) / size
    x, y = _on_face(seen, seen.reading.middle)
    apart = float(np.hypot(pips.x - x, pips.y - y)) / size
    if apart > CENTRES_APART:
        return False
    if pips.value == 1:
        radius = pips.pips[0].radius_px / size
        return off <= ONE_OFF_OUTLINE and ONE_RADIUS_OF_FACE[0] <= radius <= ONE_RADIUS_OF_FACE[1]
    return (
        off <= OFF_OUTLINE
        and turned_apart(pips.turn_deg, seen.square.turn_deg) <= SLANTED_DEG
        and turned_apart(pips.turn_deg, seen.square.turn_deg + seen.reading.slant_deg) <= TURNS_APART_DEG
        and PITCH_OF_FACE[0] <= pips.pitch_px / size <= PITCH_OF_FACE[1]
    )


def pips_alone(seen: Seen, pips: tuple[Pip, ...]) -> PipFace | None:
    """The pips that stand on a face, one at each place where die-first has one, and no other: as good as a layout.

    Pip-first makes no layout where the ground between pips is not plain, as on dice with a round inlay; its pips are
    found without any knowledge of faces all the same. Not for a one: a single pip says too little. Nor without an
    outline that leaves no doubt, as the places are die-first's here.
    """
    if seen.square.one_way < ALONE_ONE_WAY:
        return None
    size, value = seen.square.size_px, seen.reading.value
    outline = seen.square.corners.astype(np.float32)
    on_face = [
        pip
        for pip in pips
        if pip.dark == seen.reading.dark and cv2.pointPolygonTest(outline, (pip.x, pip.y), True) > FREE_RIM * size
    ]
    chosen = []
    for spot in seen.reading.places:
        x, y = _on_face(seen, spot)
        near = [pip for pip in on_face if np.hypot(pip.x - x, pip.y - y) <= PLACE_OFF * size]
        if len(near) != 1:
            return None
        chosen.append(near[0])
    if value < 2 or len({id(pip) for pip in chosen}) != value:
        return None
    if min(pip.roundness for pip in chosen) < ALONE_ROUND:
        return None
    contrasts, radii = [pip.contrast for pip in chosen], [pip.radius_px for pip in chosen]
    if min(contrasts) < LIKE_CONTRAST * max(contrasts) or max(radii) > LIKE_RADIUS * min(radii):
        return None
    if not ONE_RADIUS_OF_FACE[0] * size <= min(radii) <= max(radii) <= ONE_RADIUS_OF_FACE[1] * size:
        return None
    ids = {id(pip) for pip in chosen}
    if any(id(pip) not in ids and pip.contrast >= FOREIGN * min(contrasts) for pip in on_face):
        return None
    x, y = float(np.mean([pip.x for pip in chosen])), float(np.mean([pip.y for pip in chosen]))
    centre = seen.square.centre
    if np.hypot(x - centre[0], y - centre[1]) > OFF_OUTLINE * size:
        return None
    turn = (seen.square.turn_deg + seen.reading.slant_deg) % 90.0
    pitch = seen.reading.pitch * size
    return PipFace(value, x, y, pitch, turn, seen.reading.dark, tuple(chosen), min(pip.roundness for pip in chosen))


def foreign_pips(die: Confirmed, pips: tuple[Pip, ...]) -> list[Pip]:
    """Pips of the die's kind that stand on its face and are none of those it was read by.

    The face is then one that no die has, or the square is not the die's.

    At the very outline a pip of a side face may show, smaller and paler.
    """
    own = die.pips.pips
    contrast, radius = min(pip.contrast for pip in own), float(np.mean([pip.radius_px for pip in own]))
    outline = die.seen.square.corners.astype(np.float32)
    found = []
    for pip in pips:
        if pip in own or pip.dark != die.pips.dark:
            continue
        within = cv2.pointPolygonTest(outline, (pip.x, pip.y), True) / die.seen.square.size_px
        size, strength = pip.radius_px / radius, pip.contrast / contrast
        if (within > INSIDE and strength >= 0.4 and 0.5 <= size <= 1.7) or (
            within > AT_RIM and strength >= 0.65 and 0.7 <= size <= 1.5
        ):
            found.append(pip)
    return found


def _stands_on(face: PipFace, seen: Seen) -> bool:
    outline = seen.square.corners.astype(np.float32)
    return any(cv2.pointPolygonTest(outline, (pip.x, pip.y), False) > 0 for pip in face.pips)


def confirmed(faces: tuple[Seen, ...], pips: tuple[PipFace, ...], alone: tuple[Pip, ...] = ()) -> list[Confirmed]:
    """Every die-first face with the pip-first face that says the same; a pip-first face confirms one die only.

    ``alone``: all pips, for faces on which pip-first has made no layout of another value.
    """
    found: list[Confirmed] = []
    used: set[int] = set()
    for seen in faces:
        fits = [index for index, face in enumerate(pips) if index not in used and agrees(seen, face)]
        if fits:
            x, y = seen.square.centre
            best = min(fits, key=lambda index: np.hypot(pips[index].x - x, pips[index].y - y))
            used.add(best)
            found.append(Confirmed(seen, pips[best]))
        elif not any(face.value > 1 and _stands_on(face, seen) for face in pips):
            face = pips_alone(seen, alone)
            if face is not None:
                found.append(Confirmed(seen, face))
    return found
