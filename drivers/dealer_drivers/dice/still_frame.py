"""The edge of the picture: a die that reaches over it shows one of its sides there, running out of the picture.

A die cut by the frame has neither a whole outline nor, often, a pip, and so is invisible to both readers.
"""

from __future__ import annotations

import cv2
import numpy as np

from dealer_drivers.dice.faces import Grey
from dealer_drivers.dice.still_rim import Rim, without_rim
from dealer_drivers.dice.still_squares import Floats, Taken, saturated, working_size

REDUCTION = 2
DEEP = (4, 10)
"""Rows of the reduced picture beside its edge that are looked at, least and most: 8 to 20 pixels of 640."""
DEEP_PART = 0.3
"""Of the smallest die: no more rows than that. A side shorter than the strip would be thinned out by the ground."""
SKIPPED = 1
"""Rows right at the edge, where there is no gradient."""
LEANS = (-1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0)
"""A side meets the frame at any angle up to 45 degrees from upright: pixels along a pixel deep."""
CORNER = 12
"""Reduced pixels at both ends of each edge that are not looked at: lenses and housings shade the corners, and a die has
no room to hide there."""
K = 8.0
"""Grey levels a pixel at which an edge counts half: an edge of a die, not the grain of wood."""


def frame_steps(grey: Grey, take_out: Taken, rim: Rim | None, die_px: float) -> list[tuple[float, float, float]]:
    """(strength 0 to 1, x, y) of the strongest edge that runs out of the picture at each of its four edges.

    ``die_px``: side of the smallest die, in pixels of the picture given.
    """
    work, back = working_size(grey)
    size = (work.shape[1] // REDUCTION, work.shape[0] // REDUCTION)
    small = np.asarray(cv2.resize(work, size, interpolation=cv2.INTER_AREA), np.uint8)
    fields = saturated(small, K)
    seen = take_out(fields, REDUCTION * back)
    if rim is not None:
        without_rim(fields, rim, REDUCTION * back)
    found = []
    step = REDUCTION * back
    deep = min(max(round(DEEP_PART * die_px / step), DEEP[0]), DEEP[1])
    for side in range(4):
        # Turned so that this edge of the picture is the first row.
        turned = [np.ascontiguousarray(np.rot90(each, side)) for each in (*fields, seen)]
        along = turned[0] if side % 2 == 0 else turned[1]
        best, place = _steps(along[SKIPPED : SKIPPED + deep + 2], turned[2][SKIPPED : SKIPPED + deep + 2])
        length = along.shape[1]
        x, y = (
            (place, SKIPPED + deep / 2),
            (size[0] - 1 - SKIPPED - deep / 2, place),
            (length - 1 - place, size[1] - 1 - SKIPPED - deep / 2),
            (SKIPPED + deep / 2, length - 1 - place),
        )[side]
        found.append((best, (x + 0.5) * step - 0.5, (y + 0.5) * step - 0.5))
    return found


def _steps(along: Floats, seen: Floats) -> tuple[float, int]:
    """The strongest edge through a strip (rows into the picture), and where along it."""
    deep, length = along.shape
    best = np.zeros(length, np.float32)
    columns = np.arange(length, dtype=np.float32)
    for lean in LEANS:
        map_x = np.stack([columns + np.float32(lean * (row - deep / 2)) for row in range(deep)])
        map_y = np.repeat(np.arange(deep, dtype=np.float32)[:, None], length, axis=1)
        lines = cv2.remap(along, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        whole = cv2.remap(seen, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        # A slanted edge has only a part of its gradient along the frame.
        mean = np.abs(lines.mean(axis=0)) * np.float32(np.hypot(1.0, lean))
        best = np.maximum(best, np.where(whole.mean(axis=0) > 0.8, mean, 0))
    best[:CORNER] = best[-CORNER:] = 0
    place = int(best.argmax())
    return float(best[place]), place
