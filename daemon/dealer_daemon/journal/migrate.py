"""A journal of an older schema, brought to this one when a daemon opens it: all of it or nothing."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import msgspec

from dealer_daemon.journal import uses
from dealer_daemon.journal.anchor import SIGNATURES_NOTED, first_body, read_anchor
from dealer_daemon.journal.cursors import write_cursors
from dealer_daemon.journal.ddl import ADDED_2, ENTRIES_2, ENTRIES_3, SCHEMA_VERSION, SCHEMAS
from dealer_daemon.journal.entry import Entry, Link, columns_of
from dealer_daemon.journal.errors import damaged
from dealer_daemon.journal.prune import write_anchor
from dealer_daemon.journal.schema import about, schema_differences, version_of
from dealer_daemon.journal.signatures import runs
from dealer_drivers.instant import Instant


def migrate(connection: sqlite3.Connection, path: Path, boot: str) -> bool:
    """Bring the file to the next version in one transaction; says whether there was something to do. Then the file is
    to be opened anew and asked again: a connection goes on with the schema that it knows.

    No row is written anew, so the time is that of one walk through the rows (some seconds for a million of them), and
    the chain stays as it is. Killed in the middle, it begins again from the start next time.

    Raises ``JournalDamaged`` when the file is not of the version that it says, and ``sqlite3.Error``.
    """
    version = version_of(connection)
    if version == SCHEMA_VERSION:
        return False
    wrong = schema_differences(connection, SCHEMAS[version])
    if wrong:
        raise damaged(path, f"{wrong[0]} of the database is not as the daemon made it, so it is not brought up to date")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version == 1:
            _from_1_to_2(connection, path)
        else:
            _from_2_to_3(connection, path, boot)
        connection.execute(f"PRAGMA user_version = {version + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


def _from_1_to_2(connection: sqlite3.Connection, path: Path) -> None:
    """A signature for each row, an anchor as a kind of row, marks on cursors, and what retention needs.

    The new text of ``entries`` describes the rows that are there (see ``ENTRIES_2``), so it is put in place of the old
    one, as SQLite's "Making Other Kinds Of Table Schema Changes" says, instead of copying the table.
    """
    connection.execute("DROP TRIGGER entries_never_go")
    connection.execute("DROP TRIGGER evidence_never_goes")
    cursors = connection.execute("SELECT dealer_table, name, sequence FROM cursors").fetchall()
    connection.execute("DROP TABLE cursors")
    for statement in _statements(ADDED_2):
        connection.execute(statement)
    write_cursors(connection, cursors)
    for *columns, _ in connection.execute(f"SELECT {columns_of(1)} FROM entries WHERE evidence != '[]' ORDER BY id"):
        row = Entry(*columns)
        try:
            uses.note(connection, row.id, (name for name, _ in row.named_evidence()))
        except msgspec.MsgspecError as error:
            raise damaged(path, f"row {row.id}: the list of its evidence cannot be read: {error}") from error
    _describe_entries(connection, ENTRIES_2)


def _from_2_to_3(connection: sqlite3.Connection, path: Path, boot: str) -> None:
    """A digest of its signature for each row, within the chain. Of the rows that are there an anchor notes which have
    no signature: that is all that can be known of them, and it holds from now on."""
    sql = "SELECT id, signature IS NOT NULL FROM entries WHERE sequence IS NOT NULL ORDER BY id"
    events = [(row, bool(has_one)) for row, has_one in connection.execute(sql)]
    if any(has_one for _, has_one in events):
        anchor = read_anchor(connection, path)
        body = first_body(*about(connection, path)) if anchor.row is None else anchor.body
        end = Link(*connection.execute("SELECT id, hash FROM entries ORDER BY id DESC LIMIT 1").fetchone())
        noted = msgspec.structs.replace(body, signed_before=end.id, unsigned=runs(events))
        now = Instant(time.monotonic_ns(), time.time_ns())
        write_anchor(connection, noted, end, now, boot, type_word=SIGNATURES_NOTED)
    _describe_entries(connection, ENTRIES_3)


def _describe_entries(connection: sqlite3.Connection, text: str) -> None:
    """Put another text of ``entries``, which fits the rows that are there, in the place of the old one."""
    (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'entries'", (text,))
        connection.execute(f"PRAGMA schema_version = {cookie + 1}")
    finally:
        connection.execute("PRAGMA writable_schema = OFF")


def _statements(script: str) -> list[str]:
    """The statements of a script one by one: ``executescript`` would commit first."""
    statements, statement = [], ""
    for line in script.strip().splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            statements.append(statement)
            statement = ""
    return statements
