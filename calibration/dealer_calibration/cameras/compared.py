"""A picture of a scene against one that was taken of the same scene on an earlier day: moved, blurred, lit otherwise,
dirty. Pure.

The order is that of what each would look like: where the camera moved everything differs; only what is left after
movement, brightness and the light's slope are taken out is dirt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_calibration.cameras.figures import Bgr

GRID = (4, 3)
"""Columns and rows in which the light is compared."""
SPOT_LEVELS = 14.0
"""Grey levels that a spot differs by at least, beside the noise."""
SPOT_NOISES = 5.0
EDGE_PX = 6
"""Along the picture's edges nothing is compared: what moved in is not known."""
BLURS_PX = np.arange(0.0, 6.01, 0.2)
BLUR_GAIN = 0.93
"""A blur is believed when it brings the two pictures so much nearer to each other."""
STEPS, CLOSE = 80, 1e-5
SMALL_PX = 3
FINE_PX, COARSE_PX = 1.5, 16.0
"""What is finer is noise, what is coarser is light: neither says where the plate lies."""
PLAIN, PLAIN_NOISES = 0.4, 0.12
"""Grey levels, and parts of the noise, below which the structure of a picture is none."""
LEAST_FIT = 0.35
"""Correlation of the two pictures below which they do not show the same thing."""
LEAST_UNLIKE, EXPLAINS = 0.01, 0.5
"""From that part of the picture on, differences are more than dirt; movement is believed that takes half of them."""
LEAST_REST = 0.5
"""Part of the picture that must be as it was to say that the camera did not move."""
MOST_TURN = 0.2
"""Turned by 11 degrees, or larger by a fifth: then it is another picture, and the figures are none."""
AROUND_PX, FAR_PX = 12, 60
"""Grain finer than that is another in every picture."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How the scene lies in the picture against before. ``farthest_px``: the largest way of any of its corners."""

    right_px: float
    down_px: float
    turn_deg: float
    larger: float
    """Part by which things are seen larger."""
    farthest_px: float


@dataclass(frozen=True, slots=True)
class Patch:
    """Something that was not there before: its middle, and how large."""

    x: float
    y: float
    area_px: float


@dataclass(frozen=True, slots=True)
class Compared:
    """``shift`` is ``None`` where the two cannot be laid on each other: then nothing else is told but the brightness.

    ``brighter``: of the whole picture, as a factor, and by blue, green, red in ``channels``. ``uneven``: how much the
    light's change differs from place to place, as a part. ``blur_px``: the standard deviation by which the earlier
    picture must be blurred to look like this one; negative where this one is the sharper.
    """

    shift: Shift | None
    brighter: float
    channels: tuple[float, float, float]
    uneven: float
    blur_px: float
    patches: tuple[Patch, ...]
    plain: bool = False
    """Nothing is to be seen by which place and focus could be told."""


def compare(before: Bgr, now: Sequence[Bgr], noise: float) -> Compared:
    """``before`` is a picture with little noise; ``now`` several of the same moment, whose mean is compared.

    ``noise``: standard deviation of a pixel in one picture, grey levels. Raises ``ValueError`` for another size.
    """
    if any(picture.shape != before.shape for picture in now) or not now:
        raise ValueError("pictures of one size are compared")
    mean = np.mean([picture.astype(np.float32) for picture in now], axis=0).astype(np.float32)
    then = before.astype(np.float32)
    channels = _factors(then, mean)
    brighter = float(np.mean(channels))
    plain = bool(_grey(then).std() < max(PLAIN, PLAIN_NOISES * noise))
    warp = np.array([[1, 0, 0], [0, 1, 0]], np.float32) if plain else _warp(then, mean)
    if warp is None:
        return Compared(None, brighter, channels, 0.0, 0.0, ())
    height, width = before.shape[:2]
    laid = _laid(then, warp)
    shift = _shift(warp, width, height)
    even, uneven = _lit_alike(laid, mean)
    blur = 0.0 if plain else _blur(even, mean)
    left = noise / np.sqrt(len(now)) + 0.3 * noise
    patches = _patches(even, mean, max(SPOT_LEVELS, SPOT_NOISES * left), blur, shift)
    return Compared(shift, brighter, channels, uneven, blur, patches, plain)


Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]


