"""Baccarat: orders, naturals, third cards, gates and facts (``games.md`` §4)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from dealer_daemon.games.cards import baccarat
from dealer_daemon.games.cards.baccarat import Settings, make
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    CardStep,
    Early,
    GateDue,
    GateStep,
    History,
    NotCompleteError,
    Refusal,
)

Lay = Callable[..., History]

# Two cards of each total, none of them a pair.
TWO = {0: "T Q", 1: "A T", 2: "2 T", 3: "3 T", 4: "4 T", 5: "5 T", 6: "6 T", 7: "7 T", 8: "8 T", 9: "9 T"}
VALUE_CARD = {0: "KS", 1: "AS", **{n: f"{n}S" for n in range(2, 10)}}

# 000, 002 and 003: banker's two cards (line) against the player's third (column 0 to 9).
BANKER_DRAWS = {
    0: "1111111111",
    1: "1111111111",
    2: "1111111111",
    3: "1111111101",
    4: "0011111100",
    5: "0000111100",
    6: "0000001100",
    7: "0000000000",
}


def _first_four(player: int, banker: int) -> str:
    (p1, p2), (b1, b2) = TWO[player].split(), TWO[banker].split()
    return f"{p1}S {b1}H {p2}C {b2}D"


def test_cards_are_dealt_player_banker_player_banker(lay: Lay) -> None:
    table = make(Settings())
    history: History = ()
    for position in ("player.1", "banker.1", "player.2", "banker.2"):
        assert table.due(history) == CardDue(position)
        history = lay(table, "AS", after=history)


def test_the_open_order_reads_both_cards_of_a_side_together(lay: Lay) -> None:
    table = make(Settings(order="open"))
    facts = table.facts(lay(table, "9S TH 3C 4D"))
    assert facts["player"]["cards"] == ["9S", "TH"]
    assert facts["banker"]["cards"] == ["3C", "4D"]
    assert facts["winner"] == "player"


@pytest.mark.parametrize(("player", "banker"), list(product(range(10), range(10))))
def test_third_cards_by_the_table_of_the_books(lay: Lay, player: int, banker: int) -> None:
    table = make(Settings())
    history = lay(table, _first_four(player, banker))
    if player >= 8 or banker >= 8:
        assert table.due(history) == COMPLETE
    elif player >= 6:
        assert table.due(history) == (CardDue("banker.3") if banker <= 5 else COMPLETE)
    else:
        assert table.due(history) == CardDue("player.3")
        for value in range(10):
            third = lay(table, VALUE_CARD[value], after=history)
            draws = BANKER_DRAWS[banker][value] == "1"
            assert table.due(third) == (CardDue("banker.3") if draws else COMPLETE), value
            if draws:
                assert table.due(lay(table, "AS", after=third)) == COMPLETE


def test_a_third_card_after_a_natural_is_not_due(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, _first_four(3, 8))
    answer = table.advance(history, CardStep("player.3", Card.parse("AS")))
    assert isinstance(answer, Refusal)
    assert answer.reason == "card_not_due"
    assert "complete" in answer.message


def test_a_card_for_another_position_than_the_one_due_is_refused(lay: Lay) -> None:
    table = make(Settings())
    answer = table.advance(lay(table, "AS"), CardStep("player.2", Card.parse("AS")))
    assert isinstance(answer, Refusal)
    assert "banker.1" in answer.message


GATES = Settings(gates=("first_four", "player_third"))


def test_squeeze_and_insurance_tables_wait_for_the_server_between_stages(lay: Lay) -> None:
    table = make(GATES)
    history = lay(table, _first_four(4, 3))
    assert table.due(history) == GateDue("first_four")
    refused = table.advance(history, CardStep("player.3", Card.parse("AS")))
    assert isinstance(refused, Refusal)
    history = lay(table, "gate 5S", after=history)
    assert table.due(history) == GateDue("player_third")
    history = lay(table, "gate", after=history)
    assert table.due(history) == CardDue("banker.3")
    assert table.due(lay(table, "2S", after=history)) == COMPLETE


def test_gates_hold_the_outcome_too_but_a_natural_has_none(lay: Lay) -> None:
    table = make(GATES)
    assert table.due(lay(table, _first_four(9, 3))) == COMPLETE
    both_stand = lay(table, _first_four(6, 7))
    assert table.due(both_stand) == GateDue("first_four")
    assert table.due(lay(table, "gate", after=both_stand)) == COMPLETE
    banker_stands = lay(table, _first_four(0, 7), "gate 5S")
    assert table.due(banker_stands) == GateDue("player_third")
    assert table.due(lay(table, "gate", after=banker_stands)) == COMPLETE


def test_no_gate_waits_at_a_table_that_runs_by_its_device(lay: Lay) -> None:
    table = make(Settings(gates=("first_four", "player_third"), gates_open=True))
    assert table.gates == ()
    assert table.due(lay(table, _first_four(4, 3))) == CardDue("player.3")


def test_a_gate_that_does_not_wait_cannot_be_opened(lay: Lay) -> None:
    table = make(GATES)
    answer = table.advance(lay(table, "AS"), GateStep("first_four"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "gate_not_waiting"


def test_only_the_first_four_may_be_dealt_face_down_while_betting_is_open(lay: Lay) -> None:
    table = make(Settings(early="withhold"))
    assert table.due(()) == CardDue("player.1", Early.WITHHOLD)
    assert table.due(lay(table, _first_four(4, 3))) == CardDue("player.3", Early.FORBID)


def test_facts_of_a_six_card_hand(lay: Lay) -> None:
    table = make(Settings())
    # Player 2 + 2, then 3: 7. Banker K + K, then 6: 6.
    facts = table.facts(lay(table, "2S KH 2C KD 3H 6S"))
    assert facts["player"] == {
        "cards": ["2S", "2C", "3H"],
        "total": 7,
        "natural": False,
        "pair": "coloured",
        "card_count": 3,
    }
    assert facts["banker"]["pair"] == "coloured"
    assert (facts["winner"], facts["margin"], facts["cards_total"]) == ("player", 1, 6)
    assert (facts["lucky7"], facts["super_lucky7"], facts["lucky6"]) == (3, 6, None)
    assert (facts["dragon7"], facts["panda8"], facts["tie_total"]) == (False, False, None)
    assert facts["insurance"] == {
        "first_four": {"player": 4, "banker": 0, "may_insure": []},
        "player_third": {"player": 7, "banker": 0, "may_insure": ["player"]},
    }


@pytest.mark.parametrize(
    ("cards", "facts"),
    [
        ("9S 9S TH KC", {"natural_tie": True, "winner": "tie", "tie_total": 9, "winner_natural": False, "margin": 0}),
        ("7S 7S TH KC", {"natural_tie": False, "winner": "tie", "tie_total": 7, "lucky7": None}),
        ("9S 8S TH KC", {"winner": "player", "winner_natural": True, "margin": 1, "lucky7": None, "panda8": False}),
        ("TS 6S TH KC 3D", {"winner": "banker", "lucky6": 2, "super_lucky7": None}),
        ("TS 5S TH KC 6D AD", {"winner": "tie", "lucky6": None, "super_lucky7": None}),
        ("TS 3S TH KC 2D 4D", {"winner": "banker", "dragon7": True}),
        ("TS 7S TH KC 2D", {"winner": "banker", "dragon7": False}),
        ("TS 7S TH KC 8D", {"winner": "player", "panda8": True}),
        ("7S 6S TH KC", {"winner": "player", "lucky7": 2, "super_lucky7": 4}),
        ("TS 8S TH KC", {"winner": "banker", "winner_natural": True, "lucky6": None, "dragon7": False}),
        ("5S 5S 5S 5S 5H 5H", {"perfect_pair": 2, "either_pair": True}),
    ],
)
def test_named_facts(lay: Lay, cards: str, facts: dict[str, object]) -> None:
    table = make(Settings())
    found = table.facts(lay(table, cards))
    assert {key: found[key] for key in facts} == facts


# 003: who may insure at which totals, as (own total): other side's totals.
INSURABLE = {
    ("banker", "first_four"): {5: "01234", 6: "012345", 7: "012345"},
    ("banker", "player_third"): {1: "01", 2: "01", 3: "012", 4: "0123", 5: "012", 6: "012"},
    ("player", "first_four"): {5: "4", 6: "012345", 7: "012345"},
    ("player", "player_third"): {5: "01234", 6: "012345", 7: "0123456", 8: "0123456", 9: "0123456"},
}


def _may_insure(gate: str, player: int, banker: int) -> list[str]:
    own = {"player": (player, banker), "banker": (banker, player)}
    return [side for side, (mine, other) in own.items() if str(other) in INSURABLE[side, gate].get(mine, "")]


@pytest.mark.parametrize(("player", "banker"), list(product(range(10), range(10))))
def test_who_may_insure_at_which_totals(lay: Lay, player: int, banker: int) -> None:
    table = make(Settings())
    history = lay(table, _first_four(player, banker))
    while table.due(history) != COMPLETE:
        history = lay(table, "TS", after=history)
    assert table.facts(history)["insurance"]["first_four"] == {
        "player": player,
        "banker": banker,
        "may_insure": _may_insure("first_four", player, banker),
    }
    if player > 5 or banker > 7:
        assert table.facts(history)["insurance"]["player_third"] is None
        return
    for third in range(10):
        history = lay(table, _first_four(player, banker), VALUE_CARD[third])
        if table.due(history) != COMPLETE:
            history = lay(table, "TS", after=history)
        after = (player + third) % 10
        assert table.facts(history)["insurance"]["player_third"] == {
            "player": after,
            "banker": banker,
            "may_insure": _may_insure("player_third", after, banker),
        }


def test_three_cards_are_no_natural(lay: Lay) -> None:
    table = make(Settings())
    facts = table.facts(lay(table, "TS 7S TH KC 8D"))
    assert (facts["player"]["total"], facts["player"]["natural"], facts["winner_natural"]) == (8, False, False)


def test_a_round_under_way_has_no_facts_but_says_what_was_seen(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "9S 5H TH")
    with pytest.raises(NotCompleteError, match=r"banker\.2"):
        table.facts(history)
    assert table.seen(history) == {
        "player": {"cards": ["9S", "TH"], "total": 9, "natural": True, "pair": None, "card_count": 2},
        "banker": {"cards": ["5H"], "total": 5, "natural": None, "pair": None, "card_count": 1},
    }


def test_the_server_has_nothing_to_say_about_the_next_card() -> None:
    answer = make(Settings()).expect((), {"action": "hit"})
    assert isinstance(answer, Refusal)
    assert answer.reason == "not_expected"


def test_a_manager_corrects_a_card_and_the_round_goes_on_from_there(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "4S 3H TC TD")
    natural = table.replace(history, "player.1", Card.parse("9S"))
    assert not isinstance(natural, Refusal)
    assert table.facts(natural)["player"] == {
        "cards": ["9S", "TC"],
        "total": 9,
        "natural": True,
        "pair": None,
        "card_count": 2,
    }


def test_a_correction_that_makes_a_later_card_not_due_is_refused(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "4S 3H TC TD 5S")
    answer = table.replace(history, "player.1", Card.parse("9S"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "later_step_not_due"
    assert "player.3" in answer.message


def test_a_correction_names_a_card_of_the_round_and_one_that_there_is(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, "4S 3H TC TD")
    unknown = table.replace(history, "player.3", Card.parse("9S"))
    assert isinstance(unknown, Refusal)
    assert unknown.reason == "unknown_position"


def test_the_books_word_for_the_game() -> None:
    assert baccarat.GAME_NAME == "baccarat"
    assert (make(Settings()).decks, make(Settings()).composition) == (8, "shoe")
