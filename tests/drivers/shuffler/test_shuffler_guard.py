"""Nothing records an order of cards: what stands between the port and everything above it."""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Driver, Maturity, Output
from dealer_drivers.errors import LinkLost, OptionError, PortAbsent
from dealer_drivers.flight_recorder import FlightRecorder
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shuffler import DeckReport, MachineState, ShufflerTampered
from dealer_drivers.recording import read_recording
from dealer_drivers.shuffler.codec import GenericFormat
from dealer_drivers.shuffler.frames import Frame, OrderOffered, Status, encode
from dealer_drivers.shuffler.generic import DRIVER, shuffler_driver
from dealer_drivers.shuffler.guard import GuardedTransport
from dealer_drivers.transports.factory import device_transport
from dealer_drivers.transports.usb_bulk import UsbBulkTransport
from hw_sim.shuffler import lines

from .conftest import ORDER, streams


class FakeChannel:
    """Gives what it was told to, then is lost."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = deque(pieces)
        self.written: list[bytes] = []
        self.closed = False

    async def read(self) -> bytes:
        if not self.pieces:
            raise LinkLost("no more")
        return self.pieces.popleft()

    async def write(self, data: bytes) -> None:
        self.written.append(data)

    async def close(self) -> None:
        self.closed = True


class FakeTransport:
    """One channel after another, at places of a bus."""

    hint, warning = "is it on?", None

    def __init__(self, *channels: FakeChannel) -> None:
        self.name = "usb:1209:5af1"
        self.channels = deque(channels)
        self.reenumerations = -1

    async def open(self) -> FakeChannel:
        if not self.channels:
            raise PortAbsent("gone")
        self.reenumerations += 1
        return self.channels.popleft()


async def passed(data: list[bytes]) -> bytes:
    channel = await GuardedTransport(FakeTransport(FakeChannel(data)), GenericFormat).open()
    out = b""
    try:
        while True:
            out += await channel.read()
    except LinkLost:
        return out
    finally:
        await channel.close()


async def test_frames_pass_and_an_order_does_not() -> None:
    status, order = lines.status(1, "ready", 7, counted=416), lines.order(ORDER)
    out = await passed([status[:9], status[9:] + order[:100], order[100:], status])
    assert out == status + encode(OrderOffered()) + status


@given(streams())
def test_what_passed_once_passes_again_unchanged(data: bytes) -> None:
    once = b"".join(encode(frame) for frame in GenericFormat().feed(data))
    again = b"".join(encode(frame) for frame in GenericFormat(own_words=True).feed(once))
    assert again == once, "a recording of the station's is read back as it is"


class Maker:
    """A make of its own: one letter a state, and ``!`` before an order, which goes on to the next ``.``"""

    question = b"?"

    def __init__(self) -> None:
        self._in_order = False
        self._count = 0

    def feed(self, data: bytes) -> list[Frame]:
        found: list[Frame] = []
        for byte in data:
            if self._in_order:
                self._in_order = byte != ord(".")
            elif byte == ord("!"):
                self._in_order = True
                found.append(OrderOffered())
            else:
                self._count += 1
                states = {ord("i"): MachineState.IDLE, ord("r"): MachineState.READY}
                found.append(Status(self._count, states[byte], 3, None, True, 52))
        return found

    def reset(self) -> None:
        self._in_order = False


MAKER: Driver = shuffler_driver("maker", "one make", Maturity.DOCUMENTED, "its manual", Maker)


async def run(driver: Driver, transport: FakeTransport, make: type, folder: Path) -> list[Reading]:
    """Every reading of a link until its transport has no more; ``folder`` gets its flight recorder's files."""
    readings: list[Reading] = []
    recorder = FlightRecorder(folder, driver.name, "shuffler", 1)
    over = asyncio.Event()

    def hear(output: Output, at: Instant) -> None:  # noqa: ARG001
        readings.extend(output.readings)

    def state(new: object) -> None:
        if "gone" in str(getattr(new, "reason", "")):
            over.set()

    link = Link(
        GuardedTransport(transport, make),
        driver.session(driver.parse_options({"poll_s": 1.0})),
        SystemClock(),
        on_output=hear,
        on_state=state,
        recorder=recorder,
    )
    running = asyncio.create_task(link.run())
    await over.wait()
    await link.stop()
    await running
    recorder.close()
    return readings


def files_of(folder: Path) -> bytes:
    """The flight recorder's files."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.jsonl")))


def heard_of(folder: Path) -> bytes:
    """All that came from the device, as the flight recorder has it."""
    entries = [entry for path in sorted(folder.rglob("*.jsonl")) for entry in read_recording(path).entries]
    return b"".join(entry.data for entry in entries if entry.kind == "rx")


async def test_a_makers_format_needs_a_codec_and_nothing_else(tmp_path: Path) -> None:
    channel = FakeChannel([b"i!8S,KD", b",2C.", b"r"])
    readings = await run(MAKER, FakeTransport(channel), Maker, tmp_path)
    reports = [reading for reading in readings if isinstance(reading, DeckReport)]
    assert [report.state for report in reports] == [MachineState.IDLE, MachineState.READY]
    assert channel.written == [b"?"], "asked in its own way"
    assert channel.closed
    heard = heard_of(tmp_path)
    assert b"8S" not in heard + files_of(tmp_path)
    assert encode(OrderOffered()) in heard


async def test_the_flight_recorder_and_its_replay_hold_no_order(tmp_path: Path) -> None:
    said = [lines.status(1, "shuffling", 7), lines.order(ORDER), b"KD,8S,2C", lines.status(2, "ready", 7, counted=416)]
    readings = await run(DRIVER, FakeTransport(FakeChannel(said)), GenericFormat, tmp_path)
    heard = heard_of(tmp_path)
    assert b"KD" not in heard + files_of(tmp_path)
    assert said[0] in heard
    assert said[3] in heard
    session = DRIVER.session(DRIVER.parse_options({}))
    replayed = session.feed(heard, Instant(0, 0)).readings
    kinds = [type(reading) for reading in replayed]
    assert kinds == [type(reading) for reading in readings if reading.raw]


async def test_a_device_that_comes_back_at_another_place_of_the_bus_is_told(tmp_path: Path) -> None:
    status = lines.status(1, "idle", 7)
    transport = FakeTransport(FakeChannel([status]), FakeChannel([status]))
    readings = await run(DRIVER, transport, GenericFormat, tmp_path)
    assert [reading.raw for reading in readings if isinstance(reading, ShufflerTampered)] == [b"@X,usb,1*C195\r\n"]
    assert b"@X,usb,1" in heard_of(tmp_path), "a replay is told too"


def test_every_kind_of_port_is_guarded() -> None:
    options = DRIVER.parse_options({})
    for port in ("/dev/dealer/shuffler", "tcp://10.0.0.7:4001", "usb:1209:5af1", "usb:1209:5af1:SN7"):
        assert isinstance(device_transport(DRIVER, port, options), GuardedTransport)
    for port in ("usb:1209", "http://10.0.0.1/", "nowhere"):
        with pytest.raises(OptionError):
            device_transport(DRIVER, port, options)
    assert UsbBulkTransport("usb:1209:5af1").reenumerations == 0
