"""San Gong pick (自选三公, 001): players pick three of six, the other three are the dealer's."""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.six_cards import Settings, SixCards

GAME_NAME = "san-gong"

__all__ = ["GAME_NAME", "SanGong", "Settings", "make"]


class SanGong(SixCards):
    """Positions ``card.1`` to ``card.6``."""

    game = GAME_NAME


def make(settings: Settings) -> Procedure:
    """The procedure of one San Gong table."""
    return SanGong(settings)
