"""One daemon a state directory: a lock file held with ``flock``.

The kernel lets go of it when the process ends in whatever way, so a lock file that is left behind locks nobody out.
It is a file of its own because opening and closing the database file again would drop SQLite's own POSIX locks.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from dealer_daemon.journal.errors import JournalBusy, not_usable


class StateLock:
    """The lock while it is held."""

    def __init__(self, fd: int) -> None:
        self._fd: int | None = fd

    @classmethod
    def acquire(cls, path: Path) -> StateLock:
        """Take the lock or say who has it. Raises ``JournalBusy``, ``StateDirUnusable``, and
        ``JournalUnavailable`` when the disk does not take it now."""
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise not_usable(
                error,
                f"{path.parent}: cannot be written ({error.strerror}). Give it to the daemon's user, mode 0750, on a "
                "file system mounted for writing, or set another `state_dir` under [station]",
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = _pid_in(fd)
            os.close(fd)
            raise JournalBusy(
                f"{path.parent}: another dealer daemon has the journal, process {pid or 'unknown'}. Stop it first "
                "(`systemctl stop dealer-station`), or give this one a `state_dir` of its own",
                pid,
            ) from error
        with contextlib.suppress(OSError):  # the id is only told to people; a full disk must not stop the lock
            os.ftruncate(fd, 0)
            os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        return cls(fd)

    def release(self) -> None:
        """Let go. The file stays: removing it would let two processes lock two files of one name."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _pid_in(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None
