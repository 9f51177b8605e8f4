"""What is in the picture beside the dice that were read. Three good dice prove nothing about a fourth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey, Pip, PipFace
from dealer_drivers.dice.still_die_first import common_part
from dealer_drivers.dice.still_rim import Rim, without_rim
from dealer_drivers.dice.still_squares import WORK_SIDE_PX, Floats, Square, Taken, find_squares
from dealer_drivers.dice.still_templates import read_faces

AROUND = 1.14
"""A die's outline times this covers its rounded edge and the shadow line at its foot."""


def grown(corners: npt.NDArray[np.float64], by: float) -> npt.NDArray[np.float64]:
    """The same face, larger from its middle."""
    middle = corners.mean(axis=0)
    return np.asarray((corners - middle) * by + middle)


def dice_out(dice: list[npt.NDArray[np.float64]], rim: Rim | None = None, by: float = AROUND) -> Taken:
    """Takes dice, and the rim where there is one, out of a gradient."""

    def take(fields: tuple[Floats, Floats], step: float) -> Floats:
        left = np.ones(fields[0].shape, np.uint8)
        for corners in dice:
            # Also what lies within a pixel of the reduced picture: its gradient is the die's.
            outline = (grown(corners, by) + 0.5) / step - 0.5
            polygon = np.rint(outline * 16).astype(np.int32)
            cv2.fillPoly(left, [polygon], 0, shift=4)
            cv2.polylines(left, [polygon], True, 0, 2, shift=4)
        keep = left.astype(np.float32)
        fields[0][:] *= keep
        fields[1][:] *= keep
        if rim is not None:
            without_rim(fields, rim, step)
        return keep

    return take


LEFT_KEPT = 40
LEAST_PART, MOST_PART = 0.55, 1.5
"""Sizes of a further die, in those of the smallest and the largest read: dice of one game are not more unlike."""
ASIDE = 0.15
"""Of the smaller area: squares that overlap a die by more are the die's own shadow or foot."""
STRONG_SQUARE, STRONG_ONE_WAY = 0.645, 0.59
"""Sides that only a thing has: wood grain and ruled lines stay below 0.61 and 0.55 (half A, dice taken out)."""
LIKE_A_FACE = 0.30
"""How much the likeness to a face weighs beside the sides."""
SUSPECT = 0.605
"""Mean of both scores, with the likeness, from which a square may be a weak die. Half A: grain up to 0.60, a die pasted
at 35 % contrast mostly above."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """The most suspicious square beside the dice."""

    square: Square
    suspicion: float
    """At ``SUSPECT`` and above it may be a die."""


def left_squares(grey: Grey, dice: list[npt.NDArray[np.float64]], rim: Rim | None) -> Leftover | None:
    """The square that looks most like a further die once the dice and the rim are taken out, if there is one."""
    sizes = [float(np.sqrt(cv2.contourArea(each.astype(np.float32)))) for each in dice]
    scale = min(1.0, WORK_SIDE_PX / max(grey.shape))
    low, high = LEAST_PART * min(sizes) * scale, MOST_PART * max(sizes) * scale
    found = find_squares(grey, kept=LEFT_KEPT, sizes_px=(low, high), take_out=dice_out(dice, rim))
    aside = [
        each
        for each in found
        if each.size_px >= LEAST_PART * min(sizes) and all(common_part(each.corners, die) <= ASIDE for die in dice)
    ]
    readings = read_faces(grey, np.array([each.corners for each in aside]))
    best: Leftover | None = None
    for square, reading in zip(aside, readings, strict=True):
        likeness = reading.likeness if reading.value and reading.certain > 0 else 0.0
        suspicion = (square.score + square.one_way) / 2 + LIKE_A_FACE * likeness
        if square.score >= STRONG_SQUARE or square.one_way >= STRONG_ONE_WAY:
            suspicion = max(suspicion, SUSPECT)
        if best is None or suspicion > best.suspicion:
            best = Leftover(square, suspicion)
    return best


GROUP_QUALITY = 0.70
GROUP_CONTRAST = {2: 0.45, 3: 0.24, 4: 0.24, 5: 0.2, 6: 0.2}
"""Of the weakest die's pips: a further group of pips this strong belongs to a die. Grain makes weak twos mostly."""
LONE_CONTRAST, LONE_ROUND = 0.68, 0.85
"""The same for one pip by itself."""
PAIR_CONTRAST, PAIR_ROUND = 0.15, 0.94
"""The same for two like pips near one another: grain makes neither so round nor so large ones, side by side."""
PAIR_LIKE_CONTRAST, PAIR_LIKE_SIZE = 0.6, 0.85
"""The weaker over the stronger of the two, the smaller over the larger."""
PAIR_SIZE = (0.62, 1.7)
"""Their radii, in the mean radius of the dice's pips."""
PAIR_APART = (2.2, 7.5)
"""Of their middles, in their radii: two pips of one face, and no spot found twice."""
GROUP_ASIDE, LONE_ASIDE = 1.2, 1.6
"""Times a die's outline: pips within belong to the die, or to its side faces."""


def outside(x: float, y: float, dice: list[npt.NDArray[np.float64]], by: float) -> bool:
    """Whether a point is outside all dice grown by that factor."""
    return all(cv2.pointPolygonTest(grown(die, by).astype(np.float32), (x, y), False) < 0 for die in dice)


