"""A socket in the state directory by which commands on this host ask the running daemon: one JSON line each way.

Only who may enter the state directory can reach it. Nothing that it answers changes anything, but for a device that a
technician's bench asks for (``lending.py``), and a configuration that is to be read again (``reload.py``).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from dealer_daemon.handover import LONGEST_LINE, SOCKET_NAME, Answer, Lend, socket_name
from dealer_daemon.service.reload import Reloaded
from dealer_drivers.json_text import decode_json

ASK_WITHIN_S = 3.0


class DaemonUnreachable(OSError):  # noqa: N818
    """No daemon answers. The text says what to look at."""


Lending = Callable[[Lend, Callable[[], Awaitable[bytes]], Callable[[Answer], Awaitable[None]]], Awaitable[None]]
"""Serves one bench (``lending.lease``, without its tables)."""


class ControlServer:
    """Answers ``{"ask": "status"}`` and ``{"ask": "reload"}``, and leaves ``{"ask": "lend"}`` to ``lend``."""

    def __init__(
        self, state_dir: Path, status: Callable[[], dict[str, Any]], lend: Lending, reload: Callable[[], Reloaded]
    ) -> None:
        self._state_dir = state_dir
        self._status = status
        self._lend = lend
        self._reload = reload
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen. The journal's lock makes sure that a socket found here is nobody's any more."""
        path = self._state_dir / SOCKET_NAME
        path.unlink(missing_ok=True)
        with socket_name(self._state_dir) as name:
            self._server = await asyncio.start_unix_server(self._talk, name, limit=LONGEST_LINE)
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
            asked = _lend_in(question)
            if isinstance(asked, Lend):
                await self._serve(asked, reader, writer)
            else:
                await _send(writer, self._answer(question) if asked is None else asked)
        except (OSError, TimeoutError, ValueError):
            pass  # who asked is gone, silent, or never ends its line: its own affair
        finally:
            self._talks.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, asked: Lend, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def heard() -> bytes:
            try:
                return await reader.readline()
            except (OSError, ValueError):
                return b""

        await self._lend(asked, heard, lambda answer: _send(writer, answer))

    def _answer(self, question: bytes) -> dict[str, Any]:
        try:
            asked = decode_json(question, dict[str, Any]).get("ask")
        except msgspec.MsgspecError:
            asked = None
        if asked == "status":
            return self._status()
        if asked == "reload":
            answer: dict[str, Any] = msgspec.to_builtins(self._reload())
            return answer
        return {"error": 'ask for "status", "reload" or "lend"'}


def _lend_in(question: bytes) -> Lend | Answer | None:
    """What a bench asks for, or the answer to a question of that kind that cannot be read."""
    try:
        return decode_json(question, Lend)
    except msgspec.ValidationError as error:
        # Another question has another tag; this one has something wrong in it.
        return Answer(state="refused", reason=f"it cannot be read: {error}") if b'"lend"' in question else None
    except msgspec.MsgspecError:
        return None


async def _send(writer: asyncio.StreamWriter, answer: object) -> None:
    """Raises ``OSError`` when nobody reads it."""
    try:
        async with asyncio.timeout(ASK_WITHIN_S):
            writer.write(msgspec.json.encode(answer) + b"\n")
            await writer.drain()
    except TimeoutError as error:
        raise OSError("nobody reads the answer") from error


async def ask_daemon(state_dir: Path, question: str) -> dict[str, Any]:
    """The running daemon's answer. Raises ``DaemonUnreachable``."""
    try:
        async with asyncio.timeout(ASK_WITHIN_S):
            with socket_name(state_dir) as name:
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
