"""Readings of a shuffler. That a machine calls a set whole is evidence, not truth (``devices.md`` §6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.readings import Reading


class MachineState(StrEnum):
    """What the machine does with the cards in it (``devices.md`` §6)."""

    IDLE = "idle"
    """No cards are in it, or none that it has looked at."""
    SHUFFLING = "shuffling"
    READY = "ready"
    """Shuffled, and found whole."""
    MISMATCH = "mismatch"
    """Shuffled, and cards are missing, too many, or foreign."""


class Phase(StrEnum):
    """What a continuous shuffler does."""

    FEEDING = "feeding"
    """It gives cards and takes them back."""
    EMPTYING = "emptying"
    """All its cards are taken out."""
    EMPTY = "empty"
    LOADING = "loading"
    """Other cards are put in."""


class ShufflerFault(StrEnum):
    """What is wrong with a shuffler, beside what can be wrong with any device."""

    JAM = "shuffler_jam"
    DOOR_OPEN = "shuffler_door_open"
    MISREAD = "shuffler_misread"
    COUNT_OFF = "shuffler_count_off"
    ORDER_OFFERED = "shuffler_order_offered"
    """It sent an order of cards, which was thrown away. Stands until the cards are shuffled again."""
    LEVEL_LOW = "shuffler_level_low"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckReport(Reading):
    """The machine's state changed, or is told for the first time since the link is up.

    ``job`` is another number after every start of the machine, opening of a door, and beginning of a shuffle or count:
    what is said of one job holds for those cards and that shuffle alone. ``faces``: every card was recognised, so that
    doubled and foreign ones were seen; else they were only counted. ``deck_set`` is ``None`` for a machine that does
    not tell.
    """

    state: MachineState
    job: int
    deck_set: str | None
    faces: bool
    counted: int | None
    missing: int
    extra: int
    foreign: int
    jam: bool
    door_open: bool
    misread: bool

    def impossible(self) -> str | None:
        """See ``Reading``."""
        off = (self.missing, self.extra, self.foreign)
        if min(*off, self.counted or 0) < 0:
            return f"{self.counted} cards counted, {off} missing, too many and foreign"
        if self.state is MachineState.READY and (self.counted is None or any(off)):
            return f"ready, which is found whole, with {self.counted} cards counted and {off} missing, extra, foreign"
        if self.state is MachineState.MISMATCH and not any(off):
            return "a mismatch in which no card is missing, too many or foreign"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerLevel(Reading):
    """A continuous shuffler's phase changed, or its level did by half a deck. ``inside`` counts cards, ``changes`` how
    often its cards were changed."""

    inside: int
    phase: Phase
    changes: int

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return None if self.inside >= 0 and self.changes >= 0 else f"{self.inside} cards, changed {self.changes} times"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderThrownAway(Reading):
    """The machine sent an order of the cards that are in it; told once a job. What it sent is gone."""

    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerTampered(Reading):
    """The machine left the USB while it was in use, and came back: a known attack comes in by that port."""

    detail: str
