from __future__ import annotations

from collections.abc import Callable

import pytest

from dealer_daemon.games.cards.dragon_tiger import Settings, make
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, Early, History

Lay = Callable[..., History]


@pytest.mark.parametrize(
    ("cards", "winner", "margin", "suited"),
    [
        ("KS AS", "dragon", 12, False),
        ("AS KS", "tiger", 12, False),
        ("TD JC", "tiger", 1, False),
        ("JC TD", "dragon", 1, False),
        ("7S 7H", "tie", 0, False),
        ("7S 7S", "tie", 0, True),
    ],
)
def test_the_higher_card_wins_and_suits_count_only_in_a_tie(
    lay: Lay, cards: str, winner: str, margin: int, suited: bool
) -> None:
    table = make(Settings())
    dragon, tiger = cards.split()
    assert table.facts(lay(table, cards)) == {
        "dragon": dragon,
        "tiger": tiger,
        "winner": winner,
        "suited_tie": suited,
        "margin": margin,
    }


def test_a_burnt_card_is_kept_and_left_out_of_the_facts(lay: Lay) -> None:
    table = make(Settings(burn=True))
    assert table.due(()) == CardDue("burn")
    history = lay(table, "KS 2H 3D")
    assert len(history) == 3
    facts = table.facts(history)
    assert (facts["dragon"], facts["tiger"], facts["winner"]) == ("2H", "3D", "tiger")
    assert "KS" not in str(facts)


def test_a_shoe_of_eight_decks() -> None:
    assert (make(Settings()).decks, make(Settings()).composition) == (8, "shoe")


def test_no_third_card_is_due(lay: Lay) -> None:
    table = make(Settings())
    assert table.due(lay(table, "2H 3D")) == COMPLETE


def test_cards_dealt_face_down_before_betting_closes_are_withheld() -> None:
    assert make(Settings(early="withhold", burn=True)).due(()) == CardDue("burn", Early.WITHHOLD)
