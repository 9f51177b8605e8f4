from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from dealer_daemon.games.cards import brawl, koi, san_gong
from dealer_daemon.games.cards.procedure import COMPLETE, CardDue, History

Lay = Callable[..., History]
CARDS = "AS TD KH 2C 9S 9H"


@pytest.mark.parametrize("game", [san_gong, koi, brawl], ids=lambda module: module.GAME_NAME)
def test_six_cards_in_order_of_position_are_the_whole_fact(lay: Lay, game: ModuleType) -> None:
    table = game.make(game.Settings())
    history: History = ()
    for n, card in enumerate(CARDS.split(), start=1):
        assert table.due(history) == CardDue(f"card.{n}")
        history = lay(table, card, after=history)
    assert table.due(history) == COMPLETE
    assert table.facts(history) == {"cards": CARDS.split()}
    assert table.game == game.GAME_NAME
    assert (table.decks, table.composition) == (1, "round")


def test_the_names_of_the_three() -> None:
    assert [game.GAME_NAME for game in (san_gong, koi, brawl)] == ["san-gong", "koi", "brawl"]
