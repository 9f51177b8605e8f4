"""When the disk does not take a commit: it is said, nothing is half written, and all goes on once the disk is well."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.evidence import Evidence
from dealer_daemon.journal import Journal, JournalDamaged, JournalUnavailable, Snapshot, verify_file
from dealer_daemon.journal.blobs import name_of
from dealer_daemon.journal.store import MAINTAIN_AFTER_COMMITS

BOOT = "boot-1"


def big_evidence(number: int) -> Evidence:
    body = number.to_bytes(4, "big") * 20_000
    return Evidence(name_of(body), body, "image/png")


def pages(journal: Journal) -> int:
    (count,) = journal._db.execute("PRAGMA page_count").fetchone()
    return int(count)


def test_a_full_disk_takes_nothing_and_then_everything(journal: Journal, maker: Any) -> None:
    maker.round(journal, "r1", 1)
    head = journal.head()
    journal._db.execute(f"PRAGMA max_page_count = {pages(journal)}")
    blob = big_evidence(1)
    event, record = maker.outcome("r1", 1, [blob]), maker.command("r1", "later")
    for _ in range(2):
        with pytest.raises(
            JournalUnavailable, match=r"disk is full: free space on the file system of .*state"
        ) as caught:
            journal.commit([event], [blob], record, [Snapshot("r1", 4, b"state", 1)])
        assert "may be tried again" in str(caught.value)
    assert (journal.head(), journal.last_sequence("r1")) == (head, 3)
    assert len(list(journal.events("r1"))) == 3
    assert journal.evidence(blob.hash) is None
    assert journal.reply_to("r1", "server-1", "later") is None
    assert journal.snapshot("r1", 1) is None
    assert verify_file(journal.path, expect_head=head).ok

    journal._db.execute("PRAGMA max_page_count = 1073741823")
    journal.commit([event], [blob], record, [Snapshot("r1", 4, b"state", 1)])
    assert journal.event_at("r1", 4) == event
    assert verify_file(journal.path).ok


def test_listeners_hear_nothing_of_what_failed(journal: Journal, maker: Any) -> None:
    heard: list[Any] = []
    journal.add_listener(heard.append)
    journal._db.execute(f"PRAGMA max_page_count = {pages(journal)}")
    blob = big_evidence(1)
    with pytest.raises(JournalUnavailable):
        journal.commit([maker.outcome("r1", 1, [blob])], [blob])
    assert heard == []


FILE_SIZE_PROGRAM = """
import resource, signal, sys
from pathlib import Path
from dealer_daemon.events import BettingClosed, Event
from dealer_daemon.journal import Journal, JournalUnavailable

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal.open(Path(sys.argv[1]), boot="boot-1")

def event(sequence):
    return Event(table="r1", sequence=sequence, subject=None, wall_ns=1, mono_ns=1, boot="boot-1",
                 data=BettingClosed(game="x" * 2000, source="device"))

def fill(until):
    sequence = journal.last_sequence("r1")
    while sequence < until:
        journal.commit([event(sequence + 1)])
        sequence += 1

fill(20)
wal = Path(sys.argv[1]) / "journal.sqlite3-wal"
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (wal.stat().st_size + 50_000, hard))
try:
    fill(1000)
except JournalUnavailable as error:
    print("refused after", journal.last_sequence("r1"), "because", error)
refused = journal.last_sequence("r1")
try:
    journal.commit([event(refused + 1)])
except JournalUnavailable:
    print("and again")
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
fill(refused + 5)
print("done", refused)
if sys.argv[2] == "kill":
    signal.raise_signal(signal.SIGKILL)
journal.close()
"""


@pytest.mark.parametrize("end", ["kill", "close"])
def test_writes_that_the_system_cuts_short(state_dir: Path, end: str) -> None:
    """A file-size limit makes the write-ahead log's own writes fail in the middle, as a full disk does."""
    run = subprocess.run(
        [sys.executable, "-c", FILE_SIZE_PROGRAM, str(state_dir), end], capture_output=True, text=True, timeout=60
    )
    lines = run.stdout.splitlines()
    assert run.returncode == (-9 if end == "kill" else 0), run.stderr
    assert lines[0].startswith("refused after ")
    assert "Nothing of it was written and it may be tried again" in lines[0]
    assert lines[1] == "and again"
    refused = int(lines[2].removeprefix("done "))
    assert 20 < refused < 1000
    report = verify_file(state_dir / "journal.sqlite3")
    assert (report.problems, report.events) == ([], {"r1": refused + 5})
    with closing(Journal.open(state_dir, boot=BOOT)) as journal:
        assert [event.sequence for event in journal.events("r1")] == list(range(1, refused + 6))


TMPFS_PROGRAM = """
import sys
from pathlib import Path
from dealer_daemon.events import BettingClosed, Event
from dealer_daemon.journal import Journal, JournalUnavailable, verify_file

folder = Path(sys.argv[1])
journal = Journal.open(folder / "state", boot="boot-1")
(folder / "film").write_bytes(bytes(300_000))

def commit():
    n = journal.last_sequence("r1") + 1
    data = BettingClosed(game="x" * 2000, source="device")
    journal.commit([Event(table="r1", sequence=n, subject=None, wall_ns=1, mono_ns=1, boot="boot-1", data=data)])

refusal = ""
while not refusal:
    try:
        commit()
    except JournalUnavailable as error:
        refusal = str(error)
print(refusal)
full = journal.last_sequence("r1")
report = verify_file(journal.path, expect_head=journal.head())
print(full > 0, report.ok, report.events == {"r1": full})
(folder / "film").unlink()
for _ in range(5):
    commit()
journal.maintain(force=True)
journal.close()
report = verify_file(journal.path)
print(report.ok, report.events == {"r1": full + 5})
"""


