"""Baccarat (all books): also speed, squeeze, insurance, private-table and fortune tables. One procedure.

Order, naturals and third cards: ``games.md`` §4. 001 prints "6 or 7" for a banker's five against a player's third
card; 000, 002, 003 and 004 say 4 to 7, which is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, TypeAlias

from dealer_daemon.games.cards.card import Card, pair_kind, texts
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    DealtSettings,
    Due,
    Early,
    Facts,
    GateDue,
    GateStep,
    History,
    Procedure,
    cards_of,
)

GAME_NAME = "baccarat"

Gate: TypeAlias = Literal["first_four", "player_third"]

_ORDERS = {
    "deal": ("player.1", "banker.1", "player.2", "banker.2"),
    "open": ("player.1", "player.2", "banker.1", "banker.2"),
}

_BANKER_DRAWS_ON: dict[int, frozenset[int]] = {
    0: frozenset(range(10)),
    1: frozenset(range(10)),
    2: frozenset(range(10)),
    3: frozenset(range(10)) - {8},
    4: frozenset({2, 3, 4, 5, 6, 7}),
    5: frozenset({4, 5, 6, 7}),
    6: frozenset({6, 7}),
    7: frozenset(),
}
"""Banker's first total → the values of the player's third card on which the banker draws."""

# 003, insurance: totals at the gate at which a side may insure its bet, as (own total, other side's total).
_BANKER_MAY_INSURE: dict[Gate, dict[int, Collection[int]]] = {
    "first_four": {5: range(5), 6: range(6), 7: range(6)},
    "player_third": {1: (0, 1), 2: (0, 1), 3: (0, 1, 2), 4: (0, 1, 2, 3), 5: (0, 1, 2), 6: (0, 1, 2)},
}
_PLAYER_MAY_INSURE: dict[Gate, dict[int, Collection[int]]] = {
    "first_four": {5: (4,), 6: range(6), 7: range(6)},
    "player_third": {5: range(5), 6: range(6), 7: range(7), 8: range(7), 9: range(7)},
}


class Settings(DealtSettings, frozen=True, kw_only=True):
    """``order``: ``deal`` P1 B1 P2 B2, ``open`` P1 P2 B1 B2 (002). ``gates``: both on squeeze and insurance tables.

    A gate is waited for before anything that follows it, the outcome included: ``first_four`` once four cards lie and
    no natural ended the hand, ``player_third`` once the player drew.
    """

    order: Literal["deal", "open"] = "deal"
    gates: tuple[Gate, ...] = ()


def value(card: Card) -> int:
    """A 1, 2 to 9 by face, T J Q K 0."""
    return card.points % 10


def total(cards: Iterable[Card]) -> int:
    """The last digit of the sum of the values."""
    return sum(map(value, cards)) % 10


class Baccarat(Procedure):
    """Positions ``player.1`` to ``player.3``, ``banker.1`` to ``banker.3``."""

    game = GAME_NAME
    decks = 8
    composition = "shoe"

    def __init__(self, settings: Settings) -> None:
        early = Early(settings.early)
        self._first_four = tuple(CardDue(position, early) for position in _ORDERS[settings.order])
        self.gates = () if settings.gates_open else tuple(settings.gates)

    def _waits(self, history: History, gate: Gate) -> bool:
        return gate in self.gates and GateStep(gate) not in history

    def due(self, history: History) -> Due:
        if len(history) < 4:
            return self._first_four[len(history)]
        player, banker = cards_of(history, "player"), cards_of(history, "banker")
        player_first, banker_first = total(player[:2]), total(banker[:2])
        if player_first >= 8 or banker_first >= 8:
            return COMPLETE
        if self._waits(history, "first_four"):
            return GateDue("first_four")
        if player_first <= 5:
            if len(player) == 2:
                return CardDue("player.3")
            if self._waits(history, "player_third"):
                return GateDue("player_third")
            banker_draws = value(player[2]) in _BANKER_DRAWS_ON[banker_first]
        else:
            banker_draws = banker_first <= 5
        return CardDue("banker.3") if banker_draws and len(banker) == 2 else COMPLETE

    def seen(self, history: History) -> Facts:
        return {side: _side(cards_of(history, side)) for side in ("player", "banker")}

    def _facts(self, history: History) -> Facts:
        player, banker = cards_of(history, "player"), cards_of(history, "banker")
        player_side, banker_side = _side(player), _side(banker)
        p, b = player_side["total"], banker_side["total"]
        winner = "tie" if p == b else "player" if p > b else "banker"
        naturals = {"player": player_side["natural"], "banker": banker_side["natural"]}
        pairs = (player_side["pair"], banker_side["pair"])
        cards_total = len(player) + len(banker)
        return {
            "player": player_side,
            "banker": banker_side,
            "winner": winner,
            "cards_total": cards_total,
            "margin": abs(p - b),
            "winner_natural": naturals.get(winner, False),
            "natural_tie": winner == "tie" and all(naturals.values()),
            "tie_total": p if winner == "tie" else None,
            "either_pair": any(pairs),
            "perfect_pair": pairs.count("perfect"),
            "lucky6": len(banker) if winner == "banker" and b == 6 else None,
            "lucky7": len(player) if winner == "player" and p == 7 else None,
            "super_lucky7": cards_total if (p, b) == (7, 6) else None,
            "dragon7": winner == "banker" and b == 7 and len(banker) == 3,
            "panda8": winner == "player" and p == 8 and len(player) == 3,
            "insurance": {
                "first_four": _insurance("first_four", player[:2], banker[:2]),
                "player_third": _insurance("player_third", player, banker[:2]) if len(player) == 3 else None,
            },
        }


def _side(cards: list[Card]) -> Facts:
    """One side's facts; what needs two cards is None before there are two."""
    two = len(cards) >= 2
    return {
        "cards": texts(cards),
        "total": total(cards),
        "natural": total(cards[:2]) >= 8 if two else None,
        "pair": pair_kind(cards[0], cards[1]) if two else None,
        "card_count": len(cards),
    }


def _insurance(gate: Gate, player: list[Card], banker: list[Card]) -> Facts:
    """Totals at a gate and the sides that 003 lets insure there. A natural insures nobody."""
    p, b = total(player), total(banker)
    sides = []
    if b in _PLAYER_MAY_INSURE[gate].get(p, ()):
        sides.append("player")
    if p in _BANKER_MAY_INSURE[gate].get(b, ()):
        sides.append("banker")
    return {"player": p, "banker": b, "may_insure": sides}


def make(settings: Settings) -> Procedure:
    """The procedure of one baccarat table."""
    return Baccarat(settings)
