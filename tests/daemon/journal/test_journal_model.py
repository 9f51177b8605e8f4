"""Whatever a daemon does, in whatever order, with crashes in between: the journal is the list of what it committed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from dealer_daemon.journal import (
    CommandRepeated,
    CursorAhead,
    Journal,
    SequenceConflict,
    Snapshot,
    verify_file,
)

TABLES = st.sampled_from(["r1", "r2", "b1"])
NAMES = st.sampled_from(["publisher", "bank"])
NUMBERS = st.integers(0, 6)
MEMORY = Path("/dev/shm")  # thousands of commits: without waiting for a disk


class JournalMachine(RuleBasedStateMachine):
    """A journal beside a model of plain lists and dictionaries."""

    make: Any = None  # the maker's class, set by the test

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.lives = 0
        self.maker = self.make()
        self.state_dir = self.folder / "life-0"
        self.journal = Journal.open(self.state_dir, boot="boot-0")
        self.events: dict[str, list[Any]] = {"r1": [], "r2": [], "b1": []}
        self.commands: dict[tuple[str, str], Any] = {}
        self.evidence: dict[str, Any] = {}
        self.cursors: dict[tuple[str, str], int] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.heads = [self.journal.head()]
        self.heard: list[Any] = []
        self.journal.add_listener(self.heard.extend)

    def teardown(self) -> None:
        self.journal.close()
        shutil.rmtree(self.folder)

    @rule(
        tables=st.lists(TABLES, min_size=1, max_size=5),
        numbers=st.lists(NUMBERS, max_size=3),
        command=st.none() | NUMBERS,
        keep=st.booleans(),
    )
    def commit(self, tables: list[str], numbers: list[int], command: int | None, keep: bool) -> None:
        blobs = [self.maker.evidence(number) for number in numbers]
        for table in self.events:
            self.maker.next[table] = len(self.events[table]) + 1
        events = [self.maker.outcome(table, index, blobs) for index, table in enumerate(tables)]
        record = None if command is None else self.maker.command(tables[0], f"c{command}")
        snapshots = [Snapshot(events[-1].table, events[-1].sequence, b"%d" % len(tables), 1)] if keep else []
        if record is not None and (tables[0], f"c{command}") in self.commands:
            with pytest.raises(CommandRepeated):
                self.journal.commit(events, blobs, record, snapshots)
            return
        self.heard.clear()
        self.journal.commit(events, blobs, record, snapshots)
        assert self.heard == events
        for event in events:
            self.events[event.table].append(event)
        self.evidence |= {blob.hash: blob for blob in blobs}
        if record is not None:
            self.commands[tables[0], f"c{command}"] = record
        self.snapshots |= {snapshot.table: snapshot for snapshot in snapshots}
        self.heads.append(self.journal.head())

    @rule(table=TABLES, ahead=st.integers(-3, 3).filter(lambda n: n != 1), good_first=st.booleans())
    def conflict(self, table: str, ahead: int, good_first: bool) -> None:
        last = len(self.events[table])
        events = [self.maker.event(table, last + ahead)]
        if good_first:
            other = "r2" if table == "r1" else "r1"
            events.insert(0, self.maker.event(other, len(self.events[other]) + 1))
        with pytest.raises(SequenceConflict):
            self.journal.commit(events)

    @rule(table=TABLES, name=NAMES, sequence=st.integers(0, 12), rewind=st.booleans())
    def move_cursor(self, table: str, name: str, sequence: int, rewind: bool) -> None:
        if sequence > len(self.events[table]):
            with pytest.raises(CursorAhead):
                self.journal.set_cursors({(table, name): sequence}, rewind=rewind)
            return
        self.journal.set_cursors({(table, name): sequence}, rewind=rewind)
        before = self.cursors.get((table, name), 0)
        self.cursors[table, name] = sequence if rewind else max(before, sequence)

    @rule(table=TABLES, back=st.integers(0, 3))
    def save_snapshot(self, table: str, back: int) -> None:
        sequence = len(self.events[table]) - back
        if sequence > 0:
            snapshot = Snapshot(table, sequence, b"saved", 1)
            self.journal.save_snapshot(snapshot)
            self.snapshots[table] = snapshot

    @rule()
    def maintain(self) -> None:
        self.journal.maintain(force=True)

    @rule()
    def reopen(self) -> None:
        self.journal.close()
        self._open()

    @rule(with_shm=st.booleans())
    def crash(self, with_shm: bool) -> None:
        """The power goes: what is on the disk this moment is copied, the old process never gets to close."""
        self.lives += 1
        after = self.folder / f"life-{self.lives}"
        after.mkdir()
        for name in (
            "journal.sqlite3",
            "journal.sqlite3-wal",
            "journal.head",
            *(["journal.sqlite3-shm"] if with_shm else []),
        ):
            shutil.copyfile(self.state_dir / name, after / name)
        self.journal.close()
        self.state_dir = after
        self._open()

    def _open(self) -> None:
        self.journal = Journal.open(self.state_dir, boot=f"boot-{self.lives}")
        self.journal.add_listener(self.heard.extend)

    @invariant()
    def the_journal_is_the_model(self) -> None:
        journal = self.journal
        assert journal.head() == self.heads[-1]
        assert journal.tables() == sorted(table for table, events in self.events.items() if events)
        for table, events in self.events.items():
            assert list(journal.events(table)) == events
            assert journal.last_sequence(table) == len(events)
            assert journal.newest(table, "round.outcome") == (events[-1] if events else None)
            assert journal.cursors(table) == {name: at for (of, name), at in self.cursors.items() if of == table}
            assert journal.snapshot(table, 1) == self.snapshots.get(table)
        for (table, command_id), record in self.commands.items():
            assert journal.reply_to(table, "server-1", command_id) == (record.digest, record.reply)
        for name, blob in self.evidence.items():
            assert journal.evidence(name) == blob

    @rule(which=st.integers(0, 50))
    def verify(self, which: int) -> None:
        report = verify_file(self.journal.path, expect_head=self.heads[which % len(self.heads)])
        assert report.problems == []
        assert report.events == {table: len(events) for table, events in self.events.items() if events}
        assert (report.commands, report.evidence) == (len(self.commands), len(self.evidence))


def test_the_journal_is_what_was_committed(maker: Any) -> None:
    JournalMachine.make = type(maker)
    run_state_machine_as_test(
        JournalMachine,
        settings=settings(
            max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
