"""Second reading: peaks of whiteness. It knows nothing of the outlines, of the calibrated colours or of a threshold.

A white bean is the brightest where the least of the three colours is taken. On its logarithm a bean stands out from the
cloth around by the same step in light and in shade, and peaks where the picture is filtered to a bean's width.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.beans.layout import Bgr, Floats, Spots, least_of

FLOOR = 10.0
"""Grey levels added before the logarithm: noise of a dark cloth must not count."""
SURE, NOTHING = 0.5, 0.2
"""A peak is a bean above the first part of the middling peak's height, and nothing below the second."""
LEAST = 0.12
"""Height of a peak that can be a bean at all, in natural logarithms."""
MOST_PEAKS = 2000


def peaks(region: Bgr, width_px: float) -> tuple[Spots, int]:
    """The peaks that are beans, and how many are neither a bean nor nothing. ``width_px``: of a bean, about."""
    whiteness = np.log(least_of(region).astype(np.float32) + np.float32(FLOOR))
    narrow = cv2.GaussianBlur(whiteness, (0, 0), 0.22 * width_px)
    wide = cv2.GaussianBlur(whiteness, (0, 0), 0.42 * width_px)
    height: Floats = np.asarray(narrow - wide, np.float32)
    reach = max(1, round(0.38 * width_px))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    tops = (height >= cv2.dilate(height, disc)) & (height > LEAST * NOTHING)
    # Two neighbouring pixels of one top may be exactly as high.
    count, _, _, middles = cv2.connectedComponentsWithStats(tops.astype(np.uint8), connectivity=8)
    xs, ys = np.round(middles[1:]).astype(int).T if count > 1 else (np.zeros(0, int), np.zeros(0, int))
    none = np.zeros(0, np.float32)
    if len(xs) == 0 or len(xs) > MOST_PEAKS:
        return Spots(none, none, none), len(xs)
    high = height[ys, xs]
    strong = high[high >= 0.4 * float(high.max())]
    middling = float(np.median(strong))
    sure = high >= max(SURE * middling, LEAST)
    doubtful = int(np.count_nonzero((high >= max(NOTHING * middling, LEAST / 2)) & ~sure))
    spots = Spots(
        np.asarray(xs[sure], np.float32),
        np.asarray(ys[sure], np.float32),
        np.full(int(np.count_nonzero(sure)), width_px, np.float32),
    )
    return spots, doubtful


def matched(one: Spots, other: Spots, reach: npt.NDArray[np.float32]) -> bool:
    """Whether both are the same spots: each of ``one`` has exactly one of ``other`` within its reach, in pixels."""
    if len(one) != len(other):
        return False
    if len(one) == 0:
        return True
    away = np.hypot(one.x[:, None] - other.x[None, :], one.y[:, None] - other.y[None, :])
    near = away <= reach[:, None]
    return bool((near.sum(axis=0) == 1).all() and (near.sum(axis=1) == 1).all())
