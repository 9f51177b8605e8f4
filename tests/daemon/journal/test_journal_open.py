"""A journal is opened by one daemon, and only when it is what it should be; every refusal says what to do."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.journal import (
    Journal,
    JournalBusy,
    JournalDamaged,
    JournalTooNew,
    JournalUnavailable,
    StateDirUnusable,
    files,
    health,
    verify_file,
)
from dealer_daemon.journal.tail import TAIL_ROWS

BOOT = "boot-1"


def open_and_close(state_dir: Path) -> None:
    Journal.open(state_dir, boot=BOOT).close()


@pytest.mark.parametrize("umask", [0, 0o077])
def test_a_new_journal_is_private_to_the_daemon_and_its_group(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        state_dir = tmp_path / "var" / "state"
        with closing(Journal.open(state_dir, boot=BOOT)) as journal:
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state_dir.iterdir()}
            assert modes == {
                "journal.lock": 0o640 & ~umask,
                "journal.head": 0o640,
                "journal.sqlite3": 0o640,
                "journal.sqlite3-wal": 0o640,
                "journal.sqlite3-shm": 0o640,
            }
            assert stat.S_IMODE(state_dir.stat().st_mode) == 0o750
            assert journal.path == state_dir / "journal.sqlite3"
    finally:
        os.umask(before)


def test_a_directory_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o770)
    open_and_close(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o770


def test_every_commit_is_durable(journal: Journal) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    settings = {name: journal._db.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 0}


def test_a_journal_keeps_its_id(state_dir: Path, tmp_path: Path) -> None:
    ids = []
    for folder in (state_dir, state_dir, tmp_path / "other"):
        with closing(Journal.open(folder, boot=BOOT)) as journal:
            ids.append(journal.journal_id)
    assert ids[0] == ids[1] != ids[2]


def test_a_second_daemon_is_refused_and_told_whom_to_stop(journal: Journal, state_dir: Path) -> None:
    program = f"""
from pathlib import Path
from dealer_daemon.journal import Journal, JournalBusy
try:
    Journal.open(Path({str(state_dir)!r}), boot="second")
except JournalBusy as error:
    print(error.pid, error)
"""
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=30)
    assert answer.stdout.startswith(f"{os.getpid()} ")
    assert "systemctl stop dealer-station" in answer.stdout
    with pytest.raises(JournalBusy) as caught:
        Journal.open(state_dir, boot="second")
    assert caught.value.pid == os.getpid()
    journal.close()
    open_and_close(state_dir)


@pytest.mark.usefixtures("journal")
def test_a_busy_lock_without_a_process_id(state_dir: Path) -> None:
    (state_dir / "journal.lock").write_text("")
    with pytest.raises(JournalBusy, match="process unknown") as caught:
        Journal.open(state_dir, boot="second")
    assert caught.value.pid is None


def test_the_lock_of_a_dead_daemon_locks_nobody_out(state_dir: Path) -> None:
    program = f"""
import os, signal
from pathlib import Path
from dealer_daemon.journal import Journal
journal = Journal.open(Path({str(state_dir)!r}), boot="killed")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=30).returncode == -9
    assert (state_dir / "journal.lock").read_text().strip().isdigit()
    open_and_close(state_dir)


def test_a_failed_open_lets_go_of_the_lock(state_dir: Path) -> None:
    state_dir.mkdir()
    (state_dir / "journal.sqlite3").write_bytes(b"")
    for _ in range(2):
        with pytest.raises(JournalDamaged):
            Journal.open(state_dir, boot=BOOT)
    (state_dir / "journal.sqlite3").unlink()
    open_and_close(state_dir)


def test_a_newer_schema_is_refused(state_dir: Path) -> None:
    open_and_close(state_dir)
    with closing(sqlite3.connect(state_dir / "journal.sqlite3")) as db:
        db.execute("PRAGMA user_version = 4")
    before = (state_dir / "journal.sqlite3").read_bytes()
    with pytest.raises(JournalTooNew, match=r"version 4 .* up to 3\. Install"):
        Journal.open(state_dir, boot=BOOT)
    with pytest.raises(JournalTooNew):
        verify_file(state_dir / "journal.sqlite3")
    assert (state_dir / "journal.sqlite3").read_bytes() == before


def _text(path: Path) -> None:
    path.write_text("The journal of another trade.\n" * 200)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE entries (id INTEGER PRIMARY KEY)")


