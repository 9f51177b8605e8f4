"""Where the wheel is, without wraps: counts to degrees, misread counts left out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.instant import NS_PER_S
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

SLACK_DEG = 1.0
"""What a standing wheel's count may differ by: it dithers."""
ODD_TO_BELIEVE = 3
"""A count that no wheel can have reached is misread; three in a row that agree are the encoder's new place."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One count that fits. ``t_s`` is the device's own clock where it has one; ``deg`` grows over turns and never
    wraps; ``gap_s`` is the time since the last one."""

    t_s: float
    deg: float
    gap_s: float


@dataclass(frozen=True, slots=True)
class Jump:
    """The count is somewhere else now, and the wheel cannot have turned there."""

    by_deg: float


class Track:
    """Unwraps the counts of one life of a device. ``fastest_deg_s`` is what no wheel exceeds."""

    def __init__(self, fastest_deg_s: float) -> None:
        self._fastest = fastest_deg_s
        self._last: WheelAngle | None = None
        self._t_s = 0.0
        self._deg = 0.0
        self._odd: list[tuple[WheelAngle, float]] = []

    def restart(self) -> None:
        """The device counts anew: nothing before can be compared."""
        self._last = None
        self._odd.clear()

    def add(self, reading: WheelAngle) -> Sample | Jump | None:
        """One count; ``None`` when it is left out."""
        t_s = reading.at.mono_ns / NS_PER_S if reading.device_s is None else reading.device_s
        last = self._last
        if last is None:
            return self._take(reading, t_s, 0.0, 0.0)
        gap_s = t_s - self._t_s
        step = step_deg(last, reading.count)
        if abs(step) <= self._reach(gap_s):
            self._odd.clear()
            return self._take(reading, t_s, step, gap_s)
        if self._odd:
            before, before_s = self._odd[-1]
            if abs(step_deg(before, reading.count)) > self._reach(t_s - before_s):
                self._odd.clear()
        self._odd.append((reading, t_s))
        if len(self._odd) < ODD_TO_BELIEVE:
            return None
        self._odd.clear()
        self._take(reading, t_s, step, gap_s)
        return Jump(step)

    def mark_deg(self, mark: IndexMark) -> float | None:
        """Where a latched mark is on the same scale; ``None`` before the first count."""
        return None if self._last is None else self._deg + step_deg(self._last, mark.count)

    def _reach(self, gap_s: float) -> float:
        return self._fastest * max(gap_s, 0.0) + SLACK_DEG

    def _take(self, reading: WheelAngle, t_s: float, step: float, gap_s: float) -> Sample:
        self._last, self._t_s = reading, t_s
        self._deg += step
        return Sample(t_s, self._deg, gap_s)


def step_deg(last: WheelAngle, count: int) -> float:
    """The shorter way from the last count to this one, in degrees of the wheel: where a device's counts begin again at
    0 is no place on the wheel, as its turns need not divide them."""
    half = last.wraps_at // 2
    return ((count - last.count + half) % last.wraps_at - half) * 360 / last.per_turn
