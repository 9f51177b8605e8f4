"""What systemd is to a service: a socket that hears what it says, with the moment of each datagram."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path


class NotifySocket:
    """Everything that was said so far. ``address`` is what a service finds in NOTIFY_SOCKET."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._said: list[tuple[float, dict[str, str]]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.setblocking(False)

    def said(self) -> list[tuple[float, dict[str, str]]]:
        """(monotonic seconds of hearing it, fields) of each datagram."""
        with contextlib.suppress(BlockingIOError):
            while True:
                text = self._socket.recv(65536).decode()
                fields = dict(line.split("=", 1) for line in text.splitlines())
                self._said.append((time.monotonic(), fields))
        return self._said

    def count(self, key: str) -> int:
        """How often a word was said."""
        return sum(key in fields for _, fields in self.said())

    def words(self) -> list[str]:
        """The words that change the state of a service, in order."""
        states = ("READY", "RELOADING", "STOPPING")
        return [key for _, fields in self.said() for key in fields if key in states]

    @property
    def status(self) -> str:
        """The newest line for people."""
        lines = [fields["STATUS"] for _, fields in self.said() if "STATUS" in fields]
        return lines[-1] if lines else ""

    @property
    def statuses(self) -> list[str]:
        """All lines for people."""
        return [fields["STATUS"] for _, fields in self.said() if "STATUS" in fields]

    def environment(self, watchdog_s: float | None = None) -> dict[str, str]:
        """That of a service which speaks to this socket."""
        limit = {} if watchdog_s is None else {"WATCHDOG_USEC": str(int(watchdog_s * 1e6))}
        return {**os.environ, "NOTIFY_SOCKET": self.address, **limit}

    def close(self) -> None:
        self._socket.close()


@contextlib.contextmanager
def notify_socket(folder: Path, *, abstract: bool = False) -> Iterator[NotifySocket]:
    """A socket in ``folder``, or one without a file."""
    address = f"@dealer-test-{os.getpid()}-{time.monotonic_ns()}" if abstract else str(folder / "notify")
    found = NotifySocket(address)
    try:
        yield found
    finally:
        found.close()
