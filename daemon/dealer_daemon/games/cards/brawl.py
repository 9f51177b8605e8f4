"""Dragon-Tiger brawl (龙虎乱斗, 001): players pick one to five of six, and one for the dealer."""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.six_cards import Settings, SixCards

GAME_NAME = "brawl"

__all__ = ["GAME_NAME", "Brawl", "Settings", "make"]


class Brawl(SixCards):
    """Positions ``card.1`` to ``card.6``."""

    game = GAME_NAME


def make(settings: Settings) -> Procedure:
    """The procedure of one brawl table."""
    return Brawl(settings)
