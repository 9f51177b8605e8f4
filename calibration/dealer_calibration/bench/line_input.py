"""Lines of standard input, awaited: a terminal, a pipe or a file."""

from __future__ import annotations

import asyncio
import os
import sys

READ_BYTES = 4096
LONGEST_LINE = 65_536
"""Beyond this it is no answer of a person's; what follows is the next line."""


class LineInput:
    """Reads lines without holding up the event loop. A descriptor that is not 0 is for tests."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._ended = False

    async def line(self) -> str | None:
        """The next line without its end; ``None`` when there is no more. Bytes that are no UTF-8 are replaced."""
        while b"\n" not in self._buffer and not self._ended and len(self._buffer) < LONGEST_LINE:
            data = await self._read()
            self._ended = not data
            self._buffer += data
        if not self._buffer:
            return None
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line.decode(errors="replace")

    async def _read(self) -> bytes:
        descriptor = sys.stdin.fileno() if self._descriptor is None else self._descriptor
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(descriptor, _settle, ready)
        except PermissionError:  # a file, which never keeps anybody waiting
            return os.read(descriptor, READ_BYTES)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)
        return os.read(descriptor, READ_BYTES)


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
