"""A socket in the state directory by which commands on this host ask the running daemon: one JSON line each way.

Only who may enter the state directory can reach it; nothing that it answers changes anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from dealer_drivers.json_text import decode_json

SOCKET_NAME = "control.sock"
ASK_WITHIN_S = 3.0
LONGEST_QUESTION = 4096


class DaemonUnreachable(OSError):  # noqa: N818
    """No daemon answers. The text says what to look at."""


class ControlServer:
    """Answers ``{"ask": "status"}``."""

    def __init__(self, state_dir: Path, status: Callable[[], dict[str, Any]]) -> None:
        self._state_dir = state_dir
        self._status = status
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen. The journal's lock makes sure that a socket found here is nobody's any more."""
        path = self._state_dir / SOCKET_NAME
        path.unlink(missing_ok=True)
        with _short(self._state_dir) as name:
            self._server = await asyncio.start_unix_server(self._talk, name, limit=LONGEST_QUESTION)
        path.chmod(0o660)

    async def stop(self) -> None:
        """Listen no more. Idempotent."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        (self._state_dir / SOCKET_NAME).unlink(missing_ok=True)
        for talk in list(self._talks):
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            async with asyncio.timeout(ASK_WITHIN_S):
                question = await reader.readline()
                writer.write(msgspec.json.encode(self._answer(question)) + b"\n")
                await writer.drain()
        except (OSError, TimeoutError, ValueError):
            pass  # who asked is gone, silent, or never ends its line: its own affair
        finally:
            self._talks.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _answer(self, question: bytes) -> dict[str, Any]:
        try:
            asked = decode_json(question, dict[str, Any]).get("ask")
        except msgspec.MsgspecError:
            asked = None
        if asked == "status":
            return self._status()
        return {"error": 'ask for "status"'}


async def ask_daemon(state_dir: Path, question: str) -> dict[str, Any]:
    """The running daemon's answer. Raises ``DaemonUnreachable``."""
    try:
        async with asyncio.timeout(ASK_WITHIN_S):
            with _short(state_dir) as name:
                reader, writer = await asyncio.open_unix_connection(name, limit=1 << 24)
            try:
                writer.write(msgspec.json.encode({"ask": question}) + b"\n")
                line = await reader.readline()
            finally:
                writer.close()
                await writer.wait_closed()
    except TimeoutError as error:
        raise DaemonUnreachable(f"the daemon of {state_dir} does not answer: is it stuck?") from error
    except OSError as error:
        raise DaemonUnreachable(
            f"no daemon runs on {state_dir} ({error.strerror}): start it, or name its --config"
        ) from error
    return msgspec.json.decode(line, type=dict[str, Any])


@contextlib.contextmanager
def _short(state_dir: Path) -> Iterator[str]:
    """A short name for the socket: the system takes 107 bytes at most, and a state directory may be deeper."""
    folder = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{SOCKET_NAME}"
    finally:
        os.close(folder)
