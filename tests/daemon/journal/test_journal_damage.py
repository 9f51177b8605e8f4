"""A flipped bit or a torn page anywhere in the files: the right data, or a refusal with words. Never a silent skip."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.journal import Head, Journal, JournalDamaged, JournalError, JournalTooNew, verify_file

FILE, WAL, SEEN = "journal.sqlite3", "journal.sqlite3-wal", "journal.head"
PAGE = 4096

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Maker
from dealer_daemon.journal import Journal, Snapshot
state_dir = Path(sys.argv[1])
journal, maker = Journal.open(state_dir, boot="killed", sign=lambda event: b"%088d" % event.sequence), Maker()
for number in range(1, 7):
    maker.round(journal, "r1", number)
    maker.round(journal, "r2", number + 10)
journal.save_snapshot(Snapshot("r1", 18, b"state", 1))
journal.set_cursors({("r1", "published"): 18, ("r1", "ack/bank"): 9})
journal.remove(8, [Snapshot("r1", 3, b"after 3", 1), Snapshot("r2", 3, b"after 3", 1)],
               lambda table, sequence, subject: (table, sequence) == ("r1", 2), 0)
if sys.argv[3] == "checkpoint":
    journal.maintain(force=True)
for number in range(7, 9):
    maker.round(journal, "r1", number)
print(*journal.head(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@dataclass
class Whole:
    """A journal as a kill left it, and what is in it."""

    folder: Path
    head: Head
    content: dict[str, Any]


def content(journal: Journal) -> dict[str, Any]:
    """Everything that a daemon reads of a journal."""
    tables = journal.tables()
    signed = {table: list(journal.signed_events(table, after=journal.first_sequence(table) - 1)) for table in tables}
    events = {table: [one.event for one in of] for table, of in signed.items()}
    names = {name for of in events.values() for event in of for name in getattr(event.data, "evidence", ())}
    return {
        "head": journal.head(),
        "events": signed,
        "cursors": {table: journal.cursors(table) for table in tables},
        "id": journal.journal_id,
        "newest": {
            (table, word): journal.newest(table, word)
            for table in tables
            for word in ("round.outcome", "round.opened", "betting.closed", "table.paused")
        },
        "kept": {table: (journal.event_at(table, 2), journal.kept_state(table)) for table in tables},
        "replies": {
            (table, number): journal.reply_to(table, "server-1", f"c{number}")
            for table in tables
            for number in range(1, 26)
        },
        "evidence": {name: journal.evidence(name) for name in names},
    }


@pytest.fixture(params=["checkpoint", "wal"], scope="module")
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole") / "state"
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(Path(__file__).parent), request.param],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    row, digest = run.stdout.split()
    aside = folder.with_name("aside")
    shutil.copytree(folder, aside)
    with closing(Journal.open(aside, boot="look")) as journal:
        found = content(journal)
    assert found["head"] == (int(row), digest)
    return Whole(folder, Head(int(row), digest), found)


def outcome(state_dir: Path, whole: Whole) -> str:
    """Open the journal as a daemon does and read everything: ``right``, ``refused``, or a failure of the test."""
    said = None
    try:
        with closing(Journal.open(state_dir, boot="after")) as journal:
            found = content(journal)
    except (JournalDamaged, JournalTooNew) as error:
        said = str(error)
    if said is not None:
        assert FILE in said
        assert re.search("journal verify|Install the version", said), "it says what to do"
        return "refused"
    assert found == whole.content, "neither right nor refused"
    return "right"


def flipped(whole: Whole, to: Path, name: str, place: int, mask: int) -> Path:
    shutil.copytree(whole.folder, to)
    file = to / name
    data = bytearray(file.read_bytes())
    data[place % len(data)] ^= mask
    file.write_bytes(data)
    return to


@pytest.fixture
def room(state_dir: Path) -> Path:
    """In memory, where there is such a place."""
    state_dir.mkdir()
    return state_dir


def places(size: int, count: int, seed: int) -> list[int]:
    """Every byte of the header, and some of all the rest."""
    rng = random.Random(seed)
    header = rng.sample(range(100), min(count // 4, 100))
    return header + [rng.randrange(size) for _ in range(count - len(header))]


@pytest.mark.parametrize("name", [FILE, WAL, SEEN])
def test_a_flipped_byte_is_harmless_or_refused(whole: Whole, room: Path, name: str) -> None:
    flip_bytes(whole, room, name, 40)


def flip_bytes(whole: Whole, room: Path, name: str, flips: int) -> None:
    size = (whole.folder / name).stat().st_size
    if size == 0:
        return
    counts = {"right": 0, "refused": 0}
    for number, place in enumerate(places(size, flips, seed=size)):
        mask = 0xFF if number % 2 else 1 << number // 2 % 8
        folder = flipped(whole, room / str(number), name, place, mask)
        counts[outcome(folder, whole)] += 1
        shutil.rmtree(folder)
    if name == SEEN:
        assert counts["refused"] == 0, "a note that cannot be read says nothing"
    elif name == WAL or (whole.folder / WAL).stat().st_size < PAGE * 20:
        assert counts["refused"] > 0


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", [FILE, WAL])
def test_many_flipped_bytes(whole: Whole, room: Path, name: str) -> None:
    flip_bytes(whole, room, name, 4_000)


@pytest.mark.parametrize("name", [FILE, WAL])
@pytest.mark.parametrize("half", ["zeros", "other"])
def test_a_torn_page_is_harmless_or_refused(whole: Whole, room: Path, name: str, half: str) -> None:
    """The second half of a page: not written, or of another page."""
    data = (whole.folder / name).read_bytes()
    starts = range(0, len(data), PAGE)
    for number, start in enumerate(starts[:: len(starts) // 16 + 1]):
        folder = room / str(number)
        shutil.copytree(whole.folder, folder)
        torn = bytearray(data)
        torn[start + PAGE // 2 : start + PAGE] = bytes(PAGE // 2) if half == "zeros" else data[: PAGE // 2]
        (folder / name).write_bytes(torn[: len(data)])
        outcome(folder, whole)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [FILE, WAL])
def test_a_file_cut_off_anywhere_is_refused(whole: Whole, room: Path, name: str) -> None:
    size = (whole.folder / name).stat().st_size
    for number, end in enumerate(range(0, size, max(PAGE // 2, size // 12))):
        folder = room / str(number)
        shutil.copytree(whole.folder, folder)
        with (folder / name).open("r+b") as file:
            file.truncate(end)
        outcome(folder, whole)
        shutil.rmtree(folder)


def test_a_log_that_lost_its_end_is_refused(whole: Whole, tmp_path: Path) -> None:
    """SQLite itself takes it for a log that ends there."""
    folder = tmp_path / "state"
    shutil.copytree(whole.folder, folder)
    (folder / WAL).unlink()
    (folder / "journal.sqlite3-shm").unlink()
    with pytest.raises(JournalDamaged, match=r"row \d+ was committed: its end, or a page of its write-ahead log"):
        Journal.open(folder, boot="after")
    assert any("its end was cut off" in problem.what for problem in verify_file(folder / FILE).problems)


def test_a_journal_that_is_gone_is_not_begun_anew(whole: Whole, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    shutil.copytree(whole.folder, folder)
    for path in folder.glob(FILE + "*"):
        path.unlink()
    with pytest.raises(JournalDamaged, match=rf"is gone; it had {whole.head.row} rows"):
        Journal.open(folder, boot="after")
    assert not (folder / FILE).exists()


def test_another_journal_in_its_place_is_refused(whole: Whole, tmp_path: Path) -> None:
    Journal.open(tmp_path / "other", boot="other").close()
    folder = tmp_path / "state"
    shutil.copytree(whole.folder, folder)
    for path in folder.glob(FILE + "*"):
        path.unlink()
    shutil.copy(tmp_path / "other" / FILE, folder / FILE)
    with pytest.raises(JournalDamaged, match=r"another journal than the one that journal\.head"):
        Journal.open(folder, boot="after")


def test_a_file_cut_off_while_it_is_open_takes_no_more(journal: Journal, maker: Any) -> None:
    for number in range(40):
        maker.round(journal, "r1", number)
    journal.maintain(force=True)
    journal.commit([maker.closed("r1")])
    with journal.path.open("r+b") as file:
        file.truncate(journal.path.stat().st_size // 2 // PAGE * PAGE)
    with pytest.raises(JournalDamaged, match=r"cut off"):
        journal.commit([maker.event("r1", journal.last_sequence("r1") + 1)])
    with pytest.raises(JournalDamaged):
        list(journal.events("r1"))


def test_a_log_emptied_while_it_is_open_is_never_a_new_beginning(journal: Journal, maker: Any) -> None:
    for number in range(10):
        maker.round(journal, "r1", number)
    last = journal.last_sequence("r1")
    with journal.path.with_name(WAL).open("r+b") as file:
        file.truncate(0)
    try:
        journal.commit([maker.event("r1", last + 1)])
    except JournalError:
        assert journal.last_sequence("r1") == last
    else:
        assert journal.last_sequence("r1") == last + 1
    state_dir = journal.path.parent
    journal.close()
    try:
        with closing(Journal.open(state_dir, boot="after")) as again:
            found = again.last_sequence("r1")
    except JournalDamaged:
        found = last
    assert found >= last


def test_a_row_edited_under_the_daemon_is_not_given_again(journal: Journal, maker: Any, tamper: Any) -> None:
    for number in range(4):
        maker.round(journal, "r1", number)
    tamper("UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '\"1\"', '\"36\"') AS BLOB) WHERE id = 8")
    with pytest.raises(JournalDamaged, match="row 8 is not what was written"):
        list(journal.signed_events("r1"))
    with pytest.raises(JournalDamaged, match="row 8 "):
        journal.event_at("r1", 6)
    assert [event.sequence for event in journal.events("r1", after=6)] == list(range(7, 13))


def test_rows_cut_off_under_the_daemon_are_missed(journal: Journal, maker: Any, tamper: Any) -> None:
    for number in range(4):
        maker.round(journal, "r1", number)
    tamper("DELETE FROM entries WHERE id > 12")
    with pytest.raises(JournalDamaged, match="event 10 of table r1 is missing"):
        list(journal.events("r1"))
    with pytest.raises(JournalDamaged, match="row 16 is not its end any more"):
        journal.commit([maker.closed("r1")])
    assert journal.last_sequence("r1") == 12


@pytest.mark.parametrize("change", ["sequence = 9", "name = 'publishee'"])
def test_a_cursor_that_moved_by_itself_is_refused(journal: Journal, maker: Any, tamper: Any, change: str) -> None:
    """It would skip events that nobody has."""
    for number in range(4):
        maker.round(journal, "r1", number)
    journal.set_cursors({("r1", "published"): 8})
    tamper(f"UPDATE cursors SET {change}")
    with pytest.raises(JournalDamaged, match=r"cursor publish\w+ of table r1 is not what was written"):
        journal.cursors("r1")
    assert any("the cursor" in problem.what for problem in verify_file(journal.path).problems)
    state_dir = journal.path.parent
    journal.close()
    with pytest.raises(JournalDamaged, match="is not what was written"):
        Journal.open(state_dir, boot="after")


def test_a_signature_that_changed_is_not_given(state_dir: Path, maker: Any, tamper: Any) -> None:
    with closing(Journal.open(state_dir, boot="signs", sign=lambda event: b"signed %d" % event.sequence)) as journal:
        maker.round(journal, "r1", 1)
        assert [signed.signature for signed in journal.signed_events("r1")] == [b"signed 1", b"signed 2", b"signed 3"]
        tamper("UPDATE entries SET signature = (SELECT signature FROM entries WHERE sequence = 1) WHERE sequence = 3")
        with pytest.raises(JournalDamaged, match="signature of event 3 of r1 is not what was stored"):
            list(journal.signed_events("r1"))


def test_evidence_that_changed_is_not_given(journal: Journal, maker: Any, tamper: Any) -> None:
    names = [maker.round(journal, "r1", number).hash for number in (1, 2)]
    tamper(
        "UPDATE evidence SET body = x'00' WHERE rowid = 1",
        "UPDATE evidence SET media_type = 'image/png' WHERE rowid = 2",
    )
    for name, said in zip(names, ("was changed", "is called image/png and was something else"), strict=True):
        with pytest.raises(JournalDamaged, match=said):
            journal.evidence(name)
