"""What a game is to the station: its settings, its judge, and its facts. One file a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.validation.judge import Judge
from dealer_daemon.verdicts import Remedy
from dealer_drivers.calibration import CalibrationSlot
from dealer_drivers.driver import AngleSource, DeviceAction, Observes, SceneSource

StartRule = Literal["any", "after_close", "before_close"]


DeviceRole = Literal["main", "witness", "fallback"]
"""A witness sees the same result in its own way: both must agree. A fallback counts for a round for which the service
manager allowed it."""


class UnreadableFile(ValueError):  # noqa: N818
    """A file that a game's settings name cannot be used: ``key`` is the setting, the text says why."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


class BadFacts(ValueError):  # noqa: N818
    """A person keyed in a result that this game cannot have. The text says what is expected."""


@dataclass(frozen=True, slots=True)
class TableDevice:
    """One device of a table as its configuration resolved it: what the game may know of it."""

    name: str
    driver: str
    observes: frozenset[Observes]
    role: DeviceRole = "main"
    actions: frozenset[DeviceAction] = frozenset()
    """What may be asked of it, as its options allow."""
    decks: int | None = None
    """Decks of the cards that it knows each by itself."""
    zeros: int | None = None
    """Zero pockets of a roulette wheel, where that is known."""
    angle: AngleSource | None = None
    """How it counts, where it is a wheel's encoder."""
    scene: SceneSource | None = None
    """When and what it reads, where it is a camera over a scene."""
    shake_told: tuple[str, float] | None = None
    """Where it is a shaker: the option that says for how long the station has it shake, and the seconds."""
    calibration: CalibrationRef | None = None
    """What it was calibrated by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What every game has: found by name, see ``load_game``.

    ``settings`` is the type of the sections and keys that the game adds to ``[tables.X]``. ``check`` lists
    impossible combinations as (key, reason). ``stated`` turns what a person keyed in into facts, or raises
    ``BadFacts``.
    """

    name: str
    settings: type[msgspec.Struct]
    remedy: Remedy
    check: Callable[[Any, Sequence[TableDevice]], list[tuple[str, str]]]
    stated: Callable[[Any, Mapping[str, Any]], dict[str, Any]]
    needs_server: Callable[[Any], tuple[str, str] | None] = lambda settings: None  # noqa: ARG005
    """The (key, reason) of settings that only work where a server opens and closes the rounds."""
    load: Callable[[Any], Any] = lambda settings: settings
    """Settings with the files that they name read, once, for ``judge`` and ``stated``. Raises ``UnreadableFile``."""
    calibration: CalibrationSlot | None = None
    """The setting that the calibration of a device of the table fills: of the one that observes ``calibrates``."""
    calibrates: Observes | None = None
    played_by: frozenset[Observes] = frozenset()
    """A device of the table gives one of these, or results by hand, or it is at the wrong table; empty: any may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptGame(Game):
    """A game whose round is one valid attempt: a spin, a shake, a turn, a layout.

    ``judge`` makes the judge; its last arguments are what the journal knows: the device's attempt counter of the
    round in play, and the facts of the device's last result that stands or waits for the dealer's word.
    ``starts`` says when an attempt may begin against ``betting.close``. ``same`` says whether a witness saw the same
    result as the main device, by the facts of each.
    """

    judge: Callable[[Any, Sequence[TableDevice], int | None, Mapping[str, Any] | None], Judge]
    starts: Callable[[Any], StartRule]
    same: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    remembers: bool = False
    """The judge takes up a value that waited for the dealer's word when the station stopped, and watches on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGame(Game):
    """A game dealt card by card. ``procedure`` makes it from the settings; gates stand open where nobody waits."""

    procedure: Callable[[Any, bool], Procedure]
