"""The pips of one face of an unknown make, for calibration: where they are, how large, of which colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.profile import Colour
from dealer_drivers.dice.rig_frame import Floats
from dealer_drivers.dice.rig_outline import Pose

SIDE = 160
"""Pixels of the rectified face."""
RIM = 0.06
"""Part of the face along its edges that is not looked at."""
LEAST_CONTRAST = 25.0
STRAY = 0.06
"""How far a pip may be from where its layout has it, in edges."""


@dataclass(frozen=True, slots=True)
class FacePips:
    """Lengths in edges. ``pitch`` of the grid (2 to 5), ``rows`` the distance of a six's two rows; else NaN."""

    value: int
    radius: float
    pitch: float
    rows: float
    pip: Colour
    body: Colour
    dark: bool
    spread: float


def pips_of(even: Bgr, pose: Pose) -> FacePips | None:
    """The pips of the face at this place; ``None`` if they are no known layout."""
    step = pose.size_px / SIDE
    u, v = pose.axes()
    start = np.array([pose.x, pose.y]) - (u + v) * step * (SIDE - 1) / 2
    patch = cv2.warpAffine(
        even,
        np.stack([u * step, v * step, start], axis=1),
        (SIDE, SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)
    rim = round(RIM * SIDE)
    inside = patch[rim:-rim, rim:-rim]
    body = np.asarray(np.median(inside.reshape(-1, 3), axis=0), np.float64)
    differs = np.abs(inside - body.astype(np.float32)).max(axis=2)
    strongest = float(np.percentile(differs, 98.5))
    if strongest < LEAST_CONTRAST:
        return None
    mask = (differs > strongest / 2).astype(np.uint8)
    count, labels, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4)
    spots: list[tuple[float, float, float]] = []
    colours: list[Floats] = []
    for label in range(1, count):
        x, y, w, h, area = (int(number) for number in stats[label])
        if area < 0.004 * SIDE * SIDE:
            continue
        if min(x, y) == 0 or x + w == inside.shape[1] or y + h == inside.shape[0]:
            continue  # the rounded edge of the die
        if max(w, h) > 1.4 * min(w, h) or area < 0.65 * w * h:
            return None
        radius = float(np.sqrt(area / np.pi))
        rows, columns = np.nonzero(labels == label)
        cx, cy = (float(part) for part in centres[label])
        core = np.hypot(columns - cx, rows - cy) < 0.55 * radius
        colours.append(np.median(inside[rows[core], columns[core]], axis=0))
        at = (np.array([cx, cy]) + rim + 0.5) / SIDE - 0.5
        spots.append((float(at[0]), float(at[1]), radius / SIDE))
    if not 1 <= len(spots) <= 6:
        return None
    places = np.array([[x, y] for x, y, _ in spots])
    radius = float(np.median([r for _, _, r in spots]))
    if max(r for _, _, r in spots) > 1.25 * min(r for _, _, r in spots):
        return None
    pitch, rows_apart = _layout(places)
    if pitch is None:
        return None
    pip = np.median(colours, axis=0)
    calm = differs < strongest / 4
    core_calm = calm[4:-4, 4:-4]
    spread = float(inside[4:-4, 4:-4][core_calm].std(axis=0).max())
    return FacePips(
        len(spots), radius, pitch, rows_apart, _colour(pip), _colour(body), bool(pip.mean() < body.mean()), spread
    )


def _layout(places: Floats) -> tuple[float | None, float]:
    """Pitch and, of a six, the distance of its rows; no pitch where the places are none of a die's."""
    none = float("nan")
    centre = places.mean(axis=0)
    if float(np.hypot(*centre)) > STRAY * 1.5:
        return None, none
    own = places - centre
    if len(places) == 1:
        return none, none
    away = np.hypot(own[:, 0], own[:, 1])
    if len(places) in (3, 5):
        middle = int(np.argmin(away))
        if away[middle] > STRAY:
            return None, none
        own, away = np.delete(own, middle, axis=0), np.delete(away, middle)
    if len(own) in (2, 4):
        pitch = float(away.mean()) / np.sqrt(2)
        if np.abs(np.abs(own) - pitch).max() > STRAY:
            return None, none
        return pitch, none
    for across in (0, 1):
        sides, along = own[:, across], own[:, 1 - across]
        half, step = float(np.abs(sides).mean()), float(np.sort(np.abs(along))[2:].mean())
        ideal = np.where(np.abs(along) < step / 2, 0.0, np.sign(along) * step)
        rows = np.abs(np.abs(sides) - half).max()
        if rows < STRAY and np.abs(along - ideal).max() < STRAY and int((ideal == 0).sum()) == 2:
            return step, 2 * half
    return None, none


def _colour(values: Floats) -> Colour:
    return float(values[0]), float(values[1]), float(values[2])
