"""Round spots of a single picture: where scale space peaks, then measured along rays.

A pip is a filled round of one polarity, so the difference of Gaussians peaks at its centre at a scale of radius / √2.
Peaks come from grain, scratches and corners too: only the rays tell. From the centre of each peak 24 rays look for the
steepest step of the right sign; centre, radius and elongation are a Fourier fit to those steps, and the share of rays
that agree with the fit is the roundness (``dice-study.md`` §2).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey, Pip

Floats = npt.NDArray[np.float32]

WORK_SIDE_PX = 640
"""The longer side pictures are brought to: dice of 26 to 230 px, so pips of about 2 to 30 px radius."""
OCTAVES = 4
STEP = 2 ** (1 / 3)
SIGMAS = tuple(STEP**index for index in range(6))
"""Of one octave, in its pixels."""
SMALLEST_OCTAVE_PX = 16
PEAK_FLOOR = 1.0
"""Least height of a peak, in grey levels: a sixth or so of the contrast of a filled round."""
PEAKS_AT_MOST = 1000
"""The highest first: a bound on the time a picture full of texture takes. Of each octave, where pale ones are sought:
grain has thousands of peaks, nearly all of them small, and of one bound for all they leave nothing for a pale die."""
NEAREST, FARTHEST = 0.5, 1.75
"""Where on a ray the rim may lie, in radii."""
AGREE = 0.16
"""How far a ray's step may lie from the fit, in radii (and half a pixel more)."""
RAYS_AGREE = 0.62
ELONGATION = 0.36
"""Limit of 1 − shorter / longer axis: a top face seen from 40° aslant makes 0.24."""
CONTRAST_FLOOR = 10.0
OVER_NOISE = 3.0
"""How much more contrast a spot must have for each grey level of noise."""
RING = 1.35
"""Where the ground is measured, in radii."""
EVEN = 0.62
"""Least evenness of the ring. Pips of real dice have 0.79 and more (95 of 100), blobs of grain and print 0.6."""
SCALE_LOSS = 0.8
"""How much higher the next scale may be: pips that stand close run together there, the middle one of three first."""
SHARP = 0.11
"""Least step at the rim over a fifth of a radius, in parts of the contrast: what fades has no rim."""


@dataclass(frozen=True, slots=True)
class Spots:
    """Measured spots, row by row: all arrays have the same length. Pixels of the work picture."""

    x: Floats
    y: Floats
    radius_px: Floats
    dark: npt.NDArray[np.bool_]
    contrast: Floats
    """Step from the spot to the ring around it, grey levels, positive."""
    roundness: Floats
    """Share of the rays that agree, less the elongation."""
    ground: Floats
    """Grey level of the ring around the spot: the die's body, where the spot is a pip."""
    level: Floats
    """Grey level inside the spot."""
    evenness: Floats
    """1 − spread of the grey levels around the ring, in parts of the contrast."""

    def __len__(self) -> int:
        return len(self.x)

    def taken(self, rows: npt.NDArray[np.intp]) -> Spots:
        """Only those rows."""
        return Spots(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    def pips(self, scale: float) -> tuple[Pip, ...]:
        """As the contract has them, in pixels of the picture given; ``scale`` is work over given."""
        return tuple(
            Pip(float(x) / scale, float(y) / scale, float(r) / scale, bool(d), float(c), float(q))
            for x, y, r, d, c, q in zip(
                self.x, self.y, self.radius_px, self.dark, self.contrast, self.roundness, strict=True
            )
        )


def work_picture(grey: Grey) -> tuple[Floats, float]:
    """The picture at the working size as float32 grey levels, and its scale (work over given)."""
    scale = WORK_SIDE_PX / max(grey.shape)
    if abs(scale - 1.0) > 0.02:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        size = (max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale)))
        return np.asarray(cv2.resize(grey, size, interpolation=how), np.float32), scale
    return np.asarray(grey, np.float32), 1.0


