"""How far each reader of the journal is done with each table. Not part of the chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from dealer_daemon.journal.chain import mark
from dealer_daemon.journal.errors import CursorAhead, damaged

_PUT = (
    "INSERT INTO cursors (dealer_table, name, sequence, mark) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (dealer_table, name) DO UPDATE SET sequence = excluded.sequence, mark = excluded.mark"
)


Cursors = dict[tuple[str, str], int]
"""Sequences by table and name."""


def read_cursors(db: sqlite3.Connection, path: Path, table: str) -> dict[str, int]:
    """The cursors of a table by name. Raises ``JournalDamaged``: one that moved by itself would skip events."""
    rows = db.execute("SELECT dealer_table, name, sequence, mark FROM cursors WHERE dealer_table = ?", (table,))
    return {name: sequence for (_, name), sequence in _checked(rows, path)}


def all_cursors(db: sqlite3.Connection, path: Path) -> Cursors:
    """Every cursor. Raises ``JournalDamaged``."""
    return dict(_checked(db.execute("SELECT dealer_table, name, sequence, mark FROM cursors"), path))


def _checked(rows: Iterable[tuple[str, str, int, bytes]], path: Path) -> Iterator[tuple[tuple[str, str], int]]:
    for table, name, sequence, marked in rows:
        if marked != mark(table, name, sequence):
            raise damaged(path, f"the cursor {name} of table {table} is not what was written")
        yield (table, name), sequence


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
    db: sqlite3.Connection, path: Path, positions: Mapping[tuple[str, str], int], *, rewind: bool
) -> list[tuple[str, str, int]]:
    """The cursors among ``positions`` that would change; backwards only with ``rewind``."""
    now = {table: read_cursors(db, path, table) for table, _ in positions}
    return [
        (table, name, sequence)
        for (table, name), sequence in positions.items()
        if name not in now[table] or sequence > now[table][name] or (rewind and sequence != now[table][name])
    ]


def write_cursors(db: sqlite3.Connection, rows: list[tuple[str, str, int]]) -> None:
    """Set cursors, inside a transaction."""
    db.executemany(_PUT, [(*row, mark(*row)) for row in rows])


def forget_cursors(db: sqlite3.Connection, table: str, names: Collection[str]) -> None:
    """Take cursors away, inside a transaction."""
    db.executemany("DELETE FROM cursors WHERE dealer_table = ? AND name = ?", [(table, name) for name in names])
