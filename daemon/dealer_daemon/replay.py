"""Recordings through a table: the devices' real drivers, validation, round and journal, without broker or clock.

Time is the recordings' own, and begins when they say that they were made; between their lines every time-out happens
when it would have. The journal is a new one in a folder that the caller gives, so a replay never touches a station's.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from dealer_daemon.commands import Command, CommandName, Role
from dealer_daemon.config import DeviceConfig, TableConfig
from dealer_daemon.events import Event
from dealer_daemon.games import load_game
from dealer_daemon.journal import Journal
from dealer_daemon.round import TableState
from dealer_daemon.station.setup import recover, table_setup
from dealer_daemon.table import Decision, Table
from dealer_daemon.table.cards.unseen import QUESTIONS
from dealer_daemon.table.common import STATION
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import Entry, Recording
from dealer_drivers.supervised import SupervisedSession

BOOT = "replay"
EPOCH = Instant(NS_PER_S, 0)
"""Where a recording does not say when it was made its times begin at 1970-01-01T00:00:00Z, the same at every replay."""
_EPOCH, _MICROSECOND = dt.datetime(1970, 1, 1, tzinfo=dt.UTC), dt.timedelta(microseconds=1)
_LONGEST = dt.timedelta(days=73_000)
"""Nanoseconds of two hundred years fit into the journal's 63 bits, with room for the recording itself."""
MOST_TICKS = 1000
"""Between two lines of a recording: a session whose deadline never moves must not hang a replay."""

Track = Iterable[tuple[str, Entry]]
"""Lines of several devices, each with its device's name, in the order of their times."""


class Player:
    """Devices of a table on the time of their recordings. Pure: no journal, no clock. ``state`` is the table's.

    ``device`` is the one that ``play`` gets the lines of; ``also`` are others, for ``play_all``. ``start``: the moment
    of the lines' time 0. ``resume_at_gaps``: where the table asks a person where the next card belongs, the replay
    answers that no card passed unseen (decision 0019).
    """

    def __init__(
        self,
        table: TableConfig,
        device: DeviceConfig,
        state: TableState,
        also: Iterable[DeviceConfig] = (),
        *,
        start: Instant = EPOCH,
        resume_at_gaps: bool = False,
    ) -> None:
        self._resume_at_gaps = resume_at_gaps
        self._first = device.name
        self._start = self._now = start
        self._table = Table(table_setup(table), state, BOOT)
        self._sessions = {
            one.name: SupervisedSession(one.driver.session(one.options), one.port, "is this its recording?")
            for one in (device, *also)
        }
        self._up: set[str] = set()

    def now(self) -> Instant:
        """The moment that has been played to."""
        return self._now

    def play(self, entries: Iterable[Entry]) -> Iterator[Decision]:
        """Every decision that holds events, in order."""
        return self.play_all((self._first, entry) for entry in entries)

    def play_all(self, track: Track) -> Iterator[Decision]:
        """The same for several devices."""
        for decision in self._play(track):
            if decision.events:
                yield decision

    def _play(self, track: Track) -> Iterator[Decision]:
        yield from self._carry_out(self._table.start(self._now))
        for name, entry in track:
            at = max(self._start.plus_s(entry.t_s), self._now)  # a reader that stalled wrote times that go back
            yield from self._pass_time(at)
            self._now = at
            yield from self._entry(name, entry)
        yield from self._run_out()

    def _entry(self, name: str, entry: Entry) -> Iterator[Decision]:
        session = self._sessions[name]
        if entry.kind == "rx":
            if name not in self._up:
                yield from self._opened(name)
            yield from self._take(name, session.received(entry.data, self._now))
        elif entry.kind == "tx":
            session.sent(len(entry.data), self._now)
        elif entry.event == "open":
            if name in self._up:
                reason = "the recording does not say why the link ended"
                yield from self._take(name, session.lost(self._now, reason))
            yield from self._opened(name)
        elif entry.event in ("close", "error") and name in self._up:
            self._up.discard(name)
            yield from self._take(name, session.lost(self._now, entry.reason or "the recorded link ended"))

    def _opened(self, name: str) -> Iterator[Decision]:
        self._up.add(name)
        yield from self._take(name, self._sessions[name].opened(self._now))

    def _pass_time(self, until: Instant) -> Iterator[Decision]:
        for _ in range(MOST_TICKS):
            due = [(ns, name) for name in sorted(self._up) if (ns := self._sessions[name].deadline_ns()) is not None]
            table_ns = self._table.deadline_ns()
            # Bytes come before a deadline of the same moment, as on a live link.
            times = [ns for ns in (*(ns for ns, _ in due), table_ns) if ns is not None and ns < until.mono_ns]
            if not times:
                return
            ns = max(min(times), self._now.mono_ns)
            self._now = Instant(ns, self._now.wall_ns + ns - self._now.mono_ns)
            for session_ns, name in due:
                if session_ns <= ns:
                    yield from self._take(name, self._sessions[name].tick(self._now))
            if table_ns is not None and table_ns <= ns:
                yield from self._carry_out(self._table.tick(self._now))

    def _run_out(self) -> Iterator[Decision]:
        """After the last line comes silence: what the table still waited for does not come."""
        for _ in range(MOST_TICKS):
            ns = self._table.deadline_ns()
            if ns is None:
                return
            ns = max(ns, self._now.mono_ns)
            self._now = Instant(ns, self._now.wall_ns + ns - self._now.mono_ns)
            yield from self._carry_out(self._table.tick(self._now))

    def _take(self, name: str, output: Output) -> Iterator[Decision]:
        # What the session would send is answered by the recording, or by nobody.
        if output.readings:
            yield from self._carry_out(self._table.readings(name, output.readings, self._now))

    def _carry_out(self, decision: Decision) -> Iterator[Decision]:
        yield decision
        for name, action in decision.actions:
            yield from self._ask(name, action)
        state = self._table.state
        if self._resume_at_gaps and state.paused in QUESTIONS and state.paused_by == STATION:
            yield from self._carry_out(self._table.command(self._answer(state), self._now, lambda _sequence: None))

    def _answer(self, state: TableState) -> Command:
        args = {"reason": "the replay takes it that no card passed unseen", "pause": state.paused_at}
        return Command(
            id=f"replay-{state.paused_at}",
            name=CommandName.TABLE_RESUME,
            client=BOOT,
            role=Role.MANAGER,
            by=BOOT,
            args=args,
        )

    def _ask(self, name: str, action: DeviceAction) -> Iterator[Decision]:
        if name in self._up:
            yield from self._take(name, self._sessions[name].request(action, self._now))


