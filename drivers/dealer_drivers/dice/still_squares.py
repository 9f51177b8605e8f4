"""Squares in a picture: where four straight edges stand as the sides of a die's face do. Knows nothing of pips.

The gradient is *saturated*, g / (|g| + k): a weak edge counts nearly as much as a strong one, so that a grey die on
grey ground is seen beside a white one. A side is the mean of the saturated gradient across it, so an edge must run
along the whole side in one direction; texture averages out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey

Floats: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.float64]

WORK_SIDE_PX = 640
"""Larger pictures are made smaller, to this long side."""
SMALLEST_PX, LARGEST_PX = 26.0, 240.0
"""Edge lengths looked for, at the working size. Below 26 a pip has under 5 pixels."""
LEVELS = ((2, 26.0, 46.0), (4, 46.0, 94.0), (8, 94.0, 240.0))
"""Reduction, and the sizes searched there: a side is then 12 to 30 pixels of the reduced picture."""
SIZE_STEP = 1.12
TURNS = 15
"""Over 90 degrees: 6 degrees apart, so that a side is off by at most 3 degrees: a pixel at its ends."""
SATURATION = 2.5
"""Grey levels a pixel at which an edge counts half. Measured: plate noise of the half A photographs is about 1."""
BITS = 16000
"""A gradient of 1 in the whole numbers of the coarse search."""
STRAIGHT = 0.62
"""The part of a side that is straight: the rest is rounded off in most dice."""
COARSE_SCORE = 0.36
COARSE_KEPT = 90
SIDE_SHIFTS = np.linspace(-0.13, 0.13, 11, dtype=np.float32)
SIDE_TILTS = np.tan(np.radians(np.linspace(-9, 9, 7))).astype(np.float32)
"""Where each side is looked for around the coarse square, each by itself: offset in sides, tilt in degrees."""
SAMPLES = 21
LEAST_SEEN = 0.5
"""The part of a side that must be free of what was taken out, to be judged as if it were whole."""


@dataclass(frozen=True, slots=True)
class Square:
    """Four corners, clockwise on the screen, in pixels of the picture given, and how good the sides are."""

    corners: npt.NDArray[np.float64]
    """4 by (x, y)."""
    score: float
    """0 to 1: 0.5 of the mean side, 0.3 of the worst, 0.2 of the second worst."""
    one_way: float
    """The same, counting only sides that are brighter outside, or only those that are darker: texture has both."""

    @property
    def centre(self) -> tuple[float, float]:
        """Mean of the corners."""
        x, y = self.corners.mean(axis=0)
        return float(x), float(y)

    @property
    def size_px(self) -> float:
        """Side of the square of the same area."""
        x, y = self.corners[:, 0], self.corners[:, 1]
        area = 0.5 * abs(float(np.dot(x, y[[1, 2, 3, 0]]) - np.dot(y, x[[1, 2, 3, 0]])))
        return float(np.sqrt(area))

    @property
    def turn_deg(self) -> float:
        """0 to 90."""
        across = self.corners[1] - self.corners[0] + self.corners[2] - self.corners[3]
        down = self.corners[3] - self.corners[0] + self.corners[2] - self.corners[1]
        turned = np.array([down[1], -down[0]])
        both = across / np.linalg.norm(across) + turned / np.linalg.norm(turned)
        return float(np.degrees(np.arctan2(both[1], both[0])) % 90.0)


def working_size(grey: Grey) -> tuple[Grey, float]:
    """The picture at working size, and by how much its lengths must be multiplied to be those of the picture given."""
    longest = max(grey.shape)
    if longest <= WORK_SIDE_PX:
        return grey, 1.0
    scale = WORK_SIDE_PX / longest
    size = (max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8), 1.0 / scale


def saturated(picture: npt.NDArray[np.uint8] | Floats, k: float = SATURATION) -> tuple[Floats, Floats]:
    """Gradient over x and over y, each a part of g / (|g| + k): shorter than 1 everywhere."""
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.8)
    over_x = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 32)
    over_y = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 32)
    weight = 1.0 / (cv2.magnitude(over_x, over_y) + np.float32(k))
    # The first and last rows and columns have no neighbour: what stands there is not in the picture.
    for edge in (np.s_[:2], np.s_[-2:], np.s_[:, :2], np.s_[:, -2:]):
        weight[edge] = 0
    return np.asarray(over_x * weight, np.float32), np.asarray(over_y * weight, np.float32)


def sizes_between(low: float, high: float) -> list[float]:
    """From ``low`` to below ``high`` in steps of ``SIZE_STEP``."""
    found = []
    while low < high:
        found.append(low)
        low *= SIZE_STEP
    return found


def _combined(top: Floats, right: Floats, bottom: Floats, left: Floats) -> Floats:
    low_1, high_1 = np.minimum(left, right), np.maximum(left, right)
    low_2, high_2 = np.minimum(top, bottom), np.maximum(top, bottom)
    worst = np.minimum(low_1, low_2)
    second = np.minimum(np.maximum(low_1, low_2), np.minimum(high_1, high_2))
    total = low_1 + high_1 + low_2 + high_2
    return np.asarray(total * np.float32(0.125) + worst * np.float32(0.3) + second * np.float32(0.2), np.float32)


def _combined_bytes(
    top: npt.NDArray[np.uint8], right: npt.NDArray[np.uint8], bottom: npt.NDArray[np.uint8], left: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """As ``_combined``, of 0 to 255: several times as fast, and near enough for where to look."""
    low_1, high_1 = cv2.min(left, right), cv2.max(left, right)
    low_2, high_2 = cv2.min(top, bottom), cv2.max(top, bottom)
    worst = cv2.min(low_1, low_2)
    second = cv2.min(cv2.max(low_1, low_2), cv2.min(high_1, high_2))
    mean = cv2.addWeighted(
        cv2.addWeighted(low_1, 0.5, high_1, 0.5, 0), 0.5, cv2.addWeighted(low_2, 0.5, high_2, 0.5, 0), 0.5, 0
    )
    return np.asarray(cv2.addWeighted(cv2.addWeighted(worst, 0.6, second, 0.4, 0), 0.5, mean, 0.5, 0), np.uint8)


def _line_means(
    along_u: npt.NDArray[np.int16], along_v: npt.NDArray[np.int16], there: Floats | None, run: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Means over upright and over level runs of that many pixels, 0 to 255, whatever their sign."""
    found = []
    for along, shape, across in ((along_u, (1, run), (3, 1)), (along_v, (run, 1), (1, 3))):
        means = cv2.blur(along, shape, borderType=cv2.BORDER_CONSTANT)
        if there is None:
            strength = cv2.convertScaleAbs(means, alpha=255 / BITS)
        else:
            part = np.maximum(cv2.blur(there, shape, borderType=cv2.BORDER_CONSTANT), np.float32(LEAST_SEEN))
            strength = cv2.convertScaleAbs(means / part, alpha=255 / BITS)
        # A side may stand a pixel off: sizes and turns are in steps, and a face is never quite square.
        found.append(np.asarray(cv2.dilate(strength, np.ones(across[::-1], np.uint8)), np.uint8))
    return found[0], found[1]


