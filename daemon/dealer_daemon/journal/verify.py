"""An auditor's look at a journal: is every row what was written, and is every row still there?

It reads only, and may run beside the daemon that writes. What it can prove: a row or a blob was not changed, put in,
taken out or moved. That nothing was cut off at the end it can prove only against a head that was kept elsewhere.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from dealer_daemon.journal import snapshots
from dealer_daemon.journal.anchor import Anchor, answered_hash, read_anchor, read_state
from dealer_daemon.journal.blobs import name_of
from dealer_daemon.journal.chain import mark
from dealer_daemon.journal.connection import open_reader
from dealer_daemon.journal.ddl import SCHEMAS
from dealer_daemon.journal.entry import ANCHOR, COMMAND, Entry, Head, columns_of, hash_of
from dealer_daemon.journal.errors import DATABASE_ERRORS, JournalDamaged, JournalTooNew, from_sqlite
from dealer_daemon.journal.order import LOST, row_follows
from dealer_daemon.journal.reading import SignedEvent, signed_event
from dealer_daemon.journal.schema import schema_differences, version_of
from dealer_daemon.journal.seen import NAME as SEEN_NAME
from dealer_daemon.journal.seen import Seen, read_seen
from dealer_daemon.journal.signatures import SignatureWrong, signature_of

MAX_PROBLEMS = 200
"""More are counted, not listed."""

PROGRESS_ROWS = 1000
NO_HEAD = Head(0, "")

RESTORE = "keep the file for the investigation, and compare with a backup or an export"
RERUN = "not part of the chain; remove this one row, and the daemon makes it again"

Progress = Callable[[int, int], None]
CheckSignature = Callable[[SignedEvent], bool]
Named = dict[str, tuple[int, str, int]]
"""Evidence by hash: the first row that names it, what that row calls it, and the last row that names it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not right. ``row`` is the journal row where there is one; ``action`` is what to do."""

    row: int | None
    what: str
    action: str


@dataclass(slots=True)
class VerifyReport:
    """What ``verify_file`` found. ``events`` has each table's last sequence; ``head`` is the last row that is there.

    ``removed_through`` is the last row that retention removed, at ``removed_wall_ns``; ``signed`` counts the events
    whose signature was checked.
    """

    path: str
    rows: int = 0
    removed_through: int = 0
    removed_wall_ns: int = 0
    signed: int = 0
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
    path: Path,
    progress: Progress | None = None,
    expect_head: tuple[int, str] | None = None,
    check: CheckSignature | None = None,
    signed_from: int = 1,
) -> VerifyReport:
    """Check the whole of a journal file. ``progress`` is called with rows done and rows there.

    ``expect_head`` is a row id and hash in hexadecimal that was seen before (``Journal.head``, an earlier report): that
    row must be there with that hash, so that a journal that was cut off or written anew is found out. With ``check``,
    every event's signature is given to it; where it says no, or there is none, that is a problem, except in rows before
    ``signed_from``, the row with which signing began. A ``journal.head`` beside the file is looked at too.

    Raises ``JournalUnreadable``, ``JournalTooNew``, and ``JournalUnavailable`` when the disk fails; a file that is
    damaged or no journal at all is a report with problems.
    """
    report = VerifyReport(str(path))
    try:
        seen = _seen(path)  # before the moment of reading: a daemon beside us goes on
        db = open_reader(path)
        try:
            db.execute("BEGIN")  # one moment of the journal, whatever is committed meanwhile
            _check_database(db, report)
            _Walk(db, path, report, expect_head, seen, check, signed_from).walk(progress)
        finally:
            db.close()
    except JournalDamaged as error:
        report.add(None, str(error))
    except DATABASE_ERRORS as error:
        translated = from_sqlite(error, path, "verifying")
        if not isinstance(translated, JournalDamaged):
            raise translated from error
        report.add(None, f"the rest cannot be read: {error}")
    return report


def _bytes(found: object, otherwise: bytes) -> bytes:
    """A damaged page can hold anything, whatever the table's types."""
    return found if isinstance(found, bytes) else otherwise


def _seen(path: Path) -> Seen | None:
    try:
        return read_seen(path.parent / SEEN_NAME)
    except OSError:
        return None  # not ours to read; the journal itself says when it is not either


def _check_database(db: sqlite3.Connection, report: VerifyReport) -> None:
    for (line,) in db.execute("PRAGMA integrity_check(20)"):
        if line != "ok":
            report.add(None, f"the database file is damaged: {line}")
    for name in schema_differences(db, SCHEMAS[version_of(db)]):
        report.add(None, f"{name} of the database is not as the daemon made it: somebody worked on the file")


