"""When the service manager's watchdog is fed. Pure: signs in, why not to feed it out.

Who is not fed is killed and started again. That mends a process that hangs, and nothing else, and what was decided and
not yet committed is lost with it. So a disk that is full or gone withholds nothing: it is said at the table, in the
log and in the status, and the decisions wait for it in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LATE_S = 2.0
"""A wheel sends a line each half second: a loop that is later than four of them is no longer on time."""
UNTICKED_S = 5.0
"""Time-outs of tables are looked at four times a second."""
UNTRIED_S = 10.0
"""Decisions that wait for the disk are tried twice a second."""
STUCK_S = 60.0
"""Opening, writing and closing have limits of their own (``transports``), the longest far below a minute."""
FEEDS = 4
"""Within the watchdog's time: one that is missed, or withheld once, kills nobody."""


@dataclass(frozen=True, slots=True)
class Signs:
    """Seconds of real time, all measured since the last time that they were judged, or until now.

    ``late_s``: the most that the event loop was late. ``unticked_s``: since the tables' time-outs were looked at.
    ``untried_s``: since the journal was tried, by table, where decisions wait for it. ``busy_s``: for how long a driver
    has been opening, writing or closing, by ``table/device``.
    """

    late_s: float = 0.0
    unticked_s: float = 0.0
    untried_s: Mapping[str, float] = field(default_factory=dict)
    busy_s: Mapping[str, float] = field(default_factory=dict)


def withheld(signs: Signs) -> str | None:
    """Why the watchdog is not fed now, in a sentence; ``None``: it is."""
    reasons = []
    if signs.late_s > LATE_S:
        reasons.append(f"the event loop was {signs.late_s:.1f} s late")
    if signs.unticked_s > UNTICKED_S:
        reasons.append(f"no time-out of a table was looked at for {signs.unticked_s:.0f} s")
    for table, since_s in sorted(signs.untried_s.items()):
        if since_s > UNTRIED_S:
            reasons.append(f"decisions of {table} wait for the journal, which was not tried for {since_s:.0f} s")
    for device, since_s in sorted(signs.busy_s.items()):
        if since_s > STUCK_S:
            reasons.append(f"the driver of {device} is stuck: it has opened, written or closed for {since_s:.0f} s")
    return "; ".join(reasons) or None


def feed_every_s(watchdog_s: float) -> float:
    """From one judgement to the next."""
    return watchdog_s / FEEDS