def merged(recordings: Mapping[str, Recording]) -> Iterator[tuple[str, Entry]]:
    """The lines of several devices in one order, by when each recording says that it started.

    Raises ``ValueError`` when one of several does not say so.
    """
    starts = {name: started(recording) for name, recording in recordings.items()}
    if len(recordings) == 1:
        starts = dict.fromkeys(recordings, EPOCH)
    times = {name: start.wall_ns for name, start in starts.items() if start is not None}
    for name, recording in recordings.items():
        if name not in times:
            raise ValueError(f"{recording.path} does not say when it was made: it cannot be put beside another")
    first = min(times.values(), default=0)
    tracks = [
        [(entry.t_s + (times[name] - first) / NS_PER_S, number, name, entry) for entry in recording.entries]
        for number, (name, recording) in enumerate(recordings.items())
    ]
    for t_s, _, name, entry in heapq.merge(*tracks, key=lambda line: line[:2]):
        yield name, replace(entry, t_s=t_s)


def started(recording: Recording) -> Instant | None:
    """When it was made, by its head; ``None`` where that does not say it. Raises ``ValueError`` for what is no time."""
    said = recording.head.get("started")
    if said is None:
        return None
    try:
        since = dt.datetime.fromisoformat(str(said)) - _EPOCH
    except (TypeError, ValueError) as error:  # the first for a time without a zone
        message = f"{recording.path}: started is {said!r}, which is no time; write 2026-01-31T20:15:00Z"
        raise ValueError(message) from error
    if not dt.timedelta(0) <= since < _LONGEST:
        raise ValueError(f"{recording.path}: started is {said!r}, which is no time of a recording: 1970 to 2169")
    return Instant(NS_PER_S, since // _MICROSECOND * 1000)


def without_server(table: TableConfig) -> tuple[TableConfig, str | None]:
    """The table as a recording can play it, and a sentence about that: no recording holds a game server's commands, so
    what the device begins opens a round and closes its bets, where the game's settings do not need a server."""
    if table.round_source == "device":
        return table, None
    game = load_game(table.game)
    needs = game.needs_server(table.settings)
    if needs is not None:
        return table, f"no recording holds the server's commands, and without them this table plays nothing: {needs[1]}"
    said = "no recording holds the server's commands: rounds open and close with the device"
    return replace(table, round_source="device"), said


def begins_with_a_hand(table: TableConfig) -> bool:
    """Whether the first card of a recording is taken for the first of a hand, which nothing in it shows."""
    return Table(table_setup(table), TableState(table=table.name), BOOT).first_card_begins_a_hand


def replay(
    table: TableConfig, recordings: Mapping[str, Recording], state_dir: Path, *, resume_at_gaps: bool = False
) -> Iterator[Event]:
    """Every event of the recordings, by device, as soon as it is in the journal in ``state_dir``. ``resume_at_gaps``
    as of a ``Player``. Raises ``JournalError``, and ``ValueError`` for recordings that cannot be put in one order."""
    track = list(merged(recordings))
    made = [start for recording in recordings.values() if (start := started(recording)) is not None]
    start = min(made, key=lambda each: each.wall_ns, default=EPOCH)
    clock = [start]
    devices = [device for device in table.devices if device.name in recordings]
    journal = Journal.open(state_dir, boot=BOOT, clock=lambda: clock[0])
    try:
        state = recover(journal, table.name)
        player = Player(table, devices[0], state, devices[1:], start=start, resume_at_gaps=resume_at_gaps)
        for decision in player.play_all(track):
            clock[0] = player.now()
            journal.commit(decision.events, decision.evidence)
            yield from decision.events
    finally:
        journal.close()
