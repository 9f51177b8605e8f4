"""The journal: one append-only, hash-chained SQLite log a station. What is not in it did not happen.

``store`` is the journal that a daemon has open; ``verify`` and ``export`` read a file, also beside a running daemon;
``chain`` says what is hashed and how.
"""

from dealer_daemon.journal.entry import Head
from dealer_daemon.journal.errors import (
    CommandRepeated,
    CursorAhead,
    EvidenceConflict,
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalMisuse,
    JournalTooNew,
    JournalUnavailable,
    JournalUnreadable,
    SequenceConflict,
    StateDirUnusable,
)
from dealer_daemon.journal.export import export_file
from dealer_daemon.journal.files import FILE_NAME, LOCK_NAME
from dealer_daemon.journal.snapshots import Snapshot
from dealer_daemon.journal.store import Journal
from dealer_daemon.journal.verify import Problem, VerifyReport, verify_file

__all__ = [
    "FILE_NAME",
    "LOCK_NAME",
    "CommandRepeated",
    "CursorAhead",
    "EvidenceConflict",
    "Head",
    "Journal",
    "JournalBusy",
    "JournalDamaged",
    "JournalError",
    "JournalMisuse",
    "JournalTooNew",
    "JournalUnavailable",
    "JournalUnreadable",
    "Problem",
    "SequenceConflict",
    "Snapshot",
    "StateDirUnusable",
    "VerifyReport",
    "export_file",
    "verify_file",
]
