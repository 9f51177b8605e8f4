"""The last commit, in a file beside the journal: what a journal must still have when it is opened again.

SQLite ends a write-ahead log at the first frame that is not right. After a power cut that is what it should do; but a
bit that flips there later takes every commit after it away, without a word. So each commit is noted in a second file,
``journal.head``, after it is on the disk. It is written in place and without waiting for the disk: after a power cut it
may be some commits old, never ahead. Two slots, written in turn, so that one torn write leaves the other.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from dealer_daemon.journal.errors import not_usable

NAME = "journal.head"
SLOT_BYTES = 16 * 1024
"""For some hundred tables; more are not noted, and then the file says nothing."""
_SUM = 16


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A journal's end after a commit."""

    journal_id: str
    row: int
    hash: str
    sequences: dict[str, int]
    """The last event of each table."""


class SeenFile:
    """The file while the journal is open."""

    def __init__(self, fd: int) -> None:
        self._fd: int | None = fd
        self._next_slot = 0

    @classmethod
    def open(cls, path: Path) -> SeenFile:
        """Open it for writing. Raises ``StateDirUnusable``, and ``JournalUnavailable`` when the disk refuses it now."""
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
            os.fchmod(fd, 0o640)
        except OSError as error:
            raise not_usable(
                error, f"{path}: cannot be written ({error.strerror}). Give it to the daemon's user, mode 0640"
            ) from error
        return cls(fd)

    def note(self, seen: Seen) -> None:
        """After a commit. A disk that does not take it leaves an older note, which is true as well."""
        if self._fd is None:
            return
        body = msgspec.json.encode(seen)
        if len(body) + _SUM + 2 > SLOT_BYTES:
            return
        with contextlib.suppress(OSError):
            os.pwrite(self._fd, _sum(body) + b" " + body + b"\n", self._next_slot * SLOT_BYTES)
            self._next_slot = 1 - self._next_slot

    def sync(self) -> None:
        """Make the note durable; for a moment when nobody waits."""
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.fdatasync(self._fd)

    def close(self) -> None:
        """Closing again does nothing."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def read_seen(path: Path) -> Seen | None:
    """The newest note in the file that is whole; ``None`` when there is none. Raises ``OSError``."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    notes = [_note(content[start : start + SLOT_BYTES]) for start in (0, SLOT_BYTES)]
    return max((note for note in notes if note is not None), key=lambda note: note.row, default=None)


def _note(slot: bytes) -> Seen | None:
    line, end, _ = slot.partition(b"\n")
    if not end or line[: _SUM + 1] != _sum(line[_SUM + 1 :]) + b" ":
        return None
    try:
        return msgspec.json.decode(line[_SUM + 1 :], type=Seen)
    except msgspec.MsgspecError:
        return None


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_SUM].encode()
