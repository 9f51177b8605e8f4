"""Whether a camera's picture lives. A living picture has noise: one that never changes is an old one. Pure."""

from __future__ import annotations

from dealer_drivers.camera.messages import Beat
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault

GAP_S = 0.5
"""So long between two pictures that differ, and a card may have passed a window unseen. Five pictures of the slowest
camera in use: pictures that come one by one are no gap, and on a busy machine one of them may come late. Ours."""
STILL_S = 2.0
"""So long without a change, and a scene's picture is an old one: what lies there is told by pictures taken later."""


class LivingPicture:
    """Beats in; the fault that the picture stands still, once, and once when it lives again. ``meaning`` completes the
    fault's sentence: what does not count meanwhile. ``still_s``: how long it may stand."""

    def __init__(self, meaning: str, still_s: float) -> None:
        self._still_s = still_s
        self._detail = f"the picture has not changed for {still_s:g} s: it is an old one, {meaning}; restart the camera"
        self._changed: Instant | None = None
        self.still = False
        """The fault stands."""

    def opened(self, at: Instant) -> None:
        """The link is up: the picture is taken to live now."""
        self._changed = at

    def lost(self, at: Instant) -> tuple[DeviceFault, ...]:
        """The link is down, which is said elsewhere: the picture's own fault ends."""
        self._changed = None
        return self._ended(at)

    def beat(self, beat: Beat, line: bytes, at: Instant) -> tuple[DeviceFault, ...]:
        """How many new pictures there were; ``line`` is the message."""
        if beat.fresh or self._changed is None:
            self._changed = at
            return self._ended(at)
        if self.still or at.since_s(self._changed) < self._still_s:
            return ()
        return self._stands(line, at)

    def lives(self, line: bytes, at: Instant, *, stood: bool) -> tuple[DeviceFault, ...]:
        """A picture came that is another than before it. ``stood``: there was none for so long that it is a fault,
        whether a beat said so or not."""
        self._changed = at
        began = self._stands(line, at) if stood and not self.still else ()
        return began + self._ended(at)

    def _stands(self, line: bytes, at: Instant) -> tuple[DeviceFault, ...]:
        self.still = True
        return (DeviceFault(at=at, raw=line, fault=Fault.SILENT, detail=self._detail),)

    def _ended(self, at: Instant) -> tuple[DeviceFault, ...]:
        still, self.still = self.still, False
        return (DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=self._detail, cleared=True),) if still else ()
