"""A device while it is in the bench's hands: what it says, as it says it, over the station's own link and session."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from dealer_calibration.bench.device import BenchDevice, BenchError
from dealer_calibration.cli.exit_codes import UNREACHABLE
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import Reading
from dealer_drivers.recording import Recorder
from dealer_drivers.supervised import LinkHealth
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.factory import device_transport

MOST_WAITING = 100_000
"""Outputs that nobody asked for yet: half an hour of an encoder at 50 Hz. Then the oldest go."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One output of the device's session: readings in order, and the frames and rejected bytes behind them."""

    readings: tuple[Reading, ...]
    at: Instant
    frames: int
    rejected: int


class BenchLink:
    """See the module. Iterating gives each ``Seen`` once, in order, those before the iteration began included; it ends
    when the link gave up with nothing more to say (a recording's end).
    """

    def __init__(self, device: BenchDevice, clock: Clock, *, transport: Transport | None = None, by: str = "") -> None:
        options = device.ready_options()
        self.device = device
        self.by = by
        self.clock = clock
        self.states: list[LinkState] = []
        """Every state that the link was in, the newest last."""
        self.dropped = 0
        """Outputs that were thrown away because nobody asked for them."""
        self._taps = _Taps()
        self._seen: deque[Seen] = deque()
        self._news = asyncio.Event()
        self._over = False
        self._link = Link(
            device_transport(device.driver, device.port, options, clock=clock) if transport is None else transport,
            device.driver.session(options),
            clock,
            on_output=self._output,
            on_state=self._state,
            recorder=self._taps,
        )
        self._watchers: list[Callable[[LinkState], None]] = []

    @property
    def state(self) -> LinkState:
        """What the connection is doing now."""
        return self._link.state

    @property
    def health(self) -> LinkHealth:
        """Bytes, frames, rejected bytes and times so far."""
        return self._link.health

    def request(self, action: DeviceAction) -> asyncio.Future[bool]:
        """Asks ``action`` of the device; ``True`` once bytes were sent for it (``Link.request``)."""
        return self._link.request(action)

    @contextlib.contextmanager
    def tap(self, recorder: Recorder) -> Iterator[None]:
        """Tells ``recorder`` every byte, both ways, for as long as the context lasts. What it raises ends the link."""
        self._taps.all.append(recorder)
        try:
            yield
        finally:
            self._taps.all.remove(recorder)

    @contextlib.contextmanager
    def watch(self, told: Callable[[LinkState], None]) -> Iterator[None]:
        """Calls ``told`` with each change of the link's state for as long as the context lasts."""
        self._watchers.append(told)
        try:
            yield
        finally:
            self._watchers.remove(told)

    async def up(self, within_s: float = 10.0) -> None:
        """Waits until the link is up, in the clock's seconds. Raises ``BenchError`` (exit code 3) with the reason why
        it is not."""
        until_ns = self.clock.now().plus_s(within_s).mono_ns
        while self.state.state != "up":
            if self.state.state in ("given_up", "stopped") or not await self._woken(until_ns):
                reason = self.state.reason or f"{self.device.port} was not open within {within_s:g} s"
                raise BenchError(f"{self.device.name}: {reason}", UNREACHABLE)

    async def next(self, within_s: float | None = None) -> Seen | None:
        """The next output; ``None`` when ``within_s`` of the clock's seconds passed, or the link has given up."""
        until_ns = None if within_s is None else self.clock.now().plus_s(within_s).mono_ns
        while not self._seen:
            if self._over or not await self._woken(until_ns):
                return None
        return self._seen.popleft()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Seen:
        seen = await self.next()
        if seen is None:
            raise StopAsyncIteration
        return seen

    async def run(self) -> None:
        """Keeps the connection (``Link.run``); for ``taken``."""
        try:
            await self._link.run()
        finally:
            self._over = True
            self._news.set()

    async def stop(self) -> None:
        """Closes the connection; for ``taken``."""
        await self._link.stop()

    async def _woken(self, until_ns: int | None) -> bool:
        """Whether there is news before ``until_ns`` of the clock."""
        self._news.clear()
        news = asyncio.create_task(self._news.wait())
        timer = None if until_ns is None else asyncio.create_task(self.clock.sleep_until(until_ns))
        tasks = [news] if timer is None else [news, timer]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return news.done()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _output(self, output: Output, at: Instant) -> None:
        if len(self._seen) >= MOST_WAITING:
            self._seen.popleft()
            self.dropped += 1
        self._seen.append(Seen(output.readings, at, output.frames, output.rejected))
        self._news.set()

    def _state(self, state: LinkState) -> None:
        self.states.append(state)
        for told in list(self._watchers):
            told(state)
        self._news.set()


class _Taps:
    """Tells several recorders."""

    def __init__(self) -> None:
        self.all: list[Recorder] = []

    def rx(self, data: bytes, at: Instant) -> None:
        for recorder in self.all:
            recorder.rx(data, at)

    def tx(self, data: bytes, at: Instant) -> None:
        for recorder in self.all:
            recorder.tx(data, at)

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        for recorder in self.all:
            recorder.event(event, at, reason)
