"""Six cards to positions 1 to 6; each player picks on the server, so the fact is the six in order (001)."""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import (
    CardDue,
    DealtSettings,
    Early,
    Facts,
    History,
    PlannedProcedure,
    hand_positions,
    texts_of,
)


class Settings(DealtSettings, frozen=True, kw_only=True):
    """Nothing of its own."""


class SixCards(PlannedProcedure):
    """Positions ``card.1`` to ``card.6``."""

    def __init__(self, settings: Settings) -> None:
        self._plan = hand_positions("card", 6, Early(settings.early))

    def plan(self, history: History) -> list[CardDue]:  # noqa: ARG002
        return self._plan

    def seen(self, history: History) -> Facts:
        return {"cards": texts_of(history, "card")}

    def _facts(self, history: History) -> Facts:
        return self.seen(history)
