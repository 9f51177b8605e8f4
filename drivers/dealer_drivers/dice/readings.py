"""What a camera over dice saw. Movement and doubt are words of every such camera (``camera/readings.py``)."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.camera.readings import Look, LookUnclear, SceneMoved, SceneStill
from dealer_drivers.dice.faces import Face

__all__ = ["DiceSeen", "DiceUnclear", "SceneMoved", "SceneStill"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceSeen(Look):
    """The same dice at the same places in all of the look's pictures. In the order of ``faces.Dice``."""

    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceUnclear(LookUnclear):
    """The dice cannot be read; the reasons are those of ``faces.Doubt``."""
