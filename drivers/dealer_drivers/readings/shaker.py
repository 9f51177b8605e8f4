"""What a shaker says of itself, the same for every kind.

Shakers put no ids on what they say (``devices.md`` §4). ``cycle`` is the session's own count: a cycle begins when the
session sends a start command, or when the shaker shakes without one. It goes on over reconnects.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.readings import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ShakerIdle(Reading):
    """The shaker says that it stands.

    ``cycle`` is the newest cycle in which it was seen to shake, 0 when none was: an idle that came after a command and
    before the shaking still belongs to the cycle before, however new it is.
    """

    cycle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShakerTaken(Reading):
    """The shaker says that it took the start command of ``cycle``. It has not moved by that."""

    cycle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShakerShaking(Reading):
    """The shaker says that it shakes. ``told_s``: for how long it was told to, ``None`` for the dealer's button."""

    cycle: int
    told_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShakerFaulted(Reading):
    """The shaker says that its motor failed: it stands, and will not go on by itself."""

    cycle: int
