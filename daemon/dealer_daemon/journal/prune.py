"""Taking the oldest rows away so that what stays can still be proved. Inside one transaction of the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from dealer_daemon.journal.anchor import (
    ROWS_REMOVED,
    Anchor,
    AnchorBody,
    AnsweredRow,
    TableBase,
    anchor_of,
    answered_hash,
    state_hash,
)
from dealer_daemon.journal.chain import link, mark
from dealer_daemon.journal.entry import ANCHOR, COLUMNS, COMMAND, INSERT_2, Entry, Link, answer_of, hash_of
from dealer_daemon.journal.errors import JournalMisuse, damaged
from dealer_daemon.journal.schema import about
from dealer_daemon.journal.signatures import still_there
from dealer_daemon.journal.snapshots import Snapshot
from dealer_drivers.instant import Instant

Kept = Callable[[str, int, str | None], bool]
"""Whether an event stays, by table, sequence and subject."""


def remove_rows(
    db: sqlite3.Connection,
    path: Path,
    anchor: Anchor,
    end: Link,
    through: int,
    states: Mapping[str, Snapshot],
    keep: Kept,
    *,
    older_than_ns: int,
    at: Instant,
    boot: str,
) -> tuple[Anchor, Link]:
    """Remove the rows after the ``anchor`` up to ``through``; answers the new anchor and the new end of the chain.

    ``states`` has the state of each table after its last event that goes. Every row is proved once more before it goes.

    Raises ``JournalMisuse``, ``JournalDamaged`` or ``sqlite3.Error``; the transaction is to be rolled back then.
    """
    if not anchor.last_row < through <= end.id:
        raise JournalMisuse(f"rows {anchor.last_row + 1} to {end.id} are there, and {through} cannot be the last to go")
    going = _proved(db, path, anchor, through)
    stayed = _rows(db, anchor.kept)
    before = {**anchor.kept, **{row.id: previous for row, previous in going}}
    rows = [*stayed, *(row for row, _ in going)]
    kept = {row.id: row for row in rows if row.sequence is not None and keep(row.table, row.sequence, row.subject)}
    gone = [row for row in rows if row.id not in kept]
    answered = _answered(path, anchor.body.answered, (row for row in gone if row.kind == COMMAND))
    journal_id, created_wall_ns = about(db, path)
    body = AnchorBody(
        journal_id=journal_id,
        created_wall_ns=created_wall_ns,
        last_row=through,
        hash=going[-1][0].hash.hex(),
        older_than_ns=older_than_ns,
        tables={**anchor.body.tables, **_bases((row for row, _ in going), states)},
        kept=[(row_id, before[row_id].hex()) for row_id in sorted(kept)],
        answered=anchor.body.answered + len(answered),
        answered_hash=answered_hash(anchor.body.answered_hash, answered),
        signed_before=anchor.body.signed_before,
        unsigned=still_there(anchor.body.unsigned, through, kept),
    )
    new_end = write_anchor(db, body, end, at, boot)
    db.executemany("INSERT INTO answered VALUES (?, ?, ?, ?, ?, ?, ?)", [(*row, mark(*row)) for row in answered])
    for table, base in body.tables.items():
        if table in states:
            db.execute(
                "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)",
                (table, base.sequence, base.state_version, states[table].body),
            )
        db.execute("DELETE FROM snapshots WHERE dealer_table = ? AND sequence <= ?", (table, base.sequence))
    _remove_evidence(db, path, anchor.last_row, through, gone, kept.values())
    db.executemany("DELETE FROM entries WHERE id = ?", [(row.id,) for row in gone])
    return anchor_of(body, new_end.id, at.wall_ns), new_end


def _proved(db: sqlite3.Connection, path: Path, anchor: Anchor, through: int) -> list[tuple[Entry, bytes]]:
    """The rows that are to go, each with the hash of the row before it."""
    previous, found = Link(anchor.last_row, anchor.hash), []
    sql = f"SELECT {COLUMNS} FROM entries WHERE id > ? AND id <= ? ORDER BY id"
    for columns in db.execute(sql, (anchor.last_row, through)):
        row = Entry(*columns)
        if row.id != previous.id + 1 or row.hash != hash_of(row, previous.hash):
            raise damaged(path, f"row {previous.id + 1} is not what was written, so it is not removed by retention")
        found.append((row, previous.hash))
        previous = Link(row.id, row.hash)
    if previous.id != through:
        raise damaged(path, f"row {previous.id + 1} is missing")
    return found


def _rows(db: sqlite3.Connection, ids: Iterable[int]) -> list[Entry]:
    found = [db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ?", (row_id,)).fetchone() for row_id in ids]
    return [Entry(*row) for row in found if row is not None]


def _bases(going: Iterable[Entry], states: Mapping[str, Snapshot]) -> dict[str, TableBase]:
    last = {row.table: row.sequence for row in going if row.sequence is not None}
    wrong = {table: sequence for table, sequence in last.items() if table not in states}
    if wrong or any(states[table].sequence != sequence for table, sequence in last.items()):
        raise JournalMisuse(f"the states after these events must be kept, and others were given: {last}")
    return {
        table: TableBase(
            sequence=sequence, state_version=states[table].state_version, state=state_hash(states[table].body)
        )
        for table, sequence in last.items()
    }


def _answered(path: Path, before: int, commands: Iterable[Entry]) -> list[AnsweredRow]:
    rows: list[AnsweredRow] = []
    for number, row in enumerate(commands, before + 1):
        digest, reply = answer_of(row.body, path)
        rows.append((number, row.table, row.client or "", row.command_id or "", digest, msgspec.json.encode(reply)))
    return rows


def write_anchor(
    db: sqlite3.Connection, body: AnchorBody, end: Link, at: Instant, boot: str, *, type_word: str = ROWS_REMOVED
) -> Link:
    """Put the anchor behind ``end``, as the one that counts; answers the new end. Inside a transaction."""
    columns = (
        end.id + 1, "", ANCHOR, None, type_word, None, at.wall_ns, at.mono_ns, boot, None, None,
        msgspec.json.encode(body), "[]",
    )  # fmt: skip
    row_hash = link(end.hash, columns)
    # Without `signed`, so that a migration can write it, too, before the file has that column.
    db.execute(INSERT_2, (*columns, row_hash, None))
    db.execute("INSERT OR REPLACE INTO removed VALUES (1, ?, ?)", (body.last_row, end.id + 1))
    return Link(end.id + 1, row_hash)


def _remove_evidence(
    db: sqlite3.Connection, path: Path, before: int, through: int, gone: Iterable[Entry], kept: Iterable[Entry]
) -> None:
    """Evidence that no row names any more."""
    still = {name for row in kept for name in _names(row, path)}
    newest: dict[str, int] = {}
    for row in gone:
        newest |= {name: max(row.id, newest.get(name, 0)) for name in _names(row, path)}
    for name, last in newest.items():
        if name in still:
            continue
        found = db.execute("SELECT last_row FROM uses WHERE hash = ?", (name,)).fetchone()
        if found is None or (before < found[0] <= through and found[0] != last):
            raise damaged(path, f"it is not known which row names evidence {name} last")
        if found[0] <= through:
            db.execute("DELETE FROM evidence WHERE hash = ?", (name,))
            db.execute("DELETE FROM uses WHERE hash = ?", (name,))


def _names(row: Entry, path: Path) -> list[str]:
    try:
        return [name for name, _ in row.named_evidence()]
    except msgspec.MsgspecError as error:
        raise damaged(path, f"row {row.id}: the list of its evidence cannot be read: {error}") from error
