"""The serial transport on real pseudo-terminals."""
# ruff: noqa: ASYNC240 - files are looked at between two steps of one test, nobody else waits

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import serial

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import LinkLost, OptionError, PortAbsent, PortBusy, PortForbidden
from dealer_drivers.transports import fd as fd_module
from dealer_drivers.transports import serial as serial_module
from dealer_drivers.transports.fd import BUFFER_BYTES, READ_BYTES, FdChannel
from dealer_drivers.transports.serial import SerialTransport

FarEnd = Any  # the pseudo-terminal of conftest.py
EVERY_BYTE = bytes(range(256))


@asynccontextmanager
async def opened(path: str, settings: SerialSettings | None = None) -> AsyncIterator[FdChannel]:
    channel = await SerialTransport(path, settings or SerialSettings()).open()
    try:
        yield channel
    finally:
        await channel.close()


async def read_bytes(channel: FdChannel, size: int) -> bytes:
    got = b""
    while len(got) < size:
        got += await channel.read()
    return got


async def read_on(channel: FdChannel, got: bytearray) -> None:
    while True:
        got += await channel.read()


async def test_every_byte_value_passes_unchanged_both_ways(device: FarEnd) -> None:
    async with opened(device.path) as channel:
        device.write(EVERY_BYTE)
        assert await read_bytes(channel, 256) == EVERY_BYTE
        await channel.write(EVERY_BYTE)
        assert await device.read(256) == EVERY_BYTE


async def test_the_port_is_set_raw_without_flow_control_and_strict_about_broken_bytes(device: FarEnd) -> None:
    async with opened(device.path, SerialSettings(baud=4800)):
        look = os.open(device.path, os.O_RDWR | os.O_NOCTTY)
        try:
            iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(look)
        finally:
            os.close(look)
    assert (ispeed, ospeed) == (termios.B4800, termios.B4800)
    assert not cflag & termios.CRTSCTS
    assert not iflag & (termios.IXON | termios.IXOFF | termios.ICRNL | termios.PARMRK | termios.IGNPAR | termios.BRKINT)
    assert iflag & termios.INPCK, "a byte with a wrong stop or parity bit would pass for a good one"
    assert not oflag & termios.OPOST
    assert not lflag & (termios.ICANON | termios.ECHO | termios.ISIG)
    assert cc[termios.VMIN] == 1, "a read of nothing would look like a hang-up"


@pytest.mark.parametrize("parity", ["N", "E", "O"])
async def test_a_pseudo_terminal_stands_for_a_line_of_any_parity(device: FarEnd, parity: str) -> None:
    # It has no parity. The C library says so only when nothing else is left to set: after another program set it.
    serial.Serial(device.path, 9600, parity=parity).close()
    async with opened(device.path, SerialSettings(parity=parity)) as channel:
        device.write(b"\xff27\r\n")
        assert await read_bytes(channel, 5) == b"\xff27\r\n"