def _other_application(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA application_id = 1")
        db.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize("make", [_text, _empty, _other_database, _other_application])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(state_dir: Path, make: Any) -> None:
    state_dir.mkdir()
    path = state_dir / "journal.sqlite3"
    make(path)
    before = path.read_bytes()
    with pytest.raises(JournalDamaged, match="Do not delete or edit it"):
        Journal.open(state_dir, boot=BOOT)
    report = verify_file(path)
    assert not report.ok
    assert report.problems[0].row is None
    assert path.read_bytes() == before


def test_a_journal_that_is_gone_is_not_begun_anew_beside_its_wal(state_dir: Path) -> None:
    state_dir.mkdir()
    (state_dir / "journal.sqlite3-wal").write_bytes(b"what the last events are in")
    with pytest.raises(JournalDamaged, match="is gone though its -wal file is there"):
        Journal.open(state_dir, boot=BOOT)
    assert not (state_dir / "journal.sqlite3").exists()


def test_a_crash_while_the_journal_is_made_is_no_matter(state_dir: Path) -> None:
    state_dir.mkdir()
    (state_dir / "journal.sqlite3.new").write_bytes(b"half of it")
    (state_dir / "journal.sqlite3.new-journal").write_bytes(b"half of it")
    open_and_close(state_dir)
    assert verify_file(state_dir / "journal.sqlite3").ok
    assert not (state_dir / "journal.sqlite3.new").exists()


def test_a_directory_that_cannot_be_written_says_what_to_do(open_folder: Path, as_nobody: Any) -> None:
    open_folder.chmod(0o555)
    refusal = pytest.raises(StateDirUnusable, match=r"Permission denied.*daemon's user.*`state_dir`")
    for folder in (open_folder, open_folder / "state"):
        with as_nobody(), refusal as caught:
            Journal.open(folder, boot=BOOT)
        assert str(folder) in str(caught.value)


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    for folder in (tmp_path / "state", tmp_path / "state" / "deeper"):
        with pytest.raises(StateDirUnusable, match="state_dir"):
            Journal.open(folder, boot=BOOT)


@pytest.mark.parametrize("name", ["journal.lock", "journal.head"])
@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EIO])
def test_a_disk_that_does_not_take_it_now_is_no_wrong_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    """Whoever started the station tries again then; nobody does after a wrong configuration."""
    opened = os.open

    def refuses(path: Any, *arguments: Any) -> int:
        if Path(path).name == name:
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", refuses)
    with pytest.raises(JournalUnavailable, match=os.strerror(number)):
        Journal.open(tmp_path / "state", boot=BOOT)


def test_a_journal_of_another_user_says_what_to_do(open_folder: Path, as_nobody: Any) -> None:
    open_and_close(open_folder)
    (open_folder / "journal.sqlite3").chmod(0o400)
    (open_folder / "journal.lock").chmod(0o666)
    with as_nobody(), pytest.raises(StateDirUnusable, match="daemon's user"):
        Journal.open(open_folder, boot=BOOT)


def fill(state_dir: Path, maker: Any, rounds: int) -> None:
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        for number in range(rounds):
            maker.round(journal, "r1", number)


LONG = TAIL_ROWS + 40


def fill_long(state_dir: Path, maker: Any) -> None:
    """More rows than are checked at an open, each an event, in one commit."""
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        journal.commit([maker.closed("r1") for _ in range(LONG)])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), 'roulette', 'roulettE') AS BLOB) WHERE id = {row}",
        "UPDATE entries SET boot = 'other' WHERE id = {row}",
        "UPDATE entries SET hash = zeroblob(32) WHERE id = {row}",
        "DELETE FROM entries WHERE id = {row}",
        "UPDATE about SET journal_id = 'other'",
    ],
)
def test_a_damaged_end_is_refused(state_dir: Path, maker: Any, tamper: Any, statement: str) -> None:
    fill(state_dir, maker, 5)
    tamper(statement.format(row=19))
    for _ in range(2):  # and it lets go of the lock
        with pytest.raises(JournalDamaged, match=r"row (1|19|20) .*journal verify"):
            Journal.open(state_dir, boot=BOOT)


def test_a_row_missing_near_the_end_is_named(state_dir: Path, maker: Any, tamper: Any) -> None:
    fill(state_dir, maker, 5)
    tamper("DELETE FROM entries WHERE id = 19")
    with pytest.raises(JournalDamaged, match="row 19 is missing"):
        Journal.open(state_dir, boot=BOOT)


@pytest.mark.parametrize("filler", [1, TAIL_ROWS])
def test_a_sequence_left_out_by_whoever_wrote_it(
    state_dir: Path, maker: Any, monkeypatch: pytest.MonkeyPatch, filler: int
) -> None:
    """The chain is right and the events are not: no program of ours writes this, and none goes on from it."""
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        journal.commit([maker.closed("r2"), *(maker.closed("r1") for _ in range(filler))])
        monkeypatch.setattr(Journal, "_next_sequences", lambda *_: {})
        journal.commit([maker.event("r2", 3)])
    with pytest.raises(JournalDamaged, match="event 2 of table r2 is missing"):
        Journal.open(state_dir, boot=BOOT)
    report = verify_file(state_dir / "journal.sqlite3")
    assert [problem.what for problem in report.problems] == ["it is event 3 of table r2 where event 2 belongs"]


