"""The one connection for writing, and connections that only read."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from dealer_daemon.journal.errors import JournalUnreadable, StateDirUnusable
from dealer_daemon.journal.schema import check_header

OPEN_TIMEOUT_S = 5.0

# A write that finds this many pages in the WAL carries them into the database itself (a few ms). It is the bound for
# stations that are never idle: `Journal.maintain` normally comes first. It stays SQLite's default because a WAL that is
# overwritten in place commits about twice as fast as one that still grows (no new file size to make durable).
AUTOCHECKPOINT_PAGES = 1000
WAL_KEPT_BYTES = 16 * 1024 * 1024


def open_writer(path: Path) -> sqlite3.Connection:
    """The connection for writing, every commit on the disk when it returns.

    Raises ``JournalDamaged``, ``JournalTooNew``, ``StateDirUnusable`` or ``sqlite3.Error``.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None, timeout=OPEN_TIMEOUT_S
    )
    try:
        check_header(connection, path)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StateDirUnusable(
                f"{path.parent}: SQLite cannot keep a write-ahead log here (it answered {mode!r}). Put `state_dir` "
                "under [station] on a local disk; network file systems will not do"
            )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_KEPT_BYTES}")
        # From now on nobody else may write, so waiting would only hold up the table.
        connection.execute("PRAGMA busy_timeout = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that only reads, safe beside the daemon that writes.

    SQLite before 3.51.3 can corrupt a WAL database when two connections write or checkpoint at the same moment
    (``devices.md`` §7). A connection with ``mode=ro`` does neither, not even when it closes: it takes read marks, and
    while one is held the writer's checkpoints leave the WAL as it is. The cost is a WAL that grows meanwhile.

    A copy on a read-only medium has no place for the shared memory; it is opened as immutable, which is right only
    because a journal without a ``-wal`` file is open nowhere.

    Raises ``JournalUnreadable``, ``JournalDamaged``, ``JournalTooNew`` or ``sqlite3.Error``.
    """
    # Asked, not tried: closing a file of our own on it would drop the POSIX locks of a writer in this process.
    if not (os.access(path, os.R_OK, effective_ids=True) and path.is_file()):
        raise JournalUnreadable(
            f"{path}: there is no such file, or this user may not read it. Give the path of a journal.sqlite3, and "
            "read it as a member of the daemon's group"
        )
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        return _reader(uri, path)
    except sqlite3.OperationalError:
        if path.with_name(path.name + "-wal").exists():
            raise
        return _reader(uri + "&immutable=1", path)


def _reader(uri: str, path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=OPEN_TIMEOUT_S)
    try:
        connection.execute("PRAGMA query_only = ON")
        check_header(connection, path)
        connection.execute("SELECT count(*) FROM about").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
