"""Whether a wheel slows as its bearing makes it: one that loses too little is driven by a hand, too much, braked. Pure.

Out of balance, a wheel may gain speed within a turn, never over a whole one: what gravity and the pegs gave on the way
they take back by the same place. There the square of its speed has fallen by twice the friction times the way. Within a
turn gravity's share is known where the imbalance was measured, and else bounded by what the wheel slows by at most. How
much friction takes at most is known only where it was measured (``most_slowing_deg_s2``). Source: ``games.md`` §7 (the
wheel ends at rest by itself); the law is the conservation of energy.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelMap
from dealer_daemon.validation.turn_motion import JITTER_S, RESIDUAL_DEG, SLOWING_MARGIN

LET_GO_DEG = 360.0
"""A hand that spins the wheel has let go after so far a way."""
WINDOW_S = 0.6
"""Speeds are taken over so long: over less, jitter hides what friction takes."""
WAYS_DEG = tuple(segments * SEGMENT_DEG for segments in (13, 26, 52, 104, 208, 416))
"""Whole segments: what pegs do is the same at both ends."""
PEG_DEG_S = 15.0
"""A leaf may take all of a wheel that is no faster."""
IMBALANCE_PART = 0.2
"""So well is a measured imbalance known."""


@dataclass(frozen=True, slots=True)
class Driven:
    """A hand must have been on the wheel. ``braked``: it took speed; else it gave it. ``why`` is for a person."""

    braked: bool
    why: str


class Coast:
    """The way of one turn, and whether a hand must have driven or braked it.

    ``start_deg`` is the pointer's place at the turn's beginning, from the beginning of segment 0; ``rising``: segment
    numbers rise on the way.
    """

    def __init__(self, wheel: WheelMap, start_deg: float = 0.0, *, rising: bool = True) -> None:
        file = wheel.file
        self._wheel = wheel
        self._start_deg, self._sign = start_deg, 1 if rising else -1
        self._least, self._most = wheel.least_slowing_deg_s2, file.most_slowing_deg_s2
        measured = self._most is not None and file.imbalance_deg_s2 is not None
        # Of the most that the wheel slows by, what is not friction is imbalance.
        unknown = max(0.0, SLOWING_MARGIN * file.slowing_deg_s2 - self._least)
        imbalance = IMBALANCE_PART * (file.imbalance_deg_s2 or 0.0) if measured else unknown
        self._height = wheel.pull_height if measured else lambda pointer_deg: 0.0  # noqa: ARG005
        self._open = [(way, 4 * math.degrees(imbalance) * abs(math.sin(math.radians(way / 2)))) for way in WAYS_DEG]
        """For each way what imbalance may give or take of the square of the speed, beyond what is known."""
        self._times_s: list[float] = []
        self._ways_deg: list[float] = []
        self._middles_deg: list[float] = []
        self._swept: list[float] = []
        """Speed summed over the way, up to each of the middles: degrees times degrees a second."""

    def note(self, way_deg: float, t_s: float) -> Driven | None:
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
        now, middle_deg = span_deg / WINDOW_S, (from_deg + way_deg) / 2
        self._sweep(middle_deg, now)
        for way, open_ in self._open:
            if from_deg - way < max(LET_GO_DEG, ways[0], self._middles_deg[0] - span_deg / 2):
                return None
            taken_s = _between(ways, times, way_deg - way) - _between(ways, times, from_deg - way)
            before = span_deg / taken_s
            stored = 2 * (self._mean_height(middle_deg - way, span_deg) - self._mean_height(middle_deg, span_deg))
            lost = before**2 - now**2 + stored
            noise = 4 * before**2 * (JITTER_S * before + RESIDUAL_DEG) / span_deg + open_
            if driven := self._judged(way, lost, noise, before, now, middle_deg):
                return driven
        return None

    def _judged(
        self, way: float, lost: float, noise: float, before: float, now: float, middle_deg: float
    ) -> Driven | None:
        file = self._wheel.file
        swept = self._swept[-1] - _between(self._middles_deg, self._swept, middle_deg - way)
        least = 2 * (self._least * way + file.least_slowing_per_s * swept)
        seen = f"it had {before:.0f}°/s, and {now:.0f}°/s {way:.0f}° later; by itself it slows by "
        if lost < least - noise:
            return Driven(False, f"{seen}{least / 2 / way:.3g}°/s² at least")
        if self._most is None:
            return None
        most = 2 * (self._most * way + file.slowing_per_s * swept)
        if lost > most + noise + PEG_DEG_S**2:
            return Driven(True, f"{seen}{most / 2 / way:.3g}°/s² at most")
        return None

    def _sweep(self, middle_deg: float, speed: float) -> None:
        middles, swept = self._middles_deg, self._swept
        swept.append(swept[-1] + speed * (middle_deg - middles[-1]) if middles else 0.0)
        middles.append(middle_deg)

    def _mean_height(self, middle_deg: float, span_deg: float) -> float:
        """Over the stretch whose mean speed is looked at: a tenth of it is near enough to a point."""
        at = self._start_deg + self._sign * middle_deg
        steps = (-0.4, -0.2, 0.0, 0.2, 0.4)
        return sum(self._height(at + step * span_deg) for step in steps) / len(steps)


def _between(xs: list[float], ys: list[float], x: float) -> float:
    """The value of the line through the points at ``x``, which lies between the first and the last; ``xs`` rise."""
    index = max(1, bisect_left(xs, x))
    x0, x1, y0, y1 = xs[index - 1], xs[index], ys[index - 1], ys[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
