"""A station with everything round it as real processes: broker, daemon, consumer. The wheel is simulated."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from support.mqtt_brokers import free_port

SITE, TABLE, PREFIX = "studio-1", "r1", "dealer/v1"
BASE = f"{PREFIX}/{SITE}/{TABLE}"

CONFIG = """
[station]
site = "{site}"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[tables.r1]
game = "roulette"
round_source = "{source}"
[tables.r1.spin]
{spin}
[[tables.r1.devices]]
name = "wheel"
driver = "{driver}"
port = "{wheel}"
{options}
"""


async def until(condition: Callable[[], Any], what: str, within_s: float = 30.0) -> Any:
    """The first true answer of ``condition``; fails with ``what`` when it does not come."""
    try:
        async with asyncio.timeout(within_s):
            while not (answer := condition()):
                await asyncio.sleep(0.01)
            return answer
    except TimeoutError:
        raise AssertionError(f"{what} within {within_s:g} s") from None


class Child:
    """One process that can be killed and started again."""

    def __init__(self, *command: str, log: Path) -> None:
        self.command, self.log = command, log
        self.process: asyncio.subprocess.Process | None = None
        self.environment: dict[str, str] | None = None

    async def start(self) -> None:
        with self.log.open("ab") as stderr:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.DEVNULL, stdout=stderr, stderr=stderr, env=self.environment
            )

    async def end(self, number: signal.Signals = signal.SIGTERM, within_s: float = 20.0) -> int:
        """Send a signal and wait; the exit code."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await self.ended(within_s)

    async def ended(self, within_s: float = 20.0) -> int:
        """Wait until it ends by itself; the exit code."""
        assert self.process is not None
        async with asyncio.timeout(within_s):
            code = await self.process.wait()
        self.process = None
        return code

    async def kill(self) -> None:
        if self.process is not None:
            await self.end(signal.SIGKILL)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.returncode is None

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Live:
    """See the module. Everything lives below ``folder`` and on loopback ports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.config = folder / "station.toml"
        self.state = folder / "state"
        self.out = folder / "received.jsonl"
        conf = folder / "mosquitto.conf"
        conf.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        here = Path(__file__).parent
        self.broker = Child(mosquitto, "-c", str(conf), log=folder / "broker.log")
        self.consumer = Child(
            sys.executable,
            str(here / "subscriber.py"),
            str(self.port),
            str(self.out),
            BASE,
            log=folder / "consumer.log",
        )
        self.daemon = Child(log=folder / "daemon.log")

    def configure(
        self,
        wheel: str,
        *,
        driver: str = "cammegh-ss2",
        source: str = "device",
        spin: str = 'laps = "unobserved"\nunobserved = "accept"',
        options: str = "",
        speed: float = 1.0,
    ) -> None:
        """Write the station's configuration and say how its daemon is started."""
        text = CONFIG.format(
            site=SITE,
            state=self.state,
            port=self.port,
            source=source,
            spin=spin,
            driver=driver,
            wheel=wheel,
            options=options,
        )
        self.config.write_text(text)
        daemon = [sys.executable, "-m", "dealer_daemon", "run", "--config", str(self.config)]
        self.daemon.command = (*daemon, "--speed", f"{speed:g}", "--log-format", "json")

    def messages(self) -> list[dict[str, Any]]:
        """What the consumer received so far; ``body`` is bytes."""
        if not self.out.exists():
            return []
        lines = self.out.read_text(encoding="utf-8").split("\n")[:-1]
        messages = [json.loads(line) for line in lines]
        for message in messages:
            message["body"] = base64.b64decode(message["body"])
        return messages

    def events(self) -> list[dict[str, Any]]:
        """The events received, repeats included, in the order of arrival."""
        return [json.loads(message["body"]) for message in self.messages() if "/events/" in message["topic"]]

    async def broker_up(self) -> None:
        await self.broker.start()
        await until(lambda: _listens(self.port), "the broker listens")

    async def daemon_up(self) -> None:
        """Start the daemon and wait until its journal is open and its table taken up."""
        said = len(self.daemon.said())
        await self.daemon.start()
        await until(lambda: "station_started" in self.daemon.said()[said:], f"the daemon starts:\n{self.daemon.said()}")


@contextlib.asynccontextmanager
async def live(folder: Path) -> AsyncIterator[Live]:
    """A broker and a consumer that run; a daemon that the test configures and starts. All are stopped at the end."""
    here = Live(folder)
    try:
        await here.broker_up()
        await here.consumer.start()
        yield here
    finally:
        for child in (here.daemon, here.consumer, here.broker):
            await child.kill()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
