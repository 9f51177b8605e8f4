"""Which results of two systems are of one round, by time alone.

What they say is never looked at: results paired by their values would agree for that reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median


@dataclass(frozen=True, slots=True)
class Pairing:
    """``pairs`` are indices of ours and theirs; the others stand alone. ``offset_s`` is how much later theirs come
    than ours, ``widest_s`` how far the furthest pair is from that, in seconds."""

    pairs: tuple[tuple[int, int], ...]
    only_ours: tuple[int, ...]
    only_theirs: tuple[int, ...]
    offset_s: float
    widest_s: float


def pair(ours: Sequence[datetime], theirs: Sequence[datetime], window_s: float, offset_s: float | None) -> Pairing:
    """Pairs each of ``ours`` with the one of ``theirs`` that is nearest in time, where each is the other's nearest and
    they are at most ``window_s`` apart, ``offset_s`` set off. Both are in the order of time.

    Without ``offset_s`` it is the median over the pairs that are each other's nearest within ten windows.
    """
    if offset_s is None:
        apart = [(theirs[j] - ours[i]).total_seconds() for i, j in _nearest(ours, theirs, 10 * window_s)]
        offset_s = median(apart) if apart else 0.0
    moved = [moment - timedelta(seconds=offset_s) for moment in theirs]
    pairs = tuple(_nearest(ours, moved, window_s))
    mine, others = {i for i, _ in pairs}, {j for _, j in pairs}
    return Pairing(
        pairs,
        tuple(i for i in range(len(ours)) if i not in mine),
        tuple(j for j in range(len(theirs)) if j not in others),
        offset_s,
        max((abs((moved[j] - ours[i]).total_seconds()) for i, j in pairs), default=0.0),
    )


def _nearest(ours: Sequence[datetime], theirs: Sequence[datetime], window_s: float) -> list[tuple[int, int]]:
    """The pairs of which each is the other's nearest, and no further than ``window_s``."""
    found = []
    for i, moment in enumerate(ours):
        j = _nearest_to(moment, theirs)
        if j is None or _nearest_to(theirs[j], ours) != i:
            continue
        if abs((theirs[j] - moment).total_seconds()) <= window_s:
            found.append((i, j))
    return found


def _nearest_to(moment: datetime, others: Sequence[datetime]) -> int | None:
    at = bisect_left(others, moment)
    near = [index for index in (at - 1, at) if 0 <= index < len(others)]
    return min(near, key=lambda index: abs(others[index] - moment), default=None)
