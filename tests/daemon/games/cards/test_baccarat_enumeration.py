"""Every hand of eight decks, weighed, through the procedure itself."""

from __future__ import annotations

from math import perm

from dealer_daemon.games.cards.baccarat import Settings, make
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, History

HANDS = 4_998_398_275_503_360
"""Ordered draws of six cards from 416."""


def test_every_six_cards_of_eight_decks_end_as_they_must() -> None:
    """Sequences of values, each weighed by how many sequences of cards it stands for; hands of four and five cards by
    what may follow them unseen. Totals as published for eight decks."""
    table = make(Settings())
    cards = [Card.parse(f"{rank}S") for rank in "TA23456789"]
    left = [8 * 16] + [8 * 4] * 9
    won = {"banker": 0, "player": 0, "tie": 0}

    def walk(history: History, weight: int) -> None:
        due = table.due(history)
        if isinstance(due, CardDue):
            for value, card in enumerate(cards):
                copies = left[value]
                left[value] -= 1
                walk((*history, CardStep(due.position, card)), weight * copies)
                left[value] += 1
            return
        assert len(history) <= 6
        won[table.facts(history)["winner"]] += weight * perm(416 - len(history), 6 - len(history))

    walk((), 1)
    assert perm(416, 6) == HANDS
    assert won == {
        "banker": 2_292_252_566_437_888,
        "player": 2_230_518_282_592_256,
        "tie": 475_627_426_473_216,
    }
