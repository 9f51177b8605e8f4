"""Where the chain begins once retention took rows away: the anchor, a row like any other and so part of the chain.

It says which row was the last to go and what its hash was, so that the row after it can still be proved; and it holds
the hashes of what is kept of the rows that are gone: each table's state, the answers to commands, and single rows that
stay behind (the newest outcome of a table that stands still). Every anchor says all of it; the newest one counts.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from dealer_daemon.journal.chain import genesis, link
from dealer_daemon.journal.entry import ANCHOR, Entry, columns_of, hash_of
from dealer_daemon.journal.errors import damaged
from dealer_daemon.journal.schema import about, version_of

ROWS_REMOVED = "rows.removed"
"""The ``type`` of an anchor's row."""
SIGNATURES_NOTED = "signatures.noted"
"""That of one by which no row went: it says which events may be without a signature."""


class TableBase(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a table's events that are gone."""

    sequence: int
    """The last of them."""
    state_version: int
    state: str
    """SHA-256 of the state after it, in hexadecimal; the state itself is in ``states``."""


class AnchorBody(msgspec.Struct, frozen=True, kw_only=True):
    """The ``body`` of an anchor's row, as JSON. Hashes are in hexadecimal."""

    journal_id: str
    created_wall_ns: int
    last_row: int
    """Every row up to this one is gone, but those of ``kept``."""
    hash: str
    """Of that row."""
    older_than_ns: int
    """Wall time before which rows were too old."""
    tables: dict[str, TableBase]
    kept: list[tuple[int, str]] = []
    """Rows that stay: id, and the hash of the row before."""
    answered: int = 0
    """Commands of rows that are gone, in ``answered``."""
    answered_hash: str = ""
    """Their chain, in the order of their numbers."""
    signed_before: int = 0
    """The last row that was written when the chain did not cover signatures."""
    unsigned: list[tuple[int, int]] = []
    """Events that have no signature, and are right so: the first and the last row of each run. Of those up to
    ``signed_before`` all that were committed without; of later ones those whose signature a salvage could not bring."""


def first_body(journal_id: str, created_wall_ns: int) -> AnchorBody:
    """Of a journal from which nothing was removed yet."""
    return AnchorBody(
        journal_id=journal_id,
        created_wall_ns=created_wall_ns,
        last_row=0,
        hash=genesis(journal_id, created_wall_ns).hex(),
        older_than_ns=0,
        tables={},
    )


NO_BODY = AnchorBody(journal_id="", created_wall_ns=0, last_row=0, hash="", older_than_ns=0, tables={})


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the chain begins: ``last_row`` 0 and the journal's own beginning before anything was removed."""

    hash: bytes
    """Of the row before the first that is there."""
    body: AnchorBody = NO_BODY
    row: int | None = None
    wall_ns: int = 0
    """When it was written."""
    kept: dict[int, bytes] = field(default_factory=dict)
    """Rows that stayed: the hash of the row before each."""

    @property
    def last_row(self) -> int:
        """The last row that is gone."""
        return self.body.last_row

    def base(self, table: str) -> int:
        """The table's last sequence that is gone; 0 when it has all its events."""
        known = self.body.tables.get(table)
        return 0 if known is None else known.sequence


def anchor_of(body: AnchorBody, row: int, wall_ns: int) -> Anchor:
    """The anchor that a row holds."""
    kept = {row_id: bytes.fromhex(before) for row_id, before in body.kept}
    return Anchor(bytes.fromhex(body.hash), body, row, wall_ns, kept)


def read_anchor(db: sqlite3.Connection, path: Path) -> Anchor:
    """The anchor that counts. Raises ``JournalDamaged`` when it is not what was written, and ``sqlite3.Error``."""
    beginning = Anchor(genesis(*about(db, path)))
    if version_of(db) < 2:
        return beginning
    pointer = db.execute("SELECT last_row, anchor_row FROM removed").fetchone()
    if pointer is None:
        return beginning
    last_row, anchor_row = pointer
    found = db.execute(f"SELECT {columns_of(version_of(db))} FROM entries WHERE id = ?", (anchor_row,)).fetchone()
    if found is None:
        raise damaged(path, f"row {anchor_row} is missing, which says what retention removed")
    row = Entry(*found[:-1])
    anchor = _checked(row, path)
    before = db.execute("SELECT hash FROM entries WHERE id = ?", (anchor_row - 1,)).fetchone()
    previous = anchor.hash if anchor_row - 1 == anchor.last_row else before and before[0]
    if (anchor.body.journal_id, anchor.body.created_wall_ns) != about(db, path):
        raise damaged(path, "the journal's own id is not what it was")
    if row.kind != ANCHOR or not previous or row.hash != hash_of(row, previous) or anchor.last_row != last_row:
        raise damaged(path, f"row {anchor_row}, which says what retention removed, is not what was written")
    return anchor


def _checked(row: Entry, path: Path) -> Anchor:
    try:
        return anchor_of(msgspec.json.decode(row.body, type=AnchorBody), row.id, row.wall_ns)
    except (msgspec.MsgspecError, ValueError) as error:
        raise damaged(path, f"row {row.id}, which says what retention removed, cannot be read: {error}") from error


def state_hash(body: bytes) -> str:
    """What an anchor says of a table's state."""
    return hashlib.sha256(body).hexdigest()


def read_state(db: sqlite3.Connection, path: Path, anchor: Anchor, table: str) -> tuple[int, int, bytes] | None:
    """Sequence, state version and state of the table as of its last event that is gone; ``None`` when none is.

    Raises ``JournalDamaged`` when it is not what the anchor says: nothing can take its place.
    """
    base = anchor.body.tables.get(table)
    if base is None:
        return None
    row = db.execute("SELECT sequence, state_version, body FROM states WHERE dealer_table = ?", (table,)).fetchone()
    if row is None or (row[0], row[1], state_hash(row[2])) != (base.sequence, base.state_version, base.state):
        raise damaged(path, f"the state of table {table} after event {base.sequence} is not what was kept")
    return base.sequence, base.state_version, row[2]


AnsweredRow = tuple[int, str, str, str, str, bytes]


def answered_hash(before: str, rows: Iterable[AnsweredRow]) -> str:
    """The chain of answered commands after ``rows``, which come after those with the chain ``before``."""
    now = bytes.fromhex(before)
    for row in rows:
        now = link(now, row)
    return now.hex()
