"""The longest part of a damaged journal that can be proved, copied into a new one. Reads only what is damaged.

Rows are copied from the beginning up to the first that is not what was written: never one behind it, however whole it
looks, for nobody can say what stood between. What came after is lost, and ``events.lost`` says so in each table.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from dealer_daemon.journal import uses
from dealer_daemon.journal.anchor import (
    Anchor,
    AnchorBody,
    AnsweredRow,
    answered_hash,
    first_body,
    read_anchor,
    read_state,
)
from dealer_daemon.journal.blobs import INSERT as INSERT_BLOB
from dealer_daemon.journal.blobs import read_evidence
from dealer_daemon.journal.chain import mark
from dealer_daemon.journal.connection import open_reader
from dealer_daemon.journal.cursors import Cursors
from dealer_daemon.journal.entry import EVENT, INSERT, Entry, Link, columns_of, hash_of
from dealer_daemon.journal.errors import DATABASE_ERRORS, JournalDamaged, JournalMisuse, from_sqlite
from dealer_daemon.journal.files import FILE_NAME, LOCK_NAME
from dealer_daemon.journal.loss import continue_after
from dealer_daemon.journal.order import row_follows
from dealer_daemon.journal.prune import write_anchor
from dealer_daemon.journal.salvage_signatures import Signatures
from dealer_daemon.journal.schema import about, create_file, version_of
from dealer_daemon.journal.seen import NAME as SEEN_NAME
from dealer_daemon.journal.seen import read_seen
from dealer_daemon.journal.store import Journal, Signer, system_now

REASON = "journal_salvaged"
PUBLISHED = "published"
"""The cursor of the publisher (``mqtt.publisher``): servers may have every event up to it."""


@dataclass(slots=True)
class SalvageReport:
    """What ``salvage`` made.

    ``events`` has each table's last sequence that was proved, ``lost`` the sequences that stay empty behind it;
    ``stopped`` says what ended the walk, and is ``None`` where every row was whole.
    """

    path: str
    rows: int = 0
    stopped: str | None = None
    events: dict[str, int] = field(default_factory=dict)
    lost: dict[str, tuple[int, int]] = field(default_factory=dict)
    evidence_missing: list[str] = field(default_factory=list)
    """Evidence that rows name and that is gone or changed: the rows are there, these are not."""
    signatures_missing: int = 0
    """Events that were signed and whose signature is gone or changed: they are there, and go out unsigned."""
    signatures_made_again: int = 0
    """Signatures that were gone or changed: the key that was given makes them byte for byte as they were."""
    answers_missing: int = 0
    """Commands before the rows that retention left, whose answers are not known any more."""
    cursors_missing: str | None = None
    """What is wrong with the cursors, so that some may be lost: those of consumers, too."""
    published_missing: list[str] = field(default_factory=list)
    """Tables of which it is not known how far they were published: all that is kept is sent again."""


def salvage(
    path: Path,
    state_dir: Path,
    *,
    by: str,
    boot: str,
    after: Mapping[str, int] | None = None,
    tables: Collection[str] = (),
    sign: Signer | None = None,
) -> SalvageReport:
    """Copy what can be proved of the journal at ``path`` into a new state directory, and let its tables go on behind
    every sequence that anybody may have seen.

    That is the highest of: what was proved; what cursors and ``journal.head`` beside the file say; rows further on that
    fit the row before them; and ``after``, what a person knows by table. ``by`` is that person; ``tables`` are names
    that ``after`` may have beside those that the journal still tells; ``sign`` is as in ``Journal.open``.

    Raises ``JournalMisuse`` when ``state_dir`` has something in it already; for a number in ``after`` above
    ``loss.MAX_AFTER``, of a table that is none, or that says less than is known; and for a table that has no position
    of the publisher (lost, or it never had a broker) and stands not in ``after``: nobody but a person then knows what
    servers have. ``JournalDamaged`` when not even the beginning of the journal can be proved, ``JournalUnreadable``,
    ``JournalTooNew``, ``JournalUnavailable``, and ``OSError`` when the new file cannot be made.
    """
    if state_dir.exists() and any(state_dir.iterdir()):
        raise JournalMisuse(f"{state_dir}: is not empty: give a new directory, so that nothing is overwritten")
    report = SalvageReport(str(state_dir / FILE_NAME))
    try:
        cursors, highest = _read(path, state_dir, boot, report, sign)
        for table, sequence in _by_table(cursors).items():
            _at_least(highest, table, sequence)
        _see_what_is_said(after or {}, highest, report.events, tables, cursors)
        for table, sequence in (after or {}).items():
            _at_least(highest, table, sequence)
        report.published_missing = sorted(t for t in {*report.events, *highest} if (t, PUBLISHED) not in cursors)
        if unknown := [table for table in report.published_missing if table not in (after or {})]:
            raise _published_unknown(path, unknown, report)
        _go_on(state_dir, report, cursors, highest, by, boot, sign)
    except BaseException:
        for name in ("", "-journal", "-wal", "-shm"):
            (state_dir / (FILE_NAME + name)).unlink(missing_ok=True)
        for name in (SEEN_NAME, LOCK_NAME):
            (state_dir / name).unlink(missing_ok=True)  # half a journal is none
        raise
    return report


def _read(
    path: Path, state_dir: Path, boot: str, report: SalvageReport, sign: Signer | None
) -> tuple[Cursors, dict[str, int]]:
    """Fill the new file; answers the cursors and the highest sequences that the damaged one speaks of."""
    try:
        source = open_reader(path)
        try:
            highest = _copy(source, path, state_dir, boot, report, sign)
            cursors = _cursors(source, report)
        finally:
            source.close()
    except DATABASE_ERRORS as error:
        raise from_sqlite(error, path, "salvaging") from error
    seen = read_seen(path.parent / SEEN_NAME)
    for table, sequence in (seen.sequences if seen is not None else {}).items():
        _at_least(highest, table, sequence)
    return cursors, highest


def _go_on(
    state_dir: Path,
    report: SalvageReport,
    cursors: Cursors,
    highest: dict[str, int],
    by: str,
    boot: str,
    sign: Signer | None,
) -> None:
    journal = Journal.open(state_dir, boot=boot, sign=sign)
    try:
        proved = dict(report.events)
        for table, last in continue_after(journal, highest, reason=REASON, by=by, boot=boot).items():
            report.lost[table] = (proved.get(table, 0) + 1, last - 1)
        journal.set_cursors(cursors)
    finally:
        journal.close()


def _copy(
    source: sqlite3.Connection, path: Path, state_dir: Path, boot: str, report: SalvageReport, sign: Signer | None
) -> dict[str, int]:
    """Fill a new file with what can be proved. Answers the highest sequences of rows further on."""
    anchor = read_anchor(source, path)
    state_dir.mkdir(parents=True, exist_ok=True)
    state_dir.chmod(0o750)
    create_file(state_dir / FILE_NAME)
    target = sqlite3.connect(state_dir / FILE_NAME, isolation_level=None)
    try:
        target.execute("BEGIN")
        target.execute("UPDATE about SET journal_id = ?, created_wall_ns = ?", about(source, path))
        report.events = {table: base.sequence for table, base in anchor.body.tables.items()}
        signatures = Signatures(anchor.body, sign, chained=version_of(source) >= 3)
        if anchor.row is not None:
            _copy_what_was_kept(source, target, path, anchor, report, signatures)
        highest = _copy_rows(source, target, anchor, report, signatures)
        report.signatures_missing, report.signatures_made_again = len(signatures.missing), signatures.made_again
        body, end = _copy_answers(source, target, anchor, report), _end(target, anchor)
        noted = signatures.noted(body if anchor.row is not None else first_body(*about(source, path)), end.id)
        # Else the anchor is whole, and what is before it is not; or it does not say of signatures what it must.
        if noted is not None or (anchor.row is not None and (body != anchor.body or anchor.row > end.id)):
            write_anchor(target, noted or body, end, system_now(), boot)
        target.execute("COMMIT")
    finally:
        target.close()
    return highest


def _copy_rows(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    anchor: Anchor,
    report: SalvageReport,
    signatures: Signatures,
) -> dict[str, int]:
    last_id, previous = anchor.last_row, anchor.hash
    highest: dict[str, int] = {}
    sql = f"SELECT {columns_of(version_of(source))} FROM entries WHERE id > ? ORDER BY id"
    try:
        for *columns, signed in source.execute(sql, (anchor.last_row,)):
            row = Entry(*columns)
            fits = row.hash == hash_of(row, previous)
            if report.stopped is None:
                report.stopped = _wrong(row, last_id, report) or (None if fits else f"row {row.id} was changed")
            if report.stopped is None:
                _copy_row(source, target, row, (*columns, signed), report, signatures)
            elif fits and row.kind == EVENT and row.sequence is not None:
                _at_least(highest, row.table, row.sequence)
            last_id, previous = row.id, row.hash
    except (*DATABASE_ERRORS, TypeError, msgspec.MsgspecError) as error:
        report.stopped = report.stopped or f"after row {last_id} the file cannot be read: {error}"
    return highest


def _wrong(row: Entry, last_id: int, report: SalvageReport) -> str | None:
    if row.id != last_id + 1:
        return f"row {last_id + 1} is missing"
    if row.sequence is not None and not row_follows(report.events.get(row.table, 0), row.sequence, row.type, row.body):
        return f"row {row.id}: event {report.events.get(row.table, 0) + 1} of table {row.table} is missing"
    return None


def _copy_row(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    row: Entry,
    columns: tuple[object, ...],
    report: SalvageReport,
    signatures: Signatures,
) -> None:
    named = [name for name, _ in row.named_evidence()]
    *rest, stored = columns
    target.execute(INSERT, (*rest, signatures.of(row, stored)))
    uses.note(target, row.id, named)
    report.rows += 1
    if row.sequence is not None:
        report.events[row.table] = row.sequence
    for name in named:
        if target.execute("SELECT 1 FROM evidence WHERE hash = ?", (name,)).fetchone() is not None:
            continue
        try:
            blob = read_evidence(source, Path(report.path), name)
        except (*DATABASE_ERRORS, JournalDamaged):
            blob = None
        if blob is not None:
            target.execute(INSERT_BLOB, (blob.hash, blob.media_type, blob.body))
        elif name not in report.evidence_missing:
            report.evidence_missing.append(name)


def _copy_what_was_kept(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    path: Path,
    anchor: Anchor,
    report: SalvageReport,
    signatures: Signatures,
) -> None:
    """States, answers and single rows that retention left."""
    for table in anchor.body.tables:
        state = read_state(source, path, anchor, table)
        assert state is not None
        target.execute("INSERT INTO states VALUES (?, ?, ?, ?)", (table, *state))
    target.execute("INSERT INTO removed VALUES (1, ?, ?)", (anchor.last_row, anchor.row))
    sql = f"SELECT {columns_of(version_of(source))} FROM entries WHERE id = ?"
    for row_id, before in anchor.kept.items():
        columns = source.execute(sql, (row_id,)).fetchone()
        row = None if columns is None else Entry(*columns[:-1])
        if row is None or row.hash != hash_of(row, before):
            raise JournalDamaged(f"{path}: row {row_id}, which was to stay, is not what was written")
        events = dict(report.events)
        _copy_row(source, target, row, columns, report, signatures)
        report.events = events


def _copy_answers(
    source: sqlite3.Connection, target: sqlite3.Connection, anchor: Anchor, report: SalvageReport
) -> AnchorBody:
    """The answers that are whole; answers what an anchor must say of them."""
    rows: list[AnsweredRow] = []
    with contextlib.suppress(*DATABASE_ERRORS):
        sql = "SELECT number, dealer_table, client, command_id, digest, reply, mark FROM answered ORDER BY number"
        for *row, stored in source.execute(sql):
            if stored == mark(*row):
                rows.append((len(rows) + 1, *row[1:]))
    target.executemany("INSERT INTO answered VALUES (?, ?, ?, ?, ?, ?, ?)", [(*row, mark(*row)) for row in rows])
    report.answers_missing = anchor.body.answered - len(rows)
    return msgspec.structs.replace(anchor.body, answered=len(rows), answered_hash=answered_hash("", rows))


def _end(target: sqlite3.Connection, anchor: Anchor) -> Link:
    row = target.execute(
        "SELECT id, hash FROM entries WHERE id > ? ORDER BY id DESC LIMIT 1", (anchor.last_row,)
    ).fetchone()
    return Link(anchor.last_row, anchor.hash) if row is None else Link(*row)


def _cursors(source: sqlite3.Connection, report: SalvageReport) -> Cursors:
    """The cursors as far as they can be read. One that is lost repeats messages, or is a consumer that is not waited
    for: the report says what is wrong."""
    found: Cursors = {}
    try:
        stored = "mark" if version_of(source) >= 2 else "NULL"
        for *cursor, marked in source.execute(f"SELECT dealer_table, name, sequence, {stored} FROM cursors"):
            if marked in (None, mark(*cursor)):
                found[cursor[0], cursor[1]] = cursor[2]
            else:
                report.cursors_missing = "some are not what was written"
        # A page that lost its rows gives none, and says so only here.
        wrong = [words for (words,) in source.execute("PRAGMA integrity_check(cursors)") if words != "ok"]
    except DATABASE_ERRORS as error:
        wrong = [f"they cannot be read: {error}"]
    if wrong:
        report.cursors_missing = wrong[0]
    return found


def _see_what_is_said(
    after: Mapping[str, int],
    highest: Mapping[str, int],
    events: Mapping[str, int],
    tables: Collection[str],
    cursors: Cursors,
) -> None:
    """That a person named known tables and told what is not known. Raises ``JournalMisuse`` with what is not so."""
    known = {*highest, *events}
    said = []
    for table, sequence in after.items():
        there = max(highest.get(table, 0), events.get(table, 0))
        if table not in known and table not in tables:
            has = ", ".join(sorted(known)) or "none that can be read"
            said.append(
                f"--after {table}={sequence}: the journal has no table {table}; it has: {has}. Is all of it lost, give "
                "the --config that has it"
            )
        elif sequence < there and (table, PUBLISHED) in cursors:  # else it says how far it was published
            said.append(
                f"--after {table}={sequence}: the journal itself tells of events up to {there}: leave it out, or give "
                f"more than {there} if servers have more"
            )
    if said:
        raise JournalMisuse("; ".join(said))


def _published_unknown(path: Path, tables: list[str], report: SalvageReport) -> JournalMisuse:
    wanted = " ".join(f"--after {table}=N" for table in tables)
    why = f" (the cursors are damaged: {report.cursors_missing})" if report.cursors_missing else ""
    return JournalMisuse(
        f"{path}: does not tell how far {', '.join(tables)} was published{why}, so a number might be given twice. Say "
        f"it: {wanted}, with N the highest sequence that servers or the table's retained state have; 0 for a table "
        "that never had a broker"
    )


def _at_least(highest: dict[str, int], table: str, sequence: int) -> None:
    highest[table] = max(sequence, highest.get(table, 0))


def _by_table(cursors: Mapping[tuple[str, str], int]) -> dict[str, int]:
    highest: dict[str, int] = {}
    for (table, _), sequence in cursors.items():
        _at_least(highest, table, sequence)
    return highest