def test_an_index_that_hides_events(state_dir: Path, maker: Any, hide_events: Any) -> None:
    fill(state_dir, maker, 1)
    hide_events()
    with pytest.raises(JournalDamaged, match="missing from index entries_by_sequence"):
        Journal.open(state_dir, boot=BOOT)


def test_a_look_at_a_large_file_is_cut_short(
    state_dir: Path, maker: Any, hide_events: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it did not come to is checked where it is read."""
    fill_long(state_dir, maker)
    hide_events()
    monkeypatch.setattr(health, "_STEPS", 50)
    with closing(sqlite3.connect(state_dir / "journal.sqlite3")) as db:
        assert health.look(db, state_dir / "journal.sqlite3", seconds=-1) is False
        with pytest.raises(JournalDamaged, match="missing from index"):
            health.look(db, state_dir / "journal.sqlite3", seconds=60)
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (LONG,), "the connection is free again"
    monkeypatch.setattr(files, "look", lambda *_: False)
    with pytest.raises(JournalDamaged, match="event 1 of table r1 is missing"):
        Journal.open(state_dir, boot=BOOT)


def test_an_index_that_hides_events_from_a_start_that_did_not_look(
    state_dir: Path, maker: Any, hide_events: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(state_dir, maker, 1)
    hide_events()
    monkeypatch.setattr(files, "look", lambda *_: False)
    with pytest.raises(JournalDamaged, match="the index of the events of table r1 does not agree"):
        Journal.open(state_dir, boot=BOOT)


def test_the_last_rows_are_checked_and_no_more(state_dir: Path, maker: Any, tamper: Any) -> None:
    fill_long(state_dir, maker)
    tamper(f"UPDATE entries SET boot = 'other' WHERE id = {LONG - TAIL_ROWS}")
    open_and_close(state_dir)  # for `verify_file` to find
    assert not verify_file(state_dir / "journal.sqlite3").ok
    tamper(f"UPDATE entries SET boot = 'other' WHERE id = {LONG - TAIL_ROWS + 1}")
    with pytest.raises(JournalDamaged, match=f"row {LONG - TAIL_ROWS + 1} "):
        Journal.open(state_dir, boot=BOOT)


def test_events_missing_before_the_last_rows_are_noticed(state_dir: Path, maker: Any, tamper: Any) -> None:
    fill_long(state_dir, maker)
    tamper("DELETE FROM entries WHERE id = 40")  # the last event before the checked rows, which the chain leaps over
    with pytest.raises(JournalDamaged, match="row 40 is missing"):
        Journal.open(state_dir, boot=BOOT)


def test_a_quiet_table_is_known_however_long_ago_it_spoke(state_dir: Path, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        journal.commit([maker.closed("quiet"), maker.closed("quiet")])
    fill_long(state_dir, maker)
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        assert (journal.last_sequence("quiet"), journal.tables()) == (2, ["quiet", "r1"])
        journal.commit([maker.closed("quiet")])
    assert verify_file(state_dir / "journal.sqlite3").ok


def test_an_event_of_a_newer_version_is_not_passed_over(
    journal: Journal, maker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.commit([maker.opened("r1"), maker.closed("r1")])
    # Another table, not the one itself: an entry put back would stand at its end, and schemas keep the order.
    older = {word: cls for word, cls in EVENT_TYPES.items() if word != "betting.closed"}
    monkeypatch.setattr("dealer_daemon.events.EVENT_TYPES", older)
    reading = journal.events("r1")
    assert next(reading).sequence == 1
    with pytest.raises(JournalTooNew, match=r"event 2 of r1.*Install the version"):
        next(reading)


def test_rows_that_cannot_be_read_are_damage(state_dir: Path, maker: Any, tamper: Any) -> None:
    fill(state_dir, maker, 1)
    fill_long(state_dir, maker)
    tamper(
        "UPDATE entries SET body = CAST('{}' AS BLOB) WHERE id = 1",
        "UPDATE entries SET body = CAST('{}' AS BLOB) WHERE id = 2",
        "DELETE FROM entries WHERE id = 3",
    )
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        with pytest.raises(JournalDamaged, match="row 1 is not what was written"):
            next(journal.events("r1"))
        with pytest.raises(JournalDamaged, match="row 2 is not what was written"):
            journal.reply_to("r1", "server-1", "c3")
        with pytest.raises(JournalDamaged, match="row 3 is missing"):
            list(journal.events("r1", after=1))
