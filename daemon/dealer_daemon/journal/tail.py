"""What is checked of a journal each time it is opened: its last rows. The whole is for ``verify_file``."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from dealer_daemon.journal.anchor import Anchor
from dealer_daemon.journal.entry import COLUMNS, Entry, Link, hash_of
from dealer_daemon.journal.errors import damaged
from dealer_daemon.journal.order import row_follows
from dealer_daemon.journal.signatures import SignatureWrong, signature_of

TAIL_ROWS = 200

# The distinct tables by index seeks: GROUP BY would walk the whole index of a journal of years.
_TABLES = """
WITH RECURSIVE names (name) AS (
  SELECT min(dealer_table) FROM entries WHERE sequence IS NOT NULL
  UNION ALL
  SELECT (SELECT min(dealer_table) FROM entries WHERE sequence IS NOT NULL AND dealer_table > name) FROM names
  WHERE name IS NOT NULL
)
SELECT name, (SELECT max(sequence) FROM entries WHERE dealer_table = name AND sequence IS NOT NULL) FROM names
WHERE name IS NOT NULL
"""


def read_end(connection: sqlite3.Connection, path: Path, anchor: Anchor) -> tuple[Link, dict[str, int]]:
    """The end of the chain and each table's last sequence, once the last ``TAIL_ROWS`` rows are verified.

    Raises ``JournalDamaged`` when a row is missing, changed or out of order, and ``sqlite3.Error``.
    """
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
    before = _row_before(connection, path, max(0, last - TAIL_ROWS), anchor)
    tail = [
        (Entry(*row), stored)
        for *row, stored in connection.execute(
            f"SELECT {COLUMNS}, signature FROM entries WHERE id > ? ORDER BY id", (before.id,)
        )
    ]
    sequences: dict[str, int] = {table: base.sequence for table, base in anchor.body.tables.items()}
    for table, sequence in connection.execute(_TABLES):
        sequences[table] = max(sequence or 0, sequences.get(table, 0))  # none: a damaged index, said below
    seen: dict[str, int] = {}
    link = before
    for row, stored in tail:
        if row.id != link.id + 1:
            raise damaged(path, f"row {link.id + 1} is missing")
        if row.hash != hash_of(row, link.hash):
            raise damaged(path, f"row {row.id} is not what was written, or a row before it is gone")
        if row.sequence is not None:
            previous = seen.get(row.table)
            if previous is None:
                before_it = _sequence_before(connection, row.table, row.sequence)
                previous = max(before_it, anchor.base(row.table))
            if not row_follows(previous, row.sequence, row.type, row.body):
                raise damaged(path, f"row {row.id}: event {previous + 1} of table {row.table} is missing")
            seen[row.table] = row.sequence
            try:
                signature_of(anchor.body, row.id, row.signed, row.hash, stored)
            except SignatureWrong as wrong:
                raise damaged(path, f"the signature of event {row.sequence} of {row.table} {wrong}") from wrong
        link = Link(row.id, row.hash)
    for table, sequence in seen.items():
        if sequences.get(table) != sequence:
            raise damaged(path, f"the index of the events of table {table} does not agree with its rows")
    return link, sequences


def _row_before(connection: sqlite3.Connection, path: Path, row_id: int, anchor: Anchor) -> Link:
    if row_id <= anchor.last_row:
        return Link(anchor.last_row, anchor.hash)
    row = connection.execute("SELECT hash FROM entries WHERE id = ?", (row_id,)).fetchone()
    if row is None:
        raise damaged(path, f"row {row_id} is missing")
    return Link(row_id, row[0])


def _sequence_before(connection: sqlite3.Connection, table: str, sequence: int) -> int:
    """The highest sequence of the table below this one; 0 when there is none."""
    (before,) = connection.execute(
        "SELECT coalesce(max(sequence), 0) FROM entries WHERE dealer_table = ? AND sequence < ?", (table, sequence)
    ).fetchone()
    return int(before)
