"""What a camera that looks at a scene (dice, beans) saw of it as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneMoved(Reading):
    """Something began to move in the picture. ``taken``: when the first such picture was taken."""

    taken: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneStill(Reading):
    """Nothing moves any more. ``since``: when the first picture like all later ones was taken."""

    since: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Reading):
    """An answer to the question what lies there.

    ``ask`` counts the questions of this session from 1; a session passes on the answer to its newest one only.
    ``first`` and ``last`` are when the oldest and the newest of the pictures looked at were taken; ``frames`` how
    many they were.
    """

    ask: int
    first: Instant
    last: Instant
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUnclear(Look):
    """It cannot be told. ``reasons`` are words of the documented list, the strongest first; ``detail`` a sentence."""

    reasons: tuple[str, ...]
    detail: str
