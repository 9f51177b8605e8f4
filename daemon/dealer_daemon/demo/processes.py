"""Starting and stopping the demonstration's processes."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

STOP_WITHIN_S = 15.0


class DemoFailed(RuntimeError):  # noqa: N818
    """A part of the demonstration did not start or ended too early. The text says what it said."""


class Part:
    """One process; what it writes to stderr goes to a file."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                list(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
            )

    def alive(self) -> None:
        """Raises ``DemoFailed`` with the end of its log when it has ended."""
        code = self.process.poll()
        if code is not None:
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-12:])
            raise DemoFailed(f"{self.name} ended with exit code {code}:\n{tail}")

    def first_line(self) -> str:
        """The first line on its stdout; waits for it. Raises ``DemoFailed`` when it ends without one."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if not line:
            self.process.wait()
            self.alive()
        return line

    def stop(self) -> None:
        """Ask it to stop, and insist after a while. Idempotent."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def free_port() -> int:
    """A TCP port of the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, part: Part, within_s: float = 20.0) -> None:
    """Returns when something listens on the loopback. Raises ``DemoFailed``."""
    wait_until(lambda: _listens(port), part, f"{part.name} did not listen on port {port}", within_s)


def wait_until(condition: Callable[[], bool], part: Part, otherwise: str, within_s: float) -> None:
    """Returns when ``condition`` holds. Raises ``DemoFailed`` when ``part`` ends before, or it takes too long."""
    deadline = time.monotonic() + within_s
    while not condition():
        part.alive()
        if time.monotonic() > deadline:
            raise DemoFailed(otherwise)
        time.sleep(0.02)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.5):
        return True
    return False
