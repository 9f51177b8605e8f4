"""Real pseudo-terminals: the far end stands for the device."""

from __future__ import annotations

import asyncio
import os
import select
import tty
from collections.abc import Callable, Iterator

import pytest


class FarEnd:
    """The device's side of a pseudo-terminal; ``path`` is the port that the station opens."""

    def __init__(self) -> None:
        self.fd, near = os.openpty()
        self.path = os.ttyname(near)
        tty.setraw(near)
        os.close(near)
        os.set_blocking(self.fd, False)
        self.plugged = True

    def write(self, data: bytes) -> int:
        """Puts bytes on the line; answers how many of them the line took."""
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0

    async def write_all(self, data: bytes) -> None:
        """Puts all of ``data`` on the line, as fast as it is taken."""
        while data:
            await ready(self.fd, to_write=True)
            data = data[self.write(data) :]

    async def read(self, size: int) -> bytes:
        """Exactly ``size`` bytes that the station sent."""
        got = b""
        while len(got) < size:
            await ready(self.fd)
            got += os.read(self.fd, size - len(got))
        return got

    def unplug(self) -> None:
        """The cable is pulled: the port's name goes away, and whoever has it open finds out."""
        if self.plugged:
            self.plugged = False
            os.close(self.fd)


async def ready(fd: int, *, to_write: bool = False) -> None:
    """Waits until ``fd`` can be read or written."""
    loop = asyncio.get_running_loop()
    now: asyncio.Future[None] = loop.create_future()
    add, remove = (loop.add_writer, loop.remove_writer) if to_write else (loop.add_reader, loop.remove_reader)
    add(fd, lambda: now.done() or now.set_result(None))
    try:
        await now
    finally:
        remove(fd)


@pytest.fixture
def wait_until_readable() -> Callable[[int], None]:
    """Blocks until bytes can be read: they have passed the kernel's queues."""

    def wait(fd: int) -> None:
        readable, _, _ = select.select([fd], [], [], 5)
        assert readable, "the bytes never came through the pseudo-terminal"

    return wait


@pytest.fixture
def plug() -> Iterator[Callable[[], FarEnd]]:
    """Makes pseudo-terminals; all are unplugged after the test."""
    made: list[FarEnd] = []

    def new() -> FarEnd:
        made.append(FarEnd())
        return made[-1]

    yield new
    for end in made:
        end.unplug()


@pytest.fixture
def device(plug: Callable[[], FarEnd]) -> FarEnd:
    """One pseudo-terminal."""
    return plug()