def _factors(then: Floats, now: Floats) -> tuple[float, float, float]:
    """By the median, so that what lies there now does not count; each channel where it is bright enough to tell."""
    a, b = then[::4, ::4].reshape(-1, 3), now[::4, ::4].reshape(-1, 3)
    found = []
    for channel in range(3):
        level = a[:, channel]
        use = level > max(8.0, 0.5 * float(np.median(level)))
        found.append(float(np.median(b[use, channel] / level[use])) if use.any() else 1.0)
    return found[0], found[1], found[2]


def _grey(picture: Floats) -> Floats:
    """What is compared for the place: the picture without its slow changes of light."""
    grey = cv2.cvtColor(np.clip(picture, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), FINE_PX) - cv2.GaussianBlur(grey, (0, 0), COARSE_PX), np.float32)


def _warp(then: Floats, now: Floats) -> Floats | None:
    """From places of the picture of now to those of the earlier one, 2 by 3; ``None`` where nothing fits."""
    a, b = _grey(then), _grey(now)
    height, width = a.shape
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    (right, down), _ = cv2.phaseCorrelate(a, b, window)
    everywhere = np.full(a.shape, 255, np.uint8)
    best = max((_fitted(a, b, start, everywhere) for start in ((-right, -down), (0.0, 0.0))), key=lambda fit: fit[0])
    # What is fixed before the lens (a mirrored lamp, dust on it) holds both together where all else moved: where they
    # differ, they are laid on each other once more.
    unlike = _unlike(then, now, best[1])
    if np.count_nonzero(unlike) > LEAST_UNLIKE * unlike.size:
        start = _searched(a, b, unlike)
        moved = _fitted(a, b, start, unlike)
        if moved[0] > LEAST_FIT and _left(a, b, moved[1], unlike) < EXPLAINS * _left(a, b, best[1], unlike):
            best = moved
    if best[0] <= LEAST_FIT:
        # Something lies there, and outweighs a plain ground: the rest of the picture may lie where it lay.
        there = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
        rest = cv2.bitwise_not(_unlike(then, now, there))
        if np.count_nonzero(rest) > LEAST_REST * rest.size:
            best = _fitted(a, b, (0.0, 0.0), np.asarray(rest, np.uint8))
    return best[1] if best[0] > LEAST_FIT else None


def _fitted(a: Floats, b: Floats, start: tuple[float, float], where: Mask) -> tuple[float, Floats]:
    """The best affine way from ``b`` to ``a`` near a shift, and the correlation there; below nothing where none is."""
    warp = np.array([[1, 0, start[0]], [0, 1, start[1]]], np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, STEPS, CLOSE)
    try:
        fit, found = cv2.findTransformECC(b, a, warp.copy(), cv2.MOTION_AFFINE, criteria, where, 5)
    except cv2.error:  # it did not come to an end: from here nothing fits
        return -1.0, warp
    turn = found[:, :2].astype(np.float64)
    if np.abs(turn - np.eye(2)).max() > MOST_TURN:
        return -1.0, warp
    return float(fit), np.asarray(found, np.float32)


