"""Listening at a port for some seconds, with the station's own link and a driver's own session."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dealer_drivers.clock import Clock
from dealer_drivers.driver import Driver, DriverOptions, Output, SerialSettings
from dealer_drivers.errors import DeviceError
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault
from dealer_drivers.recording import Recorder
from dealer_drivers.transports.base import Channel, Transport

KEPT_BYTES = 64 * 1024
"""Of what came, for other drivers to look at: a minute of a fast line."""
ENOUGH_FRAMES = 3
ENOUGH_S = 1.0
"""When frames and readings came, there is no need to listen for longer than this."""
LOOK_S = 0.05

Opener = Callable[[SerialSettings | None], Transport]
"""The port's transport, with other serial settings than the driver's own where some are given."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came. ``refused``: why the port was not open at the end. ``lost``: it was open and is gone. ``faults`` are
    those that stood at the end, with their sentence; ``data`` the first bytes."""

    seconds: float
    settings: SerialSettings | None = None
    opened: bool = False
    refused: DeviceError | None = None
    lost: str = ""
    bytes_in: int = 0
    bytes_out: int = 0
    frames: int = 0
    rejected: int = 0
    readings: Mapping[str, int] = field(default_factory=dict)
    notices: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    data: bytes = b""


async def listen(
    driver: Driver,
    options: DriverOptions,
    opener: Opener,
    clock: Clock,
    seconds: float,
    *,
    settings: SerialSettings | None = None,
    recorder: Recorder | None = None,
) -> Heard:
    """What comes within ``seconds`` of the clock. Ends early when the port cannot be opened, or enough came.

    Raises ``OptionError`` for settings or a port that cannot be.
    """
    noted = _Noted(opener(settings))
    ears = _Ears(recorder)
    link = Link(noted, driver.session(options), clock, on_output=ears.output, on_state=ears.state, recorder=ears)
    began = clock.now()
    running = asyncio.create_task(link.run(), name=f"probe {noted.name}")
    try:
        while (since_s := clock.now().since_s(began)) < seconds and not running.done():
            health = link.health
            if noted.refused is not None and health.opens == 0:
                break
            enough = health.valid_frames >= ENOUGH_FRAMES and ears.readings
            if enough and recorder is None and since_s >= min(ENOUGH_S, seconds):
                break
            await clock.sleep_until(clock.now().plus_s(LOOK_S * clock.speed).mono_ns)
        since_s = clock.now().since_s(began)
        up = link.state.state == "up"
    finally:
        await link.stop()
        await asyncio.gather(running, return_exceptions=True)
    running.result()
    health = link.health
    return Heard(
        seconds=since_s,
        settings=settings,
        opened=health.opens > 0,
        refused=noted.refused if health.opens == 0 else None,
        lost="" if up or health.opens == 0 else ears.last_reason,
        bytes_in=health.bytes_in,
        bytes_out=health.bytes_out,
        frames=health.valid_frames,
        rejected=health.rejected_bytes,
        readings=dict(ears.readings),
        notices=ears.notices,
        faults=ears.faults,
        data=bytes(ears.data),
    )


class _Noted:
    """A transport that remembers why it could not be opened."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.name, self.hint, self.warning = inner.name, inner.hint, inner.warning
        self.refused: DeviceError | None = None

    async def open(self) -> Channel:
        try:
            channel = await self._inner.open()
        except DeviceError as error:
            self.refused = error
            raise
        self.refused = None
        return channel


class _Ears:
    """Keeps what a link says."""

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder
        self.readings: Counter[str] = Counter()
        self.notices: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.data = bytearray()
        self.last_reason = ""

    def output(self, output: Output, at: Instant) -> None:
        del at
        for reading in output.readings:
            if isinstance(reading, DeviceNotice):
                self.notices[reading.notice] = reading.detail
            elif not isinstance(reading, DeviceFault):
                self.readings[type(reading).__name__] += 1
            elif reading.cleared:
                self.faults.pop(str(reading.fault), None)
            elif reading.fault not in (Fault.LINK_LOST, Fault.LINK_REFUSED):
                self.faults[str(reading.fault)] = reading.detail

    def state(self, state: LinkState) -> None:
        if state.state in ("waiting", "given_up"):
            self.last_reason = state.reason

    def rx(self, data: bytes, at: Instant) -> None:
        self.data += data[: KEPT_BYTES - len(self.data)]
        if self._recorder is not None:
            self._recorder.rx(data, at)

    def tx(self, data: bytes, at: Instant) -> None:
        if self._recorder is not None:
            self._recorder.tx(data, at)

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        if self._recorder is not None:
            self._recorder.event(event, at, reason)
