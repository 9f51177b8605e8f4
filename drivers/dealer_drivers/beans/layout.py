"""What a picture of a fan-tan cloth gives: the beans in their groups, or why not. Lengths in pixels of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.readings.beans import BeansDoubt

Bgr: TypeAlias = npt.NDArray[np.uint8]
"""Rows by columns by blue, green, red, as OpenCV gives them."""
Floats: TypeAlias = npt.NDArray[np.float32]
Mask: TypeAlias = npt.NDArray[np.uint8]
"""Rows by columns: 0 or 1, or grey levels."""

MOST_BEANS = 200
"""002: the game has 200 beans."""


def least_of(picture: Bgr) -> Mask:
    """The least of the three colours at each pixel: high only where it is white."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


@dataclass(frozen=True, slots=True)
class Bean:
    """One bean: its middle, and its width (the mean of its axes)."""

    x: float
    y: float
    size_px: float


@dataclass(frozen=True, slots=True)
class BeansCount:
    """A clean layout, each bean sure. ``rows`` are the groups in the order in which they are laid, each a line."""

    rows: tuple[tuple[Bean, ...], ...]

    @property
    def groups(self) -> int:
        """How many groups, the last one among them."""
        return len(self.rows)

    @property
    def beans(self) -> int:
        """How many beans in all."""
        return sum(map(len, self.rows))

    @property
    def remainder(self) -> int:
        """Beans of the last group, 1 to 4: four left count as four."""
        return len(self.rows[-1])


@dataclass(frozen=True, slots=True)
class BeansDoubts:
    """No count, and why: the strongest reason first. ``detail`` is a sentence for a technician."""

    reasons: tuple[BeansDoubt, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class Spots:
    """Beans as one reading found them: arrays of one length, pixels of the cloth's region."""

    x: Floats
    y: Floats
    size_px: Floats

    def __len__(self) -> int:
        return len(self.x)
