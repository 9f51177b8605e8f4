"""Ranks of three cards: win three cards, and blackjack's 21+3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dealer_daemon.games.cards.card import Card

CLASS_WORDS = ("high", "pair", "straight", "flush", "straight_flush", "trips")
"""Lowest first (002, 003)."""


@dataclass(frozen=True, slots=True, order=True)
class ThreeRank:
    """How good three cards are: ``>`` is better, ``==`` a draw, suits ignored."""

    level: int
    """Index in ``CLASS_WORDS``."""
    ties: tuple[int, ...]
    """What decides within a class, most important first; ace 14."""

    @property
    def word(self) -> str:
        return CLASS_WORDS[self.level]


def straight_top(cards: Sequence[Card]) -> int | None:
    """The top card of three in a row: 14 for A K Q … 4 for 4 3 2, 3 for 3 2 A; K A 2 is none."""
    numbers = sorted(card.number for card in cards)
    if numbers == [1, 12, 13]:
        return 14
    return numbers[2] if numbers[1] == numbers[0] + 1 and numbers[2] == numbers[1] + 1 else None


def rank_three(cards: Sequence[Card]) -> ThreeRank:
    """The rank of three cards by 002 and 003: trips, straight flush, flush, straight, pair, high."""
    counts = Counter(card.high_number for card in cards)
    # By how often a number comes, then by the number: the pair before its kicker.
    ties = tuple(sorted(counts, key=lambda number: (counts[number], number), reverse=True))
    if len(counts) == 1:
        return ThreeRank(CLASS_WORDS.index("trips"), ties)
    one_suit = len({card.suit for card in cards}) == 1
    top = straight_top(cards)
    if top is not None:
        return ThreeRank(CLASS_WORDS.index("straight_flush" if one_suit else "straight"), (top,))
    if one_suit:
        return ThreeRank(CLASS_WORDS.index("flush"), ties)
    return ThreeRank(CLASS_WORDS.index("pair" if len(counts) == 2 else "high"), ties)


def is_killer(cards: Sequence[Card]) -> bool:
    """Whether they are the off-suit 2-3-5 (豹子杀手): not all of one suit; two of one suit count (002)."""
    return sorted(card.number for card in cards) == [2, 3, 5] and len({card.suit for card in cards}) > 1