def _level(field: tuple[Floats, Floats], sizes: list[float], seen: Floats | None = None) -> Rows:
    """Candidates, one a row: score, x, y, size, turn in radians; lengths in pixels of this level.

    ``seen`` is 0 where the field was taken out: a side is then judged by what is left of it, if that is half or more.
    """
    height, width = field[0].shape
    found = [np.zeros((0, 5))]
    for turn in range(TURNS):
        angle = np.pi / 2 * turn / TURNS
        cos, sin = np.cos(angle), np.sin(angle)
        wide = int(np.ceil(width * cos + height * sin))
        high = int(np.ceil(width * sin + height * cos))
        # From the turned frame to the picture: (u, v) -> c + R (u - wide/2, v - high/2).
        back = np.array(
            [
                [cos, -sin, (width - 1) / 2 - cos * (wide - 1) / 2 + sin * (high - 1) / 2],
                [sin, cos, (height - 1) / 2 - sin * (wide - 1) / 2 - cos * (high - 1) / 2],
            ]
        )
        over_x, over_y, *rest = (
            np.asarray(
                cv2.warpAffine(each, back, (wide, high), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP), np.float32
            )
            for each in (field if seen is None else (*field, seen))
        )
        cos_bits, sin_bits = np.float32(cos * BITS), np.float32(sin * BITS)
        along_u = (over_x * cos_bits + over_y * sin_bits).astype(np.int16)
        along_v = (over_y * cos_bits - over_x * sin_bits).astype(np.int16)
        there = rest[0] if rest else None
        best = np.zeros((high, wide), np.uint8)
        scores: list[tuple[float, int, npt.NDArray[np.uint8]]] = []
        for size in sizes:
            half = max(1, round(size / 2))
            if 2 * half + 2 >= min(wide, high):
                continue
            upright, level = _line_means(along_u, along_v, there, max(3, round(size * STRAIGHT)))
            mid = (slice(half, high - half), slice(half, wide - half))
            score = _combined_bytes(
                level[: high - 2 * half, mid[1]],
                upright[mid[0], 2 * half :],
                level[2 * half :, mid[1]],
                upright[mid[0], : wide - 2 * half],
            )
            best[mid] = cv2.max(best[mid], score)
            scores.append((size, half, score))
        # Whole numbers have plateaus: a little smoothing leaves one peak of each.
        smooth = cv2.GaussianBlur(best.astype(np.float32), (3, 3), 0.6)
        peak = (best >= COARSE_SCORE * 255) & (smooth >= cv2.dilate(smooth, np.ones((5, 5), np.uint8)))
        v, u = np.nonzero(peak)
        tops = best[v, u]
        x = back[0, 0] * u + back[0, 1] * v + back[0, 2]
        y = back[1, 0] * u + back[1, 1] * v + back[1, 2]
        found.append(np.stack([tops / 255, x, y, _sizes_at(u, v, tops, scores), np.full(len(u), angle)], axis=1))
    return np.concatenate(found)


