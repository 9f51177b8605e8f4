"""A recording through a table: the device's real driver, validation, round and journal, without broker or clock.

Time is the recording's own; between its lines every time-out happens when it would have. The journal is a new one
in a folder that the caller gives, so a replay never touches a station's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dealer_daemon.config import DeviceConfig, TableConfig
from dealer_daemon.events import Event
from dealer_daemon.journal import Journal
from dealer_daemon.round import TableState
from dealer_daemon.station.setup import recover, table_setup
from dealer_daemon.table import Decision, Table
from dealer_drivers.driver import Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import Entry, Recording
from dealer_drivers.supervised import SupervisedSession

BOOT = "replay"
EPOCH = Instant(NS_PER_S, 0)
"""Recordings have no date: theirs begin at 1970-01-01T00:00:00Z, the same at every replay."""
MOST_TICKS = 1000
"""Between two lines of a recording: a session whose deadline never moves must not hang a replay."""


class Player:
    """One device of a table on the time of a recording. Pure: no journal, no clock. ``state`` is the table's."""

    def __init__(self, table: TableConfig, device: DeviceConfig, state: TableState) -> None:
        self._device = device
        self._now = EPOCH
        self._table = Table(table_setup(table), state, BOOT)
        self._session = SupervisedSession(device.driver.session(device.options), device.port, "is this its recording?")
        self._up = False

    def now(self) -> Instant:
        """The moment that has been played to."""
        return self._now

    def play(self, entries: Iterable[Entry]) -> Iterator[Decision]:
        """Every decision that holds events, in order."""
        for decision in self._play(entries):
            if decision.events:
                yield decision

    def _play(self, entries: Iterable[Entry]) -> Iterator[Decision]:
        yield self._table.start(self._now)
        for entry in entries:
            at = max(EPOCH.plus_s(entry.t_s), self._now)  # a reader that stalled wrote times that go back
            yield from self._pass_time(at)
            self._now = at
            yield from self._entry(entry)
        yield from self._run_out()

    def _entry(self, entry: Entry) -> Iterator[Decision]:
        if entry.kind == "rx":
            if not self._up:
                yield from self._opened()
            yield from self._take(self._session.received(entry.data, self._now))
        elif entry.event == "open":
            if self._up:
                yield from self._take(self._session.lost(self._now, "the recording does not say why the link ended"))
            yield from self._opened()
        elif entry.event in ("close", "error") and self._up:
            self._up = False
            yield from self._take(self._session.lost(self._now, entry.reason or "the recorded link ended"))

    def _opened(self) -> Iterator[Decision]:
        self._up = True
        yield from self._take(self._session.opened(self._now))

    def _pass_time(self, until: Instant) -> Iterator[Decision]:
        for _ in range(MOST_TICKS):
            session_ns = self._session.deadline_ns() if self._up else None
            table_ns = self._table.deadline_ns()
            # Bytes come before a deadline of the same moment, as on a live link.
            due = [ns for ns in (session_ns, table_ns) if ns is not None and ns < until.mono_ns]
            if not due:
                return
            ns = max(min(due), self._now.mono_ns)
            self._now = Instant(ns, self._now.wall_ns + ns - self._now.mono_ns)
            if session_ns is not None and session_ns <= ns:
                yield from self._take(self._session.tick(self._now))
            if table_ns is not None and table_ns <= ns:
                yield self._table.tick(self._now)

    def _run_out(self) -> Iterator[Decision]:
        """After the last line comes silence: what the table still waited for does not come."""
        for _ in range(MOST_TICKS):
            ns = self._table.deadline_ns()
            if ns is None:
                return
            self._now = Instant(ns, self._now.wall_ns + ns - self._now.mono_ns)
            yield self._table.tick(self._now)

    def _take(self, output: Output) -> Iterator[Decision]:
        # What the session would send is answered by nobody here.
        if output.readings:
            yield self._table.readings(self._device.name, output.readings, self._now)


def replay(table: TableConfig, device: DeviceConfig, recording: Recording, state_dir: Path) -> Iterator[Event]:
    """Every event of the recording, as soon as it is in the journal in ``state_dir``. Raises ``JournalError``."""
    clock = [EPOCH]
    journal = Journal.open(state_dir, boot=BOOT, clock=lambda: clock[0])
    try:
        player = Player(table, device, recover(journal, table.name))
        for decision in player.play(recording.entries):
            clock[0] = player.now()
            journal.commit(decision.events, decision.evidence)
            yield from decision.events
    finally:
        journal.close()
