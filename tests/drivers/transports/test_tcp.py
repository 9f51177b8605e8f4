"""The TCP transport against real servers on the loopback interface."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import LinkLost, OptionError, PortAbsent
from dealer_drivers.transports import tcp as tcp_module
from dealer_drivers.transports.fd import FdChannel
from dealer_drivers.transports.tcp import TcpTransport


class SerialServer:
    """Listens, and stands for the serial server and the device behind it."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET, host: str = "127.0.0.1") -> None:
        self.listener = socket.create_server((host, 0), family=family, backlog=1)
        self.listener.setblocking(False)
        self.transport = TcpTransport(host, self.listener.getsockname()[1], SerialSettings(4800))
        self.peer: socket.socket | None = None

    async def accepted(self) -> socket.socket:
        self.peer, _ = await asyncio.get_running_loop().sock_accept(self.listener)
        self.peer.setblocking(False)
        return self.peer

    def close(self) -> None:
        self.listener.close()
        if self.peer is not None:
            self.peer.close()


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[FdChannel, socket.socket]]:
    with closing(SerialServer()) as server:
        channel = await server.transport.open()
        try:
            yield channel, await server.accepted()
        finally:
            await channel.close()


async def read_until_lost(channel: FdChannel) -> bytes:
    got = bytearray()
    with pytest.raises(LinkLost, match=r"tcp://127\.0\.0\.1:\d+"):
        await read_on(channel, got)
    return bytes(got)


async def read_on(channel: FdChannel, got: bytearray) -> None:
    while True:
        got += await channel.read()


async def write_on(channel: FdChannel) -> None:
    while True:
        await channel.write(b"*X\r\n")


def open_sockets() -> set[int]:
    """Descriptors of this process that are sockets."""
    links = {int(link.name): os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()}
    return {fd for fd, target in links.items() if "socket:" in target}


@pytest.fixture
async def name_lookups() -> AsyncIterator[None]:
    """Ends the thread that the event loop looks up names in."""
    yield
    await asyncio.get_running_loop().shutdown_default_executor()


async def test_bytes_pass_both_ways() -> None:
    async with connected() as (channel, peer):
        peer.send(b"*X;3")
        assert await channel.read() == b"*X;3"
        await channel.write(b"*R\r\n")
        assert await asyncio.get_running_loop().sock_recv(peer, 100) == b"*R\r\n"


async def test_a_closed_connection_gives_its_last_bytes_first() -> None:
    async with connected() as (channel, peer):
        peer.send(b"27\r\n")
        peer.close()
        assert await read_until_lost(channel) == b"27\r\n"


async def test_a_write_into_a_closed_connection_does_not_cost_what_was_sent_before() -> None:
    async with connected() as (channel, peer):
        peer.send(b"27\r\n")
        peer.close()
        # The first write may still go out; the answer to it breaks the connection.
        with pytest.raises(LinkLost):
            await write_on(channel)
        assert await read_until_lost(channel) == b"27\r\n"


async def test_a_reset_is_a_lost_link() -> None:
    async with connected() as (channel, peer):
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        assert await read_until_lost(channel) == b""


async def test_a_dead_peer_will_be_found() -> None:
    with closing(SerialServer()) as server:
        before = open_sockets()
        channel = await server.transport.open()
        [fd] = open_sockets() - before
        with socket.socket(fileno=os.dup(fd)) as same:
            assert same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            found_after_s = same.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) + same.getsockopt(
                socket.IPPROTO_TCP, socket.TCP_KEEPINTVL
            ) * same.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
            assert found_after_s <= 10
            assert 0 < same.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 10_000
            assert same.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        await channel.close()


async def test_nobody_listening_is_an_absent_port() -> None:
    server = SerialServer()
    server.close()
    with pytest.raises(PortAbsent, match=r"tcp://127\.0\.0\.1:\d+ cannot be reached: Connection refused"):
        await server.transport.open()


async def test_no_answer_is_an_absent_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp_module, "CONNECT_TIMEOUT_S", 0.1)
    with closing(SerialServer()) as server, closing(socket.socket()) as one, closing(socket.socket()) as two:
        for queued in (one, two):  # a listener whose queue is full answers nobody
            queued.setblocking(False)
            queued.connect_ex(server.listener.getsockname())
        with pytest.raises(PortAbsent, match="did not answer within"):
            await server.transport.open()


@pytest.mark.usefixtures("name_lookups")
async def test_names_and_ipv6_addresses_are_reached() -> None:
    with closing(SerialServer()) as server:
        by_name = TcpTransport("localhost", server.listener.getsockname()[1], SerialSettings())
        channel = await by_name.open()
        await channel.close()
    with closing(SerialServer(socket.AF_INET6, "::1")) as server:
        assert server.transport.name.startswith("tcp://[::1]:")
        channel = await server.transport.open()
        await channel.close()


@pytest.mark.usefixtures("name_lookups")
async def test_an_unknown_name_is_retried_and_an_impossible_one_is_not() -> None:
    with pytest.raises(PortAbsent, match="unknown"):
        await TcpTransport("no-such-host.invalid", 4001, SerialSettings()).open()
    with pytest.raises(OptionError, match="no such name can exist"):
        await TcpTransport("x" * 70, 4001, SerialSettings()).open()


def test_the_hint_asks_for_the_setting_of_the_serial_server() -> None:
    assert "serial server set to 4800 8N1" in TcpTransport("10.0.0.9", 4001, SerialSettings(4800)).hint