def _sizes_at(
    u: npt.NDArray[np.intp],
    v: npt.NDArray[np.intp],
    tops: npt.NDArray[np.uint8],
    scores: list[tuple[float, int, npt.NDArray[np.uint8]]],
) -> Floats:
    """The smallest size that has the score ``tops`` at each place. ``scores``: size, and how much its rim is cut."""
    found = np.zeros(len(u), np.float32)
    for size, half, score in reversed(scores):
        row, column = v - half, u - half
        inside = (row >= 0) & (column >= 0) & (row < score.shape[0]) & (column < score.shape[1])
        has = np.nonzero(inside)[0]
        has = has[score[row[has], column[has]] == tops[has]]
        found[has] = size
    return found


def _thinned(found: Rows, kept: int) -> Rows:
    """The best ones, without those that say the same as a better one."""
    rows = found[np.lexsort(found.T[::-1])[::-1]]
    chosen: list[int] = []
    for index, (_, x, y, size, angle) in enumerate(rows):
        if chosen:
            others = rows[chosen]
            near = np.hypot(others[:, 1] - x, others[:, 2] - y) < 0.10 * size
            alike = np.abs(np.log(others[:, 3] / size)) < 0.13
            apart = np.abs((others[:, 4] - angle + np.pi / 4) % (np.pi / 2) - np.pi / 4)
            if bool((near & alike & (apart < np.radians(10))).any()):
                continue
        chosen.append(index)
        if len(chosen) == kept:
            break
    return rows[chosen]


