"""What the publisher needs of the journal, and its place in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol

import structlog

from dealer_daemon.events import Event
from dealer_daemon.journal import JournalError, SignedEvent
from dealer_daemon.mqtt.errors import Problem

FLUSH_AFTER_S = 0.5
"""A position is on the disk this long after it changed, at the latest; a crash before it repeats that much."""
RETRY_S = 5.0
"""Before a position that the disk did not take is written again."""


class Outbox(Protocol):
    """The journal as the publisher sees it (``journal.Journal``)."""

    def signed_events(self, table: str, after: int, limit: int) -> Iterator[SignedEvent]:
        """At most ``limit`` events above ``after``, in order. Raises ``JournalError``, ``EventsRemoved`` among it."""
        ...

    def signed_event_at(self, table: str, sequence: int) -> SignedEvent | None:
        """One event. Raises ``JournalError``."""
        ...

    def first_sequence(self, table: str) -> int:
        """The oldest sequence that can still be read."""
        ...

    def last_sequence(self, table: str) -> int:
        """The newest sequence, 0 before the first."""
        ...

    def given_up(self, table: str) -> int:
        """The sequence of the ``events.lost`` by which a person gave up all before it; 0 where nobody did."""
        ...

    def cursors(self, table: str) -> dict[str, int]:
        """All positions kept for a table."""
        ...

    def set_cursors(self, positions: Mapping[tuple[str, str], int], *, rewind: bool = False) -> None:
        """Keeps positions; lower ones only with ``rewind``."""
        ...

    def forget_cursors(self, table: str, names: Collection[str]) -> None:
        """Keeps these positions no longer."""
        ...

    def add_listener(self, callback: Callable[[Sequence[Event]], None]) -> Callable[[], None]:
        """Calls back after every commit; the answer takes the listener away again."""
        ...


class Positions:
    """A table's positions in the journal, kept in memory and written in batches: not one commit an acknowledgement."""

    def __init__(self, outbox: Outbox, table: str) -> None:
        self._outbox = outbox
        self._table = table
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger().bind(table=table)
        self._known = outbox.cursors(table)
        self._changed: set[str] = set()
        self._forgotten: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self.problem: Problem | None = None

    def __getitem__(self, name: str) -> int:
        return self._known.get(name, 0)

    def __setitem__(self, name: str, sequence: int) -> None:
        if self._known.get(name) == sequence:
            return
        self._known[name] = sequence
        self._forgotten.discard(name)
        self._changed.add(name)
        self._flush_later()

    def forget(self, name: str) -> None:
        """Keeps a position no longer."""
        if self._known.pop(name, None) is not None:
            self._changed.discard(name)
            self._forgotten.add(name)
            self._flush_later()

    def names(self) -> list[str]:
        """The names of all positions."""
        return list(self._known)

    def flush(self) -> None:
        """Writes what changed. When the disk does not take it, that is a problem and is tried again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._changed and not self._forgotten:
            return
        positions = {(self._table, name): self._known[name] for name in self._changed}
        try:
            if positions:
                self._outbox.set_cursors(positions, rewind=True)
            if self._forgotten:
                self._outbox.forget_cursors(self._table, self._forgotten)
        except JournalError as error:
            if self.problem is None:
                self._log.error("publisher's position not kept", detail=str(error))
            detail = f"how far was published cannot be kept, a restart would repeat it: {error}"
            self.problem = Problem("publisher_position", detail)
            self._timer = self._loop.call_later(RETRY_S, self.flush)
        else:
            self._changed.clear()
            self._forgotten.clear()
            self.problem = None

    def _flush_later(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(FLUSH_AFTER_S, self.flush)

    def close(self) -> None:
        """Writes what changed, once, and ends."""
        self.flush()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
