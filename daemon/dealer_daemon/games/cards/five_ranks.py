"""Ranks of five cards, and the best five of seven (001, double-win hold'em)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from dealer_daemon.games.cards.card import Card

CLASS_WORDS = (
    "high",
    "pair",
    "two_pair",
    "trips",
    "straight",
    "flush",
    "full_house",
    "quads",
    "straight_flush",
    "royal_flush",
)
"""Lowest first."""

_BY_SHAPE = {(2, 1, 1, 1): "pair", (2, 2, 1): "two_pair", (3, 1, 1): "trips", (3, 2): "full_house", (4, 1): "quads"}
_WHEEL = (14, 5, 4, 3, 2)


@dataclass(frozen=True, slots=True, order=True)
class FiveRank:
    """How good five cards are: ``>`` is better, ``==`` an exact tie, suits ignored."""

    level: int
    """Index in ``CLASS_WORDS``."""
    ties: tuple[int, ...]
    """What decides within a class, most important first; ace 14, in 5 4 3 2 A the top is 5."""

    @property
    def word(self) -> str:
        return CLASS_WORDS[self.level]


def rank_five(cards: Sequence[Card]) -> FiveRank:
    """The rank of five different cards."""
    counts = Counter(card.high_number for card in cards)
    # By how often a number comes, then by the number: quads before the kicker, the higher pair first.
    ties = tuple(sorted(counts, key=lambda number: (counts[number], number), reverse=True))
    if len(counts) < 5:
        shape = tuple(counts[number] for number in ties)
        return FiveRank(CLASS_WORDS.index(_BY_SHAPE[shape]), ties)
    one_suit = len({card.suit for card in cards}) == 1
    top = 5 if ties == _WHEEL else ties[0] if ties[0] - ties[4] == 4 else None
    if top is None:
        return FiveRank(CLASS_WORDS.index("flush" if one_suit else "high"), ties)
    if not one_suit:
        return FiveRank(CLASS_WORDS.index("straight"), (top,))
    return FiveRank(CLASS_WORDS.index("royal_flush" if top == 14 else "straight_flush"), (top,))


def best_five(cards: Sequence[Card]) -> tuple[FiveRank, tuple[Card, ...]]:
    """The best rank that five of the cards make, and the first five, in the given order, that make it."""
    return max(((rank_five(five), five) for five in combinations(cards, 5)), key=lambda ranked: ranked[0])
