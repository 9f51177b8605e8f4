"""Real brokers as processes on loopback ports, started, killed and stopped by the tests."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest


def free_port() -> int:
    """A TCP port that was free a moment ago."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


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

    def __init__(self, command: Sequence[str], port: int, log: Path) -> None:
        self.port = port
        self._command = list(command)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        await listening(self.port, self._spawn())

    def _spawn(self) -> subprocess.Popen[bytes]:
        assert self._process is None
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        return self._process

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a power cut does."""
        if self._process is not None:
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


def mosquitto(folder: Path, lines: Sequence[str] = ("allow_anonymous true",), listener: Sequence[str] = ()) -> Broker:
    """A mosquitto without persistence; ``lines`` go into its configuration. Skips where mosquitto is absent."""
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("mosquitto is not installed")
    port = free_port()
    config = folder / "mosquitto.conf"
    common = ["user root", "persistence false", "log_type all", f"listener {port} 127.0.0.1"]
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
