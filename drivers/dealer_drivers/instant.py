"""Time as an argument: no session, validation or round looks at a clock."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """One moment on two clocks.

    ``mono_ns`` is the monotonic clock in nanoseconds and the only one durations are measured on (wall
    clocks jump, ``devices.md`` §7). ``wall_ns`` is nanoseconds since the Unix epoch, for people and messages.
    """

    mono_ns: int
    wall_ns: int

    def plus_s(self, seconds: float) -> Instant:
        """The moment ``seconds`` later on both clocks."""
        ns = round(seconds * NS_PER_S)
        return Instant(self.mono_ns + ns, self.wall_ns + ns)

    def since_s(self, earlier: Instant) -> float:
        """Seconds from ``earlier`` to this moment, on the monotonic clock."""
        return (self.mono_ns - earlier.mono_ns) / NS_PER_S

    def rfc3339(self) -> str:
        """The wall clock as UTC RFC 3339 with microseconds, ``2026-01-31T20:15:00.123456Z``."""
        seconds, ns = divmod(self.wall_ns, NS_PER_S)
        moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{ns // 1000:06d}Z"