def test_a_file_system_without_space(tmp_path: Path) -> None:
    """A real one, of 1 MB, in a mount namespace of its own."""
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    mount = f"mount -t tmpfs -o size=1m none {tmp_path}"
    if not shutil.which("unshare") or subprocess.run([*enter, "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("this system does not let its users mount a file system of their own")
    program = [*enter, "sh", "-c", f'{mount} && exec "$0" "$@"', sys.executable, "-c", TMPFS_PROGRAM, str(tmp_path)]
    run = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    refusal, *facts = run.stdout.splitlines()
    assert "SQLITE_FULL" in refusal
    assert "the disk is full: free space" in refusal
    assert facts == ["True True True", "True True"]


def test_another_writer_is_named_as_the_reason(journal: Journal, maker: Any) -> None:
    event = maker.closed("r1")
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalUnavailable, match="another program writes in the journal: close it"):
            journal.commit([event])
        with pytest.raises(JournalUnavailable):
            journal.save_snapshot(Snapshot("r1", 1, b"", 1))
        other.execute("ROLLBACK")
    journal.commit([event])
    assert journal.last_sequence("r1") == 1


def test_rows_that_another_program_put_in_stop_the_daemon(journal: Journal, maker: Any) -> None:
    journal.commit([maker.closed("r1")])
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute(
            "INSERT INTO entries "
            "SELECT 2, 'x', kind, sequence, type, NULL, 0, 0, '', NULL, NULL, body, '', hash, NULL, NULL FROM entries"
        )
    with pytest.raises(JournalDamaged, match="row 1 is not its end any more"):
        journal.commit([maker.closed("r1")])
    assert journal.event_at("r1", 2) is None


def test_rows_cannot_be_changed_by_a_slip(journal: Journal, maker: Any) -> None:
    maker.round(journal, "r1", 1)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        for statement in (
            "UPDATE entries SET subject = 'x'",
            "DELETE FROM entries",
            "UPDATE evidence SET body = x'00'",
            "DELETE FROM evidence",
        ):
            with pytest.raises(sqlite3.IntegrityError, match=r"never|go only|goes only"):
                other.execute(statement)


@pytest.mark.parametrize("name", ["journal.sqlite3", "journal.sqlite3-wal"])
@pytest.mark.parametrize("replace", [True, False])
def test_files_that_were_taken_away_take_no_more_commits(
    journal: Journal, maker: Any, name: str, replace: bool
) -> None:
    """SQLite would go on writing into the deleted file, and all of it would be lost with the process."""
    maker.round(journal, "r1", 1)
    path = journal.path.with_name(name)
    aside = path.with_name("aside")
    path.rename(aside)
    if replace:
        path.write_bytes(b"")
    with pytest.raises(JournalDamaged, match="deleted or replaced while the daemon runs"):
        journal.commit([maker.event("r1", 4)])
    with pytest.raises(JournalDamaged):
        journal.set_cursors({("r1", "publisher"): 1})
    aside.rename(path)  # put back in time, nothing is lost
    journal.commit([maker.event("r1", 4)])
    assert verify_file(journal.path).ok


def test_a_deleted_wal_is_saved_by_closing(journal: Journal, state_dir: Path, maker: Any) -> None:
    """What the error says: stop the daemon, what it still holds goes into the journal then."""
    maker.round(journal, "r1", 1)
    head = journal.head()
    journal.path.with_name("journal.sqlite3-wal").unlink()
    with pytest.raises(JournalDamaged, match="Stop the daemon"):
        journal.commit([maker.event("r1", 4)])
    journal.close()
    report = verify_file(state_dir / "journal.sqlite3", expect_head=head)
    assert (report.problems, report.rows) == ([], 4)


def test_a_disk_that_fails_while_reading(journal: Journal, maker: Any) -> None:
    """A database page that cannot be read is damage; the error says what to do."""
    for number in range(40):
        maker.round(journal, "r1", number)
    journal.maintain(force=True)
    journal.close()
    size = journal.path.stat().st_size
    with journal.path.open("r+b") as file:
        file.truncate(size // 2 // 4096 * 4096)
    with pytest.raises(JournalDamaged, match="journal verify"):
        Journal.open(journal.path.parent, boot=BOOT)


def test_maintenance_empties_the_log_when_it_is_worth_it(journal: Journal, maker: Any) -> None:
    def in_log() -> int:
        """Pages of the log that are not in the database yet; a forced look would change it."""
        _, log, done = journal._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return int(log - done)

    assert journal.maintain() is False
    for _ in range(MAINTAIN_AFTER_COMMITS - 1):
        journal.commit([maker.closed("r1")])
    size = journal.path.stat().st_size
    assert journal.maintain() is False
    assert journal.path.stat().st_size == size
    journal.commit([maker.closed("r1")])
    assert journal.maintain() is True
    assert journal.path.stat().st_size > size, "the rows are in the database now"
    assert in_log() == 0
    assert journal.maintain() is False
    wal = journal.path.with_name("journal.sqlite3-wal")
    grown = wal.stat().st_size
    for _ in range(4):
        journal.commit([maker.closed("r1")])
    assert wal.stat().st_size == grown, "the log is written over from its beginning"
    assert verify_file(journal.path).ok


def test_the_log_is_bounded_without_maintenance(journal: Journal, maker: Any) -> None:
    for number in range(25):
        blob = big_evidence(number)
        journal.commit([maker.outcome("r1", 1, [blob])], [blob])
        blob = big_evidence(number + 1000)
        journal.commit([maker.outcome("r1", 1, [blob])], [blob])
    assert journal.path.with_name("journal.sqlite3-wal").stat().st_size < 5_000_000
    assert journal.path.stat().st_size > 2_000_000
