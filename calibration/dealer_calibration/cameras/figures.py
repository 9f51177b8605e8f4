"""How sharp and how bright a picture is, as numbers a person can turn a lens by. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Bgr: TypeAlias = npt.NDArray[np.uint8]
"""Rows by columns by blue, green, red."""

STRONGEST = 99.0
"""Percentile of the gradient from which on a pixel counts as an edge."""
LEAST_STEP = 24.0
"""Grey levels that an edge rises by at least: less is texture and noise."""
LEAST_EDGES = 60
"""Pixels of edges that a width is told by."""
WINDOW_PX = 15
"""Within it an edge has risen, if anything can be read at all."""
WHITE, BLACK = 250, 5
"""Grey levels that a camera cannot tell from its ends."""


@dataclass(frozen=True, slots=True)
class Figures:
    """``edge_px``: over how many pixels the picture's strongest edges rise; NaN where there is none. ``level``: the
    mean of the brightest channel, grey levels. ``white`` and ``black``: parts of the picture at the camera's ends."""

    edge_px: float
    level: float
    white: float
    black: float

    def as_json(self) -> dict[str, float | None]:
        """For ``--json``; an unknown width is null."""
        edge = None if np.isnan(self.edge_px) else round(self.edge_px, 2)
        return {
            "edge_px": edge,
            "level": round(self.level, 1),
            "white": round(self.white, 4),
            "black": round(self.black, 4),
        }


def figures_of(picture: Bgr) -> Figures:
    """Of one picture, or of the mean of several: noise makes edges seem less wide."""
    blue, green, red = cv2.split(picture)
    brightest, darkest = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    size = brightest.size
    return Figures(
        edge_px=edge_px(picture),
        level=float(brightest.mean()),
        white=int(np.count_nonzero(darkest >= WHITE)) / size,
        black=int(np.count_nonzero(brightest <= BLACK)) / size,
    )


def mean_of(pictures: Sequence[Bgr]) -> Bgr:
    """With less noise than each of them."""
    return np.asarray(np.rint(np.mean(np.stack(pictures), axis=0)), np.uint8)


def noise_of(pictures: Sequence[Bgr]) -> float:
    """Standard deviation of a pixel from picture to picture, grey levels."""
    some = np.stack([picture[::3, ::3].astype(np.float32) for picture in pictures])
    spread = float((some - some.mean(axis=0)).std())
    return max(0.5, spread * float(np.sqrt(len(pictures) / max(1, len(pictures) - 1))))


def edge_px(picture: Bgr) -> float:
    """Over how many pixels the strongest edges rise: the step there, divided by how steep it is. NaN where none is."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=1 / 8)
    steep = cv2.magnitude(across, down)
    # What is at the camera's end has lost its slope.
    at_end = cv2.dilate((grey >= WHITE).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    steep = np.where(at_end, 0, steep)
    window = np.ones((WINDOW_PX, WINDOW_PX), np.uint8)
    peak = steep >= cv2.dilate(steep, np.ones((3, 3), np.uint8))
    step = cv2.dilate(grey, window) - cv2.erode(grey, window)
    strong = peak & (steep >= np.percentile(steep, STRONGEST)) & (step > LEAST_STEP)
    if np.count_nonzero(strong) < LEAST_EDGES:
        return float("nan")
    return float(np.median(step[strong] / steep[strong]))
