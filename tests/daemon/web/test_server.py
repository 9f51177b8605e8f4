"""A web server in the station's loop."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest

from dealer_daemon.web import BindError, Listen, WebServer

LOOPBACK = Listen(host="127.0.0.1", port=0)


async def hello(
    scope: MutableMapping[str, Any],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
) -> None:
    del receive
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    body = scope["path"].encode()
    if scope["path"] == "/endless":
        while True:
            await send({"type": "http.response.body", "body": b"more\n", "more_body": True})
            await asyncio.sleep(0.01)
    await send({"type": "http.response.body", "body": body})


def port_of(server: WebServer) -> int:
    return int(server.url.rpartition(":")[2])


async def ask(port: int, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return reader, writer


async def test_serves_and_leaves_signals_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    server = WebServer(hello, LOOPBACK)
    await server.start()
    reader, writer = await ask(port_of(server), "/words")
    answer = await reader.read()
    assert b"/words" in answer
    assert b"uvicorn" not in answer.lower()
    assert signal.getsignal(signal.SIGTERM) is before
    writer.close()
    await writer.wait_closed()
    await server.stop()
    await server.stop()


async def test_a_stop_waits_for_no_browser() -> None:
    server = WebServer(hello, LOOPBACK)
    await server.start()
    reader, writer = await ask(port_of(server), "/endless")
    assert await reader.readuntil(b"more\n")
    async with asyncio.timeout(10):
        await server.stop()
        await reader.read()
    writer.close()
    await writer.wait_closed()


async def test_a_port_that_is_taken_is_said_at_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BindError, match=rf"127.0.0.1 port {port} .*another's"):
            await WebServer(hello, Listen(host="127.0.0.1", port=port)).start()
