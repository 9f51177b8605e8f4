"""Ranks of three cards: all 22,100 hands, and the order of hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import comb

import pytest

from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.three_cards import compare, nines_or_better
from dealer_daemon.games.cards.three_ranks import is_killer, rank_three

Hand = Callable[[str], list[Card]]

ROWS = 12
"""A K Q down to 4 3 2, and 3 2 A."""


def test_all_hands_of_three_cards_fall_into_their_classes() -> None:
    counted = Counter(rank_three(cards).word for cards in combinations(DECK, 3))
    rank_sets = comb(13, 3)
    assert counted == {
        "trips": 13 * comb(4, 3),
        "straight_flush": ROWS * 4,
        "flush": (rank_sets - ROWS) * 4,
        "straight": ROWS * (4**3 - 4),
        "pair": 13 * comb(4, 2) * 48,
        "high": (rank_sets - ROWS) * (4**3 - 4),
    }
    assert counted.total() == 22_100


def test_the_killer_is_every_2_3_5_but_the_four_of_one_suit() -> None:
    killers = [cards for cards in combinations(DECK, 3) if is_killer(cards)]
    assert len(killers) == 4**3 - 4
    assert {rank_three(cards).word for cards in killers} == {"high"}


def test_without_trips_the_killer_is_lower_than_every_other_hand(hand: Hand) -> None:
    killer = hand("2S 3H 5S")
    others = (list(cards) for cards in combinations(DECK, 3) if not is_killer(cards))
    for other in others:
        trips = rank_three(other).word == "trips"
        assert compare(killer, other) == ("first" if trips else "second")
        assert compare(other, killer) == ("second" if trips else "first")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2S 2H 2D", "AS KS QS"),
        ("AS AH AD", "KS KH KD"),
        ("4S 2S 3S", "AS KS JS"),
        ("AS KS QS", "KH QH JH"),
        ("4S 3S 2S", "3H 2H AH"),
        ("5S 3S 2S", "AS KH QD"),
        ("AS 4S 2S", "KH QH TH"),
        ("AH KS QD", "KH QS JD"),
        ("4H 3S 2D", "3H 2S AD"),
        ("3H 2S AD", "AH AS KD"),
        ("AH AS 2D", "KH KS AD"),
        ("9H 9S KD", "9D 9C QD"),
        ("2H 2S 3D", "AS KH JD"),
        ("KS AD QH", "AS KH 2D"),
        ("AS KH 3D", "AH KS 2D"),
    ],
)
def test_the_order_of_hands(hand: Hand, better: str, worse: str) -> None:
    assert compare(hand(better), hand(worse)) == "first"
    assert compare(hand(worse), hand(better)) == "second"


@pytest.mark.parametrize(
    ("one", "other"), [("AS KH JD", "AH KS JC"), ("2S 3H 5D", "2H 3D 5S"), ("9S 9H 4D", "9D 9C 4S")]
)
def test_equal_hands_draw(hand: Hand, one: str, other: str) -> None:
    assert compare(hand(one), hand(other)) == "draw"


def test_king_ace_two_is_no_straight(hand: Hand) -> None:
    assert rank_three(hand("KS AH 2D")).word == "high"
    assert rank_three(hand("KS AS 2S")).word == "flush"


@pytest.mark.parametrize(
    ("cards", "better"),
    [("9S 9H 2D", True), ("8S 8H AD", False), ("AS AH 2D", True), ("AS KH 9D", False), ("3S 2H AD", True)],
)
def test_nines_or_better(hand: Hand, cards: str, better: bool) -> None:
    assert nines_or_better(hand(cards)) is better