def peaks(picture: Floats) -> list[Floats]:
    """Extrema of the scale space, the highest of each octave: rows of x, y, radius, sign, height.

    Sign −1 dark, +1 bright; lengths in pixels of the work picture.
    """
    found = [np.zeros((0, 5), np.float32)]
    base, sigma_of_base = picture, 0.5
    for octave in range(OCTAVES):
        levels: list[Floats] = []
        for sigma in SIGMAS:
            extra = float(np.sqrt(max(sigma * sigma - sigma_of_base * sigma_of_base, 0.01)))
            base = np.asarray(cv2.GaussianBlur(base, (0, 0), extra), np.float32)
            levels.append(base)
            sigma_of_base = sigma
        # A dark spot is filled in by blurring, so it rises: bright spots are the falls.
        rises = [after - before for before, after in pairwise(levels)]
        tops = _tops(rises, -1.0, 2.0**octave) + _tops([-rise for rise in rises], 1.0, 2.0**octave)
        found.append(_highest(np.concatenate([found[0][:0], *tops])))
        half = (levels[3].shape[1] // 2, levels[3].shape[0] // 2)
        if min(half) < SMALLEST_OCTAVE_PX:
            break
        base, sigma_of_base = np.asarray(cv2.resize(levels[3], half, interpolation=cv2.INTER_AREA)), SIGMAS[3] / 2
    return found


def _highest(rows: Floats) -> Floats:
    return rows[np.argsort(-rows[:, 4], kind="stable")[:PEAKS_AT_MOST]]


def _tops(rises: list[Floats], sign: float, zoom: float) -> list[Floats]:
    """Peaks of one octave and sign: rows of x, y, radius, sign, height."""
    tops = [np.asarray(cv2.dilate(rise, np.ones((3, 3), np.uint8)), np.float32) for rise in rises]
    found: list[Floats] = []
    for index in range(1, len(rises) - 1):
        ys, xs = np.nonzero((rises[index] >= PEAK_FLOOR) & (rises[index] >= tops[index]))
        at = rises[index][ys, xs]
        keep = at >= SCALE_LOSS * np.maximum(tops[index - 1][ys, xs], tops[index + 1][ys, xs])
        xs, ys, at = xs[keep], ys[keep], at[keep]
        radius = SIGMAS[index] * np.sqrt(2 * STEP) * zoom
        middle = (zoom - 1.0) / 2.0
        each = (xs * zoom + middle, ys * zoom + middle, np.full(len(xs), radius), np.full(len(xs), sign), at)
        found.append(np.stack(each, axis=1).astype(np.float32))
    return found


def noise_of(grey: Grey) -> float:
    """Standard deviation of what differs from pixel to pixel, in grey levels: half of the picture is plain."""
    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    return float(np.median(np.abs(cv2.filter2D(grey, cv2.CV_16S, mask)))) / (6 * 0.6745)


def _along_rays(picture: Floats, x: Floats, y: Floats, radius: Floats, rays: int, rings: Floats) -> Floats:
    """Grey levels by spot, ray and ring."""
    turns = np.arange(rays, dtype=np.float32) * np.float32(2 * np.pi / rays)
    reach = radius[:, None, None] * rings[None, None, :]
    xs, ys = np.cos(turns)[None, :, None] * reach, np.sin(turns)[None, :, None] * reach
    xs += x[:, None, None]
    ys += y[:, None, None]
    shape = (len(x) * rays, len(rings))
    flat = cv2.remap(picture, xs.reshape(shape), ys.reshape(shape), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.float32).reshape(len(x), rays, len(rings))


def _remapped(sources: tuple[Floats, Floats], spots: Floats, rays: int, rings: Floats) -> Floats:
    """Large spots are sampled from the half-size picture: steps between rings stay near a pixel."""
    x, y, radius = spots[:, 0], spots[:, 1], spots[:, 2]
    small = radius < 9.0
    out = np.empty((len(x), rays, len(rings)), np.float32)
    for part, source, zoom in ((np.nonzero(small)[0], sources[0], 1.0), (np.nonzero(~small)[0], sources[1], 2.0)):
        shift = np.float32((zoom - 1.0) / 2.0)
        # OpenCV cannot remap into more than 32767 rows.
        for begin in range(0, len(part), 32767 // rays):
            rows = part[begin : begin + 32767 // rays]
            over = np.float32(1 / zoom)
            out[rows] = _along_rays(
                source, (x[rows] - shift) * over, (y[rows] - shift) * over, radius[rows] * over, rays, rings
            )
    return out


@dataclass(frozen=True, slots=True)
class _Fit:
    """One round of measuring: how finely, and how far from the expected rim a step still counts a third (radii)."""

    rays: int
    rings: int
    prior: float
    agree: float
    elongation: float


_FITS = (_Fit(12, 24, 0.6, 0.4, 0.7), _Fit(24, 32, 0.45, 0.5, 0.55), _Fit(24, 40, 0.35, RAYS_AGREE, ELONGATION))


def measured(picture: Floats, rows: Floats, noise: float = 0.0) -> Spots:
    """Each peak measured on its rays; what is not round, too weak for the noise or out of the picture is gone."""
    height, width = picture.shape
    half = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.float32)
    at = np.array(rows, np.float32)
    made = np.zeros((len(at), 7), np.float32)
    for fit in _FITS:
        if len(at):
            at, made = _fitted((picture, half), at, fit)
    x, y, radius, sign = at.T
    agree, elongation, contrast, outer, inner, evenness, sharpness = made.T
    keep = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
    keep &= (evenness >= EVEN) & (sharpness >= SHARP) & (radius >= 1.2)
    keep &= contrast >= CONTRAST_FLOOR + OVER_NOISE * noise
    roundness = np.asarray(agree * (1 - elongation / 2), np.float32)
    dark = sign < 0
    return _once_each(Spots(x, y, radius, dark, contrast, roundness, outer, inner, evenness).taken(np.nonzero(keep)[0]))


def _fitted(sources: tuple[Floats, Floats], at: Floats, fit: _Fit) -> tuple[Floats, Floats]:
    """Rows of x, y, radius, sign better fitted, those that pass only, and what was measured of each."""
    turns = np.arange(fit.rays) * (2 * np.pi / fit.rays)
    basis = np.stack([np.ones(fit.rays), *(f(n * turns) for n in (1, 2) for f in (np.cos, np.sin))], axis=1)
    solve = np.linalg.pinv(basis).T
    rings = np.linspace(0.15, 2.1, fit.rings, dtype=np.float32)
    sign = at[:, 3]
    grey = _remapped(sources, at, fit.rays, rings)
    between = (rings[1:-2] + rings[2:-1]) / 2
    allowed = np.nonzero((between >= NEAREST) & (between <= FARTHEST))[0]
    first, last = int(allowed[0]), int(allowed[-1]) + 1
    between = between[first:last]
    # A step is taken over four rings; a bright spot falls outwards.
    step = grey[:, :, first + 3 : last + 3] + grey[:, :, first + 2 : last + 2]
    step -= grey[:, :, first + 1 : last + 1]
    step -= grey[:, :, first:last]
    step *= -sign[:, None, None]
    # A step far from the expected rim counts less: it may be a neighbour's.
    best = np.argmax(step * np.exp(-(((between - 1.0) / fit.prior) ** 2)), axis=2)
    height = np.take_along_axis(step, best[:, :, None], axis=2)[:, :, 0]
    rim = between[best].astype(np.float64)
    middle = np.median(rim, axis=1, keepdims=True)
    terms = np.clip(rim, middle * 0.75, middle * 1.3) @ solve
    slack = AGREE * terms[:, :1] + 0.5 / at[:, 2:3]
    for _ in range(2):  # the second time with the rays that agree only: one neighbour must not pull the centre
        fitted = terms @ basis.T
        good = (np.abs(rim - fitted) < slack) & (height > 0)
        terms = np.where(good, rim, fitted) @ solve
    agree = good.mean(axis=1)
    second = np.hypot(terms[:, 3], terms[:, 4])
    elongation = 2 * second / np.maximum(terms[:, 0] + second, 1e-6)
    inner = np.median(grey[:, ::2, rings < 0.5].reshape(len(at), -1), axis=1)
    around = np.clip(np.searchsorted(rings, terms[:, 0] * RING), 0, len(rings) - 1)
    ring = np.take_along_axis(grey, np.broadcast_to(around[:, None, None], (len(at), fit.rays, 1)), axis=2)[:, :, 0]
    outer = np.median(ring, axis=1)
    contrast = sign * (inner - outer)
    strength = np.maximum(contrast, 1.0)
    keep = (agree >= fit.agree) & (elongation <= fit.elongation) & (contrast > CONTRAST_FLOOR * 0.7)
    better = at.copy()
    better[:, 0] += np.clip(terms[:, 1], -0.5, 0.5) * at[:, 2]
    better[:, 1] += np.clip(terms[:, 2], -0.5, 0.5) * at[:, 2]
    better[:, 2] *= np.clip(terms[:, 0], 0.6, 1.6)
    made = np.stack(
        [
            agree,
            elongation,
            contrast,
            outer,
            inner,
            1 - ring.std(axis=1) / strength,
            np.median(height, axis=1) / 2 / strength,
        ],
        axis=1,
    )
    return better[keep], made[keep].astype(np.float32)


def _once_each(spots: Spots) -> Spots:
    """The same spot found at several scales once: the roundest, then the strongest."""
    order = np.lexsort((-spots.contrast, -np.round(spots.roundness, 1)))
    kept: list[int] = []
    for index in order:
        if kept:
            others = np.array(kept)
            apart = np.hypot(spots.x[others] - spots.x[index], spots.y[others] - spots.y[index])
            near = apart < 0.7 * np.maximum(spots.radius_px[others], spots.radius_px[index])
            if bool((near & (spots.dark[others] == spots.dark[index])).any()):
                continue
        kept.append(int(index))
    return spots.taken(np.array(sorted(kept), dtype=np.intp))


class SpotSearch:
    """The round spots of one picture. What both ways to look at it begin with is done once."""

    def __init__(self, grey: Grey) -> None:
        self.picture, self.scale = work_picture(grey)
        """The work picture; work over given."""
        self._noise = noise_of(grey) * min(1.0, self.scale)
        self._peaks = peaks(self.picture)

    def spots(self, *, pale: bool = False) -> Spots:
        """Of the highest peaks of all, or, with ``pale``, of the highest of each octave."""
        rows = np.concatenate(self._peaks)
        return measured(self.picture, (rows if pale else _highest(rows))[:, :4], self._noise)
