"""What a number of shakes can prove: bounds, never "100 %". Pure."""

from __future__ import annotations

import math

SURE = 0.95
"""Of every hundred bounds that are stated, five may be too low."""


def upper(events: int, tries: int, sure: float = SURE) -> float:
    """The rate not exceeded, ``sure`` of the time, where ``events`` were seen in ``tries`` (Clopper, Pearson)."""
    if not 0 <= events <= tries:
        raise ValueError(f"{events} of {tries}")
    if events == tries:
        return 1.0
    low, high = events / max(tries, 1), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(events, tries, middle) > 1 - sure:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, tries: int, rate: float) -> float:
    """The chance of no more than so many."""
    return math.fsum(math.comb(tries, k) * rate**k * (1 - rate) ** (tries - k) for k in range(events + 1))
