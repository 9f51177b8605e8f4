from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from dealer_daemon.games.cards.procedure import CardDue, Early, History
from dealer_daemon.games.cards.three_cards import Settings, make

Lay = Callable[..., History]
Order = Literal["deal", "reveal", "by_hand"]


@pytest.mark.parametrize(
    ("order", "cards"),
    [("deal", "AS KS AH KH AD 2S"), ("reveal", "AS AH KS KH AD 2S"), ("by_hand", "AS AH AD KS KH 2S")],
)
def test_the_reading_order_is_a_setting_and_the_hands_are_the_same(lay: Lay, order: Order, cards: str) -> None:
    table = make(Settings(order=order))
    facts = table.facts(lay(table, cards))
    assert facts == {
        "hands": {
            "first": {"cards": ["AS", "AH", "AD"], "rank": "trips", "killer": False},
            "second": {"cards": ["KS", "KH", "2S"], "rank": "pair", "killer": False},
        },
        "winner": "first",
        "nines_or_better": True,
    }


def test_the_killer_beats_trips_and_is_named(lay: Lay) -> None:
    table = make(Settings(order="by_hand"))
    facts = table.facts(lay(table, "2S 3H 5D AS AH AD"))
    assert facts["winner"] == "first"
    assert facts["hands"]["first"] == {"cards": ["2S", "3H", "5D"], "rank": "high", "killer": True}
    assert facts["nines_or_better"] is False


def test_two_three_five_of_one_suit_is_a_flush(lay: Lay) -> None:
    table = make(Settings(order="by_hand"))
    facts = table.facts(lay(table, "2S 3S 5S AS AH AD"))
    assert facts["winner"] == "second"
    assert facts["hands"]["first"] == {"cards": ["2S", "3S", "5S"], "rank": "flush", "killer": False}


def test_equal_hands_draw_and_nobody_has_nines_or_better(lay: Lay) -> None:
    table = make(Settings(order="by_hand"))
    facts = table.facts(lay(table, "AS KH QD AH KD QC"))
    assert (facts["winner"], facts["nines_or_better"]) == ("draw", False)


def test_cards_are_read_after_betting_unless_the_table_withholds_them() -> None:
    assert make(Settings()).due(()) == CardDue("first.1", Early.FORBID)
    assert make(Settings(early="withhold")).due(()) == CardDue("first.1", Early.WITHHOLD)


def test_a_hand_under_way_has_no_rank(lay: Lay) -> None:
    table = make(Settings())
    assert table.seen(lay(table, "AS"))["hands"] == {
        "first": {"cards": ["AS"], "rank": None, "killer": None},
        "second": {"cards": [], "rank": None, "killer": None},
    }
