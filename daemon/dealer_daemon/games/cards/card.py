"""Playing cards as the messages write them: rank ``A 2..9 T J Q K``, then suit ``S H C D`` (``games.md`` §3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
SUITS = ("S", "H", "C", "D")
FACES = frozenset("JQK")

_NUMBER = {rank: number for number, rank in enumerate(RANKS, start=1)}
_COLOUR = {"S": "black", "C": "black", "H": "red", "D": "red"}


class CardNotationError(ValueError):
    """The text is no card of a 52-card deck. Nothing to retry: the code book or the sender is wrong."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card by its face. ``rank`` is one of ``RANKS``, ``suit`` one of ``SUITS``; else ``CardNotationError``."""

    rank: str
    suit: str

    def __post_init__(self) -> None:
        if self.rank not in _NUMBER or self.suit not in _COLOUR:
            raise CardNotationError(f"no card has the rank {self.rank!r} and the suit {self.suit!r}")

    @staticmethod
    def parse(text: str) -> Card:
        """The card written ``8S`` or ``TD``: two characters, capitals, nothing else. Raises ``CardNotationError``."""
        card = _BY_TEXT.get(text)
        if card is None:
            raise CardNotationError(f"{text!r} is no card: write the rank (A 2..9 T J Q K), then the suit (S H C D)")
        return card

    def __str__(self) -> str:
        return self.rank + self.suit

    @property
    def number(self) -> int:
        """1 for an ace, 2 to 10 by face, 11, 12, 13 for J, Q, K."""
        return _NUMBER[self.rank]

    @property
    def high_number(self) -> int:
        """As ``number``, the ace 14."""
        return 14 if self.rank == "A" else _NUMBER[self.rank]

    @property
    def points(self) -> int:
        """1 for an ace, 2 to 10 by face, 10 for J, Q, K."""
        return min(_NUMBER[self.rank], 10)

    @property
    def colour(self) -> str:
        """``black`` (spades, clubs) or ``red`` (hearts, diamonds)."""
        return _COLOUR[self.suit]


DECK: tuple[Card, ...] = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck; no jokers."""

_BY_TEXT = {str(card): card for card in DECK}


def composition(decks: int) -> dict[Card, int]:
    """How many copies of each card lie in ``decks`` full decks."""
    if decks < 1:
        raise ValueError(f"a shoe holds at least one deck, not {decks}")
    return dict.fromkeys(DECK, decks)


def texts(cards: Iterable[Card]) -> list[str]:
    """The cards as messages write them, in order."""
    return [str(card) for card in cards]


def pair_kind(first: Card, second: Card) -> str | None:
    """What pair two cards make by rank: ``perfect`` (one suit), ``coloured`` (one colour), ``mixed``, or None."""
    if first.rank != second.rank:
        return None
    if first.suit == second.suit:
        return "perfect"
    return "coloured" if first.colour == second.colour else "mixed"
