from __future__ import annotations

from collections.abc import Callable

import pytest

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.niu_niu import Settings, best_split, make, rank_word
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, CardStep, Early, History, Refusal

Lay = Callable[..., History]
Hand = Callable[[str], list[Card]]

BANKER, P1, P2, P3 = "KS 5H 5D 2C 3S", "KH 9H AD 6C 3D", "2S 8S TS 4H 7H", "JH QH KD JC QS"
FIRST = {
    rank: order.split()
    for ranks, order in {
        "A59K": "banker p1 p2 p3",
        "26T": "p1 p2 p3 banker",
        "37J": "p2 p3 banker p1",
        "48Q": "p3 banker p1 p2",
    }.items()
    for rank in ranks
}


@pytest.mark.parametrize("rank", list("A23456789TJQK"))
def test_the_head_card_decides_who_is_dealt_first(lay: Lay, rank: str) -> None:
    table = make(Settings())
    history, seats = lay(table, rank + "C"), []
    for text in (f"{r}{s}" for s in "SH" for r in "A23456789T"):
        due = table.due(history)
        assert isinstance(due, CardDue)
        seats.append(due.position)
        history = lay(table, text, after=history)
    assert table.due(history) == COMPLETE
    assert seats == [f"{seat}.{n}" for seat in FIRST[rank] for n in range(1, 6)]
    assert table.facts(history)["order"] == FIRST[rank]


def test_hands_opened_by_seat_still_tell_the_order_they_were_dealt_in(lay: Lay) -> None:
    table = make(Settings(order="open"))
    history = lay(table, "3C")
    assert table.due(history) == CardDue("banker.1")
    facts = table.facts(lay(table, BANKER, P1, P2, P3, after=history))
    assert facts["order"] == ["p2", "p3", "banker", "p1"]
    assert facts["hands"]["p3"]["cards"] == P3.split()


def test_facts_of_a_round(lay: Lay) -> None:
    table = make(Settings())
    facts = table.facts(lay(table, "AC", BANKER, P1, P2, P3))
    assert facts["head"] == "AC"
    assert facts["hands"]["banker"] == {
        "cards": BANKER.split(),
        "rank": "bull_5",
        "three": ["KS", "5H", "5D"],
        "two": ["2C", "3S"],
        "highest": "KS",
    }
    assert {seat: hand["rank"] for seat, hand in facts["hands"].items()} == {
        "banker": "bull_5",
        "p1": "bull_9",
        "p2": "bull_1",
        "p3": "five_faces",
    }
    assert facts["winners"] == {"p1": "player", "p2": "banker", "p3": "player"}


def test_a_hand_of_five_never_waits_for_a_sixth_card(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "AC", BANKER)
    assert table.due(history) == CardDue("p1.1")
    answer = table.advance(history, CardStep("banker.6", Card.parse("2D")))
    assert isinstance(answer, Refusal)
    assert answer.reason == "card_not_due"


def test_the_head_card_may_be_read_while_betting_is_open_and_no_other(lay: Lay) -> None:
    table = make(Settings())
    assert table.due(()) == CardDue("head", Early.ALLOW)
    assert table.due(lay(table, "AC")) == CardDue("banker.1", Early.FORBID)
    withheld = make(Settings(early="withhold"))
    assert withheld.due(lay(withheld, "AC")) == CardDue("banker.1", Early.WITHHOLD)


@pytest.mark.parametrize(
    ("cards", "rank"),
    [
        ("JS QS KS JH QH", "five_faces"),
        ("JS QS KS JH TH", "bull_bull"),
        ("TS QS KS 5H 5C", "bull_bull"),
        ("9S AS KS 2H 7C", "bull_9"),
        ("7S 6S 4H 4C 3D", "no_bull"),  # the example of 002
        ("4S TS 9H 4C 8D", "no_bull"),  # the example of 003
        ("AS AH AC AD 2S", "no_bull"),
        ("AS 9H KC 7D 4C", "bull_1"),
    ],
)
def test_ranks(hand: Hand, cards: str, rank: str) -> None:
    assert rank_word(hand(cards)) == rank


def test_every_split_of_a_hand_gives_the_same_bull(hand: Hand) -> None:
    split = best_split(hand("5S 5H TC 2D 8S"))
    assert split is not None
    assert [[str(card) for card in part] for part in split] == [["5S", "5H", "TC"], ["2D", "8S"]]


@pytest.mark.parametrize(
    ("banker", "player", "winner"),
    [
        ("KC 2C 8C 5D 3D", "KS 3S 7S 4H 4D", "player"),  # bull 8 each, spade king over club king (002)
        ("KD 2C 8C 5D 3D", "QS 3S 7S 4H 4D", "banker"),  # bull 8 each, king over queen
        ("KS KC KD 2C 3C", "9S AS QH 2H 7C", "player"),  # bull 5 under bull 9
        ("TS 4S 6S 2S 2H", "9S 9H 2D 2C 2S", "banker"),
    ],
)
def test_equal_ranks_go_by_the_highest_card_then_its_suit(lay: Lay, banker: str, player: str, winner: str) -> None:
    table = make(Settings())
    assert table.facts(lay(table, "AC", banker, player, P2, P3))["winners"]["p1"] == winner


def test_the_order_of_hands_follows_a_corrected_head_card_only_before_hands_lie(lay: Lay) -> None:
    table = make(Settings())
    head_only = table.replace(lay(table, "AC"), "head", Card.parse("2C"))
    assert not isinstance(head_only, Refusal)
    assert table.due(head_only) == CardDue("p1.1")
    late = table.replace(lay(table, "AC KS"), "head", Card.parse("2C"))
    assert isinstance(late, Refusal)
    assert late.reason == "later_step_not_due"


def test_a_correction_cannot_put_one_card_of_the_deck_on_two_positions(lay: Lay) -> None:
    table = make(Settings())
    answer = table.replace(lay(table, "AC KS"), "banker.1", Card.parse("AC"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "copies_used_up"
