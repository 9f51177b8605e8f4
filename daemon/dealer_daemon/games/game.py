"""What a game is to the station: its settings, its judge, and its facts. One file a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from dealer_daemon.validation.signals import Signal
from dealer_daemon.verdicts import Remedy
from dealer_drivers.driver import Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading


class Judge(Protocol):
    """Judges attempts from readings. Pure: time is an argument."""

    def feed(self, reading: Reading) -> list[Signal]:
        """One reading, in order."""
        ...

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed without a reading."""
        ...

    def deadline_ns(self) -> int | None:
        """Monotonic time of the next ``tick`` that can matter."""
        ...

    def discard(self) -> None:
        """Whatever is under way does not count (void, resume): wait for the next beginning."""
        ...

    def underway(self) -> bool:
        """An attempt seen from its beginning is running."""
        ...

    def waiting(self) -> bool:
        """The device is ready for an attempt to begin."""
        ...


StartRule = Literal["any", "after_close", "before_close"]


class BadFacts(ValueError):  # noqa: N818
    """A person keyed in a result that this game cannot have. The text says what is expected."""


@dataclass(frozen=True, slots=True)
class TableDevice:
    """One device of a table as its configuration resolved it: what the game may know of it."""

    name: str
    driver: str
    observes: frozenset[Observes]


@dataclass(frozen=True, slots=True)
class Game:
    """A game's entry: found by name, see ``load_game``.

    ``settings`` is the type of the sections and keys that the game adds to ``[tables.X]``. ``check`` lists
    impossible combinations as (key, reason). ``judge`` makes the judge; ``token`` is the device's attempt
    counter at the last thing the journal knows, or ``None``. ``stated`` turns what a person keyed in into
    facts, or raises ``BadFacts``. ``starts`` says when an attempt may begin against ``betting.close``.
    """

    name: str
    settings: type[msgspec.Struct]
    remedy: Remedy
    check: Callable[[Any, Sequence[TableDevice]], list[tuple[str, str]]]
    judge: Callable[[Any, Sequence[TableDevice], int | None], Judge]
    stated: Callable[[Mapping[str, Any]], dict[str, Any]]
    starts: Callable[[Any], StartRule]
