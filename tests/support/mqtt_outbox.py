"""A journal in memory for the publisher's tests: events, cursors, listeners, and rows that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from dealer_daemon.events import Event, EventData, EventsLost, RoundOpened, RoundOutcome
from dealer_daemon.journal import EventsRemoved, JournalError, SignedEvent
from dealer_daemon.mqtt.outbox import Outbox

START_WALL_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z."""


def opened() -> RoundOpened:
    return RoundOpened(game="roulette", source="device", spin=7)


def outcome(number: str) -> RoundOutcome:
    return RoundOutcome(game="roulette", facts={"number": number}, attempts=1, evidence=[], source="device")


def event(sequence: int, data: EventData | None = None, table: str = "r1", subject: str | None = "r1-1") -> Event:
    return Event(
        table=table,
        sequence=sequence,
        subject=subject,
        wall_ns=START_WALL_NS + sequence * 1_000_000,
        mono_ns=sequence * 1_000_000,
        boot="boot-a",
        data=data or opened(),
    )


class MemoryOutbox(Outbox):
    """Keeps cursors over "restarts": make a new publisher over the same outbox."""

    def __init__(self, table: str = "r1") -> None:
        self.table = table
        self.stored: list[Event] = []
        self.first = 1
        self.kept: dict[str, int] = {}
        self.writes = 0
        self.unreadable: dict[int, JournalError] = {}
        self.write_error: JournalError | None = None
        self._listeners: list[Callable[[Sequence[Event]], None]] = []

    def commit(self, *data: EventData) -> list[Event]:
        last = self.last_sequence(self.table)
        events = [event(last + 1 + n, each, self.table) for n, each in enumerate(data)]
        self.stored += events
        for listener in list(self._listeners):
            listener(events)
        return events

    def signed_events(self, table: str, after: int, limit: int) -> Iterator[SignedEvent]:
        assert table == self.table
        if after + 1 < self.first:
            raise EventsRemoved(table, self.first)
        for stored in [each for each in self.stored if each.sequence > after][:limit]:
            if stored.sequence in self.unreadable:
                raise self.unreadable[stored.sequence]
            yield SignedEvent(stored, None)

    def signed_event_at(self, table: str, sequence: int) -> SignedEvent | None:
        assert table == self.table
        return next((SignedEvent(each, None) for each in self.stored if each.sequence == sequence), None)

    def first_sequence(self, table: str) -> int:
        assert table == self.table
        return self.first

    def last_sequence(self, table: str) -> int:
        assert table == self.table
        return self.stored[-1].sequence if self.stored else 0

    def given_up(self, table: str) -> int:
        assert table == self.table
        lost = [e for e in self.stored if isinstance(e.data, EventsLost) and e.data.from_sequence == 1]
        return max((e.sequence for e in lost), default=0)

    def forget_cursors(self, table: str, names: Collection[str]) -> None:
        assert table == self.table
        if self.write_error is not None:
            raise self.write_error
        for name in names:
            self.kept.pop(name, None)

    def cursors(self, table: str) -> dict[str, int]:
        assert table == self.table
        return dict(self.kept)

    def set_cursors(self, positions: Mapping[tuple[str, str], int], *, rewind: bool = False) -> None:
        if self.write_error is not None:
            raise self.write_error
        self.writes += 1
        for (table, name), sequence in positions.items():
            assert table == self.table
            assert 0 <= sequence <= self.last_sequence(table)
            if rewind or sequence > self.kept.get(name, -1):
                self.kept[name] = sequence

    def add_listener(self, callback: Callable[[Sequence[Event]], None]) -> Callable[[], None]:
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    @property
    def listeners(self) -> int:
        return len(self._listeners)
