"""Koi pairs (锦鲤对对, 001): players pick two of six for themselves and two for the dealer."""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.six_cards import Settings, SixCards

GAME_NAME = "koi"

__all__ = ["GAME_NAME", "Koi", "Settings", "make"]


class Koi(SixCards):
    """Positions ``card.1`` to ``card.6``."""

    game = GAME_NAME


def make(settings: Settings) -> Procedure:
    """The procedure of one koi table."""
    return Koi(settings)
