"""First reading: outlines. Each connected bright patch must be one bean, by its area, its axes and its fullness."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.beans.cloth import Seen
from dealer_drivers.beans.layout import Floats, Mask, Spots

BRIGHT = 0.38
"""Half way from cloth to bean, less what a bean's dark side lacks."""
SPECK = 0.05
"""Patches below this part of a bean's area are noise."""
SMALLEST, LARGEST = 0.72, 1.3
"""A bean's width, against the calibrated one."""
AXES = 1.5
"""The longer axis against the shorter one at most."""
FULL = 0.9
"""Area against that of the ellipse with the same moments: a bean's is 1, that of two that touch is less."""
MOST_PATCHES = 1500
"""No cloth shows so many: noise."""


@dataclass(frozen=True, slots=True)
class Outlines:
    """Patches that are beans, and the others: their middle, area in beans, and how much longer than wide."""

    beans: Spots
    odd_x: Floats
    odd_y: Floats
    odd_area: Floats
    odd_axes: Floats
    odd_full: Floats
    """Width against a bean's, of those whose area is about one bean's."""
    at_edge: npt.NDArray[np.bool_]
    """Which of the odd ones reach the region's edge."""
    edge_px: float
    """How wide the patches' edges are."""
    noisy: bool = False


def outlines(seen: Seen) -> Outlines:
    """Every bright patch of the region."""
    soft = cv2.GaussianBlur(seen.beanness, (0, 0), 0.8)
    mask: Mask = (soft > BRIGHT).astype(np.uint8)
    count, found, stats, places = cv2.connectedComponentsWithStats(mask, connectivity=8)
    labels, middles = np.asarray(found, np.int32), np.asarray(places, np.float64)
    none = np.zeros(0, np.float32)
    if count - 1 > MOST_PATCHES:
        return Outlines(Spots(none, none, none), none, none, none, none, none, np.zeros(0, np.bool_), 0.0, True)
    area = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    x, y = middles[1:, 0], middles[1:, 1]
    long_px, short_px = _axes(labels, count, x, y)
    height, width = mask.shape
    rows = np.clip(np.round(np.nan_to_num(y)).astype(int), 0, height - 1)
    columns = np.clip(np.round(np.nan_to_num(x)).astype(int), 0, width - 1)
    wanted = seen.width_px[rows, columns].astype(np.float64)
    part = area / (np.pi / 4 * wanted**2)
    size = np.sqrt(long_px * short_px)
    full = area / np.maximum(np.pi / 4 * long_px * short_px, 1e-6)
    ratio = long_px / np.maximum(short_px, 1e-6)
    left, top = stats[1:, cv2.CC_STAT_LEFT], stats[1:, cv2.CC_STAT_TOP]
    right, bottom = left + stats[1:, cv2.CC_STAT_WIDTH], top + stats[1:, cv2.CC_STAT_HEIGHT]
    at_edge = (left <= 1) | (top <= 1) | (right >= width - 1) | (bottom >= height - 1)
    is_bean = (
        (size >= SMALLEST * wanted)
        & (size <= LARGEST * wanted)
        & (part >= SMALLEST**2)
        & (part <= LARGEST**2)
        & (ratio <= AXES)
        & (full >= FULL)
        & ~at_edge
    )
    odd = ~is_bean & (part >= SPECK)

    small = (part >= SPECK) & (part <= 2.5)
    perimeter = float((np.pi / 2 * (long_px + short_px))[small].sum())

    def kept(values: npt.NDArray[np.float64], which: npt.NDArray[np.bool_]) -> Floats:
        return np.asarray(values[which], np.float32)

    return Outlines(
        Spots(kept(x, is_bean), kept(y, is_bean), kept(size, is_bean)),
        kept(x, odd),
        kept(y, odd),
        kept(part, odd),
        kept(ratio, odd),
        kept(full, odd),
        np.asarray(at_edge[odd], np.bool_),
        _edge_px(seen, labels, small, perimeter),
    )


def _axes(
    labels: npt.NDArray[np.int32], count: int, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Both axes of the ellipse with each patch's second moments."""
    ys, xs = np.nonzero(labels)
    which = labels[ys, xs] - 1
    dx, dy = xs - x[which], ys - y[which]
    many = np.maximum(np.bincount(which, minlength=count - 1), 1)
    # A pixel is a square, not a point: a twelfth each way.
    xx = np.bincount(which, dx * dx, count - 1) / many + 1 / 12
    yy = np.bincount(which, dy * dy, count - 1) / many + 1 / 12
    xy = np.bincount(which, dx * dy, count - 1) / many
    middle, half = (xx + yy) / 2, np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
    return 4 * np.sqrt(middle + half), 4 * np.sqrt(np.maximum(middle - half, 1e-6))


def _edge_px(seen: Seen, labels: npt.NDArray[np.int32], small: npt.NDArray[np.bool_], perimeter: float) -> float:
    """How wide the edges of small patches are: pixels between dark and bright around them, by the edges' length."""
    if perimeter <= 0:
        return 0.0
    mask: Mask = np.concatenate([[False], small])[labels].astype(np.uint8)
    reach = max(3, round(0.3 * float(seen.width_px.mean())))
    around = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1)))
    between = cv2.inRange(seen.beanness, 0.2, 0.65)
    return int(np.count_nonzero(cv2.bitwise_and(between, around))) / perimeter