def _sides_refined(
    fields: tuple[Floats, Floats], x: Floats, y: Floats, size: Floats, angle: Floats
) -> tuple[Floats, Floats, Floats]:
    """Each side for itself: the best line near it.

    Gives strengths (n, 4), above 0 where it is brighter outside, offsets and tilts (n, 4); sides clockwise.
    """
    count = len(x)
    shifts, tilts = np.meshgrid(SIDE_SHIFTS, SIDE_TILTS, indexing="ij")
    shifts, tilts = shifts.ravel()[None, :, None], tilts.ravel()[None, :, None]
    places = (np.linspace(-0.5, 0.5, SAMPLES, dtype=np.float32) * np.float32(STRAIGHT))[None, None, :]
    strength = np.empty((count, 4), np.float32)
    shift = np.empty((count, 4), np.float32)
    tilt = np.empty((count, 4), np.float32)
    for side in range(4):
        # Outward normal of the top, right, bottom, left side, and the way along it (clockwise).
        out = angle - np.pi / 2 + side * np.pi / 2
        normal_x, normal_y = np.cos(out)[:, None, None], np.sin(out)[:, None, None]
        way_x, way_y = -normal_y, normal_x
        span = size[:, None, None]
        off = 0.5 + shifts + tilts * places
        at_x = x[:, None, None] + span * (normal_x * off + way_x * places)
        at_y = y[:, None, None] + span * (normal_y * off + way_y * places)
        flat = (count, -1)
        map_x = at_x.reshape(flat).astype(np.float32)
        map_y = at_y.reshape(flat).astype(np.float32)
        grad_x = cv2.remap(fields[0], map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        grad_y = cv2.remap(fields[1], map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        across = grad_x.reshape(at_x.shape) * normal_x + grad_y.reshape(at_x.shape) * normal_y
        signed = across.mean(axis=2)
        mean = np.abs(signed)
        # Between equal lines the one nearer to where it was looked for.
        judged = mean - 0.25 * np.abs(shifts[:, :, 0]) - 0.15 * np.abs(tilts[:, :, 0])
        chosen = judged.argmax(axis=1)
        rows = np.arange(count)
        strength[:, side] = signed[rows, chosen]
        shift[:, side] = shifts[0, chosen, 0]
        tilt[:, side] = tilts[0, chosen, 0]
    return strength, shift, tilt


def _corners(x: Floats, y: Floats, size: Floats, angle: Floats, shift: Floats, tilt: Floats) -> Rows:
    """Where neighbouring sides meet: top left, top right, bottom right, bottom left of each (n, 4, 2)."""
    out = angle.astype(np.float64)[:, None] - np.pi / 2 + np.arange(4) * np.pi / 2
    normal = np.stack([np.cos(out), np.sin(out)], axis=2)
    way = np.stack([-normal[:, :, 1], normal[:, :, 0]], axis=2)
    middle = np.stack([x, y], axis=1).astype(np.float64)[:, None]
    point = middle + size.astype(np.float64)[:, None, None] * normal * (0.5 + shift.astype(np.float64)[:, :, None])
    direction = way + normal * tilt.astype(np.float64)[:, :, None]
    before = [3, 0, 1, 2]
    both = np.stack([direction[:, before], -direction], axis=3)
    along = np.linalg.solve(both, (point - point[:, before])[..., None])[:, :, :1, 0]
    return np.asarray(point[:, before] + along * direction[:, before], np.float64)


Taken = Callable[[tuple[Floats, Floats], float], Floats]
"""Takes things out of a gradient, in place: (both fields, pixels of the picture a pixel) -> 1 where it was left."""


def find_squares(
    grey: Grey,
    levels: tuple[int, ...] = (8, 4, 2),
    *,
    kept: int = COARSE_KEPT,
    sizes_px: tuple[float, float] = (SMALLEST_PX, LARGEST_PX),
    k: float = SATURATION,
    take_out: Taken | None = None,
) -> tuple[Square, ...]:
    """Squares of a picture, best first; they may overlap. Lengths in pixels of the picture given.

    ``levels`` chooses by reduction: 8 searches the largest, 2 the smallest of ``LEVELS``; ``sizes_px`` (at working
    size) narrows that. ``take_out`` removes what is known already.
    """
    work, back = working_size(grey)
    found: list[Square] = []
    for reduction, low, high in LEVELS:
        sizes = [each for each in sizes_between(low, high) if sizes_px[0] <= each <= sizes_px[1]]
        if sizes and reduction in levels and min(work.shape) // reduction >= 24:
            found += _of_level(work, back, reduction, sizes, kept, k, take_out)
    return tuple(sorted(found, key=lambda square: -square.score))


def _of_level(
    work: Grey, back: float, reduction: int, sizes: list[float], kept: int, k: float, take_out: Taken | None
) -> list[Square]:
    field = saturated(_smaller(work, reduction), k)
    seen = None if take_out is None else take_out(field, reduction * back)
    coarse = _thinned(_level(field, [each / reduction for each in sizes], seen), kept)
    if not len(coarse):
        return []
    finer = max(1, reduction // 2)
    rows = coarse.astype(np.float32)
    ratio, half = np.float32(reduction / finer), np.float32(0.5)
    # The middle of the first pixel is 0: half a pixel is taken off and put on again.
    x, y = (rows[:, 1] + half) * ratio - half, (rows[:, 2] + half) * ratio - half
    edge, angle = rows[:, 3] * ratio, rows[:, 4]
    fields = saturated(_smaller(work, finer), k)
    if take_out is not None:
        take_out(fields, finer * back)
    strength, shift, tilt = _sides_refined(fields, x, y, edge, angle)
    sides = np.abs(strength)
    score = _combined(sides[:, 0], sides[:, 1], sides[:, 2], sides[:, 3])
    one_way = np.maximum(_combined(*np.maximum(strength.T, 0)), _combined(*np.maximum(-strength.T, 0)))
    corners = (_corners(x, y, edge, angle, shift, tilt) + 0.5) * (finer * back) - 0.5
    found = []
    for index in range(len(rows)):
        whole = float(score[index]) if take_out is None else max(float(score[index]), float(rows[index, 0]))
        found.append(Square(corners[index], whole, float(one_way[index])))
    return found


def _smaller(work: Grey, reduction: int) -> Grey:
    if reduction == 1:
        return work
    size = (work.shape[1] // reduction, work.shape[0] // reduction)
    return np.asarray(cv2.resize(work, size, interpolation=cv2.INTER_AREA), np.uint8)
