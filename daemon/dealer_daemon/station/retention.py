"""Carries out what ``dealer_daemon.retention`` decides, in small steps while no round runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import structlog

from dealer_daemon.events import Event, EventsExpired, RoundOpened
from dealer_daemon.journal import Journal, Snapshot
from dealer_daemon.mqtt.consumers import ACK_CURSOR
from dealer_daemon.mqtt.publisher import OUTCOME, PUBLISHED
from dealer_daemon.retention import OldRow, SteadyClock, plan, too_old_ns
from dealer_daemon.round import TableState, fold
from dealer_daemon.station.kept import kept_state, snapshot_of
from dealer_daemon.station.setup import recover
from dealer_drivers.instant import Instant

SLICE_ROWS = 128
"""Removed in one transaction: a commit that comes meanwhile waits for one, and a few evidence pictures, at most."""
EXPIRE_AT_ONCE = 5_000
"""Events that one ``events.expired`` speaks of, at most: they are looked through in one go."""
MOST_OF_A_ROUND = 5_000
"""Events between the beginning of a round and its outcome, at most; beyond them only the outcome is kept back."""

Keeps = Callable[[int, str | None], bool]
"""Whether an event stays, by sequence and subject."""


class Hosted(Protocol):
    """A table that is taken up (``station.host``)."""

    committed: TableState

    def expired(self, data: EventsExpired) -> None:
        """Commit the event, unless the disk is waited for."""
        ...


class Retention:
    """See the module. ``now`` is the station's clock; ``hosts`` are the tables that are taken up, by name."""

    def __init__(
        self, journal: Journal, days: int, now: Callable[[], Instant], boot: str, hosts: Mapping[str, Hosted]
    ) -> None:
        self._journal = journal
        self.days = days
        self._now = now
        self._boot = boot
        self._hosts = hosts
        self._clock = SteadyClock()
        self._opened: dict[str, tuple[int, int]] = {}
        self._removed = (0, 0)
        self._folded: dict[str, TableState] = {}
        self._log = structlog.get_logger()

    def step(self) -> bool:
        """Remove one slice, or say that events expire; says whether there was anything to do.

        Raises ``JournalError``.
        """
        now = self._now()
        if not self._clock.observe(now) or self.days == 0:
            return False
        older_than_ns = too_old_ns(now.wall_ns, self.days)
        rows = self._journal.oldest_rows(SLICE_ROWS)
        if not any(row.wall_ns <= older_than_ns for row in rows):
            self._say_what_went()
            return False
        done = {table: self._done(table) for table in {row.table for row in rows if row.sequence is not None}}
        through, blocked = plan(rows, older_than_ns, now.wall_ns, done)
        if through is not None:
            self._remove([row for row in rows if row.id <= through], older_than_ns)
        elif blocked is not None:
            self._expire(*blocked, older_than_ns)
        return through is not None or blocked is not None

    def _done(self, table: str) -> int:
        """The table's last event that everybody has, or of which it was said that it is no longer kept."""
        said = self._journal.newest(table, EventsExpired.type)
        expired = said.data.to_sequence if said is not None and isinstance(said.data, EventsExpired) else 0
        return max(expired, min(self._positions(table).values()))

    def _positions(self, table: str) -> dict[str, int]:
        """How far the broker and each registered consumer have come; without a word from it, the broker has nothing."""
        cursors = self._journal.cursors(table)
        return {PUBLISHED: 0} | {name: at for name, at in cursors.items() if name.startswith((PUBLISHED, ACK_CURSOR))}

    def _expire(self, table: str, first: int, older_than_ns: int) -> None:
        last = self._journal.old_until(table, first, older_than_ns, EXPIRE_AT_ONCE)
        positions = self._positions(table)
        behind = sorted(name for name, at in positions.items() if at < last and name != PUBLISHED)
        data = EventsExpired(
            from_sequence=first,
            to_sequence=max(first, last),
            consumers=[name.removeprefix(ACK_CURSOR) for name in behind],
            reason="never_published" if positions[PUBLISHED] < last else "consumer_behind",
        )
        host = self._hosts.get(table)
        if host is not None:
            host.expired(data)
            return
        now = self._now()
        self._journal.commit(
            [
                Event(
                    table=table, sequence=self._journal.last_sequence(table) + 1, subject=None, wall_ns=now.wall_ns,
                    mono_ns=now.mono_ns, boot=self._boot, data=data,
                )
            ]
        )  # fmt: skip

    def _remove(self, rows: list[OldRow], older_than_ns: int) -> None:
        tables = {row.table: row.sequence for row in rows if row.sequence is not None}
        states = [self._state_after(table, sequence) for table, sequence in tables.items()]
        keeps: dict[str, Keeps] = {}

        def keep(table: str, sequence: int, subject: str | None) -> bool:
            if table not in keeps:
                keeps[table] = self._needed(table)
            return keeps[table](sequence, subject)

        self._journal.remove(rows[-1].id, states, keep, older_than_ns)
        self._removed = (self._removed[0] + len(rows), rows[-1].id)

    def _say_what_went(self) -> None:
        """Once all that is too old is gone, and not for every slice."""
        rows, through = self._removed
        if rows:
            self._log.info("old_rows_removed", detail=f"{rows} rows of the journal, up to row {through}")
            self._removed = (0, 0)

    def _state_after(self, table: str, sequence: int) -> Snapshot:
        before = kept_state(self._journal, table)
        events = self._journal.events(table, after=before.sequence, limit=sequence - before.sequence)
        return snapshot_of(fold(before, [event for event in events if event.sequence <= sequence]))

    def _needed(self, table: str) -> Keeps:
        """Events that stay however old they are: the open round, the newest outcome with its round (to be shown, and
        to be corrected by), and its newest correction."""
        state = self._state(table)
        newest = [self._journal.newest(table, word) for word in ("round.outcome", "outcome.corrected")]
        single = {event.sequence for event in newest if event is not None}
        single.add(self._journal.cursor(table, OUTCOME))
        outcome, opened = newest[0], 0
        if outcome is not None:
            opened = self._round_begins(table, outcome)
        last = outcome.sequence if outcome is not None else -1
        subject_of_open = state.round.id if state.round is not None else None

        def needed(sequence: int, subject: str | None) -> bool:
            if subject is not None and subject == subject_of_open:
                return True
            return opened <= sequence <= last or sequence in single

        return needed

    def _round_begins(self, table: str, outcome: Event) -> int:
        known = self._opened.get(table)
        if known is not None and known[0] == outcome.sequence:
            return known[1]
        found = outcome.sequence
        for sequence in range(outcome.sequence - 1, max(0, outcome.sequence - MOST_OF_A_ROUND), -1):
            event = self._journal.event_at(table, sequence)
            if event is None:
                break
            if isinstance(event.data, RoundOpened) and event.subject == outcome.subject:
                found = sequence
                break
        self._opened[table] = (outcome.sequence, found)
        return found

    def _state(self, table: str) -> TableState:
        host = self._hosts.get(table)
        if host is not None:
            return host.committed
        known = self._folded.get(table)
        if known is None or known.sequence != self._journal.last_sequence(table):
            known = self._folded[table] = recover(self._journal, table)
        return known
