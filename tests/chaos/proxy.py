"""A TCP proxy on loopback that is as bad as a network can be: cut, half open, slow, narrow, in pieces, reset.

What it does is what TCP can do: bytes are late or never come, and a connection that lost some never goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

CHUNK = 65536
QUEUE = 256
"""Chunks under way in one direction; then whoever sends has to wait, as with a full window."""
RST = struct.pack("ii", 1, 0)
"""``SO_LINGER`` with no time: closing sends RST instead of FIN."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How the network is. ``up`` is from the client to the server."""

    cut: bool = False
    """Nobody gets through: new connections end at once."""
    swallow_up: bool = False
    swallow_down: bool = False
    """Half open: bytes vanish and nobody is told, not even that the other side closed."""
    delay_s: float = 0.0
    bytes_per_s: float | None = None
    piece: int | None = None
    """Bytes a segment."""


CALM = Weather()


class Tap(Protocol):
    """Sees one connection's bytes as they come, and may keep, change or answer them."""

    def up(self, data: bytes) -> tuple[bytes, bytes]:
        """From the client: what goes on to the server, and what the client is answered."""
        ...

    def down(self, data: bytes) -> bytes:
        """From the server: what goes on to the client."""
        ...


class Through:
    """A tap that does nothing."""

    def up(self, data: bytes) -> tuple[bytes, bytes]:
        """All of it goes on."""
        return data, b""

    def down(self, data: bytes) -> bytes:
        """All of it goes on."""
        return data


class Taps(Protocol):
    """Makes the tap of a new connection."""

    def __call__(self) -> Tap:
        """One more connection."""
        ...


class _Connection:
    """One client's way to the server."""

    def __init__(self, proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._client = (reader, writer)
        self._tap = proxy.tap()
        self._queues: dict[bool, asyncio.Queue[tuple[float, bytes]]] = {
            up: asyncio.Queue(QUEUE) for up in (True, False)
        }
        self.writers = [writer]
        self.torn = {True: False, False: False}
        """By direction: bytes were swallowed, so none may follow."""
        self.healed = asyncio.Event()

    async def run(self) -> None:
        """Until either side is gone and what it said is delivered."""
        try:
            server = await asyncio.open_connection("127.0.0.1", self._proxy.target)
        except OSError:
            reset(self._client[1])
            return
        self.writers.append(server[1])
        if self._proxy.weather.cut:
            self.reset()
            return
        reads = [
            asyncio.create_task(self._read(True, self._client[0])),
            asyncio.create_task(self._read(False, server[0])),
        ]
        writes = [
            asyncio.create_task(self._write(True, server[1])),
            asyncio.create_task(self._write(False, self._client[1])),
        ]
        try:
            await asyncio.wait([*reads, *writes], return_when=asyncio.FIRST_COMPLETED)
            if any(self.torn.values()) or self._proxy.half_open:
                await self.healed.wait()  # nobody is told that the other side is gone
                self.reset()
            else:
                for up, read in zip((True, False), reads, strict=True):
                    if read.done():
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(self._queues[up].join(), 2)
        finally:
            for task in (*reads, *writes):
                task.cancel()
            await asyncio.gather(*reads, *writes, return_exceptions=True)
            for writer in self.writers:
                writer.close()

    def reset(self) -> None:
        """RST to both sides."""
        for writer in self.writers:
            reset(writer)

    def drop(self) -> None:
        """FIN to both sides."""
        for writer in self.writers:
            writer.close()

    async def _read(self, up: bool, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                self._proxy.bytes_seen += len(data)
                forward, answer = self._tap.up(data) if up else (self._tap.down(data), b"")
                due = asyncio.get_running_loop().time() + self._proxy.weather.delay_s
                if answer:
                    await self._queues[False].put((due, answer))
                if forward:
                    await self._queues[up].put((due, forward))

    async def _write(self, up: bool, writer: asyncio.StreamWriter) -> None:
        loop, queue = asyncio.get_running_loop(), self._queues[up]
        with contextlib.suppress(OSError):
            while True:
                due, data = await queue.get()
                if (wait_s := due - loop.time()) > 0:
                    await asyncio.sleep(wait_s)
                await self._deliver(up, writer, data)
                queue.task_done()

    async def _deliver(self, up: bool, writer: asyncio.StreamWriter, data: bytes) -> None:
        while data:
            weather = self._proxy.weather
            if self.torn[up] or (weather.swallow_up if up else weather.swallow_down):
                self.torn[up] = True
                return
            size = weather.piece or (max(1, int(weather.bytes_per_s / 20)) if weather.bytes_per_s else len(data))
            piece, data = data[:size], data[size:]
            writer.write(piece)
            await writer.drain()
            if weather.bytes_per_s:
                await asyncio.sleep(len(piece) / weather.bytes_per_s)
            elif weather.piece:
                await asyncio.sleep(0)


class Proxy:
    """See the module. ``target`` is the server's port; ``tap`` makes what looks into a connection."""

    def __init__(self, target: int, tap: Taps = Through) -> None:
        self.target = target
        self.tap = tap
        self.weather = CALM
        self.port = 0
        self.connections = 0
        self.bytes_seen = 0
        self._open: dict[_Connection, asyncio.Task[None]] = {}

    @property
    def half_open(self) -> bool:
        """Whether bytes vanish in either direction."""
        return self.weather.swallow_up or self.weather.swallow_down

    @property
    def torn(self) -> int:
        """Open connections that lost bytes."""
        return sum(any(connection.torn.values()) for connection in self._open)

    def reset(self) -> int:
        """RST on every connection; how many there were."""
        for connection in self._open:
            connection.reset()
        return len(self._open)

    def cut(self) -> int:
        """The cable is pulled where both ends notice; how many connections that ended."""
        self.weather = Weather(cut=True)
        for connection in self._open:
            connection.drop()
        return len(self._open)

    def inject(self, data: bytes) -> None:
        """Bytes that the server never sent, to every client."""
        for connection in self._open:
            if not connection.torn[False]:
                connection.writers[0].write(data)

    def heal(self) -> None:
        """The network is well again. Connections that lost bytes are reset: nothing else can come of them."""
        self.weather = CALM
        for connection in self._open:
            if any(connection.torn.values()):
                connection.reset()
            connection.healed.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.weather.cut:
            reset(writer)
            return
        self.connections += 1
        connection = _Connection(self, reader, writer)
        task = asyncio.current_task()
        assert task is not None
        self._open[connection] = task
        try:
            await connection.run()
        finally:
            del self._open[connection]
            writer.close()

    async def _stop(self) -> None:
        self.heal()
        self.reset()
        tasks = list(self._open.values())
        if tasks:
            _, left = await asyncio.wait(tasks, timeout=2)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    @contextlib.asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[Proxy]:
        """Listens for as long as the block lasts."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await self._stop()
            await server.wait_closed()


def reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST."""
    sock: socket.socket | None = writer.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
    writer.transport.abort()
