"""What connections may take from the station."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from tests.daemon.web.test_server import LOOPBACK, ask, hello, port_of

from dealer_daemon.web import WebServer
from dealer_daemon.web.connections import MOST_OF_ONE, MOST_SOCKETS, HurriedProtocol

SOON_S = 0.2


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WebServer]:
    monkeypatch.setattr(HurriedProtocol, "within_s", SOON_S)
    made = WebServer(hello, LOOPBACK)
    await made.start()
    yield made
    await made.stop()


async def said(server: WebServer, *parts: bytes, pause_s: float = 0.0) -> bytes:
    """All that the server answers to ``parts``, until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
    for part in parts:
        writer.write(part)
        await asyncio.sleep(pause_s)
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:  # cut while it wrote
        return b""
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


HEAD = b"GET /words HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /words HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize(
    "parts",
    [(), (HEAD,), (HEAD, *[b"x"] * 20), (HEAD + b"\r\n", b"GET "), (POST, b"x"), (HEAD + b"\r\n" + POST,)],
    ids=["nothing", "half a head", "byte by byte", "half of a second", "half a body", "half a pipelined body"],
)
async def test_who_does_not_end_its_request_gives_its_place_up(server: WebServer, parts: tuple[bytes, ...]) -> None:
    await said(server, *parts, pause_s=0.02)


async def test_a_request_that_is_whole_may_take_as_long_as_its_answer_does(server: WebServer) -> None:
    reader, writer = await ask(port_of(server), "/endless")
    for _ in range(2 * round(SOON_S / 0.01)):
        await reader.readuntil(b"more\n")
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def test_many_connections_of_one_address_take_few_descriptors_and_not_the_others_places() -> None:
    server = WebServer(hello, LOOPBACK)
    await server.start()
    port, held = port_of(server), []
    for _ in range(MOST_SOCKETS):
        held.append(socket.create_connection(("127.0.0.1", port)))
        await asyncio.sleep(0)
    another = socket.socket()
    another.setblocking(False)
    another.bind(("127.0.0.2", 0))
    await asyncio.get_running_loop().sock_connect(another, ("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=another)
    writer.write(HEAD + b"Connection: close\r\n\r\n")
    async with asyncio.timeout(10):
        assert b"/words" in await reader.read()
    alive = 0
    for one in held:
        one.settimeout(0.001)
        try:
            alive += one.recv(1) != b""
        except TimeoutError:
            alive += 1
        except ConnectionResetError:
            pass
        one.close()
    assert alive == MOST_OF_ONE
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    # What was closed gives its places back.
    reader, writer = await ask(port, "/words")
    async with asyncio.timeout(10):
        assert b"/words" in await reader.read()
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    await server.stop()
