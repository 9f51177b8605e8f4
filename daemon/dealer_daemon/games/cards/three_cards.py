"""Win Three Cards (002: gold and silver; 003: dragon and phoenix). Here ``first`` and ``second``."""

from __future__ import annotations

from typing import Literal

from dealer_daemon.games.cards.card import Card, texts
from dealer_daemon.games.cards.procedure import (
    CardDue,
    DealtSettings,
    Early,
    Facts,
    History,
    PlannedProcedure,
    Procedure,
    cards_of,
)
from dealer_daemon.games.cards.three_ranks import is_killer, rank_three

GAME_NAME = "three-cards"

_ORDERS = {
    "deal": ("first.1", "second.1", "first.2", "second.2", "first.3", "second.3"),
    "reveal": ("first.1", "first.2", "second.1", "second.2", "first.3", "second.3"),
    "by_hand": ("first.1", "first.2", "first.3", "second.1", "second.2", "second.3"),
}


class Settings(DealtSettings, frozen=True, kw_only=True):
    """``order``: ``deal`` as dealt, ``reveal`` two, two, one, one (002), ``by_hand`` all of one, then the other."""

    order: Literal["deal", "reveal", "by_hand"] = "deal"


def compare(first: list[Card], second: list[Card]) -> str:
    """``first``, ``second`` or ``draw``. The off-suit 2-3-5 beats trips and is otherwise the lowest hand."""
    one, other = rank_three(first), rank_three(second)
    if is_killer(first) and other.word == "trips":
        return "first"
    if is_killer(second) and one.word == "trips":
        return "second"
    # 5 3 2 is the lowest high hand by its cards already: 4 3 2 and 3 2 A are straights.
    if one == other:
        return "draw"
    return "first" if one > other else "second"


def nines_or_better(cards: list[Card]) -> bool:
    """A pair of nines or more, straight, flush, straight flush or trips (对8以上)."""
    rank = rank_three(cards)
    return rank.ties[0] >= 9 if rank.word == "pair" else rank.word != "high"


class ThreeCards(PlannedProcedure):
    """Positions ``first.1`` to ``first.3``, ``second.1`` to ``second.3``."""

    game = GAME_NAME

    def __init__(self, settings: Settings) -> None:
        self._plan = tuple(CardDue(position, Early(settings.early)) for position in _ORDERS[settings.order])

    def plan(self, history: History) -> tuple[CardDue, ...]:  # noqa: ARG002
        return self._plan

    def seen(self, history: History) -> Facts:
        return {"hands": {hand: _hand(cards_of(history, hand)) for hand in ("first", "second")}}

    def _facts(self, history: History) -> Facts:
        winner = compare(cards_of(history, "first"), cards_of(history, "second"))
        return {
            **self.seen(history),
            "winner": winner,
            "nines_or_better": winner != "draw" and nines_or_better(cards_of(history, winner)),
        }


def _hand(cards: list[Card]) -> Facts:
    """A hand's facts; ``rank`` and ``killer`` are None before there are three cards."""
    whole = len(cards) == 3
    return {
        "cards": texts(cards),
        "rank": rank_three(cards).word if whole else None,
        "killer": is_killer(cards) if whole else None,
    }


def make(settings: Settings) -> Procedure:
    """The procedure of one win-three-cards table."""
    return ThreeCards(settings)
