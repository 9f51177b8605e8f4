"""One throw in a shaker: where it stands, what was said and seen of it so far. Data alone; ``dice.py`` judges it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from dealer_drivers.instant import Instant


class State(Enum):
    UNKNOWN = auto()
    """The shaker has not said that it stands since it could be heard."""
    COMING_TO_STAND = auto()
    """It said that it stands after a shake that does not count: that may go on yet."""
    STANDING = auto()
    ASKED = auto()
    SHAKING = auto()
    STOPPED = auto()
    LOOKING = auto()
    SPENT = auto()
    """What it does now does not count: until it stands."""


IN_THROW = frozenset({State.SHAKING, State.STOPPED, State.LOOKING})


@dataclass(slots=True)
class Throw:
    """The throw under way, or asked for."""

    since: Instant
    """When the shaking was said or, if that was before, seen; before both, when it was asked for."""
    floor: Instant | None = None
    """Movement that began before belongs to no throw."""
    said: Instant | None = None
    """When the shaker said, the last time after it stood, that it shakes."""
    shaken_s: float = 0.0
    """How long it shook by its own words, without the movement since ``said``."""
    late_s: float = 0.0
    """By how much the camera saw the shaking before the shaker said so."""
    cycle: int | None = None
    told_s: float | None = None
    moved: bool = False
    """The camera saw the scene move."""
    again: bool = False
    """It moves since it was at rest in this throw, and the shaker did not say since that it shakes."""
    taken: bool = False
    early: Instant | None = None
    """The shaker said too soon that it stands."""
    stop: Instant | None = None
    look: Instant | None = None
