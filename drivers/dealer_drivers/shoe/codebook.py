"""Code books: from the text that a scanner reads off a card to the card (``devices.md`` §3).

Two kinds. *Unit-coded*: every physical card has its own code, so that each is known wherever it turns up.
*Rank-suit*: a code means a card, whichever deck it is of; two equal cards then look alike, and a repeat can
only be told by time. ``RANK_SUIT`` is built in: the code is the card, ``8S``. Other books come from files
(``codebook_file.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from dealer_drivers.cards import DECK
from dealer_drivers.readings.shoe import CardTrouble, CardUnit, ForeignKind
from dealer_drivers.shoe.aim import split_aim
from dealer_drivers.shoe.check_character import is_checked

SEPARATORS = " \t,;|/"
"""What scanners that read several codes at once put between them."""


class BookKind(StrEnum):
    """What a code stands for."""

    RANK_SUIT = "rank-suit"
    UNIT_CODED = "unit-coded"


@dataclass(frozen=True, slots=True)
class KnownCard:
    """The code is a card of the set; ``unit`` in unit-coded books."""

    card: str
    unit: CardUnit | None = None


@dataclass(frozen=True, slots=True)
class KnownCut:
    """The code is the cut card's."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A sound code that is no card of the set."""

    kind: ForeignKind = ForeignKind.UNKNOWN


@dataclass(frozen=True, slots=True)
class Misread:
    """No sound code: a piece of one, several at once, or one whose check character does not fit."""

    trouble: CardTrouble
    detail: str


Found: TypeAlias = KnownCard | KnownCut | Foreign | Misread


@dataclass(frozen=True, slots=True)
class CodeBook:
    """The map of one deck set, already checked.

    ``decks`` is ``None`` for rank-suit books, which do not count decks. ``others`` are codes of the cut card,
    jokers and advertising cards. ``checked``: every code ends with a check character (``check_character.py``).
    """

    kind: BookKind
    deck_set: str
    cards: Mapping[str, KnownCard]
    decks: int | None = None
    others: Mapping[str, KnownCut | Foreign] = field(default_factory=dict)
    checked: bool = False

    def lookup(self, code: str) -> Found:
        """What ``code`` is. Exact: case matters, nothing is trimmed, nothing is completed."""
        found = self.cards.get(code) or self.others.get(code)
        if found is not None:
            return found
        if any(code in whole for whole in self.codes()):
            return Misread(CardTrouble.PARTIAL, "a piece of a code")
        if self._is_several(code):
            return Misread(CardTrouble.TWO_CODES, "more than one code at once; show one card alone")
        if self.checked and len(code) in self.lengths() and not is_checked(code):
            return Misread(CardTrouble.CHECK_CHARACTER, "the check character does not fit: misread")
        return Foreign()

    def codes(self) -> list[str]:
        """Every code of the book, cards first."""
        return [*self.cards, *self.others]

    def lengths(self) -> frozenset[int]:
        """The lengths that its codes have."""
        return frozenset(map(len, self.codes()))

    def _is_several(self, text: str) -> bool:
        # No code is the head of another (checked on load), so there is one way to take the text apart.
        lengths, count = self.lengths(), 0
        while text := text.strip(SEPARATORS):
            _, text = split_aim(text)
            heads = [text[:length] for length in lengths if text[:length] in self.cards or text[:length] in self.others]
            if not heads:
                return False
            text = text[len(heads[0]) :]
            count += 1
        return count > 1


RANK_SUIT = CodeBook(kind=BookKind.RANK_SUIT, deck_set="rank-suit", cards={card: KnownCard(card) for card in DECK})
"""The built-in book: the code is the card."""
