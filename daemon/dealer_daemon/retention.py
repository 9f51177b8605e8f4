"""Which of the oldest rows of the journal may go. Pure; the journal removes them, ``station.retention`` asks it to.

Rows go from the beginning, in order, once they are older than the retention and everybody has them: the broker and
every registered consumer. What somebody does not have goes only after an event that says so (``events.expired``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dealer_drivers.instant import NS_PER_S, Instant

DAY_NS = 86_400 * NS_PER_S
STEADY_S = 3600.0
"""The wall clock must have run with the monotonic clock for so long before anything is removed by it: by then NTP has
mended a clock that was wrong at the start."""
JUMP_S = 60.0
"""Between the two clocks: more than slewing does in an hour (500 ppm is 1.8 s)."""


class OldRow(NamedTuple):
    """A row as retention sees it. ``sequence`` is ``None`` for what is no event."""

    id: int
    table: str
    sequence: int | None
    wall_ns: int


class Plan(NamedTuple):
    """What may be done now: remove all rows up to ``through``; or first say that the events of a table from
    ``blocked`` on expire. Both ``None``: nothing."""

    through: int | None = None
    blocked: tuple[str, int] | None = None


class SteadyClock:
    """Whether the wall clock can be believed: it did not jump for ``STEADY_S``."""

    def __init__(self) -> None:
        self._since: Instant | None = None

    def observe(self, now: Instant) -> bool:
        """Called now and then; says whether the clock is steady."""
        since = self._since
        if since is None or abs((now.wall_ns - now.mono_ns) - (since.wall_ns - since.mono_ns)) > JUMP_S * NS_PER_S:
            self._since = now
            return False
        return now.since_s(since) >= STEADY_S


def too_old_ns(now_wall_ns: int, days: int) -> int:
    """The wall time (Unix ns) up to which rows are too old: whole days (UTC), so that what expires does so once a day
    and not row by row."""
    return now_wall_ns // DAY_NS * DAY_NS - days * DAY_NS


def plan(rows: Sequence[OldRow], older_than_ns: int, now_wall_ns: int, done: Mapping[str, int]) -> Plan:
    """What may be done with the journal's oldest ``rows``; ``done`` has each table's last event that may go.

    A row dated after now was written while the clock was wrong. It goes with an old row behind it, never by itself.
    """
    through: int | None = None
    for place, row in enumerate(rows):
        ahead = row.wall_ns > now_wall_ns
        if not ahead and row.wall_ns > older_than_ns:
            break
        if row.sequence is not None and row.sequence > done.get(row.table, 0):
            if through is None and any(later.wall_ns <= older_than_ns for later in rows[place:]):
                return Plan(blocked=(row.table, row.sequence))
            break
        if not ahead:
            through = row.id
    return Plan(through)