def left_groups(
    faces: Sequence[PipFace],
    dice: list[npt.NDArray[np.float64]],
    weakest: float,
    least: dict[int, float] = GROUP_CONTRAST,
) -> list[PipFace]:
    """Groups of pips that stand beside the dice and are strong enough to be a die's."""
    return [
        face
        for face in faces
        if face.value in least
        and face.quality >= GROUP_QUALITY
        and min(pip.contrast for pip in face.pips) >= least[face.value] * weakest
        and outside(face.x, face.y, dice, GROUP_ASIDE)
    ]


SURE_QUALITY = 0.85
"""From which a layout or a lone pip is a die's, however pale. The grain of half A makes fours of 0.57, twos of 0.78 and
ones of 0.71."""


def left_sure(faces: Sequence[PipFace], dice: list[npt.NDArray[np.float64]], radius_px: float) -> list[PipFace]:
    """Layouts and lone pips well beside the dice that stand as only a die's do, of whatever contrast."""
    return [
        face
        for face in faces
        if face.quality >= SURE_QUALITY
        and all(PAIR_SIZE[0] * radius_px <= pip.radius_px <= PAIR_SIZE[1] * radius_px for pip in face.pips)
        and outside(face.x, face.y, dice, LONE_ASIDE)
    ]


def left_pips(pips: Sequence[Pip], dice: list[npt.NDArray[np.float64]], weakest: float) -> list[Pip]:
    """Single good pips well beside the dice, as strong as theirs."""
    return [
        pip
        for pip in pips
        if pip.contrast >= LONE_CONTRAST * weakest
        and pip.roundness >= LONE_ROUND
        and outside(pip.x, pip.y, dice, LONE_ASIDE)
    ]


def left_pairs(
    pips: Sequence[Pip], dice: list[npt.NDArray[np.float64]], weakest: float, radius_px: float
) -> list[tuple[Pip, Pip]]:
    """Two like pips well beside the dice, however pale, that may stand on one face.

    Pip-first makes no layout of them where a line of the plate crosses the face, and neither is a lone one then.
    """
    likely = [
        pip
        for pip in pips
        if pip.contrast >= PAIR_CONTRAST * weakest
        and pip.roundness >= PAIR_ROUND
        and PAIR_SIZE[0] * radius_px <= pip.radius_px <= PAIR_SIZE[1] * radius_px
        and outside(pip.x, pip.y, dice, LONE_ASIDE)
    ]
    return [(one, other) for one, other in combinations(likely, 2) if _of_one_face(one, other)]


def _of_one_face(one: Pip, other: Pip) -> bool:
    apart = 2 * float(np.hypot(one.x - other.x, one.y - other.y)) / (one.radius_px + other.radius_px)
    contrasts, radii = sorted((one.contrast, other.contrast)), sorted((one.radius_px, other.radius_px))
    return (
        one.dark == other.dark
        and PAIR_APART[0] <= apart <= PAIR_APART[1]
        and contrasts[0] >= PAIR_LIKE_CONTRAST * contrasts[1]
        and radii[0] >= PAIR_LIKE_SIZE * radii[1]
    )


ONE_ASIDE = 2.0
"""Times a die's outline: a lone pip within may be on a side face."""
ONE_CONTRAST = 0.15
"""Of the weakest die's pips: even a pale die's one has more."""
CUT_CONTRAST, CUT_ROUND = 0.65, 0.85
CUT_SIZE = (0.6, 1.35)
CUT_NEAR = 0.8
"""In faces: a pip so near to the frame may be all that is left of a die cut by it."""


@dataclass(frozen=True, slots=True)
class LikeOnes:
    """Which lone pips are taken for a further die's one. Measured on half A: no picture to be read has such a pip."""

    quality: float
    size: tuple[float, float]
    """Radius, in the mean radius of the dice's pips."""
    aside: float = ONE_ASIDE


ONES_BARE = LikeOnes(0.75, (0.6, 1.7), LONE_ASIDE)
ONES_DESK = LikeOnes(0.78, (0.7, 1.5))
"""Desks have screws, keys and letters: a little narrower, and only of the dice's own polarity."""


def left_ones(
    faces: Sequence[PipFace], dice: list[npt.NDArray[np.float64]], weakest: float, radius_px: float, like: LikeOnes
) -> list[PipFace]:
    """Lone pips well beside the dice that look like a die's one, however pale."""
    return [
        face
        for face in faces
        if face.value == 1
        and face.quality >= like.quality
        and like.size[0] * radius_px <= face.pips[0].radius_px <= like.size[1] * radius_px
        and face.pips[0].contrast >= ONE_CONTRAST * weakest
        and outside(face.x, face.y, dice, like.aside)
    ]


def cut_pips(
    pips: Sequence[Pip],
    dice: list[npt.NDArray[np.float64]],
    weakest: float,
    radius_px: float,
    shape: tuple[int, ...],
) -> list[Pip]:
    """Pips like the dice's own, well beside them and near the edge of the picture."""
    near = CUT_NEAR * min(float(np.sqrt(cv2.contourArea(die.astype(np.float32)))) for die in dice)
    return [
        pip
        for pip in pips
        if pip.contrast >= CUT_CONTRAST * weakest
        and pip.roundness >= CUT_ROUND
        and CUT_SIZE[0] * radius_px <= pip.radius_px <= CUT_SIZE[1] * radius_px
        and min(pip.x, pip.y, shape[1] - 1 - pip.x, shape[0] - 1 - pip.y) < near
        and outside(pip.x, pip.y, dice, ONE_ASIDE)
    ]
