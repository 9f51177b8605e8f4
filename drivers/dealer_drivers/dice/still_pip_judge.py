"""Whether spots that stand about right are a face: places, pips that do not belong, empty places, the way between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.still_pip_spots import Floats, Spots

Point = npt.NDArray[np.float64]

SIDES = 0.7
"""Shorter over longer side of the square of a four or five."""
SQUARE_DEG = 20.0
"""How far from a right angle the sides may be."""
FACE_REACH, FACE_REACH_FEW = 1.4, 2.25
"""Half the side of the square, in spacings, in which no other like pip may stand; the second for twos and threes."""
EMPTY_LIKE_PIP, EMPTY_UNLIKE, EMPTY_STANDS_OUT = 0.62, 0.75, 0.3
"""How far the grey of an empty place may go towards the pips' level, and the other way, and how far it may stand out
from what is around it, in parts of the contrast."""
PATH = 0.35
"""How far the grey on the way from pip to pip of a two or three may leave the body's, in parts of the contrast: the
gap between two dice does."""
OFF_PLACE = 0.3
"""How far a pip may stand from its place, in spacings."""
PITCH_IN_RADII = (1.5, 5.0)
"""Spacing of the places over the radius of the pips, for any die seen yet."""

_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_PLACES = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1))
_DIAGONALS = (((-1, -1), (1, 1)), ((-1, 1), (1, -1)))


@dataclass(frozen=True, slots=True)
class Layout:
    """Spots that stand as one face; lengths in pixels of the work picture."""

    value: int
    spots: tuple[int, ...]
    """Row numbers in the spots, ascending."""
    middle: Point
    u: Point
    v: Point
    quality: float

    @property
    def pitch_px(self) -> float:
        """Mean spacing of the places."""
        return float(np.hypot(*self.u) + np.hypot(*self.v)) / 2

    @property
    def turn_deg(self) -> float:
        """Turn of the face, 0 to 90."""
        along = np.degrees(np.arctan2(self.u[1], self.u[0]))
        # v is a quarter turn further: brought back, the mean of the two is the turn.
        across = np.degrees(np.arctan2(self.v[1], self.v[0])) - 90.0
        return float((along + ((across - along + 90.0) % 180.0 - 90.0) / 2) % 90.0)

    def holds(self, x: Floats, y: Floats, reach: float = FACE_REACH) -> npt.NDArray[np.bool_]:
        """Which points lie within the face's square."""
        inverse = np.linalg.inv(np.stack([self.u, self.v], axis=1))
        places = inverse @ np.stack([x - self.middle[0], y - self.middle[1]])
        return np.asarray(np.abs(places).max(axis=0) < reach)


def judge(picture: Floats, spots: Spots, layout: Layout) -> Layout | None:
    """The layout with its quality (0 to 1), or nothing where it is no face."""
    rows = np.array(layout.spots)
    radius, contrast = float(spots.radius_px[rows].mean()), float(spots.contrast[rows].mean())
    skew = _skew_deg(layout, radius)
    placed = _placed(layout, spots) if skew is not None else None
    if skew is None or placed is None or _has_foreign(spots, layout, radius, contrast):
        return None
    filled, off_place = placed
    empty = ((0, 0),) if layout.value == 6 else tuple(place for place in _PLACES if place not in filled)
    worst = _worst_of_empty(picture, spots, layout, empty)
    if worst is None or (layout.value in (2, 3) and _crossed(picture, spots, rows, radius, contrast)):
        return None
    spread = float(spots.radius_px[rows].std() / radius) + float(spots.contrast[rows].std() / contrast)
    quality = (
        float(spots.roundness[rows].mean())
        * (1 - 0.8 * float(np.sqrt((off_place**2).mean())))
        * (1 - 0.4 * spread)
        * (1 - 0.25 * worst)
        * (1 - skew / 90)
    )
    return replace(layout, quality=max(0.0, quality))


def _skew_deg(layout: Layout, radius: float) -> float | None:
    """How far the sides are from a right angle, or nothing where the shape is no face's."""
    wide, long = float(np.hypot(*layout.u)), float(np.hypot(*layout.v))
    if not PITCH_IN_RADII[0] < layout.pitch_px / radius < PITCH_IN_RADII[1]:
        return None
    if layout.value != 6 and min(wide, long) < SIDES * max(wide, long):
        return None
    lean = abs(float(layout.u @ layout.v)) / (wide * long)
    skew = float(np.degrees(np.arcsin(min(1.0, lean))))
    return skew if skew <= SQUARE_DEG else None


