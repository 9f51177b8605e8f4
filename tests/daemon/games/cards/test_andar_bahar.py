from __future__ import annotations

from collections.abc import Callable

import pytest

from dealer_daemon.games.cards.andar_bahar import Settings, band, make
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, Early, GateDue, History

Lay = Callable[..., History]


def test_cards_go_to_andar_and_bahar_in_turn_until_the_jokers_rank(lay: Lay) -> None:
    table = make(Settings())
    assert table.due(()) == CardDue("joker", Early.ALLOW)
    history = lay(table, "8S")
    assert table.due(history) == GateDue("second_bets")
    history = lay(table, "gate", after=history)
    for position, card in (("andar.1", "KS"), ("bahar.1", "2H"), ("andar.2", "3D"), ("bahar.2", "8D")):
        assert table.due(history) == CardDue(position)
        history = lay(table, card, after=history)
    assert table.due(history) == COMPLETE
    assert table.facts(history) == {
        "joker": "8S",
        "joker_suit": "S",
        "joker_color": "black",
        "dealt": 4,
        "cards": {"andar": ["KS", "3D"], "bahar": ["2H", "8D"]},
        "winner": "bahar",
        "band": "1-5",
        "first_card": False,
    }


def test_the_first_card_may_end_it(lay: Lay) -> None:
    table = make(Settings(gates_open=True))
    facts = table.facts(lay(table, "8S 8H"))
    assert (facts["winner"], facts["dealt"], facts["first_card"]) == ("andar", 1, True)


def test_the_longest_round_deals_49(lay: Lay) -> None:
    table = make(Settings(gates_open=True))
    others = " ".join(str(card) for card in DECK if card.rank != "8")
    facts = table.facts(lay(table, "8S", others, "8H"))
    assert (facts["dealt"], facts["winner"], facts["band"]) == (49, "andar", "41-49")


@pytest.mark.parametrize(
    ("dealt", "word"),
    [
        (1, "1-5"),
        (5, "1-5"),
        (6, "6-10"),
        (10, "6-10"),
        (11, "11-15"),
        (15, "11-15"),
        (16, "16-25"),
        (25, "16-25"),
        (26, "26-30"),
        (30, "26-30"),
        (31, "31-35"),
        (35, "31-35"),
        (36, "36-40"),
        (40, "36-40"),
        (41, "41-49"),
        (49, "41-49"),
    ],
)
def test_bands_of_the_book(dealt: int, word: str) -> None:
    assert band(dealt) == word
