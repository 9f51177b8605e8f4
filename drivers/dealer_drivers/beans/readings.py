"""What a camera over a fan-tan cloth saw. Movement and doubt are as at every such camera (``camera/readings.py``)."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.camera.readings import Look, LookUnclear, SceneMoved, SceneStill

__all__ = ["BeansSeen", "BeansUnclear", "SceneMoved", "SceneStill"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeansSeen(Look):
    """The same layout in all of the look's pictures: ``groups`` of four, the last of ``remainder`` (1 to 4) among
    them, ``beans`` in all."""

    beans: int
    groups: int
    remainder: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BeansUnclear(LookUnclear):
    """The layout cannot be read."""
