"""A technician's bench beside a running station, as a process that a test ends or kills; and what the station says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dealer_daemon.station.control import ask_daemon
from support.live import Live, until

HOLDER = Path(__file__).parent / "bench_holder.py"


class Bench:
    """The bench's process."""

    def __init__(self, here: Live, table: str, device: str, *options: str, name: str = "bench") -> None:
        command = [sys.executable, str(HOLDER), str(here.config), table, device, *options]
        self.command = command
        self.process: asyncio.subprocess.Process
        self.lines: list[dict[str, Any]] = []
        self._reader: asyncio.Task[None]
        self.log = here.folder / f"{name}.log"

    async def start(self) -> Bench:
        with self.log.open("wb") as stderr:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=stderr
            )
        self._reader = asyncio.create_task(self._read())
        return self

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                self.lines.append(json.loads(line[line.index(b"{") :]))

    def said(self, key: str) -> list[Any]:
        return [line[key] for line in self.lines if key in line]

    async def says(self, key: str) -> Any:
        try:
            return await until(lambda: self.said(key) and self.said(key)[-1], f"the bench says {key}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it said {self.lines}") from None

    async def done(self) -> int:
        """Say that it is done; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        return await self.ended()

    async def ended(self) -> int:
        async with asyncio.timeout(30):
            code = await self.process.wait()
            await self._reader
        return code

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.ended()


@contextlib.asynccontextmanager
async def bench(here: Live, *arguments: str, name: str = "bench") -> AsyncIterator[Bench]:
    one = await Bench(here, *arguments, name=name).start()
    try:
        yield one
    finally:
        await one.kill()


async def health(here: Live, table: str = "r1", device: str = "wheel") -> dict[str, Any]:
    answer = await ask_daemon(here.state, "status")
    found: dict[str, Any] = answer["tables"][table]["devices"][device]
    return found


async def up_again(here: Live, table: str = "r1", device: str = "wheel") -> None:
    async with asyncio.timeout(60):
        while True:
            found = await health(here, table, device)
            if found["link"] == "up" and found["maintenance"] is None:
                return
            await asyncio.sleep(0.05)
