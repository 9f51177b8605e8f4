"""Taking a device into the bench's hands, and giving it back however the bench ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from dealer_calibration.bench.device import BenchDevice, BenchError
from dealer_calibration.bench.lease import StationLease, ask_station, bench_lock
from dealer_calibration.bench.link import BenchLink
from dealer_drivers.clock import Clock, SystemClock
from dealer_drivers.transports.base import Transport

Say = Callable[[str], None]
Resume = bool | Callable[[], bool]
"""Whether the table goes on when the device is given back; or what says so at that moment."""


def _silent(text: str) -> None:
    del text


@contextlib.asynccontextmanager
async def lent(
    device: BenchDevice, *, by: str, wait_s: float = 0.0, resume: Resume = False, say: Say = _silent
) -> AsyncIterator[None]:
    """Nobody but the bench has the device for as long as the context lasts; the bench opens it in its own way.

    A station that runs on the device's state directory is asked for it, waits ``wait_s`` for the round to end, and
    pauses the table (``maintenance``). With ``resume`` the table goes on after, when the context ends without an error
    and it stands for nothing else; without, a service manager resumes it. Where no station runs the bench takes it
    alone. ``say`` gets sentences for the technician.

    Raises ``BenchError``: 1 it cannot be had now, 3 the station cannot be asked, or takes it back: then what is under
    way in the context is cancelled.
    """
    lease = await ask_station(device, by, wait_s, say)
    if lease is None:
        with bench_lock(device):
            yield
        return
    say(f"the station lent {device.name}; table {device.table} is in maintenance")
    async with _Watched(lease, resume, say):
        yield


@contextlib.asynccontextmanager
async def taken(
    device: BenchDevice,
    *,
    by: str,
    wait_s: float = 0.0,
    resume: Resume = False,
    say: Say = _silent,
    clock: Clock | None = None,
    transport: Transport | None = None,
) -> AsyncIterator[BenchLink]:
    """As ``lent``, and the device is opened as the station would open it. ``transport`` stands in for the one of the
    device's port. That the port can be opened is not waited for: see ``BenchLink.up``.

    Raises what ``lent`` raises, and ``BenchError`` where the driver's options lack their calibration.
    """
    async with lent(device, by=by, wait_s=wait_s, resume=resume, say=say):
        link = BenchLink(device, clock or SystemClock(), transport=transport, by=by)
        running = asyncio.create_task(link.run(), name=f"bench {device.name}")
        try:
            yield link
        finally:
            await link.stop()
            (ended,) = await asyncio.gather(running, return_exceptions=True)
        if isinstance(ended, Exception):  # a tap's or watcher's own
            raise ended


class _Watched:
    """A lease while it lasts: when the station ends it, what is under way is cancelled."""

    def __init__(self, lease: StationLease, resume: Resume, say: Say) -> None:
        self._lease = lease
        self._resume = resume
        self._say = say
        self._lost: BenchError | None = None
        self._body: asyncio.Task[object] | None = None
        self._watcher: asyncio.Task[None]

    async def __aenter__(self) -> None:
        self._body = asyncio.current_task()
        self._watcher = asyncio.create_task(self._watch(), name="lease")

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        assert self._body is not None
        self._watcher.cancel()
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await self._watcher
            if self._lost is None:
                resume = self._resume() if callable(self._resume) else self._resume
                self._say(await self._lease.give_back(resume=resume and error is None))
        finally:
            await self._lease.close()
        if self._lost is not None and self._body.uncancel() == 0 and (kind is None or kind is asyncio.CancelledError):
            raise self._lost

    async def _watch(self) -> None:
        lost = await self._lease.ended()
        self._lost = lost
        assert self._body is not None
        self._body.cancel()
