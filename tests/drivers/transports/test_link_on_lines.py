"""The supervised link on real pseudo-terminals and sockets: unplug, replug, floods."""
# ruff: noqa: ARG002, ASYNC240 - the fakes take what a session is given; files are looked at when all is over

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import NOTHING, DeviceAction, Output, SerialSettings
from dealer_drivers.flight_recorder import FlightRecorder
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceFault
from dealer_drivers.recording import read_recording
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.factory import make_transport

FarEnd = Any  # the pseudo-terminal of conftest.py


class Tape:
    """A session that keeps every byte, in order."""

    def __init__(self) -> None:
        self.heard = b""

    def opened(self, at: Instant) -> Output:
        return Output(send=(b"*S\r\n",))

    def feed(self, data: bytes, at: Instant) -> Output:
        self.heard += data
        frames = data.count(b"\n")
        return Output(frames=frames, rejected=0 if frames else len(data))

    def lost(self, at: Instant, reason: str) -> Output:
        return NOTHING

    def tick(self, at: Instant) -> Output:
        return NOTHING

    def request(self, action: DeviceAction, at: Instant) -> Output:
        return Output(send=(b"*R\r\n",))

    def deadline_ns(self) -> int | None:
        return None


class Station:
    """One link at twenty times the speed, and what it said."""

    def __init__(self, transport: Transport, recorder: FlightRecorder | None = None) -> None:
        self.tape = Tape()
        self.faults: list[tuple[str, bool]] = []
        self.states: list[LinkState] = []
        self.changed = asyncio.Event()
        self.link = Link(
            transport,
            self.tape,
            SystemClock(speed=20),
            on_output=self._on_output,
            on_state=self._on_state,
            recorder=recorder,
        )
        self.task = asyncio.create_task(self.link.run())

    def _on_output(self, output: Output, at: Instant) -> None:
        self.faults += [(one.fault, one.cleared) for one in output.readings if isinstance(one, DeviceFault)]
        self.changed.set()

    def _on_state(self, state: LinkState) -> None:
        self.states.append(state)
        self.changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    async def until_state(self, state: str) -> None:
        await self.until(lambda: self.link.state.state == state)

    async def until_heard(self, words: bytes) -> None:
        await self.until(lambda: self.tape.heard.endswith(words))


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., Station]]:
    stations: list[Station] = []

    def new(port: str, **options: Any) -> Station:
        stations.append(Station(make_transport(port, SerialSettings()), **options))
        return stations[-1]

    yield new
    for station in stations:
        await station.link.stop()
        await station.task


async def test_unplug_and_replug_behind_a_stable_name(
    plug: Callable[[], FarEnd], start: Callable[..., Station], tmp_path: Path
) -> None:
    name = tmp_path / "wheel"
    station = start(str(name))
    await station.until_state("waiting")
    assert station.faults == [("link_refused", False)]
    for number in range(3):
        far = plug()
        name.symlink_to(far.path)
        await station.until_state("up")
        assert await far.read(4) == b"*S\r\n"
        far.write(b"%d\r\n" % number)
        await station.until_heard(b"%d\r\n" % number)
        far.unplug()
        name.unlink()
        await station.until_state("waiting")
    assert station.tape.heard == b"0\r\n1\r\n2\r\n"
    assert station.faults == [
        ("link_refused", False),
        ("link_refused", True),
        ("link_lost", False),
        ("link_lost", True),
        ("link_lost", False),
        ("link_lost", True),
        ("link_lost", False),
    ]
    assert station.link.health.opens == 3


async def test_two_devices_on_one_port_leave_the_first_alone(device: FarEnd, start: Callable[..., Station]) -> None:
    first = start(device.path)
    await first.until_state("up")
    second = start(device.path)
    await second.until_state("waiting")
    assert "two devices name the same port" in second.states[-1].reason
    device.write(b"27\r\n")
    await first.until_heard(b"27\r\n")
    await first.link.stop()
    await second.until_state("up")


async def test_no_byte_of_a_flood_is_lost_while_the_event_loop_is_busy_with_others(
    device: FarEnd, start: Callable[..., Station], tmp_path: Path
) -> None:
    flood = b"".join(b"%07d\n" % number for number in range(20_000))
    recorder = FlightRecorder(tmp_path, "d", "wheel")
    station = start(device.path, recorder=recorder)
    await station.until_state("up")
    assert await device.read(4) == b"*S\r\n"
    pump = asyncio.create_task(device.write_all(flood))
    await station.until(lambda: len(station.tape.heard) >= len(flood))
    await pump
    assert station.tape.heard == flood
    assert station.link.health.bytes_in == len(flood)
    assert station.link.health.valid_frames == 20_000
    await station.link.stop()
    recorder.close()
    [file] = tmp_path.iterdir()
    entries = read_recording(file).entries
    assert b"".join(entry.data for entry in entries if entry.kind == "rx") == flood
    assert [entry.event for entry in entries if entry.kind == "ev"] == ["open", "close"]


async def test_a_wrong_speed_is_told_and_ends_with_the_first_frame(
    device: FarEnd, start: Callable[..., Station]
) -> None:
    station = start(device.path)
    await station.until_state("up")
    async with asyncio.timeout(10):
        while not station.faults:  # three seconds at speed 20: the bytes keep coming all the while
            device.write(b"\xfe" * 8)
            station.changed.clear()
            await station.changed.wait()
    assert station.faults == [("no_valid_frame", False)]
    device.write(b"27\r\n")
    await station.until(lambda: station.faults[-1] == ("no_valid_frame", True))


async def test_a_serial_server_that_restarts_is_found_again(start: Callable[..., Station]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        listener.setblocking(False)
        station = start(f"tcp://127.0.0.1:{port}")
        peer, _ = await asyncio.get_running_loop().sock_accept(listener)
        await station.until_state("up")
    with peer:
        peer.send(b"1\r\n")
        await station.until_heard(b"1\r\n")
    await station.until(lambda: station.link.state.state == "waiting" and "refused" in station.link.state.reason)
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.setblocking(False)
        peer, _ = await asyncio.get_running_loop().sock_accept(listener)
        with peer:
            await station.until_state("up")
            assert await station.link.request(DeviceAction.ACKNOWLEDGE_VOID) is True
            peer.send(b"2\r\n")
            await station.until_heard(b"1\r\n2\r\n")
            assert station.faults == [("link_lost", False), ("link_lost", True)]
            await station.link.stop()
