"""How far each reader of the journal is done with each table. Not part of the chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from dealer_daemon.journal.errors import CursorAhead

_PUT = (
    "INSERT INTO cursors (dealer_table, name, sequence) VALUES (?, ?, ?) "
    "ON CONFLICT (dealer_table, name) DO UPDATE SET sequence = excluded.sequence"
)


def read_cursors(db: sqlite3.Connection, table: str) -> dict[str, int]:
    """The cursors of a table by name."""
    return dict(db.execute("SELECT name, sequence FROM cursors WHERE dealer_table = ?", (table,)))


def refuse_ahead(positions: Mapping[tuple[str, str], int], last: Mapping[str, int]) -> None:
    """Raises ``CursorAhead`` for a cursor beyond the last event of its table, or below 0.

    Taken as it stands, it would mark events as done that are still to come.
    """
    for (table, name), sequence in positions.items():
        end = last.get(table, 0)
        if not 0 <= sequence <= end:
            raise CursorAhead(
                f"{name} says it is done with event {sequence} of table {table}, whose last event is {end}. It knows "
                "events that this journal does not have: find out whether the journal was replaced or cut off"
            )


def moved(
    db: sqlite3.Connection, positions: Mapping[tuple[str, str], int], *, rewind: bool
) -> list[tuple[str, str, int]]:
    """The cursors among ``positions`` that would change; backwards only with ``rewind``."""
    now = {table: read_cursors(db, table) for table, _ in positions}
    return [
        (table, name, sequence)
        for (table, name), sequence in positions.items()
        if name not in now[table] or sequence > now[table][name] or (rewind and sequence != now[table][name])
    ]


def write_cursors(db: sqlite3.Connection, rows: list[tuple[str, str, int]]) -> None:
    """Set cursors, inside a transaction."""
    db.executemany(_PUT, rows)
