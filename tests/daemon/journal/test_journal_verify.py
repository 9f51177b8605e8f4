"""An auditor finds whatever was changed, put in, taken out, moved or cut off, and is told where."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealer_daemon.journal import (
    Head,
    Journal,
    JournalUnreadable,
    Snapshot,
    VerifyReport,
    verify_file,
)
from dealer_daemon.journal.verify import MAX_PROBLEMS

BOOT = "boot-1"
ROUNDS = 5
ROWS = ROUNDS * 4  # opened; command and closed; outcome


@pytest.fixture
def filled(state_dir: Path, maker: Any) -> Path:
    """A journal of one table with five rounds, a cursor and a snapshot, closed."""
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        for number in range(ROUNDS):
            maker.round(journal, "r1", number)
        journal.set_cursors({("r1", "publisher"): 14})
        journal.save_snapshot(Snapshot("r1", 12, b"state", 1))
        return journal.path


def found(report: VerifyReport) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.what) for problem in report.problems]


def test_a_journal_as_it_was_written(filled: Path) -> None:
    calls: list[tuple[int, int]] = []
    report = verify_file(filled, progress=lambda done, total: calls.append((done, total)))
    assert (report.ok, report.problems) == (True, [])
    assert (report.rows, report.events, report.commands, report.evidence) == (ROWS, {"r1": 15}, ROUNDS, ROUNDS)
    assert report.head.row == ROWS
    assert calls == [(ROWS, ROWS)]


def test_an_empty_journal(journal: Journal) -> None:
    report = verify_file(journal.path, expect_head=journal.head())
    assert (report.ok, report.rows, report.head.row) == (True, 0, 0)


CHANGES = [
    ("body = CAST(replace(CAST(body AS TEXT), '\"1\"', '\"2\"') AS BLOB)", 8),
    ("type = 'round.voided'", 8),
    ("subject = 'r1-8'", 8),
    ("subject = NULL", 8),
    ("wall_ns = wall_ns + 1", 8),
    ("mono_ns = mono_ns + 1", 8),
    ("boot = ''", 8),
    ("hash = zeroblob(32)", ROWS),
    ("client = 'server-2'", 6),
    ("command_id = 'other'", 6),
    ("body = CAST(replace(CAST(body AS TEXT), 'true', 'false') AS BLOB)", 6),
]


@pytest.mark.parametrize(("change", "row"), CHANGES)
def test_a_changed_row_is_named_alone(filled: Path, tamper: Any, change: str, row: int) -> None:
    tamper(f"UPDATE entries SET {change} WHERE id = {row}")
    assert found(verify_file(filled)) == [(row, "it is not what was written here, or the row before it was replaced")]


def test_a_row_of_another_table(filled: Path, tamper: Any) -> None:
    tamper("UPDATE entries SET dealer_table = 'r2', sequence = 1 WHERE id = 20")
    rows = {row for row, _ in found(verify_file(filled))}
    assert rows == {20}


def test_a_forged_row_with_a_right_hash_of_its_own(filled: Path, tamper: Any) -> None:
    """The hash of the forged row may fit; the next row's does not any more."""
    from dealer_daemon.journal.entry import COLUMNS, Entry, hash_of

    with closing(sqlite3.connect(filled)) as db:
        previous, row = (
            Entry(*db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ?", (number,)).fetchone()) for number in (7, 8)
        )
    forged = Entry(**{name: getattr(row, name) for name in Entry.__slots__} | {"subject": "r1-8"})
    digest = hash_of(forged, previous.hash).hex()
    tamper(f"UPDATE entries SET subject = 'r1-8', hash = x'{digest}' WHERE id = 8")
    assert [row for row, _ in found(verify_file(filled))] == [9]


def test_a_deleted_row(filled: Path, tamper: Any) -> None:
    tamper("DELETE FROM entries WHERE id = 9")
    report = verify_file(filled)
    assert (10, "row 9 is missing before it") in found(report)
    assert (11, "it is event 8 of table r1 where event 7 belongs") in found(report)


def test_deleted_rows(filled: Path, tamper: Any) -> None:
    tamper("DELETE FROM entries WHERE id BETWEEN 5 AND 7")
    assert (8, "rows 5 to 7 are missing before it") in found(verify_file(filled))


def test_a_deleted_row_and_the_rest_moved_up(filled: Path, tamper: Any) -> None:
    tamper(
        "DELETE FROM entries WHERE id = 10",  # a command, so that the events have no gap
        *(f"UPDATE entries SET id = {number - 1} WHERE id = {number}" for number in range(11, ROWS + 1)),
    )
    assert found(verify_file(filled))[0][0] == 10


def test_the_first_rows_deleted(filled: Path, tamper: Any) -> None:
    tamper("DELETE FROM entries WHERE id <= 4")
    assert (5, "rows 1 to 4 are missing before it") in found(verify_file(filled))


COPY = (
    "dealer_table, kind, sequence + 15, type, subject, wall_ns, mono_ns, boot, client, command_id, body, evidence, "
    "hash, NULL, NULL"
)


def test_a_row_put_in_at_the_end(filled: Path, tamper: Any) -> None:
    tamper(f"INSERT INTO entries SELECT {ROWS + 1}, {COPY} FROM entries WHERE id = 1")
    assert found(verify_file(filled)) == [
        (ROWS + 1, "it is not what was written here, or the row before it was replaced")
    ]


def test_a_row_put_in_between(filled: Path, tamper: Any) -> None:
    moves = [f"UPDATE entries SET id = {number + 1} WHERE id = {number}" for number in range(ROWS, 8, -1)]
    tamper(*moves, f"INSERT INTO entries SELECT 9, {COPY} FROM entries WHERE id = 1")
    assert found(verify_file(filled))[0][0] == 9


def test_two_rows_swapped(filled: Path, tamper: Any) -> None:
    tamper(
        "UPDATE entries SET id = 100 WHERE id = 9",
        "UPDATE entries SET id = 9 WHERE id = 10",
        "UPDATE entries SET id = 10 WHERE id = 100",
    )
    assert {9, 10} <= {row for row, _ in found(verify_file(filled))}


def test_two_events_with_their_sequences_swapped(filled: Path, tamper: Any) -> None:
    tamper(
        "UPDATE entries SET sequence = 100 WHERE id = 9",
        "UPDATE entries SET sequence = 7 WHERE id = 11",
        "UPDATE entries SET sequence = 8 WHERE id = 9",
    )
    assert {9, 11} <= {row for row, _ in found(verify_file(filled))}


def test_an_end_that_was_cut_off(filled: Path, tamper: Any) -> None:
    head = verify_file(filled).head
    tamper("DELETE FROM entries WHERE id >= 19", "DELETE FROM evidence WHERE rowid = 5", "DELETE FROM cursors")
    assert [what for _, what in found(verify_file(filled))] == [
        "the journal ends with row 18; row 20 was there before: its end was cut off"
    ]
    filled.with_name("journal.head").unlink()
    assert verify_file(filled).ok, "from the file alone it cannot be known"
    assert found(verify_file(filled, expect_head=head)) == [
        (None, "the journal ends with row 18; row 20 was there before: its end was cut off")
    ]


def test_a_cursor_beyond_the_end_shows_that_it_was_cut_off(filled: Path, tamper: Any) -> None:
    filled.with_name("journal.head").unlink()
    tamper("DELETE FROM entries WHERE id >= 19", "DELETE FROM evidence WHERE rowid = 5")
    assert found(verify_file(filled)) == [
        (None, "publisher was done with event 14 of table r1, which ends with 13: its end was cut off")
    ]


def test_a_head_of_long_ago_is_still_there(state_dir: Path, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        heads = [journal.head()]
        for number in range(3):
            maker.round(journal, "r1", number)
            heads.append(journal.head())
        for head in heads:
            assert verify_file(journal.path, expect_head=head).ok
        report = verify_file(journal.path, expect_head=(4, heads[2].hash))
    assert [row for row, _ in found(report)] == [4]
    assert "the journal was rewritten" in report.problems[0].what


def test_a_journal_written_anew_has_another_head(filled: Path, tmp_path: Path, maker: Any) -> None:
    head = verify_file(filled).head
    maker.next.clear()
    with closing(Journal.open(tmp_path / "again", boot=BOOT)) as journal:
        for number in range(ROUNDS):
            maker.round(journal, "r1", number)
        report = verify_file(journal.path, expect_head=head)
    assert [row for row, _ in found(report)] == [ROWS]


@pytest.mark.parametrize(
    ("statement", "row", "what"),
    [
        ("UPDATE evidence SET body = CAST(body || ' ' AS BLOB) WHERE rowid = 2", 8, "was changed"),
        ("UPDATE evidence SET media_type = 'text/plain' WHERE rowid = 2", 8, "is called text/plain"),
        ("DELETE FROM evidence WHERE rowid = 2", 8, "is missing"),
        ("INSERT INTO evidence VALUES ('sha256:00', 'text/plain', x'00')", None, "belongs to no row"),
    ],
)
def test_changed_evidence(filled: Path, tamper: Any, statement: str, row: int | None, what: str) -> None:
    tamper(statement)
    report = verify_file(filled)
    assert any(where == row and what in said for where, said in found(report))
    assert all("evidence" in said for _, said in found(report))


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE snapshots SET body = x'00'", "it was changed after it was made"),
        ("UPDATE snapshots SET state_version = 2", "it was changed after it was made"),
        ("UPDATE snapshots SET sequence = 11", "event 11 is not the one it was made at"),
        ("UPDATE snapshots SET sequence = 99", "it stands at event 99, which is not there"),
    ],
)
def test_a_snapshot_that_does_not_agree(filled: Path, tamper: Any, statement: str, what: str) -> None:
    tamper(statement)
    assert found(verify_file(filled)) == [(None, f"the snapshot of table r1 is not right: {what}")]


