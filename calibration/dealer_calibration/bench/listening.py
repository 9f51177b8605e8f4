"""Reading a device while the technician does something, and between two questions to him."""

from __future__ import annotations

from collections.abc import Callable

from dealer_calibration.bench.device import BenchError
from dealer_calibration.bench.link import BenchLink, Seen
from dealer_calibration.cli.exit_codes import UNREACHABLE
from dealer_drivers.readings import DeviceFault, DeviceNotice


class Listener:
    """Hands every output of the device to ``heard``, in order. Keeps faults that stand and notices, by their word."""

    def __init__(self, link: BenchLink, heard: Callable[[Seen], None]) -> None:
        self.link = link
        self.faults: dict[str, str] = {}
        """The sentence of every fault that stands."""
        self.began: dict[str, str] = {}
        """That of every fault that began while this listened, those that went by again among them."""
        self.notices: dict[str, str] = {}
        self._heard = heard

    async def until(self, done: Callable[[], bool], within_s: float) -> bool:
        """Listens until ``done``, ``within_s`` of the link's seconds at most. ``False``: they passed. Raises
        ``BenchError`` (3) where the connection has ended for good."""
        end_ns = self.link.clock.now().plus_s(within_s).mono_ns
        while not done():
            left_s = (end_ns - self.link.clock.now().mono_ns) / 1e9
            seen = await self.link.next(within_s=max(0.0, left_s))
            if seen is not None:
                self._take(seen)
            elif self.link.state.state in ("given_up", "stopped"):
                raise BenchError(f"{self.link.device.name}: {self.link.state.reason or 'is gone'}", UNREACHABLE)
            elif left_s <= 0:
                return False
        return True

    async def catch_up(self) -> None:
        """Everything that came while nobody listened, as while a question was asked."""
        while (seen := await self.link.next(within_s=0.0)) is not None:
            self._take(seen)

    def _take(self, seen: Seen) -> None:
        for reading in seen.readings:
            match reading:
                case DeviceFault(fault=fault, cleared=True):
                    self.faults.pop(fault, None)
                case DeviceFault(fault=fault, detail=detail):
                    self.faults[fault] = self.began[fault] = detail
                case DeviceNotice(notice=notice, detail=detail):
                    self.notices[notice] = detail
                case _:
                    pass
        self._heard(seen)
