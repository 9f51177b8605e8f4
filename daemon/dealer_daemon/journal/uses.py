"""By which row each piece of evidence is named last: when that row goes, the evidence may go."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_PUT = "INSERT INTO uses (hash, last_row) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET last_row = excluded.last_row"


def note(db: sqlite3.Connection, row_id: int, names: Iterable[str]) -> None:
    """The row, later than all before, names these; inside a transaction."""
    for name in names:
        db.execute(_PUT, (name, row_id))
