"""What stands on a face: its picture, made upright, against drawn faces, then place by place.

A face has nine places for pips, three by three. Two questions are put: which drawn face is it most like (value,
spacing, turn, shift at once), and does each of the nine places of that drawing, looked at alone, clearly hold a pip
or clearly hold none. The second is what tells a 4 from a 5 and a 2 from a 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey

Floats: TypeAlias = npt.NDArray[np.float32]

PATCH = 32
"""A face is compared as so many by so many pixels."""
FINE = 64
"""And its places are looked at in so many by so many."""
SHADING = 0.22 * PATCH
"""Deviation, in pixels of a patch, of the smoothing that leaves its slow shading."""
RIM = 0.06
"""The rim of a face, in sides, is its rounding: not compared."""
PITCHES = (0.165, 0.19, 0.215, 0.245, 0.275, 0.31)
"""Spacings of the places, in sides of the face."""
RADII = (0.07, 0.105)
"""Radii of pips, in sides."""
SLANTS = (-14.0, -7.0, 0.0, 7.0, 14.0)
"""Degrees by which the pips may be turned against the outline."""
OFFSETS = (-0.09, -0.03, 0.03, 0.09)
"""Shifts of the pips against the middle of the outline, in sides, over x and over y."""
SIX_LONG = (0.85, 1.0, 1.2)
"""Spacing along the rows of three of a 6 against the spacing of the rows (0.85: the rows are drawn together)."""
_LAYOUTS: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    (1, ((0, 0),)),
    (2, ((-1, -1), (1, 1))),
    (2, ((-1, 1), (1, -1))),
    (3, ((-1, -1), (0, 0), (1, 1))),
    (3, ((-1, 1), (0, 0), (1, -1))),
    (4, ((-1, -1), (-1, 1), (1, -1), (1, 1))),
    (5, ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1))),
    (6, ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1))),
    (6, ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1))),
)
PLACES: tuple[tuple[float, float], ...] = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1))
"""(x, y) of the nine places, in spacings."""
BETWEEN: tuple[tuple[float, float], ...] = ((-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5))
"""The four points between them, where no die has a pip: the ground of the face."""
_POINTS = np.array(PLACES + BETWEEN)
HOLDS, EMPTY = 0.60, 0.42
"""A place holds a pip from this part of the usual pip's contrast on, and none up to that; between, it is uncertain. The
two of the study (0.62, 0.40), a little wider apart there on fewer places."""
LEAST_CONTRAST = 7.0
"""Grey levels of a pip against the ground between: below, the camera's noise could be one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a face says. ``value`` is 0 when the places say nothing that a die has."""

    value: int
    likeness: float
    """Correlation with the drawn face, 0 to 1."""
    dark: bool
    """Pips darker than the face."""
    contrast: float
    """Grey levels of the pips against the ground between."""
    certain: float
    """How far the least certain place is from being undecided: below 0 undecided; relative to the pips' contrast."""
    middle: tuple[float, float]
    """Of the layout, in sides of the face, from its middle."""
    pitch: float
    """In sides of the face."""
    slant_deg: float
    places: tuple[tuple[float, float], ...] = ()
    """Of the pips it holds, in sides of the face, from its middle."""


INLAYS = (0.30, 0.34, 0.38, 0.42, 0.46)
"""Radii, in sides, of the round inlay that some dice have round their pips. Its edge is far stronger than a pip's."""

INLAID = 0.85
"""What is left of a face's picture without its inlay, at most, where there is one."""


@cache
def _inlays() -> Floats:
    """What an inlay, also one a little off the middle, can look like: orthonormal rows. It is taken out of a face."""
    axis = (np.arange(PATCH) + 0.5) / PATCH - 0.5
    grid_x, grid_y = np.meshgrid(axis, axis)
    pictures = []
    for radius, (dx, dy) in product(INLAYS, ((0.0, 0.0), (0.04, 0.0), (-0.04, 0.0), (0.0, 0.04), (0.0, -0.04))):
        distance = np.hypot(grid_x - dx, grid_y - dy)
        pictures.append(np.clip((radius - distance) * PATCH / 1.5 + 0.5, 0, 1))
    rows = _prepared(np.array(pictures, np.float32))
    _, strength, axes = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(axes[strength > 0.15 * strength[0]], np.float32)


