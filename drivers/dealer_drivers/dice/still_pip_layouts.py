"""Canonical layouts among round spots: which spots stand as the pips of a 2, 3, 4, 5 or 6 do.

A face has nine places, three by three. Two vectors span them (``u``, ``v``: from the middle to the middle of two
sides), so a face seen a little from aslant is still a layout; where they differ too much in length or are not square
to each other, it is none. The places without a pip must look like the die's body, and no pip that could belong may
stand within the face: so a four within a five is no four, and a two or three within a six is neither.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.still_pip_judge import OFF_PLACE, PITCH_IN_RADII, Layout, Point, judge
from dealer_drivers.dice.still_pip_spots import Floats, Spots

LIKE_RADIUS, LIKE_CONTRAST, LIKE_GROUND = 1.45, 0.5, 0.8
"""Two pips of one face: larger over smaller radius at most, weaker over stronger contrast at least, difference of the
grounds over the mean contrast at most."""
SIX_SHAPE = (0.54, 1.45)
"""Distance of the two rows of a six over the length of a row: some dice have it narrow."""


class _Pairs:
    """The spots of one polarity and which of them may be pips of one die."""

    def __init__(self, spots: Spots, rows: npt.NDArray[np.intp]) -> None:
        self.rows = rows
        self.at = np.stack([spots.x[rows], spots.y[rows]], axis=1).astype(np.float64)
        self.radius = spots.radius_px[rows].astype(np.float64)
        contrast, ground = spots.contrast[rows].astype(np.float64), spots.ground[rows].astype(np.float64)
        self.apart = np.hypot(*(self.at[:, None] - self.at[None]).transpose(2, 0, 1))
        ratio = self.radius[:, None] / self.radius[None]
        strength = contrast[:, None] / contrast[None]
        mean = (contrast[:, None] + contrast[None]) / 2
        self.like = (
            (np.maximum(ratio, 1 / ratio) < LIKE_RADIUS)
            & (np.minimum(strength, 1 / strength) > LIKE_CONTRAST)
            & (np.abs(ground[:, None] - ground[None]) < LIKE_GROUND * mean)
            & ~np.eye(len(rows), dtype=bool)
        )
        self.in_radii = self.apart / ((self.radius[:, None] + self.radius[None]) / 2)

    def near(self, point: Point, within: float, like: int) -> int | None:
        """The spot nearest to a point and like another one, if there is one."""
        off = np.hypot(self.at[:, 0] - point[0], self.at[:, 1] - point[1])
        off = np.where(self.like[like], off, np.inf)
        best = int(np.argmin(off))
        return best if off[best] < within else None


def find_layouts(picture: Floats, spots: Spots) -> list[Layout]:
    """Every layout that the spots allow, those that overlap each other too; best first."""
    found: dict[tuple[int, ...], Layout] = {}
    for dark in (False, True):
        rows = np.nonzero(spots.dark == dark)[0]
        if len(rows) < 2:
            continue
        pairs = _Pairs(spots, rows)
        for layout in _squares(pairs) + _sixes(pairs):
            judged = judge(picture, spots, layout)
            if judged is not None and (judged.spots not in found or found[judged.spots].quality < judged.quality):
                found[judged.spots] = judged
    return sorted(found.values(), key=lambda each: (-each.quality, each.spots))


def _squares(pairs: _Pairs) -> list[Layout]:
    """Twos, threes, fours and fives, from their diagonals."""
    out: list[Layout] = []
    low, high = (2 * np.sqrt(2) * limit for limit in PITCH_IN_RADII)
    firsts, seconds = np.nonzero(np.triu(pairs.like & (pairs.in_radii > low * 0.8) & (pairs.in_radii < high * 1.15)))
    for i, j in zip(firsts.tolist(), seconds.tolist(), strict=True):
        a, b = pairs.at[i], pairs.at[j]
        middle, half = (a + b) / 2, (b - a) / 2
        reach = float(np.hypot(*half))
        across = np.array([-half[1], half[0]])
        pitch = reach / np.sqrt(2)
        centre = pairs.near(middle, OFF_PLACE * pitch, i)
        third, fourth = (pairs.near(middle + side * across, 0.5 * reach, i) for side in (1, -1))
        if third is not None and fourth is not None:
            c, d = pairs.at[third], pairs.at[fourth]
            corners = (i, third, j, fourth)
            if i > min(third, fourth):
                continue  # met from its other diagonal
            middle = (a + b + c + d) / 4
            # Corners in order a, c, b, d: sides a→c and c→b.
            u, v = ((c - a) + (b - d)) / 4, ((b - c) + (d - a)) / 4
            spare = () if centre is None else (centre,)
            out.append(_layout(pairs, 4 + len(spare), (*corners, *spare), middle, u, v))
        u, v = (half - across) / 2, (half + across) / 2
        if centre is None:
            out.append(_layout(pairs, 2, (i, j), middle, u, v))
        else:
            out.append(_layout(pairs, 3, (i, centre, j), middle, u, v))
    return out


def _sixes(pairs: _Pairs) -> list[Layout]:
    """Two rows of three side by side."""
    rows: list[tuple[int, int, int]] = []
    low, high = (2 * limit for limit in PITCH_IN_RADII)
    firsts, seconds = np.nonzero(np.triu(pairs.like & (pairs.in_radii > low * 0.9) & (pairs.in_radii < high * 1.1)))
    for i, j in zip(firsts.tolist(), seconds.tolist(), strict=True):
        centre = pairs.near((pairs.at[i] + pairs.at[j]) / 2, OFF_PLACE * float(pairs.apart[i, j]) / 2, i)
        if centre is not None and centre not in (i, j):
            rows.append((i, centre, j))
    out: list[Layout] = []
    for one, other in combinations(rows, 2):
        if set(one) & set(other) or not pairs.like[one[1], other[1]]:
            continue
        along, beside = pairs.at[one[2]] - pairs.at[one[0]], pairs.at[other[2]] - pairs.at[other[0]]
        if float(along @ beside) < 0:
            other, beside = other[::-1], -beside
        v = (along + beside) / 4
        u = (pairs.at[list(other)] - pairs.at[list(one)]).mean(axis=0) / 2
        wide, long = float(np.hypot(*u)), float(np.hypot(*v))
        if not SIX_SHAPE[0] * long < wide < SIX_SHAPE[1] * long:
            continue
        middle = pairs.at[[*one, *other]].mean(axis=0)
        out.append(_layout(pairs, 6, (*one, *other), middle, u, v))
    return out


def _layout(pairs: _Pairs, value: int, spots: tuple[int, ...], middle: Point, u: Point, v: Point) -> Layout:
    if u[0] * v[1] - u[1] * v[0] < 0:
        u, v = v, u
    return Layout(value, tuple(sorted(int(pairs.rows[spot]) for spot in spots)), middle, u, v, 0.0)