def _laid(picture: Floats, warp: Floats) -> Floats:
    height, width = picture.shape[:2]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    laid = cv2.warpAffine(picture, warp, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(laid, np.float32)


def _unlike(then: Floats, now: Floats, warp: Floats) -> Mask:
    """255 around where the two differ by more than light and grain do."""
    even, _ = _lit_alike(_laid(then, warp), now)
    size = (5, 5)
    differs = np.abs(cv2.blur(even, size) - cv2.blur(now, size)).max(axis=2) > SPOT_LEVELS
    strong = cv2.morphologyEx(differs.astype(np.uint8) * 255, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.dilate(strong, np.ones((2 * AROUND_PX + 1,) * 2, np.uint8)), np.uint8)


def _searched(a: Floats, b: Floats, where: Mask) -> tuple[float, float]:
    """The shift within ``FAR_PX`` that explains most, to a few pixels."""
    step = 4
    small_a, small_b, mask = (
        cv2.resize(one, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA) for one in (a, b, where)
    )
    reach = FAR_PX // step
    padded = cv2.copyMakeBorder(small_a, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    off = cv2.matchTemplate(padded, small_b, cv2.TM_SQDIFF, mask=(mask > 0.5).astype(np.float32))
    _, _, (x, y), _ = cv2.minMaxLoc(off)
    return float((x - reach) * step), float((y - reach) * step)


def _left(a: Floats, b: Floats, warp: Floats, where: Mask) -> float:
    """What is still different there."""
    return float(np.mean(np.square(_laid(a, warp) - b)[where > 0]))


def _shift(warp: npt.NDArray[np.float32], width: int, height: int) -> Shift:
    turn = warp[:, :2].astype(np.float64)
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    away = middle - (turn @ middle + warp[:, 2])
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float64)
    ways = np.linalg.norm(corners @ turn.T + warp[:, 2] - corners, axis=1)
    size = float(np.sqrt(abs(np.linalg.det(turn))))
    angle = float(np.degrees(np.arctan2(turn[0, 1] - turn[1, 0], turn[0, 0] + turn[1, 1])))
    return Shift(float(away[0]), float(away[1]), angle, 1 / max(size, 1e-6) - 1, float(ways.max()))


def _lit_alike(then: Floats, now: Floats) -> tuple[Floats, float]:
    """The earlier picture in the light of now, and how uneven the change of light is."""
    height, width = then.shape[:2]
    columns, rows = GRID
    ratios = np.ones((rows, columns), np.float32)
    for row in range(rows):
        for column in range(columns):
            view = (
                slice(row * height // rows, (row + 1) * height // rows),
                slice(column * width // columns, (column + 1) * width // columns),
            )
            a, b = then[view].sum(axis=2), now[view].sum(axis=2)
            use = a > max(24.0, 0.5 * float(np.median(a)))
            ratios[row, column] = float(np.median(b[use] / a[use])) if use.any() else 1.0
    smooth = cv2.resize(ratios, (width, height), interpolation=cv2.INTER_LINEAR)
    usual = float(np.median(ratios))
    uneven = float(np.abs(ratios / max(usual, 1e-3) - 1).max())
    return np.asarray(then * smooth[:, :, None], np.float32), uneven


def _blur(then: Floats, now: Floats) -> float:
    inner = (slice(EDGE_PX, -EDGE_PX), slice(EDGE_PX, -EDGE_PX))
    a, b = (np.asarray(cv2.GaussianBlur(one.mean(axis=2), (0, 0), 0.6), np.float32) for one in (then, now))

    def off(one: Floats, other: Floats) -> float:
        differs = np.abs(one[inner] - other[inner])
        # A thing that lies there now says nothing of the lens.
        return float(np.mean(np.minimum(differs, 40.0) ** 2))

    def best(soft: Floats, like: Floats) -> tuple[float, float]:
        blurred = ((sigma, cv2.GaussianBlur(soft, (0, 0), sigma) if sigma else soft) for sigma in BLURS_PX)
        return min((off(np.asarray(one, np.float32), like), float(sigma)) for sigma, one in blurred)

    as_it_is = off(a, b)
    (blurred, sigma), (sharper, more) = best(a, b), best(b, a)
    if min(blurred, sharper) > BLUR_GAIN * as_it_is:
        return 0.0
    return sigma if blurred <= sharper else -more


def _patches(then: Floats, now: Floats, levels: float, blur_px: float, shift: Shift) -> tuple[Patch, ...]:
    if blur_px > 0:
        then = np.asarray(cv2.GaussianBlur(then, (0, 0), blur_px), np.float32)
    size = (SMALL_PX, SMALL_PX)
    differs = np.abs(cv2.blur(then, size) - cv2.blur(now, size)).max(axis=2)
    # Along an edge half a pixel makes a difference, and a lamp's reflection changes with the light.
    slope = np.abs(cv2.morphologyEx(cv2.blur(then, size), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))).max(axis=2)
    odd = (differs > levels + 0.5 * slope).astype(np.uint8)
    edge = EDGE_PX + round(shift.farthest_px)
    odd[:edge], odd[-edge:], odd[:, :edge], odd[:, -edge:] = 0, 0, 0, 0
    odd = np.asarray(cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(odd, connectivity=8)
    found = [
        Patch(float(middles[n][0]), float(middles[n][1]), float(stats[n][cv2.CC_STAT_AREA]))
        for n in range(1, len(stats))
    ]
    return tuple(sorted(found, key=lambda patch: -patch.area_px))
