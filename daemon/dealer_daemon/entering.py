"""The other side of a ``manual-entry`` socket: a screen's, or the command line's, that enters a result twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

import msgspec

ANSWER_WITHIN_S = 5.0


async def enter_lines(path: str, entry_id: str, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Sends lines that carry ``entry_id``, without their line ends, each once the one before is answered; the answers.

    Whoever is connected hears the answers to other screens too: they are passed over. Raises ``OSError`` where the
    station does not listen or hangs up, ``TimeoutError`` where it does not answer in time.
    """
    answers = []
    async with asyncio.timeout(ANSWER_WITHIN_S):
        reader, writer = await asyncio.open_unix_connection(path)
        try:
            for line in lines:
                writer.write(line + b"\n")
                await writer.drain()
                answers.append(await _answer(reader, entry_id))
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    return answers


async def _answer(reader: asyncio.StreamReader, entry_id: str) -> dict[str, Any]:
    while True:
        line = await reader.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError("it hung up in the middle; see on the table what became of the result")
        answer: dict[str, Any] = msgspec.json.decode(line)
        if answer.get("id") == entry_id:
            return answer
