"""The games. Adding one is adding one module here that defines ``GAME``; nothing else names it.

Card games live in ``cards/``: there a module with ``GAME_NAME``, ``Settings`` and ``make`` is a game.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from dealer_daemon.games import cards
from dealer_daemon.games.cards.game import card_game
from dealer_daemon.games.game import (
    AttemptGame,
    BadFacts,
    CardGame,
    DeviceRole,
    Game,
    TableDevice,
    UnreadableFile,
)

__all__ = [
    "AttemptGame",
    "BadFacts",
    "CardGame",
    "DeviceRole",
    "Game",
    "TableDevice",
    "UnknownGame",
    "UnreadableFile",
    "game_names",
    "load_game",
]


class UnknownGame(LookupError):  # noqa: N818
    """No such game. The text lists those that there are."""


def load_game(name: str) -> AttemptGame | CardGame:
    """The game by its configuration word, ``"sic-bo"``. Raises ``UnknownGame``."""
    module = name.replace("-", "_")
    found = _game(module) if "_" not in name else None
    if found is None or found.name != name:
        raise UnknownGame(f"no game {name!r}; there are: {', '.join(game_names())}")
    return found


def game_names() -> list[str]:
    """The words of all games."""
    modules = [*_modules(__path__), *_modules(cards.__path__)]
    return sorted(game.name for game in map(_game, modules) if game is not None)


def _game(module: str) -> AttemptGame | CardGame | None:
    if module in _modules(__path__):
        game = getattr(import_module(f"{__name__}.{module}"), "GAME", None)
        return game if isinstance(game, AttemptGame | CardGame) else None
    if module in _modules(cards.__path__):
        found = import_module(f"{cards.__name__}.{module}")
        return card_game(found) if hasattr(found, "GAME_NAME") else None
    return None


def _modules(path: list[str]) -> list[str]:
    return [module.name for module in pkgutil.iter_modules(path)]
