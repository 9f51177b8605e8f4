"""The journal: one append-only, hash-chained SQLite log a station. What is not in it did not happen.

``store`` is the journal that a daemon has open; ``verify`` and ``export`` read a file, also beside a running daemon;
``chain`` says what is hashed and how.
"""

from dealer_daemon.journal.entry import Answer, Head
from dealer_daemon.journal.errors import (
    CommandRepeated,
    CursorAhead,
    EventsRemoved,
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
from dealer_daemon.journal.loss import continue_after
from dealer_daemon.journal.reading import SignedEvent
from dealer_daemon.journal.salvage import SalvageReport, salvage
from dealer_daemon.journal.snapshots import Snapshot
from dealer_daemon.journal.store import Journal
from dealer_daemon.journal.verify import Problem, VerifyReport, verify_file

__all__ = [
    "FILE_NAME",
    "LOCK_NAME",
    "Answer",
    "CommandRepeated",
    "CursorAhead",
    "EventsRemoved",
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
    "SalvageReport",
    "SequenceConflict",
    "SignedEvent",
    "Snapshot",
    "StateDirUnusable",
    "VerifyReport",
    "continue_after",
    "export_file",
    "salvage",
    "verify_file",
]
