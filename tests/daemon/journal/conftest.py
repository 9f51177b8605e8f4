"""Events, evidence and commands to fill a journal with, and hands that tamper with its file."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.commands import Command, CommandName, CommandRecord, Reply, Role
from dealer_daemon.events import BettingClosed, Event, EventData, RoundOpened, RoundOutcome
from dealer_daemon.evidence import Evidence, EvidenceFrame, recording_of
from dealer_daemon.journal import Journal
from dealer_drivers.instant import NS_PER_S, Instant

BOOT = "boot-1"


@dataclass
class Maker:
    """Makes what a table would commit; ``next`` remembers each table's sequence."""

    next: dict[str, int] = field(default_factory=dict)

    def evidence(self, number: int) -> Evidence:
        frame = EvidenceFrame("wheel", Instant(number, number * NS_PER_S), b"*X;1;%d\r\n" % number)
        return recording_of("cammegh-ss2", "wheel", [frame])

    def event(self, table: str, sequence: int, data: EventData | None = None, subject: str | None = "r1-7") -> Event:
        self.next[table] = sequence + 1
        return Event(
            table=table,
            sequence=sequence,
            subject=subject,
            wall_ns=1_700_000_000 * NS_PER_S + sequence,
            mono_ns=sequence * NS_PER_S,
            boot=BOOT,
            data=data or BettingClosed(game="roulette", source="device"),
        )

    def opened(self, table: str, **more: Any) -> Event:
        return self._append(table, RoundOpened(game="roulette", source="device", **more))

    def closed(self, table: str) -> Event:
        return self._append(table, BettingClosed(game="roulette", source="device"))

    def outcome(self, table: str, number: int, evidence: list[Evidence]) -> Event:
        return self._append(
            table,
            RoundOutcome(
                game="roulette",
                facts={"number": str(number), "laps": None},
                attempts=1,
                evidence=[blob.hash for blob in evidence],
                source="device",
            ),
        )

    def command(self, table: str, command_id: str, client: str = "server-1") -> CommandRecord:
        command = Command(
            id=command_id, name=CommandName.ROUND_VOID, client=client, role=Role.SERVER, by="pit", args={"why": "飞球"}
        )
        return CommandRecord(
            table=table, command=command, digest=command.digest(), reply=Reply(command=command_id, ok=True)
        )

    def round(self, journal: Journal, table: str, number: int) -> Evidence:
        """A whole round: two commits and one with evidence, as a table makes them."""
        journal.commit([self.opened(table)])
        journal.commit([self.closed(table)], command=self.command(table, f"c{self.next[table]}"))
        blob = self.evidence(number)
        journal.commit([self.outcome(table, number % 37, [blob])], [blob])
        return blob

    def _append(self, table: str, data: EventData) -> Event:
        return self.event(table, self.next.get(table, 1), data)


@pytest.fixture
def maker() -> Maker:
    return Maker()


MEMORY = Path("/dev/shm")


@pytest.fixture
def state_dir() -> Iterator[Path]:
    """In memory where there is such a place: thousands of commits, and only the kill tests need a disk's own time."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder) / "state"


@pytest.fixture
def journal(state_dir: Path) -> Iterator[Journal]:
    with closing(Journal.open(state_dir, boot=BOOT)) as opened:
        yield opened


@dataclass
class Tamper:
    """Somebody with a database tool, who takes the triggers away first and puts them back when done."""

    path: Path

    def __call__(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                db.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                db.execute(statement)
            for _, sql in triggers:
                db.execute(sql)


@pytest.fixture
def tamper(state_dir: Path) -> Tamper:
    return Tamper(state_dir / "journal.sqlite3")


@pytest.fixture
def hide_events(state_dir: Path) -> Callable[[], None]:
    """Empties the index of sequences and leaves the rows."""

    def hide() -> None:
        rename = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'entries_by_sequence'"
        with closing(sqlite3.connect(state_dir / "journal.sqlite3", isolation_level=None)) as db:
            db.execute("PRAGMA writable_schema = ON")
            db.execute(rename, ("IS NOT NULL", "IS NULL"))
        with closing(sqlite3.connect(state_dir / "journal.sqlite3", isolation_level=None)) as db:
            db.execute("REINDEX entries_by_sequence")
            db.execute("PRAGMA writable_schema = ON")
            db.execute(rename, ("IS NULL", "IS NOT NULL"))

    return hide


NOBODY = 65534


@contextmanager
def _as_nobody() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def as_nobody() -> Callable[[], AbstractContextManager[None]]:
    """The rights of an ordinary user within a block; the superuser may write anywhere."""
    return _as_nobody


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach and write, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o777)
        yield path
        path.chmod(0o777)
