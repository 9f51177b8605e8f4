"""What can be proved of a damaged journal goes on, and no sequence that anybody may have seen is given twice."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.cli import main
from dealer_daemon.events import EventsLost
from dealer_daemon.journal import (
    FILE_NAME,
    Journal,
    JournalDamaged,
    JournalMisuse,
    Snapshot,
    continue_after,
    salvage,
    verify_file,
)
from dealer_daemon.round import TableState, apply, fold
from dealer_daemon.station.setup import recover

BOOT = "boot-1"
STATION = """
[station]
site = "studio-1"
state_dir = "state"
[tables.w1]
game = "roulette"
spin = {laps = "unobserved", unobserved = "accept"}
[[tables.w1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/wheel"
"""


def fill(state_dir: Path, maker: Any, rounds: int = 6) -> Path:
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        for number in range(1, rounds + 1):
            maker.round(journal, "r1", number)
        maker.round(journal, "r2", 20)
        journal.set_cursors({("r1", "published"): 3 * rounds, ("r1", "ack/bank"): 3 * rounds - 4})
        journal.set_cursors({("r2", "published"): 0})
    return state_dir / FILE_NAME


def rescue(path: Path, to: Path, **more: Any) -> Any:
    return salvage(path, to, by="A. Tam", boot="salvage", **more)


def test_a_changed_row_ends_what_is_copied(state_dir: Path, tmp_path: Path, maker: Any, tamper: Any) -> None:
    path = fill(state_dir, maker)
    tamper("UPDATE entries SET boot = 'other' WHERE id = 11")
    before = path.read_bytes()
    report = rescue(path, tmp_path / "new")
    assert path.read_bytes() == before
    assert (report.rows, report.events) == (10, {"r1": 7})
    assert "row 11" in report.stopped
    assert report.lost == {"r1": (8, 18), "r2": (1, 3)}
    with closing(Journal.open(tmp_path / "new", boot="after")) as journal:
        assert journal.last_sequence("r1") == 19
        assert [event.sequence for event in journal.events("r1")] == [*range(1, 8), 19]
        lost = journal.event_at("r1", 19)
        assert lost is not None
        assert lost.data == EventsLost(from_sequence=8, to_sequence=18, reason="journal_salvaged", by="A. Tam")
        given_up = f"given-up/{journal.journal_id}"
        assert journal.cursors("r1") == {"published": 18, "ack/bank": 14, given_up: 18}
        state = recover(journal, "r1")
        assert (state.paused, state.sequence) == ("journal_salvaged", 19)
        assert state.rounds == 3 + 11, "every lost event may have opened a round: no id of one comes again"
    assert verify_file(tmp_path / "new" / FILE_NAME).problems == []


def test_the_note_beside_the_file_tells_what_was_committed(state_dir: Path, tmp_path: Path, maker: Any) -> None:
    """The end is gone without a trace in the file itself."""
    path = fill(state_dir, maker, rounds=2)
    shutil.copytree(state_dir, tmp_path / "old")
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        maker.round(journal, "r1", 3)
    shutil.copy(tmp_path / "old" / FILE_NAME, path)
    with pytest.raises(JournalDamaged, match="row 16 was committed"):
        Journal.open(state_dir, boot="after")
    report = rescue(path, tmp_path / "new")
    assert report.stopped is None
    assert report.lost == {"r1": (7, 9)}


def test_rows_further_on_tell_what_was_given(state_dir: Path, tmp_path: Path, maker: Any, tamper: Any) -> None:
    """Where neither cursors nor the note are left: rows that fit the row before them were written as they stand."""
    path = fill(state_dir, maker)
    path.with_name("journal.head").unlink()
    tamper(
        "DELETE FROM cursors",
        "UPDATE entries SET boot = 'other' WHERE id = 11",
        "UPDATE entries SET sequence = 1000000 WHERE id = 24",
    )
    report = rescue(path, tmp_path / "new", after={"r1": 0, "r2": 0})
    assert report.lost == {"r1": (8, 17), "r2": (1, 3)}


def lose_cursors(path: Path, how: str) -> None:
    """As a disk does it: their page reads as zeros, is of another kind, or has a row that is not what was written."""
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'cursors'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    at, data = (page - 1) * size, bytearray(path.read_bytes())
    if how == "zeros":
        data[at : at + size] = bytes(size)
    elif how == "emptied":  # no cell is left, and the page is a page
        data[at + 3 : at + 5] = bytes(2)
    else:
        where = data.index(b"r1published", at, at + size)
        data[where : where + 11] = b"r1qublished"
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["zeros", "emptied", "changed"])
def test_where_the_cursors_are_lost_a_person_says_what_servers_have(
    state_dir: Path, tmp_path: Path, maker: Any, how: str
) -> None:
    path = fill(state_dir, maker)
    lose_cursors(path, how)
    with pytest.raises(JournalMisuse, match="does not tell how far r1") as refusal:
        rescue(path, tmp_path / "new")
    assert "--after r1=N" in str(refusal.value)
    assert list((tmp_path / "new").iterdir()) == []
    report = rescue(path, tmp_path / "new", after={"r1": 20} if how == "changed" else {"r1": 20, "r2": 0})
    assert report.cursors_missing is not None
    assert report.published_missing == (["r1"] if how == "changed" else ["r1", "r2"])
    assert report.lost == {"r1": (19, 20)}
    with closing(Journal.open(tmp_path / "new", boot="after")) as journal:
        assert "published" not in journal.cursors("r1"), "nothing is skipped: all of it is sent again"
    assert verify_file(tmp_path / "new" / FILE_NAME).problems == []


def test_a_table_that_was_never_published_needs_a_word_too(state_dir: Path, tmp_path: Path, maker: Any) -> None:
    """Whether it never had a broker or its cursor is gone without a trace, the file does not tell."""
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        maker.round(journal, "r1", 1)
    with pytest.raises(JournalMisuse, match="0 for a table that never had a broker"):
        rescue(state_dir / FILE_NAME, tmp_path / "new", after={})
    report = rescue(state_dir / FILE_NAME, tmp_path / "new", after={"r1": 0})
    assert (report.lost, report.published_missing, report.cursors_missing) == ({}, ["r1"], None)


def test_what_a_person_knows_counts(state_dir: Path, tmp_path: Path, maker: Any) -> None:
    path = fill(state_dir, maker, rounds=2)
    report = rescue(path, tmp_path / "new", after={"r2": 8, "r1": 6, "b1": 5}, tables=["b1", "r9"])
    assert report.lost == {"r2": (4, 8), "b1": (1, 5)}
    with closing(Journal.open(tmp_path / "new", boot="after")) as journal:
        assert {table: journal.last_sequence(table) for table in journal.tables()} == {"b1": 6, "r1": 6, "r2": 9}
    assert verify_file(tmp_path / "new" / FILE_NAME).problems == []


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({"r3": 5}, "--after r3=5: the journal has no table r3; it has: r1, r2. Is all of it lost, give the --config"),
        ({"r1": 5}, "--after r1=5: the journal itself tells of events up to 6: leave it out, or give more than 6"),
        ({"r1": 0}, "events up to 6"),
        ({"r1": 7, "r2": 2, "r1 ": 9}, "--after r2=2: the journal itself"),
        ({"r1": 7, "r2": 2, "r1 ": 9}, "; --after r1 =9: the journal has no table r1 ;"),
    ],
)
def test_what_a_person_says_and_cannot_be_is_refused_with_all_of_it(
    state_dir: Path, tmp_path: Path, maker: Any, after: dict[str, int], said: str
) -> None:
    path = fill(state_dir, maker, rounds=2)
    with pytest.raises(JournalMisuse) as refusal:
        rescue(path, tmp_path / "new", after=after)
    assert said in str(refusal.value)
    assert list((tmp_path / "new").iterdir()) == []


def test_what_was_given_counts_though_its_rows_are_lost(
    state_dir: Path, tmp_path: Path, maker: Any, tamper: Any
) -> None:
    """A number is held against all that the journal tells, not against the rows that are whole."""
    path = fill(state_dir, maker, rounds=2)
    tamper("UPDATE entries SET boot = 'other' WHERE id = 3")
    with pytest.raises(JournalMisuse, match="r1=3: the journal itself tells of events up to 6"):
        rescue(path, tmp_path / "new", after={"r1": 3})
    assert rescue(path, tmp_path / "new", after={"r1": 6}).lost["r1"] == (2, 6)


def test_a_whole_journal_is_copied_whole(state_dir: Path, tmp_path: Path, maker: Any) -> None:
    """Where only an index or a free page is damaged."""
    path = fill(state_dir, maker)
    report = rescue(path, tmp_path / "new")
    assert (report.stopped, report.lost, report.evidence_missing) == (None, {}, [])
    old, new = verify_file(path), verify_file(tmp_path / "new" / FILE_NAME)
    assert (new.problems, new.head, new.evidence) == ([], old.head, old.evidence)


def test_evidence_that_is_gone_costs_no_row(state_dir: Path, tmp_path: Path, maker: Any, tamper: Any) -> None:
    path = fill(state_dir, maker)
    tamper("UPDATE evidence SET body = x'00' WHERE rowid = 2")
    report = rescue(path, tmp_path / "new")
    assert (report.lost, len(report.evidence_missing)) == ({}, 1)
    problems = verify_file(tmp_path / "new" / FILE_NAME).problems
    assert [problem.what for problem in problems] == [f"evidence {report.evidence_missing[0]} is missing"]


def test_after_retention_it_begins_with_the_anchor(state_dir: Path, tmp_path: Path, maker: Any, tamper: Any) -> None:
    path = fill(state_dir, maker)
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        events = list(journal.events("r1"))
        journal.remove(8, [Snapshot("r1", 6, b"{}", 1)], lambda _, sequence, __: sequence == 3, 0)
        reply = journal.reply_to("r1", "server-1", "c3")
    tamper("UPDATE entries SET boot = 'other' WHERE id = 14")  # before the anchor's own row
    report = rescue(path, tmp_path / "new")
    assert report.lost == {"r1": (11, 18), "r2": (1, 3)}
    with closing(Journal.open(tmp_path / "new", boot="after")) as journal:
        assert journal.first_sequence("r1") == 7
        assert [event.sequence for event in journal.events("r1", after=6)] == [7, 8, 9, 10, 19]
        assert journal.event_at("r1", 3) == events[2]
        assert journal.kept_state("r1") == Snapshot("r1", 6, b"{}", 1)
        assert journal.reply_to("r1", "server-1", "c3") == reply is not None
    assert verify_file(tmp_path / "new" / FILE_NAME).problems == []


def test_nothing_is_overwritten_and_nothing_half_is_left(
    state_dir: Path, tmp_path: Path, maker: Any, tamper: Any
) -> None:
    path = fill(state_dir, maker)
    with pytest.raises(JournalMisuse, match="is not empty: give a new directory"):
        rescue(path, state_dir)
    for nobody in (" ", "A. Tam\x1b[2J", "x" * 129):
        with pytest.raises(JournalMisuse, match="gives a name"):
            salvage(path, tmp_path / "new", by=nobody, boot="salvage", after={"r1": 40})
    assert list((tmp_path / "new").iterdir()) == []
    tamper("DELETE FROM about")
    with pytest.raises(JournalDamaged, match="lost its own id"):
        rescue(path, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("seed", range(12))
def test_torn_pages_anywhere(state_dir: Path, tmp_path: Path, maker: Any, seed: int) -> None:
    """What comes out is a prefix of what was committed and verifies; or it is said that nothing can be proved."""
    path = fill(state_dir, maker, rounds=30)
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        committed = {table: list(journal.events(table)) for table in journal.tables()}
    data, rng = bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(1 + seed % 3):
        start = rng.randrange(len(data) // 4096) * 4096 + rng.randrange(4000)
        data[start : start + 90] = rng.randbytes(90)
    path.write_bytes(data[: path.stat().st_size])
    try:
        report = rescue(path, tmp_path / "new")
    except JournalDamaged as error:
        said = str(error)
    else:
        said = None
    if said is not None:
        assert str(path) in said
        assert list((tmp_path / "new").glob("*")) == []
        return
    with closing(Journal.open(tmp_path / "new", boot="after")) as journal:
        for table, events in committed.items():
            there = list(journal.events(table))
            if table in report.lost:
                assert isinstance(there.pop().data, EventsLost)
                assert journal.last_sequence(table) > events[-1].sequence
            assert there == events[: len(there)]
            assert len(there) == report.events.get(table, 0)
            assert table in report.lost or there == events
    assert [p.what for p in verify_file(tmp_path / "new" / FILE_NAME).problems] == [
        f"evidence {name} is missing" for name in report.evidence_missing
    ]


def test_the_command(
    state_dir: Path, tmp_path: Path, maker: Any, tamper: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = fill(state_dir, maker)
    tamper("UPDATE entries SET boot = 'other' WHERE id = 11")
    arguments = ["journal", "salvage", str(path), "--by", "A. Tam", "--after", "r1=25"]
    assert main([*arguments, "--to", str(tmp_path / "one")]) == 0
    said = capsys.readouterr().out
    assert "10 rows were copied; row 11 was changed" in said
    assert "r1: events up to 7 are there; events 8 to 25 are lost; the table goes on with 26, paused" in said
    assert "r2: events 1 to 3 are lost" in said
    assert main([*arguments, "--to", str(tmp_path / "two"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lost"] == {"r1": [8, 25], "r2": [1, 3]}
    assert main([*arguments, "--to", str(tmp_path / "two")]) == 2
    assert main([*arguments, "--to", str(tmp_path / "three"), "--after", "r1"]) == 2
    assert "TABLE=N" in capsys.readouterr().err
    assert main([*arguments, "--to", str(tmp_path / "three"), "--after", "r1=26"]) == 2
    assert "--after r1=26: r1 is there twice" in capsys.readouterr().err
    assert main([*arguments, "--to", str(tmp_path / "three"), "--after", "w1=4"]) == 2
    assert "the journal has no table w1; it has: r1, r2" in capsys.readouterr().err
    (tmp_path / "station.toml").write_text(STATION)
    more = ["--after", "w1=4", "--config", str(tmp_path / "station.toml")]
    assert main([*arguments, "--to", str(tmp_path / "three"), *more]) == 0, "a table of the configuration"
    assert "w1: events 1 to 4 are lost" in capsys.readouterr().out
    assert main(["journal", "verify", str(tmp_path / "one" / FILE_NAME)]) == 0


def test_the_command_says_what_is_lost_beside_rows_and_takes_the_public_keys_along(
    state_dir: Path, tmp_path: Path, maker: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = fill(state_dir, maker)
    arguments = ["journal", "salvage", str(path), "--by", "A. Tam", "--to", str(tmp_path / "new")]
    assert main(arguments) == 0
    assert "no public-keys beside the journal" in capsys.readouterr().out
    shutil.rmtree(tmp_path / "new")
    (state_dir / "public-keys").mkdir()
    for name in ("0123456789abcdef.pem", "fedcba9876543210.pem"):
        (state_dir / "public-keys" / name).write_text(name)
    lose_cursors(path, "zeros")
    assert main(arguments) == 2
    assert "--after r1=N --after r2=N" in capsys.readouterr().err
    for beyond in (2**53, 2**63 - 1):
        assert main([*arguments, "--after", "r2=3", "--after", f"r1={beyond}"]) == 2
        assert f"--after r1={beyond}: a table can go on after {2**52} at most" in capsys.readouterr().err
    assert main([*arguments, "--after", "r2=3", "--after", "r1=18"]) == 0
    said = capsys.readouterr().out
    assert "r1: how far it was published is lost: every event that is kept is sent again" in said
    assert "positions of consumers may be lost (" in said
    assert "no public-keys" not in said
    kept = {file.name: file.read_text() for file in (tmp_path / "new" / "public-keys").iterdir()}
    assert kept == {name: name for name in ("0123456789abcdef.pem", "fedcba9876543210.pem")}


def test_going_on_behind_an_older_copy(journal: Journal, maker: Any) -> None:
    maker.round(journal, "r1", 1)
    assert continue_after(journal, {"r1": 3, "r2": 0}, reason="journal_salvaged", by="pit", boot=BOOT) == {}
    assert continue_after(journal, {"r1": 9}, reason="journal_salvaged", by="pit", boot=BOOT) == {"r1": 10}
    assert [event.sequence for event in journal.events("r1")] == [1, 2, 3, 10]
    assert [event.sequence for event in journal.events("r1", after=5)] == [10]
    assert verify_file(journal.path).problems == []
    state = fold(TableState(table="r1"), list(journal.events("r1")))
    assert state.sequence == 10
    with pytest.raises(ValueError, match="cannot follow"):
        apply(TableState(table="r1"), list(journal.events("r1"))[-1])