def _without_inlay(rows: Floats) -> tuple[Floats, Floats]:
    """Rows of length 1 again, and how much of each was left."""
    basis = _inlays()
    rest = rows - (rows @ basis.T) @ basis
    left = np.linalg.norm(rest, axis=1)
    return np.asarray(rest / np.maximum(left, 1e-3)[:, None], np.float32), np.asarray(left, np.float32)


@cache
def _drawn_without_inlay() -> Floats:
    rows, left = _without_inlay(_drawn()[0])
    # A drawing that is mostly inlay itself says nothing once that is taken out.
    rows[left < 0.5] = 0
    return rows


@cache
def _drawn() -> tuple[Floats, npt.NDArray[np.float64]]:
    """Drawn faces, one a row, of zero mean and length 1; and of each: value, pitch x and y, slant, dx, dy, radius."""
    axis = (np.arange(PATCH) + 0.5) / PATCH - 0.5
    grid_x, grid_y = np.meshgrid(axis, axis)
    offsets = np.array(list(product(OFFSETS, OFFSETS)))
    rows: list[Floats] = []
    notes: list[npt.NDArray[np.float64]] = []
    for (value, places), pitch, radius in product(_LAYOUTS, PITCHES, RADII):
        if radius > 0.47 * pitch and value > 1:
            continue
        longs = SIX_LONG if value == 6 else (1.0,)
        for long, slant in product(longs, SLANTS):
            if value == 1 and (slant != 0 or pitch != PITCHES[2]):
                continue
            pitch_x = pitch * (long if value == 6 and (0, 1) in places else 1.0)
            pitch_y = pitch * (long if value == 6 and (1, 0) in places else 1.0)
            cos, sin = np.cos(np.radians(slant)), np.sin(np.radians(slant))
            # At all shifts at once: faces are drawn when the first picture is read, and somebody waits for that.
            pictures = np.zeros((len(offsets), PATCH, PATCH))
            for place_x, place_y in places:
                x = offsets[:, 0] + cos * place_x * pitch_x - sin * place_y * pitch_y
                y = offsets[:, 1] + sin * place_x * pitch_x + cos * place_y * pitch_y
                off_x, off_y = grid_x[None] - x[:, None, None], grid_y[None] - y[:, None, None]
                pictures += np.clip((radius - np.sqrt(off_x**2 + off_y**2)) * PATCH / 1.5 + 0.5, 0, 1)
            rows.append(_prepared(pictures.astype(np.float32)))
            notes += [np.array([value, pitch_x, pitch_y, slant, dx, dy, radius]) for dx, dy in offsets]
    return np.concatenate(rows), np.array(notes)


@cache
def _smoothing() -> Floats:
    """A column of a patch times this is its slow shading."""
    unit = np.eye(PATCH, dtype=np.float32)
    kernel = cv2.getGaussianKernel(2 * round(4 * SHADING) + 1, SHADING, cv2.CV_32F)
    return np.asarray(cv2.sepFilter2D(unit, -1, np.ones(1, np.float32), kernel, borderType=cv2.BORDER_REFLECT))


def _prepared(patches: Floats) -> Floats:
    """Patches (n, PATCH, PATCH) as rows of zero mean and length 1: slow shading and the rim taken out."""
    inner = max(1, round(RIM * PATCH))
    smooth = _smoothing()
    ground = smooth @ patches @ smooth.T
    rows = np.ascontiguousarray((patches - ground)[:, inner:-inner, inner:-inner]).reshape(len(patches), -1)
    rows -= rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-3), np.float32)


