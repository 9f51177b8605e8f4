"""What the two readers of dice say of one picture, and what is decided. Lengths in pixels of the picture given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dealer_drivers.readings.dice import Doubt, Face

Grey: TypeAlias = npt.NDArray[np.uint8]
"""Rows by columns."""
Bgr: TypeAlias = npt.NDArray[np.uint8]
"""Rows by columns by blue, green, red, as OpenCV gives them."""


@dataclass(frozen=True, slots=True)
class Pip:
    """One round spot, ``dark`` when darker than what is around; ``contrast`` in grey levels, ``roundness`` 0 to 1."""

    x: float
    y: float
    radius_px: float
    dark: bool
    contrast: float
    roundness: float


@dataclass(frozen=True, slots=True)
class PipFace:
    """A layout of pips as the pip-first reader saw it.

    ``pitch_px`` is the distance of neighbouring places of the 3 × 3 grid that pips stand on; NaN for a one, whose turn
    is 0.
    """

    value: int
    x: float
    y: float
    pitch_px: float
    turn_deg: float
    dark: bool
    pips: tuple[Pip, ...]
    quality: float


@dataclass(frozen=True, slots=True)
class Dice:
    """Exactly the dice of the game, each sure. In the order of their values, then from left to right."""

    faces: tuple[Face, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """Ascending."""
        return tuple(face.value for face in self.faces)


@dataclass(frozen=True, slots=True)
class Doubts:
    """No dice, and why: the strongest reason first. ``detail`` is a sentence for a technician."""

    reasons: tuple[Doubt, ...]
    detail: str
