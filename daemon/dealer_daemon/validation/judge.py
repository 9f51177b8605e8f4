"""What judges attempts at a table: a spin, a shake, a turn, a layout, an entry. One kind each beside this file."""

from __future__ import annotations

from typing import Protocol

from dealer_daemon.validation.signals import Signal
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading


class Judge(Protocol):
    """Judges attempts from readings. Pure: time is an argument."""

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading of one of the table's devices, in order."""
        ...

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed without a reading."""
        ...

    def deadline_ns(self) -> int | None:
        """Monotonic time of the next ``tick`` that can matter."""
        ...

    def discard(self) -> None:
        """Whatever is under way does not count (void, resume): wait for the next beginning."""
        ...

    def underway(self) -> bool:
        """An attempt seen from its beginning is running."""
        ...

    def waiting(self) -> bool:
        """The device is ready for an attempt to begin."""
        ...

    def due(self, at: Instant) -> list[Signal]:
        """The round waits for an attempt, and nothing stands against its beginning now: a station that starts its
        device asks for it here. May be called more than once for the same attempt."""
        ...
