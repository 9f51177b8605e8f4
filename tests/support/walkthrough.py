"""Follows a tutorial's own commands: types what the page says, and does what it says when the bench says something.

A ``console`` block is a command behind ``$`` and what it prints. A table ``| it says | you |`` under it is what a
person does meanwhile. Its first column holds words that the command prints: ``N`` is a number, ``…`` anything on the
line. Its second is what is done then, in order: a command in backticks, ``type `text```, ``type what it says`` (the
last command's output) or ``press Enter``; ``wait until `command` says `text``` repeats the command.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = {"dealer-calibrate": "dealer_calibration", "dealer-daemon": "dealer_daemon", "hw-sim": "hw_sim"}
HEADER = "| it says | you |"
LOOK_AGAIN_S = 0.1
"""How soon a person looks at a device again."""
_STEP = re.compile(
    r"wait until `(?P<look>[^`]+)` says `(?P<until>[^`]*)`|type `(?P<text>[^`]*)`|(?P<same>type what it says)"
    r"|(?P<enter>press Enter)|`(?P<command>[^`]+)`"
)


@dataclass(frozen=True, slots=True)
class Row:
    """``says``: patterns of which any one is waited for; ``steps`` as they are matched in the page."""

    says: tuple[re.Pattern[str], ...]
    steps: tuple[Mapping[str, str | None], ...]


@dataclass(slots=True)
class Command:
    """One block: the command, the lines that the page shows of it, and what is done meanwhile."""

    words: list[str]
    shown: list[str]
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    said: str


def sections(page: str) -> dict[str, list[Command]]:
    """The commands of each ``##`` section, by its title."""
    found: dict[str, list[Command]] = {}
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        found[title] = _commands(body)
    return found


def _commands(body: str) -> list[Command]:
    commands: list[Command] = []
    pattern = re.compile(
        rf"^```console\n(.*?)^```|^{re.escape(HEADER)}\n\|[-|]+\|\n((?:\|[^\n]*\n?)+)", re.DOTALL | re.MULTILINE
    )
    for block in pattern.finditer(body):
        if block[1] is not None:
            first, *shown = block[1].splitlines()
            assert first.startswith("$ "), first
            commands.append(Command(shlex.split(first[2:]), shown))
        else:
            commands[-1].rows += [_row(line) for line in block[2].splitlines()]
    return commands


def _row(line: str) -> Row:
    says, you = (cell.strip() for cell in line.strip("|").split(" | "))
    patterns = [_pattern(text) for text in re.findall(r"`([^`]+)`", says)]
    steps = tuple(step.groupdict() for step in _STEP.finditer(you))
    assert patterns, line
    assert steps, line
    return Row(tuple(patterns), steps)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace("…", ".*?").replace(r"\ N\ ", r"\ (?P<n>\d+)\ "))


class Walker:
    """A newcomer in ``folder`` who does what the page says. ``speed`` takes the place of the page's own."""

    def __init__(self, folder: Path, speed: float) -> None:
        self._folder, self._speed = folder, speed
        self._env = {**os.environ, "COLUMNS": "118", "NO_COLOR": "1"}

    async def do(self, command: Command, within_s: float = 60.0) -> Done:
        """Runs it to its end, with the hands of its rows; a look at a device again and again, until it shows what the
        page says."""
        if command.words[:2] == ["hw-sim", "look"]:
            return await self._looked(command, within_s)
        said = unread = ""
        async with self.started(command.words) as process:
            assert process.stdout is not None
            try:
                async with asyncio.timeout(within_s):
                    while data := await process.stdout.read(4096):
                        text = data.decode(errors="replace")
                        said, unread = said + text, unread + text
                        unread = await self._react(process, command.rows, unread)
                    code = await process.wait()
            except TimeoutError:
                raise AssertionError(f"{shlex.join(command.words)} did not end. It said:\n{said}") from None
        return Done(code, said)

    async def _looked(self, command: Command, within_s: float) -> Done:
        async with asyncio.timeout(within_s):
            while (said := await self.output(command.words)).splitlines() != command.shown:
                await asyncio.sleep(LOOK_AGAIN_S)
        return Done(0, said)

    async def output(self, words: Sequence[str]) -> str:
        """What a short command prints."""
        async with self.started(words) as process:
            said, _ = await process.communicate()
        assert process.returncode == 0, (words, said)
        return said.decode().strip()

    @contextlib.asynccontextmanager
    async def started(self, words: Sequence[str]) -> AsyncIterator[asyncio.subprocess.Process]:
        """A command under way, for as long as the block lasts."""
        typed = [
            f"{self._speed:g}" if before == "--speed" else word
            for before, word in zip(["", *words], words, strict=False)
        ]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", PROGRAMS[typed[0]], *typed[1:]),
            cwd=self._folder,
            env=self._env,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
                await process.communicate()

    async def _react(self, process: asyncio.subprocess.Process, rows: Sequence[Row], unread: str) -> str:
        """Does what is due, the earliest first; what was not reacted to yet."""
        while True:
            found = [(match.start(), match, row) for row in rows for one in row.says if (match := one.search(unread))]
            if not found:
                return unread
            _, match, row = min(found, key=lambda each: each[0])
            unread = unread[match.end() :]
            number = match.groupdict().get("n") or ""
            await self._steps(process, row, number)

    async def _steps(self, process: asyncio.subprocess.Process, row: Row, number: str) -> None:
        assert process.stdin is not None
        last = ""
        for step in row.steps:
            if step["look"] is not None:
                while await self.output(shlex.split(step["look"])) != step["until"]:
                    await asyncio.sleep(LOOK_AGAIN_S)
            elif step["command"] is not None:
                words = [number if word == "N" else word for word in shlex.split(step["command"])]
                last = await self.output(words)
            else:
                typed = last if step["same"] else step["text"] or ""
                process.stdin.write(typed.encode() + b"\n")
                await process.stdin.drain()


def plain(line: str) -> str:
    """A line without its numbers and its spaces, to be compared."""
    return re.sub(r"\d+", "0", " ".join(line.split()))


def not_said(command: Command, done: Done) -> list[str]:
    """Lines of the page that the command did not print; numbers may differ, and ``…`` stands for any lines."""
    said = {plain(line) for line in done.said.splitlines()}
    return [line for line in command.shown if plain(line) not in said and plain(line) != "…"]
