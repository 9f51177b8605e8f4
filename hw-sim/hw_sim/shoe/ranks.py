"""How good a hand is, for the games in which hands are compared. Written anew from ``games.md`` §4.

Every function answers a tuple: the better hand has the greater one, equal ones are a draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from hw_sim.shoe.cards import Card

Strength = tuple[int, ...]

BULL_SUITS = "DCHS"
"""Lowest first."""


def baccarat_value(card: Card) -> int:
    """Ace 1, two to nine by face, ten and pictures nothing."""
    return card.pips if card.pips < 10 else 0


def baccarat_total(cards: Sequence[Card]) -> int:
    """The last digit of the sum."""
    return sum(map(baccarat_value, cards)) % 10


def bull(cards: Sequence[Card]) -> Strength:
    """Five cards of niu niu: five faces, bull-bull, bull nine to one, nothing; then the highest card, then its suit."""
    values = [min(card.pips, 10) for card in cards]
    has_three = any((sum(values) - a - b) % 10 == 0 for a, b in combinations(values, 2))
    if min(card.pips for card in cards) > 10:
        grade = 11
    elif has_three:
        grade = sum(values) % 10 or 10
    else:
        grade = 0
    return (grade, *max((card.pips, BULL_SUITS.index(card.suit)) for card in cards))


def _high(card: Card) -> int:
    return 14 if card.rank == "A" else card.pips


def _straight(highs: Sequence[int], low_ace: tuple[int, ...]) -> int:
    """The top of the straight that the ranks, highest first, make; 0 for none. With the ace low its top is its
    highest card but the ace."""
    if tuple(highs) == low_ace:
        return low_ace[1]
    return highs[0] if all(a - b == 1 for a, b in pairwise(highs)) else 0


def three(cards: Sequence[Card]) -> Strength:
    """Three cards: trips, straight flush, flush, straight, pair, high. The 2-3-5 rule is ``killer``'s."""
    highs = sorted(map(_high, cards), reverse=True)
    flush = len({card.suit for card in cards}) == 1
    straight = _straight(highs, (14, 3, 2))
    by_count = [rank for rank, _ in sorted(Counter(highs).items(), key=lambda item: (item[1], item[0]), reverse=True)]
    if len(by_count) == 1:
        return (5, by_count[0])
    if straight:
        return (4 if flush else 2, straight)
    if flush:
        return (3, *highs)
    return (1 if len(by_count) == 2 else 0, *by_count)


def killer(cards: Sequence[Card]) -> bool:
    """2, 3 and 5, not all of one suit: beats trips."""
    return {card.rank for card in cards} == set("235") and len({card.suit for card in cards}) > 1


def five(cards: Sequence[Card]) -> Strength:
    """Five cards of poker."""
    highs = sorted(map(_high, cards), reverse=True)
    groups = sorted(Counter(highs).items(), key=lambda item: (item[1], item[0]), reverse=True)
    shape = [count for _, count in groups]
    flush = len({card.suit for card in cards}) == 1
    straight = _straight(highs, (14, 5, 4, 3, 2)) if len(groups) == 5 else 0
    if straight and flush:
        return (8, straight)
    if straight:
        return (4, straight)
    if flush:
        return (5, *highs)
    grade = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0)
    return (grade, *(rank for rank, _ in groups))


def best_of(cards: Sequence[Card]) -> Strength:
    """The best five of more."""
    return max(five(chosen) for chosen in combinations(cards, 5))
