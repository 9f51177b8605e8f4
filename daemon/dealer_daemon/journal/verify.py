"""An auditor's look at a journal: is every row what was written, and is every row still there?

It reads only, and may run beside the daemon that writes. What it can prove: a row or a blob was not changed, put in,
taken out or moved. That nothing was cut off at the end it can prove only against a head that was kept elsewhere.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from dealer_daemon.journal import snapshots
from dealer_daemon.journal.blobs import name_of
from dealer_daemon.journal.chain import genesis
from dealer_daemon.journal.connection import open_reader
from dealer_daemon.journal.entry import COLUMNS, Entry, Head, hash_of
from dealer_daemon.journal.errors import JournalDamaged, from_sqlite
from dealer_daemon.journal.schema import DDL, about

MAX_PROBLEMS = 200
"""More are counted, not listed."""

PROGRESS_ROWS = 1000
NO_HEAD = Head(0, "")

RESTORE = "keep the file for the investigation, and compare with a backup or an export"
RERUN = "not part of the chain; remove this one row, and the daemon makes it again"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not right. ``row`` is the journal row where there is one; ``action`` is what to do."""

    row: int | None
    what: str
    action: str


@dataclass(slots=True)
class VerifyReport:
    """What ``verify_file`` found. ``events`` counts by table; ``head`` is the last row that is there."""

    path: str
    rows: int = 0
    commands: int = 0
    evidence: int = 0
    events: dict[str, int] = field(default_factory=dict)
    head: Head = NO_HEAD
    problems: list[Problem] = field(default_factory=list)
    problems_not_listed: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def add(self, row: int | None, what: str, action: str = RESTORE) -> None:
        """Note a problem."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(row, what, action))
        else:
            self.problems_not_listed += 1


def verify_file(
    path: Path, progress: Progress | None = None, expect_head: tuple[int, str] | None = None
) -> VerifyReport:
    """Check the whole of a journal file. ``progress`` is called with rows done and rows there.

    ``expect_head`` is a row id and hash in hexadecimal that was seen before (``Journal.head``, an earlier report): that
    row must be there with that hash, so that a journal that was cut off or written anew is found out.

    Raises ``JournalUnreadable``, ``JournalTooNew``, and ``JournalUnavailable`` when the disk fails; a file that is
    damaged or no journal at all is a report with problems.
    """
    report = VerifyReport(str(path))
    try:
        db = open_reader(path)
        try:
            db.execute("BEGIN")  # one moment of the journal, whatever is committed meanwhile
            _check_database(db, report)
            named = _check_rows(db, path, report, progress, expect_head)
            _check_evidence(db, report, named)
            _check_cursors_and_snapshots(db, report)
        finally:
            db.close()
    except JournalDamaged as error:
        report.add(None, str(error))
    except sqlite3.Error as error:
        translated = from_sqlite(error, path, "verifying")
        if not isinstance(translated, JournalDamaged):
            raise translated from error
        report.add(None, f"the rest cannot be read: {error}")
    return report


def _check_database(db: sqlite3.Connection, report: VerifyReport) -> None:
    for (line,) in db.execute("PRAGMA integrity_check(20)"):
        if line != "ok":
            report.add(None, f"the database file is damaged: {line}")
    model = sqlite3.connect(":memory:")
    try:
        model.executescript(DDL)
        expected = dict(model.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    finally:
        model.close()
    found = dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"))
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            report.add(None, f"{name} of the database is not as the daemon made it: somebody worked on the file")


def _check_rows(
    db: sqlite3.Connection,
    path: Path,
    report: VerifyReport,
    progress: Progress | None,
    expect_head: tuple[int, str] | None,
) -> dict[str, tuple[int, str]]:
    """Walk the chain. Answers the evidence that rows name: the first such row, and the media type."""
    (total,) = db.execute("SELECT count(*) FROM entries").fetchone()
    named: dict[str, tuple[int, str]] = {}
    last_id, previous = 0, genesis(*about(db, path))
    head_seen = expect_head is None or expect_head[0] == 0
    for columns in db.execute(f"SELECT {COLUMNS} FROM entries ORDER BY id"):
        row = Entry(*columns)
        if row.id != last_id + 1:
            missing = f"row {last_id + 1} is" if row.id == last_id + 2 else f"rows {last_id + 1} to {row.id - 1} are"
            report.add(row.id, f"{missing} missing before it")
        elif row.hash != hash_of(row, previous):
            report.add(row.id, "it is not what was written here, or the row before it was replaced")
        _check_sequence(row, report)
        _note_evidence(row, report, named)
        if expect_head is not None and row.id == expect_head[0]:
            head_seen = True
            if row.hash.hex() != expect_head[1]:
                report.add(row.id, f"its hash is {row.hash.hex()} and was {expect_head[1]}: the journal was rewritten")
        # Goes on from what is stored, so that one changed row is one problem.
        last_id, previous = row.id, row.hash
        report.rows += 1
        if progress is not None and (report.rows % PROGRESS_ROWS == 0 or report.rows == total):
            progress(report.rows, total)
    report.head = Head(last_id, previous.hex())
    if not head_seen and expect_head is not None:
        report.add(
            None, f"the journal ends with row {last_id}; row {expect_head[0]} was there before: its end was cut off"
        )
    return named


def _check_sequence(row: Entry, report: VerifyReport) -> None:
    if row.sequence is None:
        report.commands += 1
        return
    expected = report.events.get(row.table, 0) + 1
    if row.sequence != expected:
        report.add(row.id, f"it is event {row.sequence} of table {row.table} where event {expected} belongs")
    report.events[row.table] = row.sequence


def _note_evidence(row: Entry, report: VerifyReport, named: dict[str, tuple[int, str]]) -> None:
    try:
        for name, media_type in row.named_evidence():
            first, called = named.setdefault(name, (row.id, media_type))
            if called != media_type:
                report.add(row.id, f"it calls evidence {name} {media_type}, and row {first} called it {called}")
    except msgspec.MsgspecError as error:
        report.add(row.id, f"the list of its evidence cannot be read: {error}")


def _check_evidence(db: sqlite3.Connection, report: VerifyReport, named: dict[str, tuple[int, str]]) -> None:
    for name, media_type, body in db.execute("SELECT hash, media_type, body FROM evidence"):
        report.evidence += 1
        row, expected_type = named.pop(name, (None, media_type))
        if row is None:
            report.add(None, f"evidence {name} belongs to no row: it was put in, or its row was taken out")
        if name_of(body) != name:
            report.add(row, f"evidence {name} was changed: its hash is {name_of(body)} now")
        if media_type != expected_type:
            report.add(row, f"evidence {name} is called {media_type} and was {expected_type}")
    for name, (row, _) in named.items():
        report.add(row, f"evidence {name} is missing")


def _check_cursors_and_snapshots(db: sqlite3.Connection, report: VerifyReport) -> None:
    for table, name, sequence in db.execute("SELECT dealer_table, name, sequence FROM cursors"):
        last = report.events.get(table, 0)
        if sequence > last:
            report.add(
                None,
                f"{name} was done with event {sequence} of table {table}, which ends with {last}: its end was cut off",
            )
    for (table,) in db.execute("SELECT dealer_table FROM snapshots").fetchall():
        what = snapshots.mismatch(db, table)
        if what is not None:
            report.add(None, f"the snapshot of table {table} is not right: {what}", RERUN)
