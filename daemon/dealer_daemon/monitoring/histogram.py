"""Counts of durations by how long they took."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

COMMIT_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""A commit is a flush of the disk: some ms on a good one, a second on one that fails."""
ACKNOWLEDGED_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""To the time after which a broker that owes an acknowledgement is taken for dead."""
LATE_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Histogram:
    """Seconds, in buckets up to each of ``bounds_s`` and above."""

    def __init__(self, bounds_s: Sequence[float]) -> None:
        self.bounds_s = tuple(bounds_s)
        self._counts = [0] * (len(self.bounds_s) + 1)
        self.sum_s = 0.0

    def observe(self, seconds: float) -> None:
        """One duration. A negative one, which a clock that was set can give, is none at all."""
        self._counts[bisect.bisect_left(self.bounds_s, seconds)] += 1
        self.sum_s += max(0.0, seconds)

    @property
    def count(self) -> int:
        """How many."""
        return sum(self._counts)

    def buckets(self) -> list[tuple[str, float]]:
        """(upper bound as text, how many were at most so long), the last one ``+Inf``."""
        found, total = [], 0
        for bound, count in zip((*map(repr, self.bounds_s), "+Inf"), self._counts, strict=True):
            total += count
            found.append((bound, float(total)))
        return found

    def at_most_s(self, share: float) -> float | None:
        """The bound below which that share of all lies; ``None`` where there are none, or it lies above all bounds."""
        wanted = share * self.count
        reached = [bound for bound, count in self.buckets() if count >= wanted > 0]
        return float(reached[0]) if len(reached) > 1 else None  # the last one is +Inf
