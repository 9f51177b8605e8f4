"""Real brokers as processes on loopback ports, started, killed and stopped by the tests."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

ROW = 4_000
"""How many ports each worker of a test run has to itself."""


def _row() -> Iterator[int]:
    """From somewhere in the row, so that two runs on one machine do not go in step."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    begin = secrets.randbelow(ROW)
    return itertools.cycle(16_000 + worker % 4 * ROW + (begin + number) % ROW for number in range(ROW))


_ports = _row()


def free_port() -> int:
    """A TCP port that nobody listens on, each one once.

    Below those the system gives to who asks for any: while its broker starts, or is down, nobody else is given it.
    """
    for port in itertools.islice(_ports, ROW):
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"none of {ROW} ports is free")


async def listening(port: int, process: subprocess.Popen[bytes], timeout_s: float = 15) -> None:
    """Waits until somebody accepts connections on the port."""
    async with asyncio.timeout(timeout_s):
        while True:
            assert process.poll() is None, "the broker ended: see its log in the test's folder"
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
                continue
            writer.close()
            await writer.wait_closed()
            return


class Broker:
    """A broker process that can be killed and started again on the same port."""

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        start_s: float = 15,
        group: bool = False,
    ) -> None:
        """``env`` is added to ours; ``start_s`` is how long the broker may take until it listens.

        ``group``: the command is a script with the broker below it, and all of them are killed.
        """
        self.port = port
        self._env = None if env is None else {**os.environ, **env}
        self._start_s = start_s
        self._group = group
        self._command = list(command)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        await listening(self.port, self._spawn(), self._start_s)

    def _spawn(self) -> subprocess.Popen[bytes]:
        assert self._process is None
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=self._env,
                start_new_session=self._group,
            )
        return self._process

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a power cut does."""
        if self._process is not None:
            if self._group:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait(10)
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
            self._process = None


def mosquitto(
    folder: Path,
    lines: Sequence[str] = ("allow_anonymous true",),
    listener: Sequence[str] = (),
    *,
    persistence: Sequence[str] | None = None,
) -> Broker:
    """A mosquitto; ``lines`` go into its configuration. Skips where mosquitto is absent.

    Without ``persistence`` it forgets everything when it ends; with it, it keeps its database in ``folder`` as Debian's
    configuration says, and the lines of ``persistence`` say when it is written.
    """
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("mosquitto is not installed")
    port = free_port()
    config = folder / "mosquitto.conf"
    kept = ["persistence false"]
    if persistence is not None:
        kept = ["persistence true", f"persistence_location {folder}/", *persistence]
    common = ["user root", *kept, "log_type all", f"listener {port} 127.0.0.1"]
    config.write_text("\n".join([*common, *listener, *lines]) + "\n")
    return Broker([program, "-c", str(config)], port, folder / "mosquitto.log")


def amqtt(folder: Path) -> Broker:
    """The embedded broker, which speaks 3.1.1 only."""
    port = free_port()
    config = folder / "amqtt.yaml"
    config.write_text(
        f"listeners:\n  default:\n    type: tcp\n    bind: 127.0.0.1:{port}\n"
        "plugins:\n  amqtt.plugins.authentication.AnonymousAuthPlugin:\n    allow_anonymous: true\n"
    )
    program = Path(sys.executable).parent / "amqtt"
    return Broker([str(program), "-c", str(config)], port, folder / "amqtt.log")