class _Walk:
    """One walk along the chain, and what belongs to it."""

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        report: VerifyReport,
        expect_head: tuple[int, str] | None,
        seen: Seen | None,
        check: CheckSignature | None,
        signed_from: int,
    ) -> None:
        self._db = db
        self._path = path
        self._report = report
        self._check = check
        self._signed_from = signed_from
        self._unsigned: list[int] = []
        self._wrongly_signed: list[int] = []
        self._version = version_of(db)
        self._anchor: Anchor = read_anchor(db, path)
        # Before version 3 the chain does not say which rows are signed.
        old = {} if self._version >= 3 else {"signed_before": 2**63}
        self._noted = replace(self._anchor, body=msgspec.structs.replace(self._anchor.body, **old))
        self._named: Named = {}
        self._newest_anchor: int | None = None
        self._heads = [] if expect_head is None or expect_head[0] == 0 else [expect_head]
        if seen is not None and seen.row > 0:
            self._heads.append((seen.row, seen.hash))

    def walk(self, progress: Progress | None) -> None:
        report, anchor = self._report, self._anchor
        report.removed_through, report.removed_wall_ns = anchor.last_row, anchor.wall_ns
        report.events = {table: base.sequence for table, base in anchor.body.tables.items()}
        (total,) = self._db.execute("SELECT count(*) FROM entries").fetchone()
        last_id, previous, kept = anchor.last_row, anchor.hash, set(anchor.kept)
        for *columns, signed in self._db.execute(f"SELECT {columns_of(self._version)} FROM entries ORDER BY id"):
            row = Entry(*columns)
            if row.id <= anchor.last_row:
                self._stayed(row, kept)
            else:
                if row.id != last_id + 1:
                    first, last = last_id + 1, row.id - 1
                    missing = f"row {first} is" if first == last else f"rows {first} to {last} are"
                    report.add(row.id, f"{missing} missing before it")
                elif row.hash != hash_of(row, previous):
                    report.add(row.id, "it is not what was written here, or the row before it was replaced")
                else:
                    self._compare(row)
                # Goes on from what is stored, so that one changed row is one problem.
                last_id, previous = row.id, _bytes(row.hash, previous)
                self._count(row)
            self._note_evidence(row)
            self._check_signature(row, columns, signed)
            report.rows += 1
            if progress is not None and (report.rows % PROGRESS_ROWS == 0 or report.rows == total):
                progress(report.rows, total)
        for row_id in sorted(kept):
            report.add(row_id, "it was to stay when rows were removed by retention, and is missing")
        report.head = Head(last_id, previous.hex())
        there_before = max((row_id for row_id, _ in self._heads), default=0)
        if there_before > last_id:
            what = f"the journal ends with row {last_id}; row {there_before} was there before: its end was cut off"
            report.add(None, what)
        self._say_wrongly_signed()
        self._say_unsigned()
        self._check_evidence()
        self._check_cursors_and_snapshots()
        self._check_what_was_kept()

    def _stayed(self, row: Entry, kept: set[int]) -> None:
        if row.id not in kept:
            self._report.add(row.id, "it is there though retention removed it: it was put in")
            return
        kept.discard(row.id)
        if row.hash != hash_of(row, self._anchor.kept[row.id]):
            self._report.add(row.id, "it is not what was written here")

    def _compare(self, row: Entry) -> None:
        for row_id, digest in self._heads:
            if row.id == row_id and row.hash.hex() != digest:
                self._report.add(row.id, f"its hash is {row.hash.hex()} and was {digest}: the journal was rewritten")

    def _count(self, row: Entry) -> None:
        report = self._report
        if row.kind == COMMAND:
            report.commands += 1
        elif row.kind == ANCHOR:
            self._newest_anchor = row.id
        elif row.sequence is not None:
            last = report.events.get(row.table, 0)
            if not row_follows(last, row.sequence, row.type, row.body):
                report.add(row.id, f"it is event {row.sequence} of table {row.table} where event {last + 1} belongs")
            report.events[row.table] = row.sequence

    def _note_evidence(self, row: Entry) -> None:
        try:
            for name, media_type in row.named_evidence():
                first, called, _ = self._named.get(name, (row.id, media_type, row.id))
                self._named[name] = (first, called, row.id)
                if called != media_type:
                    self._report.add(
                        row.id, f"it calls evidence {name} {media_type}, and row {first} called it {called}"
                    )
        except msgspec.MsgspecError as error:
            self._report.add(row.id, f"the list of its evidence cannot be read: {error}")

    def _check_signature(self, row: Entry, columns: list[object], signature: bytes | None) -> None:
        if row.sequence is None:
            return
        try:
            if self._version >= 3:
                signature_of(self._noted.body, row.id, row.signed, _bytes(row.hash, b""), signature)
        except SignatureWrong as wrong:
            self._report.add(row.id, f"its signature {wrong}")
            return
        if signature is None:
            # What a salvage writes has none: it may be done where the key is not.
            if self._check is not None and row.id >= self._signed_from and row.type != LOST:
                self._unsigned.append(row.id)
            return
        try:
            stored = signed_event((*columns, signature), self._path, self._noted)
        except (JournalDamaged, JournalTooNew) as error:
            self._report.add(row.id, f"its signature cannot be checked: {error}")
            return
        if self._check is None:
            return
        self._report.signed += 1
        if not self._check(stored):
            self._wrongly_signed.append(row.id)

    def _say_wrongly_signed(self) -> None:
        """One problem where none is right: then it is rather the question that is wrong."""
        wrong, signed = self._wrongly_signed, self._report.signed
        if wrong and len(wrong) == signed:
            what = (
                f"of {signed} signatures none is right, from this row on: either the site or the keys that were given "
            )
            what += "are not this station's, or all of it was written anew by somebody else"
            self._report.add(wrong[0], what, "compare with `site` and `key` in the table's presence; then verify again")
            return
        for row in wrong:
            self._report.add(row, "its signature is not right: it was not written by the station, or was changed")

    def _say_unsigned(self) -> None:
        """One problem, however many there are: a journal that is older than its key has thousands."""
        if not self._unsigned:
            return
        first, last = self._unsigned[0], self._unsigned[-1]
        what = f"{len(self._unsigned)} events have no signature, rows {first} to {last}: they were put in or changed"
        if self._report.signed or self._signed_from == 1:
            what += f"; if signing began only after row {last}, and you know it, say --signed-from {last + 1}"
        self._report.add(first, what)

    def _check_evidence(self) -> None:
        report, named = self._report, self._named
        uses = dict(self._db.execute("SELECT hash, last_row FROM uses")) if self._version >= 2 else None
        for name, media_type, body in self._db.execute("SELECT hash, media_type, body FROM evidence"):
            report.evidence += 1
            row, expected_type, last = named.pop(name, (None, media_type, None))
            if row is None:
                report.add(None, f"evidence {name} belongs to no row: it was put in, or its row was taken out")
            elif uses is not None and (use := uses.get(name)) != last and not _shorter(use, last, self._anchor):
                report.add(row, f"evidence {name} is kept until row {use} goes, and row {last} names it last")
            if name_of(body) != name:
                report.add(row, f"evidence {name} was changed: its hash is {name_of(body)} now")
            if media_type != expected_type:
                report.add(row, f"evidence {name} is called {media_type} and was {expected_type}")
        for name, (row, _, _) in named.items():
            report.add(row, f"evidence {name} is missing")

    def _check_cursors_and_snapshots(self) -> None:
        report = self._report
        marked = "mark" if self._version >= 2 else "NULL"
        for *cursor, stored in self._db.execute(f"SELECT dealer_table, name, sequence, {marked} FROM cursors"):
            table, name, sequence = cursor
            if self._version >= 2 and stored != mark(*cursor):
                report.add(None, f"the cursor {name} of table {table} is not what was written")
            last = report.events.get(table, 0)
            if sequence > last:
                what = f"{name} was done with event {sequence} of table {table}, which ends with {last}"
                report.add(None, f"{what}: its end was cut off")
        for (table,) in self._db.execute("SELECT dealer_table FROM snapshots").fetchall():
            wrong = snapshots.mismatch(self._db, table)
            if wrong is not None:
                report.add(None, f"the snapshot of table {table} is not right: {wrong}", RERUN)

    def _check_what_was_kept(self) -> None:
        """Of rows that retention removed: states, answers to commands, and that the anchor is the newest there is."""
        report, anchor = self._report, self._anchor
        if self._newest_anchor != anchor.row:
            report.add(self._newest_anchor, "it says what retention removed, and the file does not go by it")
        if self._version < 2:
            return
        for table in anchor.body.tables:
            try:
                read_state(self._db, self._path, anchor, table)
            except JournalDamaged as error:
                report.add(anchor.row, str(error))
        rows = self._db.execute(
            "SELECT number, dealer_table, client, command_id, digest, reply, mark FROM answered ORDER BY number"
        ).fetchall()
        whole = [row[:-1] for row in rows if row[-1] == mark(*row[:-1])]
        if len(whole) != anchor.body.answered or answered_hash("", whole) != anchor.body.answered_hash:
            report.add(anchor.row, "the answers to commands whose rows are gone are not what was kept")


def _shorter(use: int | None, last: int | None, anchor: Anchor) -> bool:
    """A row that stayed may name what a row that went named last."""
    return use is not None and last is not None and last < use <= anchor.last_row
