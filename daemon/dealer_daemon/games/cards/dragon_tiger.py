"""Dragon Tiger (001, 002, 003): one card each, A low to K high, suits ignored."""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import (
    CardDue,
    DealtSettings,
    Early,
    Facts,
    History,
    PlannedProcedure,
    Procedure,
    card_at,
    text_at,
)

GAME_NAME = "dragon-tiger"


class Settings(DealtSettings, frozen=True, kw_only=True):
    """``burn``: the first card that passes the reader is burnt (002). A burn that is never read needs false."""

    burn: bool = False


class DragonTiger(PlannedProcedure):
    """Positions ``burn`` (kept in the record, in no fact), ``dragon.1``, ``tiger.1``."""

    game = GAME_NAME
    decks = 8
    composition = "shoe"

    def __init__(self, settings: Settings) -> None:
        positions = ("burn", "dragon.1", "tiger.1") if settings.burn else ("dragon.1", "tiger.1")
        self._plan = tuple(CardDue(position, Early(settings.early)) for position in positions)

    def plan(self, history: History) -> tuple[CardDue, ...]:  # noqa: ARG002
        return self._plan

    def seen(self, history: History) -> Facts:
        return {"dragon": text_at(history, "dragon.1"), "tiger": text_at(history, "tiger.1")}

    def _facts(self, history: History) -> Facts:
        dragon, tiger = card_at(history, "dragon.1"), card_at(history, "tiger.1")
        assert dragon is not None
        assert tiger is not None
        ahead = dragon.number - tiger.number
        return {
            "dragon": str(dragon),
            "tiger": str(tiger),
            "winner": "tie" if ahead == 0 else "dragon" if ahead > 0 else "tiger",
            "suited_tie": dragon == tiger,
            "margin": abs(ahead),
        }


def make(settings: Settings) -> Procedure:
    """The procedure of one dragon tiger table."""
    return DragonTiger(settings)
