"""The journal's place on the disk: the directory, the lock, the database file and its write-ahead log."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dealer_daemon.journal.connection import open_writer
from dealer_daemon.journal.cursors import all_cursors
from dealer_daemon.journal.entry import Link
from dealer_daemon.journal.errors import (
    DATABASE_ERRORS,
    JournalDamaged,
    JournalUnavailable,
    StateDirUnusable,
    damaged,
    from_sqlite,
    not_usable,
)
from dealer_daemon.journal.health import look
from dealer_daemon.journal.lock import StateLock
from dealer_daemon.journal.migrate import migrate
from dealer_daemon.journal.schema import about, create_file
from dealer_daemon.journal.seen import NAME as SEEN_NAME
from dealer_daemon.journal.seen import Seen, SeenFile, read_seen

FILE_NAME = "journal.sqlite3"
LOCK_NAME = "journal.lock"

_GIVE_IT = (
    "Give the directory and all in it to the daemon's user, on a file system with free space that is mounted for "
    "writing, or set another `state_dir` under [station]"
)

Inodes = tuple[tuple[int, int] | None, tuple[int, int] | None]


@dataclass(slots=True)
class Opened:
    """The open journal file, locked."""

    path: Path
    connection: sqlite3.Connection
    journal_id: str
    lock: StateLock
    inodes: Inodes
    seen: SeenFile
    seen_before: Seen | None
    """What ``journal.head`` said when it was opened."""
    size: int = 0
    """The file never shrinks: it is not vacuumed."""

    def see_that_files_are_ours(self) -> None:
        """Look before each write: files that were deleted under us would take commits, and lose them with the process.

        Raises ``JournalDamaged``, or ``JournalUnavailable`` when the directory does not answer.
        """
        inodes, size = _inodes(self.path)
        if inodes != self.inodes or size < self.size:
            raise JournalDamaged(
                f"{self.path}: the journal or its -wal file was cut off, deleted or replaced while the daemon runs. "
                "Nothing more is written. Stop the daemon (what it still holds goes into the journal then), put "
                "back what was taken away, run `dealer-daemon journal verify`, and start it again"
            )
        self.size = size

    def see_that_nothing_was_cut_off(self, end: Link, sequences: Mapping[str, int], removed: int) -> None:
        """Compare what is there with what was committed when the journal was open before, and with the cursors.

        Raises ``JournalDamaged``, ``sqlite3.Error``.
        """
        for (table, name), sequence in all_cursors(self.connection, self.path).items():
            if sequence > sequences.get(table, 0):
                last = sequences.get(table, 0)
                raise damaged(
                    self.path, f"{name} is done with event {sequence} of table {table}, which ends with {last}"
                )
        seen = self.seen_before
        if seen is None or seen.row <= removed:
            return
        if seen.journal_id != self.journal_id:
            raise damaged(self.path, f"it is another journal than the one that {SEEN_NAME} beside it speaks of")
        if seen.row > end.id:
            raise damaged(
                self.path,
                f"it ends with row {end.id}, and row {seen.row} was committed: its end, or a page of its write-ahead "
                f"log ({FILE_NAME}-wal), was cut off or changed",
            )
        (there,) = self.connection.execute("SELECT hash FROM entries WHERE id = ?", (seen.row,)).fetchone()
        if there.hex() != seen.hash:
            raise damaged(self.path, f"row {seen.row} is not the one that was committed")

    def close(self) -> None:
        """Close the file, then let go of the lock."""
        self.seen.close()
        self.connection.close()
        self.lock.release()


def open_files(state_dir: Path, boot: str) -> Opened:
    """Make what is missing, lock, open. ``boot`` stands in the row that a migration writes.

    Raises ``JournalBusy``, ``StateDirUnusable``, ``JournalTooNew``, ``JournalDamaged`` or ``JournalUnavailable``.
    """
    path = state_dir / FILE_NAME
    try:
        if not state_dir.is_dir():
            state_dir.mkdir(parents=True)
            state_dir.chmod(0o750)  # whatever the umask
    except OSError as error:
        raise _unusable(state_dir, error) from error
    lock = StateLock.acquire(state_dir / LOCK_NAME)
    connection: sqlite3.Connection | None = None
    note: SeenFile | None = None
    try:
        seen = read_seen(state_dir / SEEN_NAME)
        if not path.exists():
            if _wal(path).exists():
                raise damaged(path, f"{FILE_NAME} is gone though its -wal file is there")
            if seen is not None and seen.row > 0:
                raise damaged(path, f"{FILE_NAME} is gone; it had {seen.row} rows, as {SEEN_NAME} beside it says")
            create_file(path)
        connection = _ready(path, boot)
        journal_id, _ = about(connection, path)
        note = SeenFile.open(state_dir / SEEN_NAME)
        inodes, size = _inodes(path)
        return Opened(path, connection, journal_id, lock, inodes, note, seen, size)
    except BaseException as error:
        if note is not None:
            note.close()
        if connection is not None:
            connection.close()
        lock.release()
        if isinstance(error, DATABASE_ERRORS):
            if _is_anothers(path):
                raise StateDirUnusable(f"{path}: is not this user's to read and write. {_GIVE_IT}") from error
            raise from_sqlite(error, path, "opening the journal") from error
        if isinstance(error, OSError):
            raise _unusable(state_dir, error) from error
        raise


def _ready(path: Path, boot: str) -> sqlite3.Connection:
    """A connection to a file that was looked at and has the schema of this version."""
    connection = open_writer(path)
    try:
        look(connection, path)
        while migrate(connection, path, boot):
            connection.close()  # it still knows the schema of before
            connection = open_writer(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _inodes(path: Path) -> tuple[Inodes, int]:
    """Device and inode of the journal and its write-ahead log, and the size of the journal in bytes."""
    name = str(path)
    file, wal = _status(name), _status(name + "-wal")
    return (_inode(file), _inode(wal)), 0 if file is None else file.st_size


def _inode(status: os.stat_result | None) -> tuple[int, int] | None:
    return None if status is None else (status.st_dev, status.st_ino)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 -- before every commit, and a Path costs more than the call
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalUnavailable(
            f"{path}: the state directory does not answer ({error.strerror}). Nothing was written and it may be tried "
            "again; look at the disk (dmesg, mount)"
        ) from error


def _is_anothers(path: Path) -> bool:
    """A file system that is read-only refuses everybody: that is no question of whose the file is."""
    if not path.exists() or os.statvfs(path).f_flag & os.ST_RDONLY:
        return False
    return not os.access(path, os.R_OK | os.W_OK, effective_ids=True)


def _unusable(state_dir: Path, error: OSError) -> JournalUnavailable | StateDirUnusable:
    return not_usable(error, f"{state_dir}: cannot be used ({error.strerror}). {_GIVE_IT}")
