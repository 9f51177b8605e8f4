"""Whether one die hides a part of another: it lies or leans on it, and no value of either may then be given.

Dice that lie flat may touch, and the squares around their rounded corners may even overlap; their bodies may not. A
die that is hidden at one side is given away by its pips: they are no longer in the middle of what is seen of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey
from dealer_drivers.dice.still_agree import Confirmed
from dealer_drivers.dice.still_round import is_round
from dealer_drivers.dice.still_squares import Square

Points = npt.NDArray[np.float64]

ROUND = 0.16
"""Radius of a die's corners, in sides."""
OVERLAP = 0.095
"""How far the rounded outlines of two faces may overlap, in their mean size: outlines are off by up to 0.089 (the
photographs to be read)."""
NEAR = 0.12
"""Distance of two rounded outlines, in their mean size, below which one may hide a part of the other."""
OFF_MIDDLE = 0.025
"""How far the pips of a face may be off its middle towards such a neighbour, in sides. The photographs to be read have
up to 0.021; a twentieth of a side that is hidden makes as much."""


PIPS_TOO_NEAR = 1.018
"""Middles of the pips of two faces, in their mean size; the photographs to be read have 1.028 and more."""
NEAR_INLAY = 0.15
"""Distance of a round outline from another face: the inlay of a die, which itself reaches further. Photographs to be
read have 0.17 and more."""
UNLIKE_SIDES = 0.4
"""How well the sides of a face near another must show all darker, or all brighter, outside: a side made by a die that
lies on it is of another kind. The photographs to be read have 0.41 and more."""
FRAME = (1.16, 1.75)
"""Size of a die around an inlay that was taken for its outline, in that of the inlay."""
FRAME_OFF, FRAME_SCORE = 0.17, 0.8
"""How far its middle may be off, in sides of the inlay, and how well its sides must show: chance squares around a face,
its shadow and its foot among them, have up to 0.75 (half A), dice around an inlay 0.81 and more."""


def hides_a_part(dice: Sequence[Confirmed], grey: Grey, squares: Sequence[Square] = ()) -> bool:
    """Whether one of these dice may hide a part of another. ``squares``: all that were found in the picture."""
    return any(_one_on_other(one, other, grey, squares) for one, other in combinations(dice, 2))


def _one_on_other(one: Confirmed, other: Confirmed, grey: Grey, squares: Sequence[Square]) -> bool:
    if _apart(_frame(one, squares), _frame(other, squares)) < -OVERLAP:
        return True
    first, second = one.seen.square.corners, other.seen.square.corners
    # The side away from the neighbour is seen whole: mirrored at the pips, it is where the side that may be hidden is.
    whole_first, whole_second = _mirrored(one), _mirrored(other)
    apart = _apart(first, second)
    least = min(apart, _apart(whole_first, whole_second), _apart(whole_first, second), _apart(first, whole_second))
    size = (one.seen.square.size_px + other.seen.square.size_px) / 2
    if least < -OVERLAP or float(np.linalg.norm(_middle(one) - _middle(other))) < PIPS_TOO_NEAR * size:
        return True
    if apart < NEAR and (
        max(_towards(one, other), _towards(other, one)) > OFF_MIDDLE
        or min(one.seen.square.one_way, other.seen.square.one_way) < UNLIKE_SIDES
    ):
        return True
    return apart < NEAR_INLAY and any(
        is_round(grey, die.seen.square.corners, die.seen.square.score) for die in (one, other)
    )


def _frame(die: Confirmed, squares: Sequence[Square]) -> Points:
    """The outline of a die, also where what was read is its inlay, whatever the shape of that."""
    inner = die.seen.square
    around = [
        square
        for square in squares
        if square.score >= FRAME_SCORE
        and FRAME[0] * inner.size_px <= square.size_px <= FRAME[1] * inner.size_px
        and np.hypot(*np.subtract(square.centre, inner.centre)) <= FRAME_OFF * inner.size_px
    ]
    return max(around, key=lambda square: square.score, default=inner).corners


def _middle(die: Confirmed) -> Points:
    return np.array([die.pips.x, die.pips.y])


def _mirrored(die: Confirmed) -> Points:
    return np.asarray(2 * _middle(die) - die.seen.square.corners)


def _towards(die: Confirmed, other: Confirmed) -> float:
    """How far the pips are off the middle of the face towards the other die, in sides."""
    centre = np.array(die.seen.square.centre)
    way = np.array(other.seen.square.centre) - centre
    return float(np.dot(_middle(die) - centre, way) / np.linalg.norm(way)) / die.seen.square.size_px


def _size(corners: Points) -> float:
    return float(np.sqrt(cv2.contourArea(corners.astype(np.float32))))


def _apart(one: Points, other: Points) -> float:
    """Distance of two rounded outlines in their mean size; below 0 where they overlap."""
    first, second = _core(one), _core(other)
    area, _ = cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))
    distance = _parted(first, second) if area > 0 else min(_to_sides(first, second), _to_sides(second, first))
    sizes = _size(one) + _size(other)
    return (distance - ROUND * sizes) / (sizes / 2)


def _core(corners: Points) -> Points:
    """What is left of a face when its rounding is taken off all around."""
    middle = corners.mean(axis=0)
    return np.asarray((corners - middle) * (1 - 2 * ROUND) + middle)


def _to_sides(points: Points, corners: Points) -> float:
    """The shortest way from points outside to the sides of a face."""
    outline = corners.astype(np.float32)
    return min(-cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in points)


def _parted(one: Points, other: Points) -> float:
    """How far two faces that overlap must be moved to part them: below 0."""
    best = -np.inf
    for corners, points in ((one, other), (other, one)):
        sides = np.roll(corners, -1, axis=0) - corners
        # Clockwise on the screen: outward is the side turned to its left.
        normals = np.stack([sides[:, 1], -sides[:, 0]], axis=1) / np.linalg.norm(sides, axis=1)[:, None]
        reach = ((points[None] - corners[:, None]) * normals[:, None]).sum(axis=2).min(axis=1)
        best = max(best, float(reach.max()))
    return best
