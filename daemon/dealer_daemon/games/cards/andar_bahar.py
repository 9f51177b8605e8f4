"""Andar Bahar (001): a joker, then cards to Andar and Bahar in turn until one has the joker's rank."""

from __future__ import annotations

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    CardSettings,
    CardStep,
    Due,
    Early,
    Facts,
    GateDue,
    GateStep,
    History,
    Procedure,
    card_at,
    texts_of,
)

GAME_NAME = "andar-bahar"

SECOND_BETS = "second_bets"
"""Gate: the betting window after the joker is over."""

_BANDS = ((5, "1-5"), (10, "6-10"), (15, "11-15"), (25, "16-25"), (30, "26-30"), (35, "31-35"), (40, "36-40"))
_LAST_BAND = "41-49"

_SIDES = ("andar", "bahar")


class Settings(CardSettings, frozen=True, kw_only=True):
    """Nothing of its own."""


def band(dealt: int) -> str:
    """The band that 001 bets on: ``1-5`` … ``36-40``, ``41-49``."""
    return next((word for most, word in _BANDS if dealt <= most), _LAST_BAND)


class AndarBahar(Procedure):
    """Positions ``joker``, ``andar.1``, ``bahar.1``, ``andar.2`` …; gate ``second_bets`` after the joker."""

    game = GAME_NAME
    longest = 1 + 49
    """The joker, and all cards before the last two of its rank."""

    def __init__(self, settings: Settings) -> None:
        self.gates = () if settings.gates_open else (SECOND_BETS,)

    def due(self, history: History) -> Due:
        joker = card_at(history, "joker")
        if joker is None:
            return CardDue("joker", Early.ALLOW)
        if SECOND_BETS in self.gates and GateStep(SECOND_BETS) not in history:
            return GateDue(SECOND_BETS)
        dealt = _dealt(history)
        if dealt and dealt[-1].rank == joker.rank:
            return COMPLETE
        return CardDue(f"{_SIDES[len(dealt) % 2]}.{len(dealt) // 2 + 1}")

    def seen(self, history: History) -> Facts:
        joker = card_at(history, "joker")
        return {
            "joker": str(joker) if joker else None,
            "joker_suit": joker.suit if joker else None,
            "joker_color": joker.colour if joker else None,
            "dealt": len(_dealt(history)),
            "cards": {side: texts_of(history, side) for side in _SIDES},
        }

    def _facts(self, history: History) -> Facts:
        dealt = len(_dealt(history))
        return {
            **self.seen(history),
            "winner": _SIDES[(dealt - 1) % 2],
            "band": band(dealt),
            "first_card": dealt == 1,
        }


def _dealt(history: History) -> list[Card]:
    return [step.card for step in history if isinstance(step, CardStep) and step.position != "joker"]


def make(settings: Settings) -> Procedure:
    """The procedure of one andar bahar table."""
    return AndarBahar(settings)
