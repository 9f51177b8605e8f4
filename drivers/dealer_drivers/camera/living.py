"""Whether a camera's picture lives. A living picture has noise: one that never changes is an old one. Pure."""

from __future__ import annotations

from dealer_drivers.camera.messages import Beat
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault

STILL_S = 2.0
"""So long without a change, and the picture is an old one."""


class LivingPicture:
    """Beats in; the fault that the picture stands still, once, and once when it lives again. ``meaning`` completes the
    fault's sentence: what does not count meanwhile."""

    def __init__(self, meaning: str) -> None:
        self._detail = f"the picture has not changed for {STILL_S:g} s: it is an old one, {meaning}; restart the camera"
        self._changed: Instant | None = None
        self._still = False

    def opened(self, at: Instant) -> None:
        """The link is up: the picture is taken to live now."""
        self._changed = at

    def lost(self, at: Instant) -> tuple[DeviceFault, ...]:
        """The link is down, which is said elsewhere: the picture's own fault ends."""
        self._changed = None
        return self._lives(at)

    def beat(self, beat: Beat, line: bytes, at: Instant) -> tuple[DeviceFault, ...]:
        """How many new pictures there were; ``line`` is the message."""
        if beat.fresh or self._changed is None:
            self._changed = at
            return self._lives(at)
        if self._still or at.since_s(self._changed) < STILL_S:
            return ()
        self._still = True
        return (DeviceFault(at=at, raw=line, fault=Fault.SILENT, detail=self._detail),)

    def _lives(self, at: Instant) -> tuple[DeviceFault, ...]:
        still, self._still = self._still, False
        return (DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=self._detail, cleared=True),) if still else ()
