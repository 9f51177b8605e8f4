"""A reading is judged by what the table was when it was made, and not by what a word has made of the table since.

Some readings wait: for a second reader, for what may have been held up with them, on the way from a camera. A word of a
server or of a person that comes meanwhile may let a card be due, end a round, change the shoe, or begin or end a scan.
A card that was read before it came too early all the same, or too late.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from dealer_daemon.table.cards.bars import OLD_HAND, OLD_SHOE, Bar
from dealer_drivers.instant import Instant

_MOST_WORDS = 64
"""Nobody says so much while a card waits."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a card is that is read now. ``scanning``: it is of a deck set that is scanned. ``bar``: why it may not lie
    down."""

    round: str | None
    shoe: str | None
    scanning: bool
    bar: Bar | None


@dataclass(frozen=True, slots=True)
class Since:
    """What became of the table since a card was read. ``bar``: why it may not lie down, whatever may now.
    ``scanning``: it was read in a scan. ``scans``: a scan began or ended since. ``shoe_ended``: the one in play did."""

    bar: Bar | None
    scanning: bool
    scans: bool
    shoe_ended: bool


class Words:
    """The newest words that changed what a card is. They may be forgotten: what waits is forgotten with them."""

    def __init__(self) -> None:
        self._said: deque[tuple[int, Since]] = deque(maxlen=_MOST_WORDS)

    def spoken(self, at: Instant, before: Meaning, after: Meaning) -> None:
        """A word was carried out ``at``; what a card was ``before`` it, and is ``after`` it."""
        if before != after:
            scans, ended = before.scanning != after.scanning, before.shoe not in (None, after.shoe)
            self._said.append((at.mono_ns, Since(_bar(before, after), before.scanning, scans, ended)))

    def since(self, at: Instant) -> Since | None:
        """What words changed since ``at``; ``None`` where none did, and a card is what one is that is read now."""
        newer = [word for said_ns, word in self._said if said_ns > at.mono_ns]
        if not newer:
            return None
        bar = next((word.bar for word in newer if word.bar is not None), None)
        scans, ended = any(word.scans for word in newer), any(word.shoe_ended for word in newer)
        return Since(bar, newer[0].scanning, scans, ended)


def _bar(before: Meaning, after: Meaning) -> Bar | None:
    if before.bar is not None:
        return before.bar
    if before.round is not None and before.round != after.round:
        return OLD_HAND
    return None if before.shoe == after.shoe else OLD_SHOE
