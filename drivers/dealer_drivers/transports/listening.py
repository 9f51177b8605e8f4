"""A socket on this machine at which a program of ours may speak for a device: the table's screen, for one.

The station listens; whoever may enter the folder may connect. The lines of all who are connected come in the order in
which they end, never mixed; what the session sends goes to each of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from pathlib import Path

from dealer_drivers.errors import LinkLost, OptionError, PortAbsent, PortBusy, PortForbidden

UNIX = "unix:"
LONGEST_LINE = 8 * 1024
MOST_PEERS = 8
MOST_WAITING = 64
"""Lines that wait for the station; who writes faster is held back."""
LONGEST_PATH = 107
"""Bytes of a socket's name on Linux."""


class ListeningTransport:
    """Listens at ``path``; a socket that a dead process left there is replaced. Raises ``OptionError`` for a path that
    no socket can have."""

    def __init__(self, path: str) -> None:
        if len(path.encode()) > LONGEST_PATH:
            raise OptionError(
                "port", f"a socket's path has at most {LONGEST_PATH} bytes; choose one shorter than {path}"
            )
        self._path = Path(path)
        self.name = UNIX + path
        self.hint = "does another version of the screen speak to it?"
        self.warning: str | None = None

    async def open(self) -> ListeningChannel:
        """Raises ``PortAbsent``, ``PortBusy``, ``PortForbidden``."""
        if not self._path.parent.is_dir():
            raise PortAbsent(f"the folder {self._path.parent} is not there: make it, for the station's user alone")
        if self._path.exists():
            if not self._path.is_socket():
                raise PortBusy(f"{self._path} is a file and no socket: remove it")
            if await _answers(self._path):
                raise PortBusy(f"another station listens at {self._path}")
            self._path.unlink()
        channel = ListeningChannel(self._path)
        try:
            await channel.listen()
        except PermissionError as error:
            raise PortForbidden(f"{self._path}: this user may not make a socket there") from error
        except OSError as error:
            raise PortAbsent(f"{self._path}: {error.strerror}") from error
        return channel


class ListeningChannel:
    """What all who are connected say, line by line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._peers: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._server: asyncio.Server | None = None
        self._closed = False

    async def listen(self) -> None:
        """Raises ``OSError``."""
        self._server = await asyncio.start_unix_server(self._talk, str(self._path), limit=LONGEST_LINE)
        self._path.chmod(0o600)

    async def read(self) -> bytes:
        """Whole lines. Raises ``LinkLost`` once closed."""
        while not self._lines:
            if self._closed:
                raise LinkLost(f"{self._path} is closed")
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._lines.popleft()

    async def write(self, data: bytes) -> None:
        """To each who is connected; who does not read is cut off."""
        for task, writer in list(self._peers.items()):
            if writer.transport.get_write_buffer_size() > LONGEST_LINE:
                task.cancel()
            else:
                writer.write(data)

    async def close(self) -> None:
        """Listens no more. Idempotent."""
        self._closed = True
        self._news.set()
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        self._path.unlink(missing_ok=True)
        for task in list(self._peers):
            task.cancel()
        if self._peers:
            await asyncio.wait(set(self._peers))

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._peers) >= MOST_PEERS:
            writer.close()
            return
        self._peers[task] = writer
        try:
            while line := await reader.readline():
                if line.endswith(b"\n"):  # half a line is none
                    while len(self._lines) >= MOST_WAITING:
                        self._room.clear()
                        await self._room.wait()
                    self._lines.append(line)
                    self._news.set()
        except (ValueError, OSError, asyncio.CancelledError):
            pass  # a line without an end, or a peer that is gone: its own affair
        finally:
            self._peers.pop(task, None)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _answers(path: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(str(path))
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
