"""The tables of a journal file, making a new one, and knowing one when it is seen.

``entries`` is the log: rows are only ever added. ``evidence`` holds blobs by hash; every one is named by a row.
``cursors`` and ``snapshots`` are the only tables that change, and neither is a source of truth: a cursor that is lost
repeats messages, a snapshot that is lost costs a longer fold.
"""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from pathlib import Path

from dealer_daemon.journal.errors import JournalTooNew, damaged

APPLICATION_ID = 0x444C4A31  # "DLJ1"
SCHEMA_VERSION = 1

# The triggers stop a hand at a prompt and an error in a program. Who means to forge drops them: for that is the chain.
DDL = """
CREATE TABLE about (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  journal_id TEXT NOT NULL,
  created_wall_ns INTEGER NOT NULL
) STRICT;
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  dealer_table TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'command')),
  sequence INTEGER CHECK ((sequence IS NOT NULL) = (kind = 'event')),
  type TEXT NOT NULL,
  subject TEXT,
  wall_ns INTEGER NOT NULL,
  mono_ns INTEGER NOT NULL,
  boot TEXT NOT NULL,
  client TEXT,
  command_id TEXT CHECK ((command_id IS NOT NULL) = (kind = 'command')),
  body BLOB NOT NULL,
  evidence TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_sequence ON entries (dealer_table, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX entries_by_type ON entries (dealer_table, type, sequence) WHERE sequence IS NOT NULL;
CREATE UNIQUE INDEX entries_by_command ON entries (dealer_table, client, command_id) WHERE command_id IS NOT NULL;
CREATE TABLE evidence (
  hash TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE TABLE cursors (
  dealer_table TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (dealer_table, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
  dealer_table TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  state_version INTEGER NOT NULL,
  row_hash BLOB NOT NULL,
  body BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'rows of a journal are never changed'); END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'rows of a journal are never deleted'); END;
CREATE TRIGGER evidence_never_changes BEFORE UPDATE ON evidence
  BEGIN SELECT RAISE(ABORT, 'evidence is never changed'); END;
CREATE TRIGGER evidence_never_goes BEFORE DELETE ON evidence
  BEGIN SELECT RAISE(ABORT, 'evidence is never deleted'); END;
"""


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
        connection.executescript("BEGIN;" + DDL + "COMMIT;")
        connection.execute("INSERT INTO about VALUES (1, ?, ?)", (uuid.uuid4().hex, time.time_ns()))
    finally:
        connection.close()
    new.rename(path)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable. Raises ``OSError``."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def check_header(connection: sqlite3.Connection, path: Path) -> None:
    """See that the file is a journal of a version we can read, before anything is written to it.

    Raises ``JournalDamaged``, ``JournalTooNew`` or ``sqlite3.Error``.
    """
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
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
