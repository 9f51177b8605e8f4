"""Recordings are played at their own pace."""
# ruff: noqa: ASYNC240 - files are written between two steps of one test, nobody else waits

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dealer_drivers.clock import ManualClock
from dealer_drivers.errors import LinkLost, RecordingEnded
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import RecordingError
from dealer_drivers.transports.replay import ReplayTransport

START = Instant(1_000 * NS_PER_S, 2_000 * NS_PER_S)
HEAD = '{"recording": 1, "driver": "d", "device": "x"}'


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join((HEAD, *lines)) + "\n")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "night.rec.jsonl"


async def wait_for(clock: ManualClock, task: asyncio.Task[bytes], seconds: float) -> bytes:
    """The task's bytes, which must come exactly ``seconds`` after the start."""
    assert await clock.next_deadline_ns() == START.plus_s(seconds).mono_ns
    clock.advance_to(START.plus_s(seconds).mono_ns)
    return await task


async def test_chunks_come_at_their_recorded_times_and_then_no_more(file: Path) -> None:
    write(file, '{"t": 0, "rx": "a"}', '{"t": 0.5, "tx": "?"}', '{"t": 1.25, "rxh": "00ff"}', '{"t": 2, "rx": ""}')
    clock = ManualClock(START)
    channel = await ReplayTransport(file, clock).open()
    assert await channel.read() == b"a"
    reading = asyncio.create_task(channel.read())
    assert await clock.next_deadline_ns() == START.plus_s(0.5).mono_ns
    clock.advance_s(0.5)
    assert await wait_for(clock, reading, 1.25) == b"\x00\xff"
    await channel.write(b"nobody hears this")
    ending = asyncio.create_task(channel.read())
    with pytest.raises(RecordingEnded):
        await wait_for(clock, ending, 2)
    with pytest.raises(RecordingEnded):
        await channel.read()


async def test_a_cancelled_read_loses_no_chunk(file: Path) -> None:
    write(file, '{"t": 1, "rx": "a"}')
    clock = ManualClock(START)
    opening = asyncio.create_task(ReplayTransport(file, clock).open())
    channel = await opening
    reading = asyncio.create_task(channel.read())
    await clock.next_deadline_ns()
    reading.cancel()
    assert await wait_for(clock, asyncio.create_task(channel.read()), 1) == b"a"


async def test_a_recorded_loss_is_a_loss_and_the_next_open_goes_on_behind_it(file: Path) -> None:
    write(
        file,
        '{"t": 0, "ev": "open"}',
        '{"t": 0, "rx": "a"}',
        '{"t": 0, "ev": "close", "reason": "hung up"}',
        '{"t": 0, "ev": "error"}',
        '{"t": 3, "ev": "open"}',
        '{"t": 3, "rx": "b"}',
        '{"t": 3, "ev": "open"}',
        '{"t": 3, "rx": "c"}',
        '{"t": 3, "ev": "close"}',
    )
    clock = ManualClock(START)
    transport = ReplayTransport(file, clock)
    channel = await transport.open()
    assert await channel.read() == b"a"
    for _ in range(2):
        with pytest.raises(LinkLost, match=r"line 4.*hung up"):
            await channel.read()
    with pytest.raises(LinkLost):
        await channel.write(b"?")
    await channel.close()
    opening = asyncio.create_task(transport.open())
    assert await clock.next_deadline_ns() == START.plus_s(3).mono_ns
    clock.advance_s(3)
    channel = await opening
    assert await channel.read() == b"b"
    with pytest.raises(LinkLost, match="opened anew at line 8"):
        await channel.read()
    await channel.close()
    channel = await transport.open()
    assert await channel.read() == b"c"
    with pytest.raises(LinkLost):
        await channel.read()
    with pytest.raises(RecordingEnded):
        await transport.open()


async def test_a_closed_channel_is_lost(file: Path) -> None:
    channel = await ReplayTransport(write(file, '{"t": 0, "rx": "a"}'), ManualClock(START)).open()
    await channel.close()
    await channel.close()
    with pytest.raises(LinkLost, match="closed by the station"):
        await channel.read()


async def test_what_is_no_recording_is_given_up(file: Path) -> None:
    file.write_text("27\r\n")
    with pytest.raises(RecordingError, match=r"night\.rec\.jsonl:1: "):
        await ReplayTransport(file, ManualClock()).open()
