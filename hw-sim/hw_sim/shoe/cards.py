"""Physical cards: each one is a piece of its own, known by deck and serial, whatever a reader can tell of it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

RANKS = "A23456789TJQK"
SUITS = "SHCD"


@dataclass(frozen=True, slots=True)
class Card:
    """One card. ``deck`` counts from 1, ``serial`` from 1 through the whole set of decks."""

    rank: str
    suit: str
    deck: int
    serial: int

    @property
    def text(self) -> str:
        """Rank and suit as messages write them, ``8S``."""
        return self.rank + self.suit

    @property
    def pips(self) -> int:
        """1 for the ace to 13 for the king."""
        return RANKS.index(self.rank) + 1


def full_set(decks: int) -> list[Card]:
    """All cards of so many decks, in order."""
    kinds = [(rank, suit) for suit in SUITS for rank in RANKS]
    return [
        Card(rank, suit, deck + 1, deck * len(kinds) + place)
        for deck in range(decks)
        for place, (rank, suit) in enumerate(kinds, 1)
    ]


def is_card(text: str) -> bool:
    """Whether ``text`` is a card's, ``8S``."""
    return len(text) == 2 and text[0] in RANKS and text[1] in SUITS


class Stock:
    """The cards in the shoe, shuffled, the cut card so many from the end. ``on_top``: the first cards, in order."""

    def __init__(self, rng: Random, decks: int, cut_from_end: int, on_top: tuple[str, ...] = ()) -> None:
        self.decks = decks
        self._cards = full_set(decks)
        rng.shuffle(self._cards)
        self._cut_from_end = cut_from_end
        self.cut_shown = False
        for place, text in enumerate(on_top):
            self._bring(place, next(i for i in range(place, len(self._cards)) if self._cards[i].text == text))

    def __len__(self) -> int:
        return len(self._cards)

    def cut_due(self) -> bool:
        """Whether the cut card comes out before the next card."""
        return not self.cut_shown and len(self._cards) <= self._cut_from_end

    def holds(self, text: str) -> bool:
        """Whether a card that looks like this is left."""
        return any(card.text == text for card in self._cards)

    def draw(self) -> Card:
        """The next card. Raises ``IndexError`` when there is none."""
        return self._cards.pop(0)

    def bring_equal(self, card: Card) -> bool:
        """Another deck's card that looks like this one comes next; whether there is one left."""
        at = next((i for i, other in enumerate(self._cards) if other.text == card.text), None)
        if at is not None:
            self._bring(0, at)
        return at is not None

    def _bring(self, place: int, at: int) -> None:
        self._cards.insert(place, self._cards.pop(at))