def _placed(layout: Layout, spots: Spots) -> tuple[tuple[tuple[int, int], ...], Point] | None:
    """The places (along u, along v) that have a pip, and how far each pip is off; nothing where one has no place."""
    rows = np.array(layout.spots)
    inverse = np.linalg.inv(np.stack([layout.u, layout.v], axis=1))
    own = (inverse @ (np.stack([spots.x[rows], spots.y[rows]]) - layout.middle[:, None])).T
    filled: tuple[tuple[int, int], ...] = _CORNERS
    match layout.value:
        case 2 | 3:
            falls = np.abs(own[:, 0] + own[:, 1]).sum() <= np.abs(own[:, 0] - own[:, 1]).sum()
            filled = (*_DIAGONALS[int(falls)], *(((0, 0),) if layout.value == 3 else ()))
        case 5:
            filled = (*_CORNERS, (0, 0))
        case 6:
            # The two in the middle of the rows lie nearest to the face's middle, whichever way the rows run.
            inner = np.abs(own[np.argsort(np.abs(own).sum(axis=1))[:2]]).sum(axis=0)
            filled = (*_CORNERS, *(((0, -1), (0, 1)) if inner[1] > inner[0] else ((-1, 0), (1, 0))))
        case _:
            pass
    off = np.hypot(*(own[:, None] - np.array(filled, dtype=np.float64)[None]).transpose(2, 0, 1))
    nearest, off_place = off.argmin(axis=1), np.asarray(off.min(axis=1))
    if len(set(nearest.tolist())) != len(rows) or float(off_place.max()) > OFF_PLACE:
        return None
    return filled, off_place


def _has_foreign(spots: Spots, layout: Layout, radius: float, contrast: float) -> bool:
    """Whether a pip that could belong stands within the face and has no place in the layout."""
    like = spots.dark == spots.dark[layout.spots[0]]
    like[list(layout.spots)] = False
    like &= (spots.contrast > 0.45 * contrast) & (spots.radius_px > 0.55 * radius) & (spots.radius_px < 1.8 * radius)
    reach = FACE_REACH_FEW if layout.value in (2, 3) else FACE_REACH
    return bool((like & layout.holds(spots.x, spots.y, reach)).any())


def _worst_of_empty(picture: Floats, spots: Spots, layout: Layout, empty: tuple[tuple[int, int], ...]) -> float | None:
    """How much the most doubtful empty place looks like a pip, 0 to 1, or nothing where it may be one."""
    rows = np.array(layout.spots)
    radius, contrast = float(spots.radius_px[rows].mean()), float(spots.contrast[rows].mean())
    ground = float(np.median(spots.ground[rows]))
    sign = -1.0 if bool(spots.dark[rows[0]]) else 1.0
    worst = 0.0
    for along, across in empty:
        x, y = layout.middle + along * layout.u + across * layout.v
        seen = _seen_at(picture, float(x), float(y), radius)
        if seen is None:
            return None
        towards, stands_out = sign * (seen[0] - ground) / contrast, sign * (seen[0] - seen[1]) / contrast
        worst = max(worst, towards / EMPTY_LIKE_PIP, -towards / EMPTY_UNLIKE, stands_out / EMPTY_STANDS_OUT)
    return worst if worst <= 1 else None


def _seen_at(picture: Floats, x: float, y: float, radius: float) -> tuple[float, float] | None:
    """Grey level at a place and around it, or nothing where the picture ends."""
    half, rim = max(1, round(0.6 * radius)), max(2, round(1.35 * radius))
    x0, y0 = round(x), round(y)
    if not (rim <= x0 < picture.shape[1] - rim and rim <= y0 < picture.shape[0] - rim):
        return None
    grey = float(np.median(picture[y0 - half : y0 + half + 1, x0 - half : x0 + half + 1]))
    turns = np.arange(16) * (np.pi / 8)
    ring = picture[np.rint(y0 + rim * np.sin(turns)).astype(int), np.rint(x0 + rim * np.cos(turns)).astype(int)]
    return grey, float(np.median(ring))


def _crossed(picture: Floats, spots: Spots, rows: npt.NDArray[np.intp], radius: float, contrast: float) -> bool:
    """Whether something lies across the way between neighbouring pips of a two or three."""
    at = np.stack([spots.x[rows], spots.y[rows]], axis=1).astype(np.float64)
    far = np.argmax(np.hypot(*(at - at.mean(axis=0)).T))
    order = np.argsort(np.hypot(*(at - at[far]).T))
    for one, other in pairwise(order.tolist()):
        way = at[other] - at[one]
        length = float(np.hypot(*way))
        steps = np.arange(1.5 * radius, length - 1.5 * radius + 0.5, 1.0)
        if len(steps) == 0:
            continue
        along, across = way / length, np.array([-way[1], way[0]]) / length * 0.4 * radius
        points = at[one] + steps[:, None, None] * along + np.array([-1.0, 0.0, 1.0])[None, :, None] * across
        last = np.array([picture.shape[1] - 1, picture.shape[0] - 1])
        xs, ys = np.rint(np.clip(points, 0, last)).astype(int).transpose(2, 0, 1)
        grey = picture[ys, xs].mean(axis=1)
        ground = np.linspace(float(spots.ground[rows[one]]), float(spots.ground[rows[other]]), len(steps))
        if float(np.abs(grey - ground).max()) > PATH * contrast:
            return True
    return False
