"""Whether a counter's own clock runs as the station's does. Pure.

How long a report is on its way varies, but the quickest of some seconds is as quick as the quickest of the next: what
waited in a buffer arrives together, and the newest of it has not waited. So the least delay stays the same, unless the
counter's clock runs fast (it shrinks), runs slow, or stands (it grows).
"""

from __future__ import annotations

from dealer_drivers.instant import NS_PER_S, Instant

APART_S, APART_PART = 0.5, 0.02
"""What the least delay of two windows may differ by. No crystal is 2 % off; half a second is a network's."""


class ClockCheck:
    """Compares each window of ``window_s`` seconds with the one before."""

    def __init__(self, window_s: float) -> None:
        self._window_ns = round(window_s * NS_PER_S)
        self.rate: float | None = None
        """The clock's seconds in one of the station's, where the newest two windows say that it runs wrong."""
        self.restart()

    def restart(self) -> None:
        """The counter's clock began anew, or was away. What was found stands until two more windows are over."""
        self._ends_ns: int | None = None
        self._before: tuple[float, float] | None = None
        self._least: tuple[float, float] | None = None
        """The least delay of a window, in seconds from any beginning, and when that report arrived."""

    def note(self, device_s: float, at: Instant) -> None:
        """A report that was made at ``device_s`` by the counter's clock arrived."""
        if self._ends_ns is None:
            self._ends_ns = at.mono_ns + self._window_ns
        elif at.mono_ns >= self._ends_ns:
            self._compare()
            self._before, self._least = self._least, None
            self._ends_ns = at.mono_ns + self._window_ns
        at_s = at.mono_ns / NS_PER_S
        if self._least is None or at_s - device_s < self._least[0]:
            self._least = at_s - device_s, at_s

    def _compare(self) -> None:
        if self._before is None or self._least is None:
            return
        grown_s, span_s = self._least[0] - self._before[0], self._least[1] - self._before[1]
        wrong = abs(grown_s) > APART_S + APART_PART * span_s
        self.rate = 1 - grown_s / span_s if wrong else None
