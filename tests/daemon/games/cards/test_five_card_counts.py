"""All 2,598,960 hands of five cards: hold'em's classes and niu niu's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod

import pytest

from dealer_daemon.games.cards.card import DECK, RANKS, SUITS, Card
from dealer_daemon.games.cards.five_ranks import rank_five
from dealer_daemon.games.cards.niu_niu import rank_word

HANDS = comb(52, 5)

ROWS = 10
"""A K Q J T down to 5 4 3 2 A."""


def poker_classes() -> dict[str, int]:
    rank_sets = comb(13, 5)
    return {
        "royal_flush": 4,
        "straight_flush": (ROWS - 1) * 4,
        "quads": 13 * 48,
        "full_house": 13 * comb(4, 3) * 12 * comb(4, 2),
        "flush": (rank_sets - ROWS) * 4,
        "straight": ROWS * (4**5 - 4),
        "trips": 13 * comb(4, 3) * comb(12, 2) * 4**2,
        "two_pair": comb(13, 2) * comb(4, 2) ** 2 * 44,
        "pair": 13 * comb(4, 2) * comb(12, 3) * 4**3,
        "high": (rank_sets - ROWS) * (4**5 - 4),
    }


def niu_niu_classes() -> dict[str, int]:
    """By points, without looking for the three: a bull is there when two of the five have the whole's last digit."""
    copies = dict.fromkeys(range(1, 10), 4) | {10: 16}
    counted: Counter[str] = Counter()
    for points in combinations_with_replacement(copies, 5):
        hands = prod(comb(copies[p], points.count(p)) for p in set(points))
        digit = sum(points) % 10
        if any((a + b - digit) % 10 == 0 for a, b in combinations(points, 2)):
            counted[f"bull_{digit}" if digit else "bull_bull"] += hands
        else:
            counted["no_bull"] += hands
    five_faces = comb(12, 5)
    counted["bull_bull"] -= five_faces
    counted["five_faces"] = five_faces
    return dict(counted)


def representatives() -> Iterator[tuple[list[Card], int]]:
    """One hand of each kind with the number of hands of that kind: a multiset of ranks, of one suit or not."""
    for ranks in combinations_with_replacement(RANKS, 5):
        counts = Counter(ranks)
        if max(counts.values()) == 5:
            continue
        hands = prod(comb(4, n) for n in counts.values())
        suits = iter(SUITS * 2)
        if len(counts) == 5:
            yield [Card(rank, "H") for rank in ranks], 4
            yield [Card(rank, next(suits)) for rank in ranks], hands - 4
        else:
            used: Counter[str] = Counter()
            mixed = []
            for rank in ranks:
                mixed.append(Card(rank, SUITS[used[rank]]))
                used[rank] += 1
            yield mixed, hands


def test_the_classes_counted_by_formula_are_all_hands() -> None:
    assert sum(poker_classes().values()) == sum(niu_niu_classes().values()) == HANDS == 2_598_960


def test_poker_classes_of_every_kind_of_hand() -> None:
    counted: Counter[str] = Counter()
    kinds = 0
    for cards, hands in representatives():
        counted[rank_five(cards).word] += hands
        kinds += 1
    assert kinds == 6175 + 1287
    assert counted == poker_classes()


def test_poker_tells_all_7462_strengths_apart() -> None:
    assert len({rank_five(cards) for cards, _ in representatives()}) == 7462


def test_niu_niu_ranks_of_every_kind_of_hand() -> None:
    counted: Counter[str] = Counter()
    for cards, hands in representatives():
        counted[rank_word(cards)] += hands
    assert counted == niu_niu_classes()


def test_suits_decide_nothing_but_the_flush() -> None:
    """What lets one hand stand for its kind: shown over every suit of a few hands of each shape."""
    for ranks in ("AKQJT", "5432A", "98762", "KQJT8", "A2345"):
        words = Counter(
            rank_five([Card(rank, suit) for rank, suit in zip(ranks, suits, strict=True)]).word
            for suits in product(SUITS, repeat=5)
        )
        assert sorted(words.values()) == [4, 4**5 - 4]


@pytest.mark.soak
def test_every_hand_of_five_cards() -> None:
    poker: Counter[str] = Counter()
    bulls: Counter[str] = Counter()
    for cards in combinations(DECK, 5):
        poker[rank_five(cards).word] += 1
        bulls[rank_word(list(cards))] += 1
    assert poker == poker_classes()
    assert bulls == niu_niu_classes()
