"""Whether what was taken for a face is round: a counter, a button, a coin with holes, or the inlay of a die.

The sides of a square are looked for near their middles only, as dice have rounded corners, so a disc passes for a
square. A die is told by its corners: where they are, a disc has its own edge, further in.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey
from dealer_drivers.dice.still_squares import Floats, saturated
from dealer_drivers.dice.still_templates import upright

AROUND = 1.6
"""What is looked at, in sides of the face."""
PATCH = 102
"""Pixels it is brought to: 64 a side of the face."""
RADII = np.arange(0.47, 0.60, 0.015)
"""Of the disc, in sides: one as large as the square around it has 0.5, one of its area 0.56."""
SHIFTS = (-0.08, -0.04, 0.0, 0.04, 0.08)
DIRECTIONS = np.arange(72) * (2 * np.pi / 72)
CORNERS = np.abs(DIRECTIONS % (np.pi / 2) - np.pi / 4) < np.radians(14)
"""Directions in which a square has its corners."""
ROUND, ROUND_ON_DESK = 0.015, -0.1
"""Edge of the disc less that of the square's sides, all around and at the corners, from which a face is round. Buttons
have -0.01 to 0.06; like dice on desks below -0.2, but dice with much rounded corners, on bare plates, up to 0."""


def is_round(grey: Grey, corners: npt.NDArray[np.float64], sides: float, least: float = ROUND) -> bool:
    """Whether a disc explains the outline of a face as well as the square does, whose sides show that much (0 to 1)."""
    middle = corners.mean(axis=0)
    outer = (corners - middle) * AROUND + middle
    over_x, over_y = saturated(upright(grey, outer[None], PATCH)[0])
    around, corner = _best_disc(over_x, over_y)
    return min(around, corner) >= sides + least


def _best_disc(over_x: Floats, over_y: Floats) -> tuple[float, float]:
    """How well the edge of the best disc shows, 0 to 1: all around, and where a square has its corners."""
    cos, sin = np.cos(DIRECTIONS).astype(np.float32), np.sin(DIRECTIONS).astype(np.float32)
    side, middle = PATCH / AROUND, (PATCH - 1) / 2
    best = (0.0, 0.0)
    for shift_x in SHIFTS:
        for shift_y in SHIFTS:
            x = (middle + side * (shift_x + RADII[:, None] * cos)).astype(np.float32)
            y = (middle + side * (shift_y + RADII[:, None] * sin)).astype(np.float32)
            across = cv2.remap(over_x, x, y, cv2.INTER_LINEAR) * cos + cv2.remap(over_y, x, y, cv2.INTER_LINEAR) * sin
            for way in (across, -across):
                shown = np.maximum(way, 0)
                index = int(shown.mean(axis=1).argmax())
                around = float(shown[index].mean())
                if around > best[0]:
                    best = (around, float(shown[index][CORNERS].mean()))
    return best