def upright(grey: Grey, corners: npt.NDArray[np.float64], side: int) -> Floats:
    """Faces (n, 4, 2) cut out of a picture and made ``side`` by ``side`` pixels each: (n, side, side)."""
    target = np.array([[-0.5, -0.5], [side - 0.5, -0.5], [side - 0.5, side - 0.5], [-0.5, side - 0.5]], np.float32)
    patches = np.empty((len(corners), side, side), np.float32)
    for index, each in enumerate(corners):
        edge = float(np.linalg.norm(each - each[[3, 0, 1, 2]], axis=1).mean())
        matrix = cv2.getPerspectiveTransform(each.astype(np.float32), target)
        # Only the neighbourhood is made smooth and smaller: sampling a large face at few points would alias.
        factor = max(1, int(edge / (1.5 * side)))
        if factor == 1:
            patches[index] = cv2.warpPerspective(
                grey, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
        else:
            large = cv2.getPerspectiveTransform(each.astype(np.float32), (target + 0.5) * factor - 0.5)
            cut = cv2.warpPerspective(
                grey, large, (side * factor, side * factor), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
            patches[index] = cv2.resize(cut, (side, side), interpolation=cv2.INTER_AREA)
    return patches


def read_faces(grey: Grey, corners: npt.NDArray[np.float64]) -> list[Reading]:
    """What each of the faces (n, 4, 2) says."""
    if not len(corners):
        return []
    drawn, notes = _drawn()
    fine = upright(grey, corners, FINE)
    small = np.stack([cv2.resize(each, (PATCH, PATCH), interpolation=cv2.INTER_AREA) for each in fine])
    rows = _prepared(small)
    rest, left = _without_inlay(rows)
    found = []
    # An inlay is a large part of the picture of a face that has one; elsewhere there is nothing to take out.
    inlaid = np.nonzero(left < INLAID)[0]
    bare = dict(zip(inlaid.tolist(), rest[inlaid] @ _drawn_without_inlay().T, strict=True))
    for index, plain in enumerate(rows @ drawn.T):
        likeness = plain
        if index in bare and np.abs(bare[index]).max() > np.abs(plain).max():
            likeness = bare[index]
        choice = int(np.abs(likeness).argmax())
        like = float(likeness[choice])
        found.append(_by_places(fine[index], notes[choice], abs(like), like < 0))
    return found


def _median(few: Iterable[np.float32]) -> float:
    """Of a handful of numbers, where NumPy's takes longer to begin than to count."""
    listed = sorted(few)
    middle = len(listed) // 2
    return float(listed[middle] if len(listed) % 2 else (listed[middle - 1] + listed[middle]) / 2)


def _by_places(patch: Floats, note: npt.NDArray[np.float64], likeness: float, dark: bool) -> Reading:
    """The nine places of one drawing, each alone."""
    drawn_value, pitch_x, pitch_y, slant, dx, dy, radius = (float(each) for each in note)
    if drawn_value == 1:
        # Where the other pips would be is not known from one pip: all usual spacings are looked at.
        pitch_x = pitch_y = 0.24
    disc = max(0.6, 0.55 * radius * FINE)
    middles = cv2.GaussianBlur(patch, (0, 0), disc / 1.5)
    cos, sin = np.cos(np.radians(slant)), np.sin(np.radians(slant))

    spots = _POINTS * (pitch_x, pitch_y)
    x = (0.5 + dx + cos * spots[:, 0] - sin * spots[:, 1]) * FINE - 0.5
    y = (0.5 + dy + sin * spots[:, 0] + cos * spots[:, 1]) * FINE - 0.5
    places_x, places_y = x.astype(np.float32)[None], y.astype(np.float32)[None]
    levels = cv2.remap(middles, places_x, places_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
    ground = _median(levels[len(PLACES) :])
    spots = (levels[: len(PLACES)] - ground) * (-1 if dark else 1)
    layout = {1: _LAYOUTS[0][1]}.get(int(drawn_value))
    for value, places in _LAYOUTS:
        if layout is None and value == int(drawn_value):
            fits = [spots[PLACES.index(place)] for place in places]
            layout = places if min(fits) > 0.3 * max(fits) else None
    if layout is None:
        return Reading(0, likeness, dark, 0.0, -1.0, (dx, dy), pitch_x, slant)
    contrast = _median([spots[PLACES.index(place)] for place in layout])
    if contrast < LEAST_CONTRAST:
        return Reading(0, likeness, dark, contrast, -1.0, (dx, dy), pitch_x, slant)
    part = spots / contrast
    held = tuple(place for place, each in zip(PLACES, part, strict=True) if each >= (HOLDS + EMPTY) / 2)
    margins = np.where(part >= (HOLDS + EMPTY) / 2, part - HOLDS, EMPTY - part)
    value = next((value for value, places in _LAYOUTS if set(places) == set(held)), 0)
    where = tuple(
        (
            dx + float(cos) * x * pitch_x - float(sin) * y * pitch_y,
            dy + float(sin) * x * pitch_x + float(cos) * y * pitch_y,
        )
        for x, y in held
    )
    return Reading(value, likeness, dark, contrast, float(margins.min()), (dx, dy), pitch_x, slant, where)
