"""From beans to groups: who belongs together, whether all but the last are four, and which is the last.

Groups are lines of four, laid one under the other; where a column has its full number of groups the next one begins
beside it. Every place of that order is known, so a group that is missing, doubled or pushed aside shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dealer_drivers.beans.layout import Bean, BeansCount, BeansDoubts, Spots
from dealer_drivers.beans.profile import BeansProfile
from dealer_drivers.readings.beans import BeansDoubt

Doubles: TypeAlias = npt.NDArray[np.float64]

STRAIGHT = 0.5
"""Bean widths by which the beans of a group may lie higher or lower than each other."""
STEP_LEAST, STEP_MOST = 0.72, 1.38
"""From group to group in a column, against the middling step."""
BEGINS = 0.75
"""Bean widths by which a group may begin farther left or right than the one before it."""
ALIGNED = 0.5
"""Part of a step by which the columns' first groups may differ."""
BETWEEN_COLUMNS = 1.0


@dataclass(frozen=True, slots=True)
class _Group:
    """The indices of its beans in the order of the line, and where it is in bean widths of this place."""

    beans: npt.NDArray[np.int64]
    left: float
    right: float
    y: float
    width: float


def arrange(spots: Spots, width_px: Doubles, profile: BeansProfile) -> BeansCount | BeansDoubts:
    """The groups in their order. ``width_px``: a bean's calibrated width at each one's place. At least one bean."""
    x, y = _as_laid(spots, profile)
    away = np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :])
    away /= (width_px[:, None] + width_px[None, :]) / 2
    np.fill_diagonal(away, np.inf)
    linked = away <= profile.link
    if bool(((away > profile.link) & (away < profile.apart)).any()):
        return _doubt(
            BeansDoubt.GROUPS_UNCLEAR, "two beans are too far apart for one group and too near for two: part the groups"
        )
    x, y = _straightened(x, y, linked)
    groups = [_group(members, x, y, width_px) for members in _connected(linked)]
    sizes = sorted(len(group.beans) for group in groups)
    if sizes[-1] > 4 or sum(size < 4 for size in sizes) > 1:
        odd = ", ".join(str(size) for size in sizes if size != 4)
        return _doubt(BeansDoubt.GROUPS_NOT_FOUR, f"groups that are not four: {odd}; only the last may have fewer")
    for group in groups:
        if float(np.ptp(y[group.beans])) > STRAIGHT * group.width:
            return _doubt(BeansDoubt.ROWS_CROOKED, "a group is no straight line: lay its beans in one line")
    columns = _columns(groups, profile.rows)
    reason = _out_of_place(columns)
    if reason:
        return _doubt(BeansDoubt.ROWS_CROOKED, reason)
    order = [group for column in columns for group in column]
    if any(len(group.beans) < 4 for group in order[:-1]):
        return _doubt(BeansDoubt.GROUPS_NOT_FOUR, "a group that is not the last one has fewer than four")
    left, top = profile.region[:2]
    return BeansCount(
        tuple(
            tuple(Bean(float(spots.x[n]) + left, float(spots.y[n]) + top, float(spots.size_px[n])) for n in group.beans)
            for group in order
        )
    )


def _doubt(reason: BeansDoubt, detail: str) -> BeansDoubts:
    return BeansDoubts((reason,), detail)


def _as_laid(spots: Spots, profile: BeansProfile) -> tuple[Doubles, Doubles]:
    """Places turned so that groups run to the right, columns follow to the right and groups downwards."""
    x, y = spots.x.astype(np.float64), spots.y.astype(np.float64)
    if profile.line == "down":
        x, y = y, x
    return (x if profile.columns == "forward" else -x), (y if profile.stack == "forward" else -y)


def _straightened(x: Doubles, y: Doubles, linked: npt.NDArray[np.bool_]) -> tuple[Doubles, Doubles]:
    """Turned by the middling direction of the groups."""
    one, other = np.nonzero(linked)
    dx, dy = x[other] - x[one], y[other] - y[one]
    level = dx > np.abs(dy)
    if not level.any():
        return x, y
    turn = float(np.median(np.arctan2(dy[level], dx[level])))
    cos, sin = np.cos(turn), np.sin(turn)
    return x * cos + y * sin, y * cos - x * sin


def _connected(linked: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int64]]:
    left = set(range(len(linked)))
    found = []
    while left:
        members, new = set(), {left.pop()}
        while new:
            members |= new
            new = set(np.nonzero(linked[sorted(new)].any(axis=0))[0].tolist()) - members
        left -= members
        found.append(np.array(sorted(members), np.int64))
    return found


def _group(members: npt.NDArray[np.int64], x: Doubles, y: Doubles, width_px: Doubles) -> _Group:
    order = members[np.argsort(x[members], kind="stable")]
    return _Group(order, float(x[order[0]]), float(x[order[-1]]), float(y[order].mean()), float(width_px[order].mean()))


def _columns(groups: list[_Group], rows: int) -> list[list[_Group]]:
    """Cut by the house's number of groups in a full column, from the first column on."""
    across = sorted(groups, key=lambda group: group.left)
    return [sorted(across[start : start + rows], key=lambda group: group.y) for start in range(0, len(across), rows)]


def _out_of_place(columns: list[list[_Group]]) -> str:
    """Why the groups do not stand as they are laid; empty when they do."""
    steps = [(below.y - above.y) for column in columns for above, below in pairwise(column)]
    step = float(np.median(steps)) if steps else 0.0
    if steps and (min(steps) < STEP_LEAST * step or max(steps) > STEP_MOST * step):
        return "the groups of a column are not evenly spaced: one may be missing, or two too close"
    for column in columns:
        for above, below in pairwise(column):
            if abs(above.left - below.left) > BEGINS * above.width:
                return "a group does not begin where the one above it begins"
    for before, after in pairwise(columns):
        if abs(before[0].y - after[0].y) > ALIGNED * step:
            return "two columns do not begin at the same height"
        gap = min(group.left for group in after) - max(group.right for group in before)
        if gap < BETWEEN_COLUMNS * after[0].width:
            return "two columns are not clearly apart, or a column has not its full number of groups"
    return ""
