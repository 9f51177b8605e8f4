"""Which shake a word of a shaker belongs to: the count of cycles that every session of a shaker keeps. Pure."""

from __future__ import annotations

from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking, ShakerTaken


class Cycles:
    """See ``readings.py`` for what counts as a cycle. The count goes on over reconnects; what is asked does not."""

    def __init__(self) -> None:
        self._cycle = 0
        self._shook = 0
        """The newest cycle that was seen to shake."""
        self._told_s: float | None = None
        self.asked = False
        """A start was sent, and neither shaking nor a fault was said since."""
        self.shaking = False
        """The newest word of the shaker was that it shakes."""

    def ask(self, told_s: float) -> None:
        """A start command is sent."""
        self._cycle += 1
        self._told_s = told_s
        self.asked = True

    def taken(self, at: Instant, raw: bytes) -> Reading:
        """The shaker took a command: ours, or somebody else's."""
        return ShakerTaken(at=at, raw=raw, cycle=self._cycle)

    def shakes(self, at: Instant, raw: bytes) -> Reading:
        """The shaker shakes: a cycle of its own unless it was asked to, or does so already."""
        if not self.shaking and not self.asked:
            self._cycle += 1
            self._told_s = None
        self.asked, self.shaking = False, True
        self._shook = self._cycle
        return ShakerShaking(at=at, raw=raw, cycle=self._cycle, told_s=self._told_s)

    def idle(self, at: Instant, raw: bytes) -> Reading:
        """The shaker stands."""
        self.shaking = False
        return ShakerIdle(at=at, raw=raw, cycle=self._shook)

    def faulted(self, at: Instant, raw: bytes) -> Reading:
        """Its motor failed."""
        self.asked = self.shaking = False
        return ShakerFaulted(at=at, raw=raw, cycle=self._cycle)

    def forget(self) -> None:
        """The link is down: whatever comes after it answers nothing that was asked before."""
        self.asked = self.shaking = False
