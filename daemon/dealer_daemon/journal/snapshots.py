"""A table's folded state as of one event: a cache that saves time at a start, and never the truth."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from dealer_daemon.journal.chain import seal
from dealer_daemon.journal.errors import JournalMisuse

_ROW_HASH = "SELECT hash FROM entries WHERE dealer_table = ? AND sequence = ?"
_PUT = (
    "INSERT INTO snapshots (dealer_table, sequence, state_version, row_hash, body, seal) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (dealer_table) DO UPDATE SET sequence = excluded.sequence, state_version = excluded.state_version, "
    "row_hash = excluded.row_hash, body = excluded.body, seal = excluded.seal"
)


class Snapshot(NamedTuple):
    """The state of ``table`` after its event ``sequence``. ``state_version`` is the version of the form of ``body``:
    a snapshot of another version is ignored."""

    table: str
    sequence: int
    body: bytes
    state_version: int


def put_snapshot(db: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Keep it instead of the table's last, inside a transaction. Raises ``JournalMisuse`` when it has no event."""
    table, sequence, body, version = snapshot
    found = db.execute(_ROW_HASH, (table, sequence)).fetchone()
    if found is None:
        raise JournalMisuse(f"there is no event {sequence} of table {table} to keep a state of")
    row_hash: bytes = found[0]
    db.execute(_PUT, (table, sequence, version, row_hash, body, seal(table, sequence, version, row_hash, body)))


def read_snapshot(db: sqlite3.Connection, table: str, state_version: int) -> Snapshot | None:
    """The table's snapshot, unless it is of another version, or it or its event is not what it was."""
    row = db.execute("SELECT sequence, body, state_version FROM snapshots WHERE dealer_table = ?", (table,)).fetchone()
    if row is None or row[2] != state_version or mismatch(db, table) is not None:
        return None
    return Snapshot(table, *row)


def mismatch(db: sqlite3.Connection, table: str) -> str | None:
    """What is wrong with a table's snapshot, in words; ``None`` when it agrees with its event and its seal."""
    sequence, version, row_hash, body, sealed = db.execute(
        "SELECT sequence, state_version, row_hash, body, seal FROM snapshots WHERE dealer_table = ?", (table,)
    ).fetchone()
    found = db.execute(_ROW_HASH, (table, sequence)).fetchone()
    if found is None:
        return f"it stands at event {sequence}, which is not there"
    if found[0] != row_hash:
        return f"event {sequence} is not the one it was made at"
    if sealed != seal(table, sequence, version, row_hash, body):
        return "it was changed after it was made"
    return None