async def test_bytes_from_before_the_open_are_thrown_away(device: FarEnd, wait_until_readable: Any) -> None:
    near = os.open(device.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        device.write(b"*X;5;stale\r\n")
        wait_until_readable(near)
        async with opened(device.path) as channel:
            device.write(b"fresh")
            assert await read_bytes(channel, 5) == b"fresh"
    finally:
        os.close(near)


async def test_an_unplug_gives_what_had_arrived_and_then_the_loss_every_time(device: FarEnd) -> None:
    async with opened(device.path) as channel:
        device.write(b"*X;5;027;27")
        got = bytearray(await channel.read())
        device.unplug()
        with pytest.raises(LinkLost, match=device.path):
            await read_on(channel, got)
        assert got == b"*X;5;027;27"
        with pytest.raises(LinkLost):
            await channel.read()
        with pytest.raises(LinkLost):
            await channel.write(b"*X\r\n")


async def test_an_unplug_ends_a_read_that_waits(device: FarEnd) -> None:
    async with opened(device.path) as channel:
        reading = asyncio.create_task(channel.read())
        await asyncio.sleep(0)
        device.unplug()
        with pytest.raises(LinkLost):
            await reading


async def test_a_cancelled_read_loses_nothing(device: FarEnd) -> None:
    async with opened(device.path) as channel:
        reading = asyncio.create_task(channel.read())
        await asyncio.sleep(0)
        reading.cancel()
        device.write(b"*X;3")
        assert await read_bytes(channel, 4) == b"*X;3"


async def test_a_flood_is_held_back_and_nothing_of_it_is_lost(device: FarEnd) -> None:
    flood = b"".join(b"%07d\n" % number for number in range(50_000))
    async with opened(device.path) as channel:
        pump = asyncio.create_task(device.write_all(flood))
        got = b""
        largest = 0
        while len(got) < len(flood):
            # The reader sleeps until the far end can push no more, then takes all that is there.
            done, _ = await asyncio.wait({pump}, timeout=0.02)
            data = await channel.read()
            largest = max(largest, len(data))
            got += data
            if done:
                await pump
        assert got == flood
        assert BUFFER_BYTES <= largest < BUFFER_BYTES + READ_BYTES


async def test_bytes_that_nobody_takes_are_a_lost_link(device: FarEnd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fd_module, "WRITE_TIMEOUT_S", 0.05)
    async with opened(device.path) as channel:
        device.write(b"last words")
        with pytest.raises(LinkLost, match="could not be sent"):
            await channel.write(bytes(1_000_000))
        assert await channel.read() == b"last words"
        with pytest.raises(LinkLost, match="could not be sent"):
            await channel.read()


async def test_a_long_write_waits_for_a_slow_device(device: FarEnd) -> None:
    async with opened(device.path) as channel:
        writing = asyncio.create_task(channel.write(EVERY_BYTE * 1000))
        assert await device.read(256_000) == EVERY_BYTE * 1000
        await writing


async def test_closing_twice_is_as_closing_once_and_ends_what_waits(
    device: FarEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fd_module, "WRITE_TIMEOUT_S", 1000)
    channel = await SerialTransport(device.path, SerialSettings()).open()
    reading = asyncio.create_task(channel.read())
    writing = asyncio.create_task(channel.write(bytes(1_000_000)))
    await asyncio.sleep(0)
    await channel.close()
    await channel.close()
    for task in (reading, writing):
        with pytest.raises(LinkLost, match="closed by the station"):
            await task
    async with opened(device.path) as again:
        device.write(b"x")
        assert await again.read() == b"x"


async def test_a_close_drops_what_a_dead_line_would_keep_it_waiting_for(
    device: FarEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only a real line makes a close wait; a pseudo-terminal shows no more than that it is asked to drop.
    dropped: list[int] = []
    monkeypatch.setattr(termios, "tcflush", lambda _, queue: dropped.append(queue))
    async with opened(device.path):
        assert dropped == [termios.TCIFLUSH]
    assert dropped == [termios.TCIFLUSH, termios.TCOFLUSH]


async def test_closing_again_does_not_touch_what_got_the_descriptor_since() -> None:
    closed: list[int] = []
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        channel = FdChannel(near.fileno(), "port", lambda: closed.append(1))
        await channel.close()
        await channel.close()
    assert closed == [1]


async def test_a_loss_stays_the_reason_after_the_close(device: FarEnd) -> None:
    channel = await SerialTransport(device.path, SerialSettings()).open()
    device.unplug()
    with pytest.raises(LinkLost):
        await channel.read()
    await channel.close()
    with pytest.raises(LinkLost, match=r"hung up|reading failed"):
        await channel.read()


async def test_an_absent_port_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PortAbsent, match="plugged in"):
        await SerialTransport("/dev/dealer/nothing-here", SerialSettings()).open()
    dangling = tmp_path / "wheel"
    dangling.symlink_to("/dev/pts/does-not-exist")
    with pytest.raises(PortAbsent, match=str(dangling)):
        await SerialTransport(str(dangling), SerialSettings()).open()


async def test_a_stable_name_is_followed_anew_at_each_open(plug: Callable[[], FarEnd], tmp_path: Path) -> None:
    name = tmp_path / "wheel"
    transport = SerialTransport(str(name), SerialSettings())
    for word in (b"first", b"second"):
        far = plug()
        name.symlink_to(far.path)
        channel = await transport.open()
        far.write(word)
        assert await read_bytes(channel, len(word)) == word
        await channel.close()
        far.unplug()
        name.unlink()


async def test_a_port_that_two_devices_of_the_station_name_is_refused(device: FarEnd, tmp_path: Path) -> None:
    other_name = tmp_path / "shoe"
    other_name.symlink_to(device.path)
    async with opened(device.path) as channel:
        with pytest.raises(PortBusy, match="two devices name the same port"):
            await SerialTransport(str(other_name), SerialSettings()).open()
        device.write(b"still mine")
        assert await read_bytes(channel, 10) == b"still mine"
    async with opened(device.path):
        pass


HOLD = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other_process(device: FarEnd) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the port as terminal programs do."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, device.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate("")


async def test_a_port_in_use_says_by_whom(device: FarEnd, other_process: subprocess.Popen[str]) -> None:
    # Somebody else has it open as well, without claiming it: that is not who is in the way.
    bystander = os.open(device.path, os.O_RDWR | os.O_NOCTTY)
    try:
        with pytest.raises(PortBusy) as caught:
            await SerialTransport(device.path, SerialSettings()).open()
    finally:
        os.close(bystander)
    name = Path(f"/proc/{other_process.pid}/comm").read_text().strip()
    assert f"port {device.path} is in use by process {other_process.pid} ({name}): stop it" in str(caught.value)


async def test_a_freed_port_opens(device: FarEnd, other_process: subprocess.Popen[str]) -> None:
    other_process.communicate("")
    async with opened(device.path):
        pass


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Without root's rights, which open everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


async def test_a_forbidden_port_says_which_group_to_join(device: FarEnd, request: pytest.FixtureRequest) -> None:
    path = Path(device.path)
    path.chmod(0)
    group = path.group()
    request.getfixturevalue("as_nobody")
    # Nobody should be told to join root's group.
    advice = "udev rule" if group == "root" else rf"usermod -aG {group} "
    with pytest.raises(PortForbidden, match=advice):
        await SerialTransport(device.path, SerialSettings()).open()


async def test_a_line_is_closed_to_programs_that_ask_for_no_lock(
    device: FarEnd, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(serial_module, "PTY_SLAVE_MAJORS", range(0))  # as if it were a real line
    Path(device.path).chmod(0o666)
    async with opened(device.path):
        request.getfixturevalue("as_nobody")
        with pytest.raises(OSError, match="busy"):
            os.open(device.path, os.O_RDWR | os.O_NOCTTY)
        with pytest.raises(PortBusy):
            await SerialTransport(device.path, SerialSettings()).open()


async def test_what_is_no_serial_port_is_a_matter_of_configuration(tmp_path: Path) -> None:
    file = tmp_path / "night.rec.jsonl"
    file.write_text("{}")
    for path, words in ((str(file), "recording:"), (str(tmp_path), "no serial port"), ("/dev/null", "no serial port")):
        with pytest.raises(OptionError, match=words) as caught:
            await SerialTransport(path, SerialSettings()).open()
        assert caught.value.key == "port"


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("baud", SerialSettings(baud=0)),
        ("baud", SerialSettings(baud=4_000_001)),
        ("data_bits", SerialSettings(data_bits=9)),
        ("parity", SerialSettings(parity="M")),
        ("stop_bits", SerialSettings(stop_bits=3)),
    ],
)
def test_impossible_settings_name_their_key(key: str, settings: SerialSettings) -> None:
    with pytest.raises(OptionError) as caught:
        SerialTransport("/dev/ttyS0", settings)
    assert caught.value.key == key


@pytest.mark.parametrize("path", ["/dev/ttyUSB0", "/dev/ttyACM12"])
def test_a_number_for_a_name_is_warned_about(path: str) -> None:
    warning = SerialTransport(path, SerialSettings()).warning
    assert warning is not None
    assert path in warning
    assert "/dev/serial/by-id" in warning


@pytest.mark.parametrize("path", ["/dev/dealer/wheel", "/dev/serial/by-id/usb-FTDI-if00-port0", "/dev/ttyS0"])
def test_a_stable_name_is_not(path: str) -> None:
    assert SerialTransport(path, SerialSettings()).warning is None


def test_the_hint_for_bytes_without_frames_asks_for_the_speed() -> None:
    assert "9600 8N1" in SerialTransport("/dev/dealer/wheel", SerialSettings()).hint