def test_triggers_and_indexes_that_were_taken_away(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as db:
        db.execute("DROP TRIGGER entries_go_behind_an_anchor")
        db.execute("DROP INDEX entries_by_command")
        db.execute("CREATE TABLE extra (x)")
    said = [what.split()[0] for _, what in found(verify_file(filled))]
    assert said == ["entries_by_command", "entries_go_behind_an_anchor", "extra"]


def test_an_index_that_hides_events(filled: Path, hide_events: Any) -> None:
    """Readers go by the index: a row that it does not know is never published."""
    hide_events()
    report = verify_file(filled)
    assert any("entries_by_sequence" in what for _, what in found(report))


def test_the_own_id_gone(filled: Path, tamper: Any) -> None:
    tamper("DELETE FROM about")
    assert "lost its own id" in found(verify_file(filled))[-1][1]


def test_evidence_lists_that_cannot_be_read(filled: Path, tamper: Any) -> None:
    tamper("UPDATE entries SET evidence = 'none' WHERE id = 8")
    assert any(row == 8 and "list of its evidence" in what for row, what in found(verify_file(filled)))


def test_torn_pages(filled: Path) -> None:
    data = bytearray(filled.read_bytes())
    page = 4096
    assert len(data) > 6 * page
    for start in range(2 * page, len(data), page):
        data[start : start + 600] = b"\xff" * 600
    filled.write_bytes(data)
    report = verify_file(filled)
    assert not report.ok
    assert any("database file is damaged" in what or "cannot be read" in what for _, what in found(report))


def test_problems_without_end_are_counted(state_dir: Path, maker: Any, tamper: Any) -> None:
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        journal.commit([maker.closed("r1") for _ in range(MAX_PROBLEMS + 50)])
    tamper("UPDATE entries SET hash = zeroblob(32)")
    report = verify_file(state_dir / "journal.sqlite3")
    assert (len(report.problems), report.problems_not_listed) == (MAX_PROBLEMS, 50)


TEXT_COLUMNS = ("dealer_table", "type", "subject", "boot", "evidence")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    row=st.integers(1, ROWS),
    column=st.sampled_from((*TEXT_COLUMNS, "wall_ns", "mono_ns", "sequence", "body", "hash")),
    byte=st.integers(0, 10_000),
    bit=st.integers(0, 6),
)
def test_no_single_bit_of_a_row_can_change(
    filled: Path, tmp_path: Path, row: int, column: str, byte: int, bit: int
) -> None:
    copy = shutil.copy(filled, tmp_path / "copy.sqlite3")
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        (trigger,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'entries_never_change'").fetchone()
        (value,) = db.execute(f"SELECT {column} FROM entries WHERE id = ?", (row,)).fetchone()
        if value in (None, ""):
            return
        if isinstance(value, int):
            changed: object = value ^ (1 << (5 + byte % 55))  # a sequence that no other event has
        else:
            raw = bytearray(value.encode() if isinstance(value, str) else value)
            raw[byte % len(raw)] ^= 1 << bit
            if raw[byte % len(raw)] == 0 and isinstance(value, str):
                return  # SQLite's text ends there
            changed = raw.decode() if isinstance(value, str) else bytes(raw)
        db.execute("DROP TRIGGER entries_never_change")
        db.execute(f"UPDATE entries SET {column} = ? WHERE id = ?", (changed, row))
        db.execute(trigger)
    report = verify_file(Path(copy))
    assert row in {where for where, _ in found(report)}


def test_verify_reads_only_and_beside_the_daemon(journal: Journal, maker: Any) -> None:
    for number in range(3):
        maker.round(journal, "r1", number)
    program = f"""
import sys
from pathlib import Path
from dealer_daemon.journal import verify_file
def progress(done, total):
    print("in the middle", flush=True)
    sys.stdin.readline()
report = verify_file(Path({str(journal.path)!r}), progress=progress)
print(report.ok, report.rows)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as auditor:
        assert auditor.stdout is not None
        assert auditor.stdin is not None
        assert auditor.stdout.readline() == "in the middle\n"
        for number in range(3, 40):  # commits and checkpoints go on while the auditor reads
            maker.round(journal, "r1", number)
            journal.maintain(force=True)
        auditor.stdin.write("\n")
        auditor.stdin.flush()
        assert auditor.stdout.readline() == "True 12\n"
    maker.round(journal, "r1", 40)
    report = verify_file(journal.path, expect_head=journal.head())
    assert (report.ok, report.rows) == (True, 41 * 4)


def test_verify_leaves_the_traces_of_a_crash_alone(journal: Journal, tmp_path: Path, maker: Any) -> None:
    """The -wal that a crash left holds the last events; carrying it over is the daemon's to do."""
    maker.round(journal, "r1", 1)
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in ("journal.sqlite3", "journal.sqlite3-wal"):
        shutil.copyfile(journal.path.with_name(name), crashed / name)
    before = {path.name: path.read_bytes() for path in crashed.iterdir()}
    assert len(before["journal.sqlite3-wal"]) > 0
    assert verify_file(crashed / "journal.sqlite3", expect_head=journal.head()).ok
    assert {name: (crashed / name).read_bytes() for name in before} == before


def test_one_blob_under_two_media_types(filled: Path, monkeypatch: pytest.MonkeyPatch, maker: Any) -> None:
    from dealer_daemon.journal import store

    blob = maker.evidence(1)
    monkeypatch.setattr(store.blobs, "sort_out", lambda *_: ([], {blob.hash: "text/plain"}))
    with closing(Journal.open(filled.parent, boot=BOOT)) as journal:
        journal.commit([maker.outcome("r1", 1, [blob])])
    (problem,) = verify_file(filled).problems
    assert problem.row == ROWS + 1
    assert "text/plain, and row 8 called it application/" in problem.what


def test_a_copy_on_a_read_only_medium(filled: Path, open_folder: Path, as_nobody: Any) -> None:
    copy = open_folder / "copy.sqlite3"
    copy.write_bytes(filled.read_bytes())
    copy.chmod(0o444)
    open_folder.chmod(0o555)
    with as_nobody():
        assert verify_file(copy).ok
        assert [path.name for path in open_folder.iterdir()] == ["copy.sqlite3"]


def test_a_journal_that_this_user_may_not_read(filled: Path, as_nobody: Any) -> None:
    with as_nobody(), pytest.raises(JournalUnreadable, match="group"):
        verify_file(filled)


@pytest.mark.parametrize("name", ["absent.sqlite3", ""])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(JournalUnreadable, match=r"journal\.sqlite3"):
        verify_file(tmp_path / name)


def test_a_head_is_a_pair() -> None:
    assert Head(1, "ab") == (1, "ab")
