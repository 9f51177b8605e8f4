"""Making a new journal file, and knowing one when it is seen."""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from pathlib import Path

from dealer_daemon.journal.ddl import SCHEMA_VERSION, SCHEMAS
from dealer_daemon.journal.errors import JournalTooNew, damaged
from dealer_drivers.whole_files import sync_folder

APPLICATION_ID = 0x444C4A31  # "DLJ1"


def create_file(path: Path) -> None:
    """Make an empty journal at ``path``, mode 0640, whole or not at all.

    It is made beside its place and renamed, so that a file found empty is never taken for a new journal: one that
    lost its content would start its sequences again. Raises ``OSError`` and ``sqlite3.Error``.
    """
    new = path.with_name(path.name + ".new")
    for left_over in (new, new.with_name(new.name + "-journal")):
        left_over.unlink(missing_ok=True)
    fd = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640)
    os.fchmod(fd, 0o640)
    os.close(fd)
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.executescript("BEGIN;" + SCHEMAS[SCHEMA_VERSION] + "COMMIT;")
        connection.execute("INSERT INTO about VALUES (1, ?, ?)", (uuid.uuid4().hex, time.time_ns()))
    finally:
        connection.close()
    new.rename(path)
    sync_folder(path.parent)


def check_header(connection: sqlite3.Connection, path: Path) -> None:
    """See that the file is a journal of a version we can read, before anything is written to it.

    Raises ``JournalDamaged``, ``JournalTooNew`` or ``sqlite3.Error``.
    """
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    version = version_of(connection)
    if application_id != APPLICATION_ID or version < 1:
        raise damaged(path, "this file is no journal of a dealer station")
    if version > SCHEMA_VERSION:
        raise JournalTooNew(
            f"{path}: the journal has schema version {version} and this program knows up to {SCHEMA_VERSION}. "
            "Install the version of dealer-station that wrote it, or a newer one"
        )


def about(connection: sqlite3.Connection, path: Path) -> tuple[str, int]:
    """The journal's own id, and when it was made in Unix ns. Raises ``JournalDamaged`` when it has lost them."""
    row: tuple[str, int] | None = connection.execute("SELECT journal_id, created_wall_ns FROM about").fetchone()
    if row is None:
        raise damaged(path, "the journal has lost its own id")
    return row


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the file's schema."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def schema_differences(connection: sqlite3.Connection, ddl: str) -> list[str]:
    """The names of tables, indexes and triggers that are not as ``ddl`` makes them."""
    model = sqlite3.connect(":memory:")
    try:
        model.executescript(ddl)
        expected = dict(model.execute(_NAMED))
    finally:
        model.close()
    found = dict(connection.execute(_NAMED))
    return [name for name in sorted(expected.keys() | found.keys()) if expected.get(name) != found.get(name)]


_NAMED = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
