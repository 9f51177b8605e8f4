"""A channel over a non-blocking file descriptor: the one way in which ports and sockets are read and written."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from dealer_drivers.errors import LinkLost

READ_BYTES = 4096
BUFFER_BYTES = 64 * 1024
"""Held for a slow reader before the descriptor is left unread: over a minute of a 9600-baud device.

A serial line without flow control has nowhere else to keep them: a USB adapter's own buffer holds a few hundred
bytes. Beyond this the kernel's buffer fills, and a TCP peer is held back.
"""
WRITE_TIMEOUT_S = 2.0
"""Real seconds a write may stand still. A 9600-baud line takes about 1,900 bytes in that time; commands are short."""


class FdChannel:
    """Bytes of ``fd``, which is non-blocking and whose read of nothing (``b""``) means that the other side is gone.

    ``name`` is for messages; ``close`` gives the descriptor back and is called once. Belongs to the running loop.
    """

    def __init__(self, fd: int, name: str, close: Callable[[], None]) -> None:
        self._fd = fd
        self._name = name
        self._close = close
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self._ready: asyncio.Future[None] | None = None
        self._lost: str | None = None
        self._closed = False
        self._listening = False
        self._listen()

    async def read(self) -> bytes:
        """What arrived, at least one byte. Raises ``LinkLost`` after the last of it."""
        while not self._buffer:
            if self._lost is not None:
                raise LinkLost(self._lost)
            self._news.clear()
            await self._news.wait()
        data = bytes(self._buffer)
        self._buffer.clear()
        if self._lost is None:
            self._listen()
        return data

    async def write(self, data: bytes) -> None:
        """Sends all of ``data``. Raises ``LinkLost`` when the descriptor fails or stands still for two seconds."""
        rest = memoryview(data)
        while rest:
            if self._lost is not None:
                raise LinkLost(self._lost)
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                await self._writable(len(rest))
            except OSError as error:
                self._drain()
                self._end(f"{self._name}: writing failed: {error.strerror}")

    async def close(self) -> None:
        """Gives the descriptor back. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._end(f"{self._name}: closed by the station")
        self._loop.remove_writer(self._fd)
        self._close()

    async def _writable(self, left: int) -> None:
        self._ready = self._loop.create_future()
        self._loop.add_writer(self._fd, _wake, self._ready)
        try:
            async with asyncio.timeout(WRITE_TIMEOUT_S):
                await self._ready
        except TimeoutError:
            self._end(
                f"{self._name}: {left} bytes could not be sent for {WRITE_TIMEOUT_S:g} s: does anything read them?"
            )
        finally:
            self._ready = None
            if not self._closed:
                self._loop.remove_writer(self._fd)

    def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            self._loop.add_reader(self._fd, self._readable)

    def _unlisten(self) -> None:
        if self._listening:
            self._listening = False
            self._loop.remove_reader(self._fd)

    def _readable(self) -> None:
        self._read_once()
        if len(self._buffer) >= BUFFER_BYTES:
            self._unlisten()

    def _drain(self) -> None:
        # The peer may have sent its last words before it went: they came before the loss.
        while self._lost is None and len(self._buffer) < BUFFER_BYTES and self._read_once():
            pass

    def _read_once(self) -> bool:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return False
        except OSError as error:
            self._end(f"{self._name}: reading failed: {error.strerror}")
            return False
        if not data:
            self._end(f"{self._name}: hung up")
            return False
        self._buffer += data
        self._news.set()
        return True

    def _end(self, reason: str) -> None:
        if self._lost is None:
            self._lost = reason
        self._unlisten()
        self._news.set()
        if self._ready is not None:
            _wake(self._ready)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
