"""The rim of a round plate: the one large circle that a shaker's picture has, which is no die."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.faces import Grey
from dealer_drivers.dice.still_squares import Floats, Taken, saturated, working_size

REDUCTION = 4
RADII = np.arange(0.34, 0.80, 0.0125)
"""Looked for, in long sides of the picture. Less is no plate that three dice fall on."""
EDGE = 0.35
"""Saturated gradient from which a pixel votes."""
LEAST_ROUND = 0.50
"""Part of the circle within the picture that must show an edge across it."""
WIDE = 0.035
"""Half the width of the rim, in long sides of the picture."""
ACROSS = 0.9
"""Cosine between an edge and the radius from which on it is the rim's."""


@dataclass(frozen=True, slots=True)
class Rim:
    """A circle, in pixels of the picture given."""

    x: float
    y: float
    radius_px: float
    round: float
    """Part of the circle within the picture that shows an edge across it, 0 to 1."""
    wide_px: float
    """Half the width of the band that belongs to it."""


def find_rim(grey: Grey, take_out: Taken | None = None) -> Rim | None:
    """The best large circle, if there is one that is mostly there. The centre lies within the picture.

    ``take_out`` removes the dice, whose edges are stronger than many a rim.
    """
    work, back = working_size(grey)
    height, width = work.shape[0] // REDUCTION, work.shape[1] // REDUCTION
    if min(height, width) < 24:
        return None
    small = np.asarray(cv2.resize(work, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    over_x, over_y = saturated(small, 4.0)
    seen = np.ones((height, width), np.float32)
    if take_out is not None:
        seen = take_out((over_x, over_y), REDUCTION * back)
    strength = cv2.magnitude(over_x, over_y)
    y, x = np.nonzero(strength > EDGE)
    if len(x) < 40:
        return None
    normal_x, normal_y = over_x[y, x] / strength[y, x], over_y[y, x] / strength[y, x]
    best = (0.0, 0.0, 0.0, 0.0)
    for radius in RADII * max(height, width):
        votes = np.zeros(height * width, np.float32)
        for sign in (-1.0, 1.0):
            at_x = np.rint(x + sign * radius * normal_x).astype(np.int64)
            at_y = np.rint(y + sign * radius * normal_y).astype(np.int64)
            inside = (at_x >= 0) & (at_x < width) & (at_y >= 0) & (at_y < height)
            votes += np.bincount(at_y[inside] * width + at_x[inside], minlength=height * width).astype(np.float32)
        table = cv2.blur(votes.reshape(height, width), (5, 5))
        _, most, _, (peak_x, peak_y) = cv2.minMaxLoc(table)
        worth = most / radius
        if worth > best[0]:
            best = (worth, float(peak_x), float(peak_y), float(radius))
    found = max(
        (
            (
                _roundness(over_x, over_y, seen, best[1] + dx, best[2] + dy, best[3] + dr),
                best[1] + dx,
                best[2] + dy,
                best[3] + dr,
            )
            for dx in (-2, 0, 2)
            for dy in (-2, 0, 2)
            for dr in (-2, -1, 0, 1, 2)
        ),
        default=(0.0, 0.0, 0.0, 0.0),
    )
    if found[0] < LEAST_ROUND:
        return None
    scale = REDUCTION * back
    return Rim(
        (found[1] + 0.5) * scale - 0.5,
        (found[2] + 0.5) * scale - 0.5,
        found[3] * scale,
        found[0],
        WIDE * max(grey.shape),
    )


def _roundness(over_x: Floats, over_y: Floats, seen: Floats, x: float, y: float, radius: float) -> float:
    height, width = over_x.shape
    angles = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    shown = np.zeros(180)
    inside = np.zeros(180, bool)
    for off in (-1.0, 0.0, 1.0):
        at_x = np.rint(x + (radius + off) * np.cos(angles)).astype(np.int64)
        at_y = np.rint(y + (radius + off) * np.sin(angles)).astype(np.int64)
        there = (at_x >= 1) & (at_x < width - 1) & (at_y >= 1) & (at_y < height - 1)
        there[there] = seen[at_y[there], at_x[there]] > 0
        inside |= there
        across = over_x[at_y[there], at_x[there]] * np.cos(angles[there]) + over_y[at_y[there], at_x[there]] * np.sin(
            angles[there]
        )
        shown[there] = np.maximum(shown[there], np.abs(across))
    if inside.sum() < 70:
        return 0.0
    return float((shown[inside] > EDGE).mean())


def without_rim(fields: tuple[Floats, Floats], rim: Rim, step: float) -> None:
    """Takes the rim's edges, and no others, out of a gradient whose pixels are ``step`` pixels of the picture."""
    height, width = fields[0].shape
    x = (np.arange(width, dtype=np.float32) + np.float32(0.5)) * np.float32(step) - np.float32(0.5 + rim.x)
    y = (np.arange(height, dtype=np.float32) + np.float32(0.5)) * np.float32(step) - np.float32(0.5 + rim.y)
    distance = np.maximum(np.hypot(x[None, :], y[:, None]), 1.0)
    near = np.abs(distance - rim.radius_px) < rim.wide_px
    rows, columns = np.nonzero(near)
    over_x, over_y = fields[0][rows, columns], fields[1][rows, columns]
    along = np.abs(over_x * x[columns] + over_y * y[rows]) / distance[rows, columns]
    is_rim = along > ACROSS * np.hypot(over_x, over_y)
    fields[0][rows[is_rim], columns[is_rim]] = 0
    fields[1][rows[is_rim], columns[is_rim]] = 0
