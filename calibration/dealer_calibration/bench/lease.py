"""Asking a running station for a device, and the lock between two benches where no station runs."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from dealer_calibration.bench.device import BenchDevice, BenchError
from dealer_calibration.bench.results import bench_folder, unwritable
from dealer_calibration.cli.exit_codes import NO, UNREACHABLE
from dealer_daemon.handover import LONGEST_LINE, Answer, GiveBack, Lend, socket_name
from dealer_drivers.json_text import decode_json
from dealer_drivers.whole_files import open_lock

ANSWER_WITHIN_S = 20.0
"""Beyond what the bench itself allows it to wait: closing a camera takes the station some seconds."""


class StationLease:
    """A station runs, and lent the device. It is the bench's until the connection ends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ended(self) -> BenchError:
        """Waits until the station took the device back, and says why."""
        line = await _line(self._reader)
        why = f": {line.reason}" if line is not None and line.reason else ", or it ended"
        return BenchError(f"the station took the device back{why}; nothing more is read from it here", UNREACHABLE)

    async def give_back(self, *, resume: bool) -> str:
        """Give the device back in order. What the station says of the table."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                self._writer.write(msgspec.json.encode(GiveBack(resume=resume)) + b"\n")
                await self._writer.drain()
                answer = await _line(self._reader)
        except (OSError, TimeoutError):
            answer = None
        return "the station has ended, or does not answer" if answer is None else answer.reason

    async def close(self) -> None:
        """End the lease, given back or not."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


async def ask_station(device: BenchDevice, by: str, wait_s: float, say: Callable[[str], None]) -> StationLease | None:
    """The lease of the device from the station that runs with this state directory; ``None`` where none runs.

    ``say`` gets the reason why it waits. Raises ``BenchError``: code 1 the station will not, 3 it cannot be asked.
    """
    try:
        with socket_name(device.state_dir) as name:
            reader, writer = await asyncio.open_unix_connection(name, limit=LONGEST_LINE * 4)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        if _locked(device.state_dir):
            raise BenchError(
                f"{device.state_dir}: something has the journal and does not listen: a station that starts or stops, "
                "or a `dealer-daemon journal` command. Try again in a moment",
                UNREACHABLE,
            ) from None
        return None
    except PermissionError as error:
        raise BenchError(
            f"{device.state_dir}: you may not ask the station there for its devices: join the group of that folder "
            "(`sudo usermod -aG GROUP USER`, then sign in again), or use sudo",
            UNREACHABLE,
        ) from error
    except OSError as error:
        raise BenchError(f"{device.state_dir}: the station cannot be asked: {error.strerror}", UNREACHABLE) from error
    lease = StationLease(reader, writer)
    try:
        async with asyncio.timeout(wait_s + ANSWER_WITHIN_S):
            asked = Lend(table=device.table, device=device.name, by=by, wait_s=wait_s)
            writer.write(msgspec.json.encode(asked) + b"\n")
            await writer.drain()
            while (answer := await _line(reader)) is not None and answer.state == "waiting":
                say(answer.reason)
        if answer is None:
            text = "the station hung up, or does not know how to hand a device over: is it older than this bench?"
            raise BenchError(text, UNREACHABLE)
        if answer.state != "lent":
            raise BenchError(answer.reason, NO)
    except BaseException as error:
        await lease.close()
        if isinstance(error, OSError | TimeoutError):
            text = str(error) or "is it stuck?"
            raise BenchError(f"the station does not answer: {text}", UNREACHABLE) from error
        raise
    return lease


@contextlib.contextmanager
def bench_lock(device: BenchDevice) -> Iterator[None]:
    """Nobody else's bench has the device; for a device of which no station runs. Raises ``BenchError``."""
    folder = bench_folder(device.state_dir)
    path = folder / f"{device.table}.{device.name}.lock"
    try:
        descriptor = open_lock(path)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
    except BlockingIOError as error:
        other = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        os.close(descriptor)
        raise BenchError(
            f"{device.name} is in the hands of another bench, process {other}: end that first", NO
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)


async def _line(reader: asyncio.StreamReader) -> Answer | None:
    """The next line; ``None`` at the end, or for what is no answer."""
    try:
        return decode_json(await reader.readline(), Answer)
    except (OSError, ValueError, msgspec.MsgspecError):  # hung up; a line without end, or no JSON
        return None


def _locked(state_dir: Path) -> bool:
    """Whether somebody holds the lock of the journal."""
    try:
        descriptor = os.open(state_dir / "journal.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return error.errno == errno.EACCES
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
