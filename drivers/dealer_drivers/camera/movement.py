"""Whether something moved between pictures. Pure.

Each picture is compared with the one before it, for what is fast, and with what the still scene looked like lately, for
what creeps. What the whole picture does alike (exposure, a lamp) is taken out; what is left must be more than noise,
somewhere.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Pixels: TypeAlias = npt.NDArray[np.uint8]

WIDTH_PX = 160
"""Compared at this width: noise averages out, and a die of a calibrated rig still covers 20 of these pixels."""
LEVELS = 10.0
"""Grey levels that a cell must change by. Noise of 6 levels a pixel is 1.5 in a cell of 4 × 4."""
NOISES = 9.0
"""Times the median change, if that is more: a dark table's camera is noisy. Six deviations of its noise."""
CELLS = 6
"""Cells that must change: a pip of a calibrated rig (16 of 640 pixels, ``devices.md`` §8) covers 12."""

MOST_LIGHT = 1.3
"""By which factor the whole picture may grow brighter from one to the next and nothing have moved."""
WHITE = 150.0
"""Grey levels of a cell above which a good part of its pixels may be at the camera's end."""
FOLLOW = 0.02
"""Share of a change that the still scene takes on: daylight that wanders over the plate in minutes is no movement."""


class Movement:
    """Compares pictures as they come."""

    def __init__(self) -> None:
        self._before: npt.NDArray[np.float32] | None = None
        self._rest: npt.NDArray[np.float32] | None = None

    def changed(self, pixels: Pixels) -> bool:
        """Whether this picture shows movement against the ones before; ``False`` for the first."""
        small = _small(pixels)
        before, rest = self._before, self._rest
        self._before = small
        if before is None or rest is None or before.shape != small.shape:
            self._rest = small
            return before is not None
        if _differ(small, before) or _differ(small, rest):
            self._rest = small
            return True
        self._rest = rest + np.float32(FOLLOW) * (small - rest)
        return False


def _small(pixels: Pixels) -> npt.NDArray[np.float32]:
    import cv2

    grey = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    if width > WIDTH_PX:
        size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return grey.astype(np.float32)


def _differ(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> bool:
    alike = np.ones(one.shape, bool)
    difference = one - other
    for _ in range(2):  # light is a factor: found over all cells, then over those that it explains
        square = float(np.sum(np.square(other, where=alike, out=np.zeros_like(other))))
        if square:
            factor = float(np.sum(np.multiply(one, other, where=alike, out=np.zeros_like(other)))) / square
            difference = one - np.float32(min(max(factor, 1 / MOST_LIGHT), MOST_LIGHT)) * other
            # What is at the camera's end does not follow the light.
            end = (np.minimum(one, other) > WHITE) & (np.abs(one - other) < np.abs(difference))
            difference = np.where(end, one - other, difference)
            alike = np.abs(difference) <= LEVELS
    size = np.abs(difference)
    least = max(LEVELS, NOISES * float(np.median(size)))
    return int(np.count_nonzero(size > least)) >= CELLS
