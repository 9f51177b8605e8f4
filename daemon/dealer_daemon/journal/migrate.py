"""A journal of an older schema, brought to this one when a daemon opens it: all of it or nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from dealer_daemon.journal import uses
from dealer_daemon.journal.cursors import write_cursors
from dealer_daemon.journal.ddl import ADDED_2, ENTRIES_2, SCHEMA_VERSION, SCHEMAS
from dealer_daemon.journal.entry import COLUMNS, Entry
from dealer_daemon.journal.errors import damaged
from dealer_daemon.journal.schema import schema_differences, version_of


def migrate(connection: sqlite3.Connection, path: Path) -> bool:
    """Bring the file to ``SCHEMA_VERSION`` in one transaction; says whether there was something to do.

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
        _from_1_to_2(connection, path)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
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
    for columns in connection.execute(f"SELECT {COLUMNS} FROM entries WHERE evidence != '[]' ORDER BY id"):
        row = Entry(*columns)
        try:
            uses.note(connection, row.id, (name for name, _ in row.named_evidence()))
        except msgspec.MsgspecError as error:
            raise damaged(path, f"row {row.id}: the list of its evidence cannot be read: {error}") from error
    (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'entries'", (ENTRIES_2,))
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
