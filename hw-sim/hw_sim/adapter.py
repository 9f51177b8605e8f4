"""Ports on the host's side: a pty under a stable name, or a loopback TCP port as a serial server has it.

Bytes for nobody are lost, as on a real port. A host that stops reading loses bytes (the oldest on a pty, the newest on
TCP, each counted) and never stops the simulator.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import select
import tty
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

BACKLOG = 4096
"""Bytes kept for a host that does not read, beside what the kernel's own queue holds."""
LOOK_S = 0.1
"""How often a pty that nobody has open is looked at, at least: opening one raises no event."""


class Port(ABC):
    """One port. ``received`` is called with bytes from the host, ``attached`` when a host opened the port."""

    def __init__(self, received: Callable[[bytes], None], attached: Callable[[], None]) -> None:
        self._received = received
        self._attached = attached
        self.unheard = 0
        """Bytes sent while nobody had the port open, or while it was unplugged."""
        self.dropped = 0
        """Bytes lost because the host did not read."""

    @property
    @abstractmethod
    def address(self) -> str:
        """What a host opens: a path, or ``tcp://host:port``; stays the same over unplug and replug."""

    @property
    @abstractmethod
    def plugged(self) -> bool:
        """Whether the port is there."""

    @abstractmethod
    async def plug(self) -> None:
        """The port appears. Raises ``OSError`` when the host has no room for it."""

    @abstractmethod
    def unplug(self) -> None:
        """The port disappears under whoever has it open."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Sends bytes to the host; never waits."""

    def look(self) -> bool:
        """Looks whether a host came; whether looking again in ``LOOK_S`` is needed."""
        return False


class PtyPort(Port):
    """A pseudo-terminal in raw mode, reached by a symlink that comes and goes with the plug.

    The simulator does not hold the host's end open itself: so it sees whether anybody listens.
    """

    def __init__(self, link: Path, received: Callable[[bytes], None], attached: Callable[[], None]) -> None:
        super().__init__(received, attached)
        self._link = link
        self._fd = -1
        self._open = False
        self._backlog = bytearray()

    @property
    def address(self) -> str:
        """The symlink's path."""
        return str(self._link)

    @property
    def plugged(self) -> bool:
        """Whether there is a pty at present."""
        return self._fd >= 0

    async def plug(self) -> None:
        """Opens a new pty and points the symlink at it."""
        if self.plugged:
            return
        master, slave = os.openpty()
        try:
            tty.setraw(slave)
            os.set_blocking(master, False)
            target = os.ttyname(slave)
        finally:
            os.close(slave)
        self._fd = master
        fresh = self._link.with_name(f".{self._link.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(target)
        fresh.replace(self._link)

    def unplug(self) -> None:
        """Removes the symlink and closes the pty: the host's reads end, its writes fail with EIO."""
        if not self.plugged:
            return
        self._link.unlink(missing_ok=True)
        self._detach()
        os.close(self._fd)
        self._fd = -1

    def look(self) -> bool:
        """Notices a host that opened the port."""
        if not self.plugged:
            return False
        if not self._open and not self._hung_up():
            self._open = True
            asyncio.get_running_loop().add_reader(self._fd, self._read)
            self._attached()
        return not self._open

    def write(self, data: bytes) -> None:
        """Sends to the host, if one has the port open."""
        self.look()
        if not self._open:
            self.unheard += len(data)
            return
        self._backlog += data
        over = len(self._backlog) - BACKLOG
        if over > 0:
            self.dropped += over
            del self._backlog[:over]
        self._flush()

    def _hung_up(self) -> bool:
        poller = select.poll()
        poller.register(self._fd, 0)
        return any(events & select.POLLHUP for _, events in poller.poll(0))

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._backlog:
                del self._backlog[: os.write(self._fd, self._backlog)]
        except BlockingIOError:
            loop.add_writer(self._fd, self._flush)
            return
        loop.remove_writer(self._fd)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:  # EIO: the host closed its end
                raise
            data = b""
        if data:
            self._received(data)
        else:
            self._detach()

    def _detach(self) -> None:
        if self._open:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._fd)
            loop.remove_writer(self._fd)
        self._open = False
        self.unheard += len(self._backlog)
        self._backlog.clear()


class TcpPort(Port):
    """A loopback TCP port that any number of clients may open. As with a real serial server, a second client
    steals bytes: every piece goes to one of them, in turn."""

    def __init__(self, received: Callable[[bytes], None], attached: Callable[[], None]) -> None:
        super().__init__(received, attached)
        self._port = 0
        self._server: asyncio.Server | None = None
        self._clients: list[asyncio.Transport] = []

    @property
    def address(self) -> str:
        """``tcp://127.0.0.1:PORT``."""
        return f"tcp://127.0.0.1:{self._port}"

    @property
    def plugged(self) -> bool:
        """Whether the server listens."""
        return self._server is not None

    async def plug(self) -> None:
        """Listens, after the first time on the same port again."""
        if self._server is None:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(lambda: _Client(self), "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    def unplug(self) -> None:
        """Stops listening and closes every connection."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for client in self._clients:
            client.abort()
        self._clients.clear()

    def write(self, data: bytes) -> None:
        """Sends to the client whose turn it is."""
        if not self._clients:
            self.unheard += len(data)
            return
        client = self._clients.pop(0)
        self._clients.append(client)
        if client.get_write_buffer_size() > BACKLOG:
            self.dropped += len(data)
        else:
            client.write(data)

    def came(self, client: asyncio.Transport) -> None:
        """A client connected."""
        self._clients.append(client)
        self._attached()

    def went(self, client: asyncio.Transport) -> None:
        """A client is gone."""
        with contextlib.suppress(ValueError):
            self._clients.remove(client)

    def got(self, data: bytes) -> None:
        """A client sent bytes."""
        self._received(data)


class _Client(asyncio.Protocol):
    def __init__(self, port: TcpPort) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._port.came(transport)

    def data_received(self, data: bytes) -> None:
        self._port.got(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._transport is not None:
            self._port.went(self._transport)
