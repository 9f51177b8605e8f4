"""Infinite blackjack: one start, one line of community cards with their decision windows (001)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer_daemon.games.cards.blackjack import Settings, make
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, ExpectDue, ExpectStep, History, Procedure, Refusal

Lay = Callable[..., History]
DONE = {"action": "done"}


def window(number: int) -> dict[str, Any]:
    return {"action": "community", "window": number}


def infinite() -> Procedure:
    return make(Settings(rules="infinite-001"))


def reason(table: Procedure, history: History, args: dict[str, Any]) -> str | None:
    answer = table.expect(history, args)
    return None if isinstance(answer, ExpectStep) else answer.reason


def test_one_start_then_the_line_then_the_dealer(lay: Lay) -> None:
    table = infinite()
    history: History = ()
    for position, card in (("player.1", "5S"), ("dealer.1", "6D"), ("player.2", "6S")):
        assert table.due(history) == CardDue(position)
        history = lay(table, card, after=history)
    assert table.due(history) == ExpectDue(("community", "done"))
    history = lay(table, window(1), after=history)
    assert table.due(history) == CardDue("community.1")
    history = lay(table, "2C", window(2), "3C", DONE, after=history)
    assert table.due(history) == CardDue("dealer.2")
    history = lay(table, "AC", after=history)
    assert table.due(history) == COMPLETE
    assert table.facts(history) == {
        "rules": "infinite-001",
        "dealer": {
            "cards": ["6D", "AC"],
            "card_count": 2,
            "total": 17,
            "soft": True,
            "blackjack": False,
            "bust": False,
        },
        "hands": [
            {
                "seat": None,
                "hand": 1,
                "origin": None,
                "cards": ["5S", "6S"],
                "positions": ["player.1", "player.2"],
                "card_count": 2,
                "total": 11,
                "soft": False,
                "blackjack": False,
                "bust": False,
                "doubled": False,
            }
        ],
        "sides": [{"seat": None, "pair": None, "three": None, "four": None}],
        "community": [{"card": "2C", "window": 1}, {"card": "3C", "window": 2}],
    }


def test_the_sides_are_of_the_shared_start_and_the_dealers_first_card(lay: Lay) -> None:
    table = infinite()
    assert table.seen(lay(table, "8S 8H"))["sides"] == [{"seat": None, "pair": None, "three": None, "four": None}]
    assert table.seen(lay(table, "8S"))["hands"][0]["positions"] == ["player.1"]
    sides = table.seen(lay(table, "8S 8H 8C"))["sides"]
    assert sides == [{"seat": None, "pair": "coloured", "three": "trips", "four": None}]


def test_the_dealer_draws_past_eight_cards(lay: Lay) -> None:
    table = infinite()
    history = lay(table, "TS 2D 9S", DONE, "2C 2H 2D 2S 2C AC AH")
    assert table.due(history) == CardDue("dealer.9")


def test_windows_go_forward_one_card_each(lay: Lay) -> None:
    table = infinite()
    start = lay(table, "5S 6D 6S")
    assert reason(table, start, window(0)) == "window_order"
    assert reason(table, start, window(2)) == "window_order"
    one = lay(table, window(1), "2C", after=start)
    assert reason(table, one, window(1)) == "window_order"
    assert reason(table, one, window(2)) is None
    assert reason(table, one, window(3)) == "window_order"


def test_a_start_that_may_be_split_can_take_more_cards_in_a_window(lay: Lay) -> None:
    table = infinite()
    history = lay(table, "TS 6D KS", window(1), "2C")
    assert reason(table, history, window(1)) is None
    history = lay(table, window(1), "3C", window(2), "4C", after=history)
    assert [entry["window"] for entry in table.seen(history)["community"]] == [1, 1, 2]


def test_no_card_when_no_hand_can_take_one(lay: Lay) -> None:
    table = infinite()
    bust = lay(table, "TS 6D 6S", window(1), "KC")
    assert reason(table, bust, window(2)) == "nobody_draws"
    twenty_one = lay(table, "TS 6D 6S", window(1), "5C")
    assert reason(table, twenty_one, window(2)) == "nobody_draws"
    aces = lay(table, "AS 6D AH", window(1), "9C")
    assert reason(table, aces, window(1)) is None  # split aces take one card each
    both = lay(table, window(1), "TC", after=aces)
    assert reason(table, both, window(2)) == "nobody_draws"
    split_goes_on = lay(table, "TS 6D TH", window(1), "2C", window(1), "3C")
    assert reason(table, split_goes_on, window(2)) is None


def test_eight_cards_are_the_most_and_two_split_hands_the_longest_line(lay: Lay) -> None:
    table = infinite()
    history = lay(table, "2S 6D 3S")
    for number, card in enumerate(["AC", "AH", "AS", "AD", "AC", "2H"], start=1):
        history = lay(table, window(number), card, after=history)
    assert reason(table, history, window(7)) == "nobody_draws"
    split = lay(table, "2S 6D 2H", window(1), "TC", window(1), "TD")
    for number in range(2, 14):
        split = lay(table, window(number), "9C", after=split)
    assert len(table.seen(split)["community"]) == 14
    assert reason(table, split, window(14)) == "nobody_draws"


def test_a_community_card_waits_for_its_window_and_the_hole_for_the_end(lay: Lay) -> None:
    table = infinite()
    due_card = lay(table, "5S 6D 6S", window(1))
    assert reason(table, due_card, window(2)) == "not_expected"
    over = lay(table, "5S 6D 6S", DONE)
    assert reason(table, over, window(1)) == "not_expected"
    assert reason(table, over, {"action": "hit", "seat": 1, "hand": 1}) == "bad_argument"


def test_a_corrected_card_of_the_line(lay: Lay) -> None:
    table = infinite()
    history = lay(table, "5S 6D 6S", window(1), "2C", window(2), "3C")
    answer = table.replace(history, "community.1", Card.parse("TC"))
    assert isinstance(answer, Refusal)  # 21: nobody would have drawn the next
    better = table.replace(history, "community.1", Card.parse("4C"))
    assert not isinstance(better, Refusal)
    assert table.seen(better)["community"][0] == {"card": "4C", "window": 1}
