"""Whether the wheel loses the speed that its bearing must take: one that does not is driven by a hand. Pure.

Out of balance, a wheel may gain speed within a turn, never over a whole one: what gravity and the pegs gave on the way
they take back by the same place. There the square of its speed has fallen by twice the friction times the way, at
least. Within a turn gravity's share is bounded by what the wheel slows by at most. Source: ``games.md`` §7 (the wheel
ends at rest by itself); the law is the conservation of energy.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelMap
from dealer_daemon.validation.turn_motion import JITTER_S, RESIDUAL_DEG, SLOWING_MARGIN

LET_GO_DEG = 360.0
"""A hand that spins the wheel has let go after so far a way."""
WINDOW_S = 0.6
"""Speeds are taken over so long: over less, jitter hides what friction takes."""
WAYS_DEG = tuple(segments * SEGMENT_DEG for segments in (13, 26, 52, 104, 208, 416))
"""Whole segments: what pegs do is the same at both ends."""


class Coast:
    """The way of one turn, and whether a hand must have driven it."""

    def __init__(self, wheel: WheelMap) -> None:
        self._least = wheel.least_slowing_deg_s2
        # Of the most that the wheel slows by, what is not friction is imbalance.
        imbalance = max(0.0, SLOWING_MARGIN * wheel.file.slowing_deg_s2 - self._least)
        self._lost_at_least = [
            (way, 2 * self._least * way - 4 * math.degrees(imbalance) * abs(math.sin(math.radians(way / 2))))
            for way in WAYS_DEG
        ]
        self._times_s: list[float] = []
        self._ways_deg: list[float] = []

    def note(self, way_deg: float, t_s: float) -> str | None:
        """One count, ``way_deg`` from where the turn began. What is wrong with it; ``None`` where nothing is."""
        times, ways = self._times_s, self._ways_deg
        if ways and (way_deg <= ways[-1] or t_s <= times[-1]):
            return None  # it rolls back, or stands
        times.append(t_s)
        ways.append(way_deg)
        if t_s - WINDOW_S <= times[0]:
            return None
        from_deg = _between(times, ways, t_s - WINDOW_S)
        span_deg = way_deg - from_deg
        now = span_deg / WINDOW_S
        for way, least in self._lost_at_least:
            if from_deg - way < max(LET_GO_DEG, ways[0]):
                return None
            taken_s = _between(ways, times, way_deg - way) - _between(ways, times, from_deg - way)
            before = span_deg / taken_s
            noise = 4 * before**2 * (JITTER_S * before + RESIDUAL_DEG) / span_deg
            if before**2 - now**2 < least - noise:
                return (
                    f"it had {before:.0f}°/s, and {now:.0f}°/s {way:.0f}° later; by itself it slows by "
                    f"{self._least:g}°/s² at least"
                )
        return None


def _between(xs: list[float], ys: list[float], x: float) -> float:
    """The value of the line through the points at ``x``, which lies between the first and the last; ``xs`` rise."""
    index = max(1, bisect_left(xs, x))
    x0, x1, y0, y1 = xs[index - 1], xs[index], ys[index - 1], ys[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
