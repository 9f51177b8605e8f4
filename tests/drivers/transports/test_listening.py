"""The socket at which the table's screen speaks for a device."""

from __future__ import annotations

import asyncio
import socket
import stat
from pathlib import Path

import pytest

from dealer_drivers.errors import LinkLost, OptionError, PortAbsent, PortBusy
from dealer_drivers.transports.listening import LONGEST_LINE, MOST_WAITING, ListeningTransport


async def test_lines_of_several_programs_come_whole(tmp_path: Path) -> None:
    path = tmp_path / "r1.sock"
    channel = await ListeningTransport(str(path)).open()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (one_reads, one), (two_reads, two) = [await asyncio.open_unix_connection(str(path)) for _ in range(2)]
    one.write(b"first ha")
    await one.drain()
    two.write(b"second\n")
    await two.drain()
    assert await channel.read() == b"second\n"
    one.write(b"lf\nnever ended")
    await one.drain()
    assert await channel.read() == b"first half\n"
    await channel.write(b"to all\n")
    assert [await one_reads.readline(), await two_reads.readline()] == [b"to all\n"] * 2
    one.close()
    await one.wait_closed()
    two.write(b"after\n")
    assert await channel.read() == b"after\n", "half a line of one that left is none"
    waiting = asyncio.create_task(channel.read())
    await asyncio.sleep(0)
    await channel.close()
    with pytest.raises(LinkLost):
        await waiting
    await channel.close()
    assert not path.exists()
    two.close()


async def test_a_line_without_end_costs_its_sender_the_connection(tmp_path: Path) -> None:
    path = tmp_path / "r1.sock"
    channel = await ListeningTransport(str(path)).open()
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(b"x" * (2 * LONGEST_LINE + 2))
    assert await reader.read() == b""
    writer.close()
    await channel.close()


async def test_a_socket_of_a_dead_process_is_replaced_and_a_living_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "r1.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    channel = await ListeningTransport(str(path)).open()
    with pytest.raises(PortBusy, match="another station"):
        await ListeningTransport(str(path)).open()
    await channel.close()
    path.write_text("x")
    with pytest.raises(PortBusy, match="no socket"):
        await ListeningTransport(str(path)).open()
    with pytest.raises(PortAbsent, match="folder"):
        await ListeningTransport(str(tmp_path / "no" / "r1.sock")).open()
    with pytest.raises(OptionError, match="107 bytes"):
        ListeningTransport(str(tmp_path / ("n" * 120)))


async def test_who_floods_is_held_back_and_keeps_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "r1.sock"
    channel = await ListeningTransport(str(path)).open()
    _, writer = await asyncio.open_unix_connection(str(path))
    writer.write(b"\n" * 2_000_000)
    for _ in range(2_000):
        assert await channel.read() == b"\n"
    assert len(channel._lines) <= MOST_WAITING
    await channel.close()
    writer.close()
