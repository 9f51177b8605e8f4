"""Counts what a reader says while every card of a deck or shoe passes it once. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dealer_drivers.cards import DECK
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import (
    CardForeign,
    CardOutsideGame,
    CardRead,
    CardUnit,
    CardUnreadable,
    CutCard,
    ShoeError,
    ShoeProblem,
)

_IN_VAIN = frozenset(
    {
        ShoeProblem.CANNOT_READ,
        ShoeProblem.BACKWARDS_AT_EXIT,
        ShoeProblem.BACKWARDS_MIDWAY,
        ShoeProblem.WRONG_CARD_CODE,
    }
)
"""What a shoe says of a card that passed and was not read (``devices.md`` §2)."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass that counts: the card that was read, after so many passes in vain."""

    card: str
    unit: CardUnit | None
    code: str | None
    in_vain: int


@dataclass(slots=True)
class Tally:
    """See the module. ``decks`` is how many decks pass. Cards of which nothing at all was heard are found at the end:
    they are ``missing``."""

    decks: int
    passed: list[Passed] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    """Passes in vain by their reason."""
    unread_last: int = 0
    """Passes in vain since the last card that was read."""
    foreign: Counter[str] = field(default_factory=Counter)
    """Codes that are no card of the set."""
    repeats: Counter[str] = field(default_factory=Counter)
    """Readings that may be the same pass once more."""
    units: set[CardUnit] = field(default_factory=set)
    shoe_errors: Counter[str] = field(default_factory=Counter)
    cut_cards: int = 0

    @property
    def wanted(self) -> int:
        """Cards of the whole pile."""
        return self.decks * len(DECK)

    @property
    def complete(self) -> bool:
        """As many cards were read as the pile has."""
        return len(self.passed) >= self.wanted

    @property
    def passes(self) -> int:
        """Everything that passed, read or not, as far as the reader said something of it."""
        besides = (self.unread, self.foreign, self.repeats, self.shoe_errors)
        return len(self.passed) + self.cut_cards + sum(counter.total() for counter in besides)

    def feed(self, readings: Iterable[Reading]) -> int:
        """Takes readings in order; answers how many cards were read."""
        before = len(self.passed)
        for reading in readings:
            self._one(reading)
        return len(self.passed) - before

    def counts(self) -> Counter[str]:
        """Cards read, by card."""
        return Counter(one.card for one in self.passed)

    def missing(self) -> dict[str, int]:
        """Cards that were read less often than the pile has them, and how often less."""
        read = self.counts()
        return {card: self.decks - read[card] for card in DECK if read[card] < self.decks}

    def extra(self) -> dict[str, int]:
        """Cards that were read more often than the pile has them, and how often more."""
        return {card: n - self.decks for card, n in sorted(self.counts().items()) if n > self.decks}

    def _one(self, reading: Reading) -> None:
        match reading:
            case CardRead(repeated=True):
                self.repeats[reading.card] += 1
            case CardRead(unit=unit) if unit is not None and unit in self.units:
                # The same piece of plastic again: it was passed twice.
                self.repeats[reading.card] += 1
            case CardRead():
                self._read(Passed(reading.card, reading.unit, reading.code, self.unread_last))
            case CardOutsideGame():
                # A shoe that is in no game gives its cards away all the same, and says which.
                self._read(Passed(reading.card, None, None, self.unread_last))
            case CardUnreadable(repeated=True) | CardForeign(repeated=True) | CutCard(repeated=True):
                pass
            case CardUnreadable():
                self.unread[str(reading.reason)] += 1
                self.unread_last += 1
            case CardForeign():
                self.foreign[reading.code] += 1
            case CutCard():
                self.cut_cards += 1
            case ShoeError(cleared=False, problem=problem) if problem in _IN_VAIN:
                self.unread[str(problem)] += 1
                self.unread_last += 1
            case ShoeError(cleared=False):
                self.shoe_errors[str(reading.problem)] += 1
            case _:
                pass

    def _read(self, one: Passed) -> None:
        self.passed.append(one)
        self.unread_last = 0
        if one.unit is not None:
            self.units.add(one.unit)
