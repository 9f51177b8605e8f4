"""Double-win hold'em (001): player against dealer, best five of two and the board's five."""

from __future__ import annotations

from typing import Literal

from dealer_daemon.games.cards.card import texts
from dealer_daemon.games.cards.five_ranks import CLASS_WORDS, FiveRank, best_five
from dealer_daemon.games.cards.procedure import (
    CardDue,
    DealtSettings,
    Early,
    Facts,
    GateDue,
    History,
    PlannedProcedure,
    Procedure,
    cards_of,
    texts_of,
)

GAME_NAME = "holdem"

CALL = "call"
"""Gate: the players call or fold. Until then nobody may know the dealer's cards and the last two of the board."""

_OPEN_TO_PLAYERS = ("player.1", "player.2", "board.1", "board.2", "board.3")
_AFTER_CALL = ("dealer.1", "dealer.2", "board.4", "board.5")
_AS_DEALT = ("player.1", "player.2", "dealer.1", "dealer.2", *(f"board.{n}" for n in range(1, 6)))


class Settings(DealtSettings, frozen=True, kw_only=True):
    """``order``: ``reveal`` reads the hidden four only after the call; ``deal`` reads all nine as dealt and
    holds those four back until then."""

    order: Literal["reveal", "deal"] = "reveal"


def qualifies(rank: FiveRank) -> bool:
    """Whether the dealer plays: a pair of fours or better (001)."""
    pair = CLASS_WORDS.index("pair")
    return rank.level > pair or (rank.level == pair and rank.ties[0] >= 4)


class Holdem(PlannedProcedure):
    """Positions ``player.1``, ``player.2``, ``dealer.1``, ``dealer.2``, ``board.1`` to ``board.5``; gate ``call``."""

    game = GAME_NAME

    def __init__(self, settings: Settings) -> None:
        early = Early(settings.early)
        self.gates = () if settings.gates_open else (CALL,)
        gate = [GateDue(gate) for gate in self.gates]
        self._plan: list[CardDue | GateDue]
        if settings.order == "reveal":
            first = [CardDue(position, early) for position in _OPEN_TO_PLAYERS]
            self._plan = [*first, *gate, *(CardDue(position) for position in _AFTER_CALL)]
        else:
            hold = None if settings.gates_open else CALL
            cards = [CardDue(p, early, hold if p in _AFTER_CALL else None) for p in _AS_DEALT]
            self._plan = [*cards, *gate]

    def plan(self, history: History) -> list[CardDue | GateDue]:  # noqa: ARG002
        return self._plan

    def seen(self, history: History) -> Facts:
        return {
            "player": {"cards": texts_of(history, "player")},
            "dealer": {"cards": texts_of(history, "dealer")},
            "board": texts_of(history, "board"),
        }

    def _facts(self, history: History) -> Facts:
        board = cards_of(history, "board")
        player, dealer = cards_of(history, "player"), cards_of(history, "dealer")
        player_rank, player_best = best_five(player + board)
        dealer_rank, dealer_best = best_five(dealer + board)
        winner = "tie" if player_rank == dealer_rank else "player" if player_rank > dealer_rank else "dealer"
        return {
            "player": {"cards": texts(player), "best": texts(player_best), "rank": player_rank.word},
            "dealer": {"cards": texts(dealer), "best": texts(dealer_best), "rank": dealer_rank.word},
            "board": texts(board),
            "winner": winner,
            "dealer_qualifies": qualifies(dealer_rank),
        }


def make(settings: Settings) -> Procedure:
    """The procedure of one hold'em table."""
    return Holdem(settings)
