"""The games. Adding one is adding one module here that defines ``GAME``; nothing else names it."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from dealer_daemon.games.game import BadFacts, Game, Judge, TableDevice

__all__ = ["BadFacts", "Game", "Judge", "TableDevice", "UnknownGame", "game_names", "load_game"]


class UnknownGame(LookupError):  # noqa: N818
    """No such game. The text lists those that there are."""


def load_game(name: str) -> Game:
    """The game by its configuration word, ``"sic-bo"``. Raises ``UnknownGame``."""
    module = name.replace("-", "_")
    if module in _modules() and "_" not in name:
        game = getattr(import_module(f"{__name__}.{module}"), "GAME", None)
        if isinstance(game, Game):
            return game
    raise UnknownGame(f"no game {name!r}; there are: {', '.join(game_names())}")


def game_names() -> list[str]:
    """The words of all games."""
    names = []
    for module in _modules():
        game = getattr(import_module(f"{__name__}.{module}"), "GAME", None)
        if isinstance(game, Game):
            names.append(game.name)
    return sorted(names)


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__)]
