"""Readings that were held up on their way: the network of a serial server stood, a hub did, the station itself.

They come together, and with one time. What tells two cards that look alike from one that was read twice is the time
between them, so there it tells nothing: a second card may pass for a repeat, and a late repeat for a second card. Order
and number are right only where every code is another (decision 0019).
"""

from __future__ import annotations

from typing import TypeAlias

from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardUnreadable, CutCard

TWO_CARDS_S = 0.1
"""Nobody takes a card out of a shoe and passes it over a reader so soon after the one before. An assumption of ours: a
fast dealer needs three times as long at least, and what was held up comes within milliseconds."""
SAME_CODE_S = 0.05
"""No scanner gives the code of a card that lies before it so soon once more. An assumption of ours: makers' reread
delays are 0.1 s and longer, and a second as delivered. So long a card waits that looks like the newest."""

Pass: TypeAlias = CardRead | CardUnreadable | CardForeign | CutCard
PASSES = (CardRead, CardUnreadable, CardForeign, CutCard)
_Key: TypeAlias = tuple[type[Reading], str | None]


class Bursts:
    """The card readings of one table that names no places, in order. What is remembered here may be forgotten."""

    def __init__(self) -> None:
        self._pass: Pass | None = None
        """The newest that was no repeat."""
        self._newest: tuple[_Key, Instant] | None = None
        """The newest of all, and when it came."""

    def came_together(self, reading: Pass) -> bool:
        """Whether this one came with the one before, so that they were held up."""
        before, newest, self._newest = self._pass, self._newest, (_key(reading), reading.at)
        if reading.repeated:
            same = newest is not None and newest[0] == _key(reading) and _is_ambiguous(reading)
            return same and newest is not None and _within(reading.at, newest[1], SAME_CODE_S)
        self._pass = reading
        if before is None or not (_is_ambiguous(reading) or _is_ambiguous(before)):
            return False
        return _within(reading.at, before.at, TWO_CARDS_S)

    def must_wait(self, reading: Pass) -> bool:
        """Whether this may be a late repeat of the newest card as well as another that looks like it: then it waits for
        what was held up with it."""
        if not isinstance(reading, CardRead) or reading.repeated or not _is_ambiguous(reading):
            return False
        return self._newest is not None and self._newest[0] == _key(reading)


def _key(reading: Pass) -> _Key:
    if isinstance(reading, CardUnreadable):
        return type(reading), reading.reason
    return type(reading), reading.card if isinstance(reading, CardRead) else reading.code


def _is_ambiguous(reading: Pass) -> bool:
    """Whether another card may give the same reading."""
    return not isinstance(reading, CutCard) and not (isinstance(reading, CardRead) and reading.unit is not None)


def _within(later: Instant, earlier: Instant, seconds: float) -> bool:
    return later.mono_ns - earlier.mono_ns < seconds * NS_PER_S
