"""The processes of a run: what is killed starts again by itself, as under a service manager."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESTART_S = 0.2
LAST_WORDS = 40


@dataclass(frozen=True, slots=True)
class Ending:
    """A process that ended without being told to."""

    name: str
    code: int
    said: str
    at_ns: int


class Kept:
    """One process that is kept running. ``started`` is called whenever it was; its output goes to a log, line by line
    through a pipe, so that a limit on the size of files is none on what it says."""

    def __init__(self, name: str, *command: str, log: Path, heard: Callable[[str], None] | None = None) -> None:
        self.name, self.command, self.log = name, command, log
        self.ended: list[Ending] = []
        self.starts = 0
        self.up = asyncio.Event()
        """Set while there is a process."""
        self.may_start = asyncio.Event()
        self.may_start.set()
        self._heard = heard
        self._told: set[int] = set()
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    def start(self) -> None:
        """Start, and keep running."""
        self._closing = False
        self._task = asyncio.create_task(self._keep(), name=f"keep {self.name}")

    def send(self, number: signal.Signals) -> bool:
        """Send a signal, if there is a process. One that ends it is no surprise then."""
        if (pid := self.pid) is None or self._process is None:
            return False
        if number in (signal.SIGKILL, signal.SIGTERM):
            self._told.add(pid)
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        return True

    async def stop(self, number: signal.Signals = signal.SIGTERM, within_s: float = 20.0) -> None:
        """End it, for good until ``start``; killed when it does not end in time."""
        if self._task is None:
            return
        self._closing = True
        self.may_start.set()
        self.send(signal.SIGCONT)
        self.send(number)
        _, left = await asyncio.wait({self._task}, timeout=within_s)
        if left:
            self.ended.append(
                Ending(self.name, -1, f"it did not end within {within_s:g} s of being told to", time.monotonic_ns())
            )
            self.send(signal.SIGKILL)
            await asyncio.wait({self._task})
        self._task.result()
        self._task = None

    async def _keep(self) -> None:
        while not self._closing:
            await self.may_start.wait()
            process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                limit=1 << 20,
            )
            self._process = process
            self.starts += 1
            self.up.set()
            if self._stopped():
                process.kill()
            words = await self._listen(process)
            code = await process.wait()
            self.up.clear()
            if process.pid not in self._told:
                self.ended.append(Ending(self.name, code, "\n".join(words), time.monotonic_ns()))
            if not self._stopped():
                await asyncio.sleep(RESTART_S)

    def _stopped(self) -> bool:
        return self._closing

    async def _listen(self, process: asyncio.subprocess.Process) -> list[str]:
        assert process.stdout is not None
        words: list[str] = []
        with self.log.open("a", encoding="utf-8") as log:
            while line := await process.stdout.readline():
                text = line.decode(errors="replace")
                log.write(text)
                words = [*words[-LAST_WORDS:], text.rstrip("\n")]
                if self._heard is not None:
                    self._heard(text)
        return words


def event_of(line: str) -> dict[str, Any]:
    """A line of a log in JSON; nothing where it is none."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
