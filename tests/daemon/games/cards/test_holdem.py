from __future__ import annotations

from collections.abc import Callable

import pytest

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.five_ranks import best_five, rank_five
from dealer_daemon.games.cards.holdem import Settings, make
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, CardStep, GateDue, History, Refusal

Lay = Callable[..., History]
Hand = Callable[[str], list[Card]]


def test_the_dealers_cards_are_not_due_before_the_call(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "AS KS 2C 3D 4H")
    assert table.due(history) == GateDue("call")
    assert isinstance(table.advance(history, CardStep("dealer.1", Card.parse("9S"))), Refusal)
    history = lay(table, "gate", after=history)
    for position, card in (("dealer.1", "9S"), ("dealer.2", "9H"), ("board.4", "KD"), ("board.5", "QD")):
        assert table.due(history) == CardDue(position)
        history = lay(table, card, after=history)
    assert table.due(history) == COMPLETE
    assert table.facts(history) == {
        "player": {"cards": ["AS", "KS"], "best": ["AS", "KS", "4H", "KD", "QD"], "rank": "pair"},
        "dealer": {"cards": ["9S", "9H"], "best": ["9S", "9H", "4H", "KD", "QD"], "rank": "pair"},
        "board": ["2C", "3D", "4H", "KD", "QD"],
        "winner": "player",
        "dealer_qualifies": True,
    }


def test_dealt_at_once_the_hidden_four_are_held_back_until_the_call(lay: Lay) -> None:
    table = make(Settings(order="deal"))
    held, history = [], lay(table, "")
    for card in "AS KS 9S 9H 2C 3D 4H KD QD".split():  # noqa: SIM905
        due = table.due(history)
        assert isinstance(due, CardDue)
        held += [due.position] if due.reveal_gate == "call" else []
        history = lay(table, card, after=history)
    assert held == ["dealer.1", "dealer.2", "board.4", "board.5"]
    assert table.due(history) == GateDue("call")
    facts = table.facts(lay(table, "gate", after=history))
    assert (facts["player"]["cards"], facts["dealer"]["cards"]) == (["AS", "KS"], ["9S", "9H"])
    assert facts["board"] == ["2C", "3D", "4H", "KD", "QD"]


def test_without_a_server_nothing_waits_and_nothing_is_held(lay: Lay) -> None:
    assert make(Settings(gates_open=True)).due(lay(make(Settings(gates_open=True)), "AS KS 2C 3D 4H")) == CardDue(
        "dealer.1"
    )
    table = make(Settings(order="deal", gates_open=True))
    assert table.due(lay(table, "AS KS")) == CardDue("dealer.1")
    assert table.due(lay(table, "AS KS 9S 9H 2C 3D 4H KD QD")) == COMPLETE


@pytest.mark.parametrize(
    ("dealer", "qualifies"),
    [("3S 3H", False), ("4S 4H", True), ("AS KH", False), ("2H KS", False), ("8C KS", True)],
)
def test_the_dealer_plays_with_a_pair_of_fours_or_better(lay: Lay, dealer: str, qualifies: bool) -> None:
    table = make(Settings(order="deal"))
    facts = table.facts(lay(table, "5C 6C", dealer, "2D 7H 8D TS JC", "gate"))
    assert facts["dealer_qualifies"] is qualifies


def test_the_board_ties_both(lay: Lay) -> None:
    table = make(Settings(order="deal"))
    facts = table.facts(lay(table, "2S 3H 2D 3C TS JS QS KS AS", "gate"))
    assert facts["winner"] == "tie"
    assert facts["player"]["rank"] == facts["dealer"]["rank"] == "royal_flush"
    assert facts["player"]["best"] == ["TS", "JS", "QS", "KS", "AS"]


LADDER = [
    "TS JS QS KS AS",
    "9S TS JS QS KS",
    "AH 2H 3H 4H 5H",
    "AS AH AD AC 2S",
    "2S 2H 2D 2C AS",
    "AS AH AD KS KH",
    "KS KH KD AS AH",
    "AS KS QS JS 9S",
    "7S 5S 4S 3S 2S",
    "AS KH QD JC TS",
    "6S 5H 4D 3C 2S",
    "5S 4H 3D 2C AS",
    "AS AH AD KC QS",
    "AS AH KD KC QS",
    "AS AH KD KC JS",
    "AS AH QD QC KS",
    "AS AH KD QC JS",
    "AS AH KD QC TS",
    "AS KH QD JC 9S",
    "7S 5H 4D 3C 2S",
]


def test_the_ladder_of_five_cards(hand: Hand) -> None:
    ranks = [rank_five(hand(text)) for text in LADDER]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(
    ("seven", "word", "best"),
    [
        ("AS AH KS KH QD QC 2S", "two_pair", "AS AH KS KH QD"),
        ("AS AH AD KS KH KD 2S", "full_house", "AS AH AD KS KH"),
        ("2S 4S 6S 8S TS QS KS", "flush", "6S 8S TS QS KS"),
        ("AS 2H 3D 4C 5S 6H 9D", "straight", "2H 3D 4C 5S 6H"),
        ("5S 6S 7S 8S 9S TD JH", "straight_flush", "5S 6S 7S 8S 9S"),
        ("QS KH AD 2C 3S 7D 9H", "high", "QS KH AD 7D 9H"),
    ],
)
def test_the_best_five_of_seven(hand: Hand, seven: str, word: str, best: str) -> None:
    rank, five = best_five(hand(seven))
    assert (rank.word, [str(card) for card in five]) == (word, best.split())
