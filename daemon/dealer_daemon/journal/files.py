"""The journal's place on the disk: the directory, the lock, the database file and its write-ahead log."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from dealer_daemon.journal.connection import open_writer
from dealer_daemon.journal.errors import JournalDamaged, JournalUnavailable, StateDirUnusable, damaged, from_sqlite
from dealer_daemon.journal.lock import StateLock
from dealer_daemon.journal.schema import about, create_file

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

    def see_that_files_are_ours(self) -> None:
        """Look before each write: files that were deleted under us would take commits, and lose them with the process.

        Raises ``JournalDamaged``, or ``JournalUnavailable`` when the directory does not answer.
        """
        if _inodes(self.path) != self.inodes:
            raise JournalDamaged(
                f"{self.path}: the journal or its -wal file was deleted or replaced while the daemon runs. Nothing "
                "more is written. Stop the daemon (what it still holds goes into the journal then), put back what was "
                "taken away, run `dealer-daemon journal verify`, and start it again"
            )

    def close(self) -> None:
        """Close the file, then let go of the lock."""
        self.connection.close()
        self.lock.release()


def open_files(state_dir: Path) -> Opened:
    """Make what is missing, lock, open.

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
    try:
        if not path.exists():
            if _wal(path).exists():
                raise damaged(path, f"{FILE_NAME} is gone though its -wal file is there")
            create_file(path)
        connection = open_writer(path)
        journal_id, _ = about(connection, path)
        return Opened(path, connection, journal_id, lock, _inodes(path))
    except BaseException as error:
        if connection is not None:
            connection.close()
        lock.release()
        if isinstance(error, sqlite3.Error):
            if path.exists() and not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
                raise StateDirUnusable(f"{path}: is not this user's to read and write. {_GIVE_IT}") from error
            raise from_sqlite(error, path, "opening the journal") from error
        if isinstance(error, OSError):
            raise _unusable(state_dir, error) from error
        raise


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _inodes(path: Path) -> Inodes:
    name = str(path)
    return _inode(name), _inode(name + "-wal")


def _inode(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 -- before every commit, and a Path costs more than the call
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalUnavailable(
            f"{path}: the state directory does not answer ({error.strerror}). Nothing was written and it may be tried "
            "again; look at the disk (dmesg, mount)"
        ) from error
    return status.st_dev, status.st_ino


def _unusable(state_dir: Path, error: OSError) -> StateDirUnusable:
    return StateDirUnusable(f"{state_dir}: cannot be used ({error.strerror}). {_GIVE_IT}")
