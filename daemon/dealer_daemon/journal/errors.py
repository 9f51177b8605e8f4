"""What can go wrong with the journal, by the reaction it calls for.

::

    JournalError
    ├── JournalUnavailable   try again: disk full, read-only, failing; nothing of the commit is written
    ├── JournalBusy          another daemon has the state directory
    ├── StateDirUnusable     the directory cannot be made or written: mend the host or the configuration
    ├── JournalTooNew        a newer version wrote it: install that version
    ├── JournalDamaged       it is not what was written: a person must look; nothing is repaired by itself
    ├── JournalUnreadable    a file given to verify or export cannot be opened
    ├── EventsRemoved        events that retention took away are asked for: begin with the first that is there
    └── JournalMisuse        an error of the program that calls; nothing is written
        ├── SequenceConflict    an event's sequence is not the next of its table
        ├── CommandRepeated     the command's id was answered before; its reply is in the journal
        ├── EvidenceConflict    evidence that is absent, or whose name is not the hash of its body
        └── CursorAhead         a cursor beyond the last event of its table
"""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path


class JournalError(Exception):
    """Base of all. The text is a sentence for a person and says what to do next."""


class JournalUnavailable(JournalError):  # noqa: N818
    """The journal cannot be written or read now. The same call may be made again with the same arguments."""


class JournalBusy(JournalError):  # noqa: N818
    """Another process has the journal. ``pid`` is its process id where the lock file tells."""

    def __init__(self, message: str, pid: int | None) -> None:
        super().__init__(message)
        self.pid = pid


class StateDirUnusable(JournalError):  # noqa: N818
    """The state directory cannot be used by this process."""


_PASSES = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""What a disk or a machine has at one moment and not at the next: no error of the configuration."""


def not_usable(error: OSError, text: str) -> JournalUnavailable | StateDirUnusable:
    """What ``error`` at the state directory calls for, in the words of ``text``: to be tried again, or to be mended."""
    return (JournalUnavailable if error.errno in _PASSES else StateDirUnusable)(text)


class JournalTooNew(JournalError):  # noqa: N818
    """The journal, or a row of it, was written by a newer version."""


class JournalDamaged(JournalError):  # noqa: N818
    """The file is no journal, or its rows are not as they were written."""


class JournalUnreadable(JournalError):  # noqa: N818
    """A file that was to be verified or exported cannot be opened."""


class EventsRemoved(JournalError):  # noqa: N818
    """Events are asked for that are gone by retention. ``first`` is the first sequence that is still there."""

    def __init__(self, table: str, first: int) -> None:
        super().__init__(
            f"the events of table {table} before {first} were removed by retention; {first} is the first that is still "
            "there: begin with it, and take what was before from an archive or a backup"
        )
        self.first = first


class JournalMisuse(JournalError):  # noqa: N818
    """The calling program asked for something that must not be. Nothing was written."""


class SequenceConflict(JournalMisuse):
    """An event's sequence is not exactly one more than the last of its table."""


class CommandRepeated(JournalMisuse):
    """A command under an id that its client has used. Answer with ``Journal.reply_to``."""


class EvidenceConflict(JournalMisuse):
    """Evidence is named that exists nowhere, or a blob is not what its name says."""


class CursorAhead(JournalMisuse):
    """A cursor was set beyond the last event: its owner saw events that this journal does not have."""


def damaged(path: Path, what: str) -> JournalDamaged:
    """A ``JournalDamaged`` that says what is wrong with the file and what to do."""
    return JournalDamaged(
        f"{path}: {what}. Do not delete or edit it: copy the state directory, run `dealer-daemon journal verify` on "
        "the copy, and then `dealer-daemon journal salvage` as docs/howto/recover-a-journal.md says. An older copy or "
        "a new journal would give sequences a second time that servers have seen"
    )


DATABASE_ERRORS = (sqlite3.Error, UnicodeError, MemoryError)
"""What comes out of SQLite: a message or a text of a damaged file need not be UTF-8, and a damaged page may claim to be
larger than any memory."""


def from_sqlite(error: sqlite3.Error | UnicodeError | MemoryError, path: Path, doing: str) -> JournalError:
    """The journal error for what SQLite said while ``doing`` (``"committing"``), by the reaction it calls for."""
    if isinstance(error, MemoryError):
        return damaged(path, f"{doing} failed: something in it claims more memory than there is on this PC")
    if isinstance(error, UnicodeError) or not (
        hasattr(error, "sqlite_errorcode") or isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError)
    ):
        return damaged(path, f"{doing} failed: there is text in it that is not UTF-8")
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError | sqlite3.DataError):
        return JournalMisuse(f"{path}: {doing}: {error}")
    said = f"{path}: {doing} failed ({error.sqlite_errorname}: {error})"
    # Extended codes carry the primary code in the low byte (SQLite result codes).
    match error.sqlite_errorcode & 0xFF:
        # SQLITE_ERROR is a statement that does not fit the tables; the statements are ours and do not change.
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_ERROR | sqlite3.SQLITE_FORMAT:
            return damaged(path, f"{doing} failed: {error}")
        case sqlite3.SQLITE_CONSTRAINT:
            return damaged(path, f"{doing} met rows that this daemon did not write ({error}); restart it to read them")
        case sqlite3.SQLITE_FULL:
            advice = f"the disk is full: free space on the file system of {path.parent}"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            advice = "another program writes in the journal: close it; only the daemon may have it open for writing"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            advice = f"make {path.parent} writable for the daemon's user, and see that it is not mounted read-only"
        case _:
            advice = "look at the disk (dmesg, smartctl, free space, quota)"
    return JournalUnavailable(f"{said}. Nothing of it was written and it may be tried again; {advice}")
