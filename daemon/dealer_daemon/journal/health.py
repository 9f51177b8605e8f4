"""A look at the whole file before a daemon takes it up, as long as that is quickly done."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from dealer_daemon.journal.errors import damaged

LOOK_S = 2.0
"""How long a start may be held up by it."""
_STEPS = 20_000
"""SQLite instructions between two looks at the clock."""


def look(connection: sqlite3.Connection, path: Path, seconds: float = LOOK_S) -> bool:
    """Compare pages, indexes and rows of the file with one another; says whether all was seen in ``seconds``.

    What is not seen then is checked where it is read: rows by their hashes, the rest by ``verify_file``.

    Raises ``JournalDamaged`` or ``sqlite3.Error``.
    """
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return False
        raise
    finally:
        connection.set_progress_handler(None, 0)
    if found != "ok":
        raise damaged(path, f"the database file is damaged: {found.strip()}")
    return True
