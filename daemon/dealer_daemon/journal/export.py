"""Every row of a journal as plain values, for JSON lines."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dealer_daemon.journal.anchor import read_anchor
from dealer_daemon.journal.blobs import read_evidence
from dealer_daemon.journal.connection import open_reader
from dealer_daemon.journal.entry import COMMAND, Entry, columns_of
from dealer_daemon.journal.errors import DATABASE_ERRORS, damaged, from_sqlite
from dealer_daemon.journal.schema import about, version_of
from dealer_drivers.instant import Instant

Line = dict[str, Any]


def export_file(path: Path, table: str | None = None, *, evidence: bool = False) -> Iterator[Line]:
    """The rows of a journal file in order, or those of one table.

    Every line has ``kind``, ``type``, ``sequence``, ``time``, ``subject`` and ``data`` (``interfaces.md``). Kinds are
    ``event``; ``command`` with its reply; once at the beginning ``journal`` with what the chain begins with (its last
    row that retention removed, and the hash of that, where it did); and, with
    ``evidence``, each blob before the first row that names it, in base64. Rows also have all else that the chain
    hashes, their ``evidence`` as a list of hashes and media types.

    Reads only, all as of the moment of the first line; a reader that stops in the middle closes the iterator. Raises
    ``JournalUnreadable``, ``JournalTooNew``, ``JournalDamaged`` or ``JournalUnavailable``.
    """
    try:
        db = open_reader(path)
        try:
            db.execute("BEGIN")
            yield _beginning(db, path)
            yield from _rows(db, path, table, evidence)
        finally:
            db.close()
    except DATABASE_ERRORS as error:
        raise from_sqlite(error, path, "exporting") from error


def _rows(db: sqlite3.Connection, path: Path, table: str | None, evidence: bool) -> Iterator[Line]:
    given: set[str] = set()
    where, arguments = ("", ()) if table is None else ("WHERE dealer_table = ?", (table,))
    for *columns, _ in db.execute(f"SELECT {columns_of(version_of(db))} FROM entries {where} ORDER BY id", arguments):
        row = Entry(*columns)
        try:
            named = row.named_evidence()
            line = _row(row, named)
        except msgspec.MsgspecError as error:
            raise damaged(path, f"row {row.id} cannot be read: {error}") from error
        for name, _ in named if evidence else ():
            if name not in given:
                given.add(name)
                yield _blob(db, path, row, name)
        yield line


def _line(kind: str, type_word: str, sequence: int | None, wall_ns: int, subject: str | None, data: object) -> Line:
    return {
        "kind": kind,
        "type": type_word,
        "sequence": sequence,
        "time": Instant(0, wall_ns).rfc3339(),
        "subject": subject,
        "data": data,
    }


def _beginning(db: sqlite3.Connection, path: Path) -> Line:
    journal_id, created_wall_ns = about(db, path)
    data: dict[str, Any] = {"journal_id": journal_id, "created_wall_ns": created_wall_ns}
    anchor = read_anchor(db, path)
    if anchor.last_row:
        data |= {"removed_through": anchor.last_row, "removed_hash": anchor.hash.hex()}
    return _line("journal", "journal.begun", None, created_wall_ns, None, data)


def _row(row: Entry, evidence: list[tuple[str, str]]) -> Line:
    line = _line(row.kind, row.type, row.sequence, row.wall_ns, row.subject, msgspec.json.decode(row.body))
    line |= {
        "table": row.table,
        "row": row.id,
        "wall_ns": row.wall_ns,
        "mono_ns": row.mono_ns,
        "boot": row.boot,
        "evidence": [list(pair) for pair in evidence],
        "hash": row.hash.hex(),
    }
    if row.signed is not None:
        line |= {"signed": row.signed.hex()}
    if row.kind == COMMAND:
        line |= {"client": row.client, "command": row.command_id}
    return line


def _blob(db: sqlite3.Connection, path: Path, row: Entry, name: str) -> Line:
    blob = read_evidence(db, path, name)
    if blob is None:
        raise damaged(path, f"row {row.id} names evidence {name}, which is missing")
    data = {"hash": blob.hash, "media_type": blob.media_type, "base64": base64.b64encode(blob.body).decode()}
    return _line("evidence", "evidence", None, row.wall_ns, row.subject, data)
