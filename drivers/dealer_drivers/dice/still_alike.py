"""Three dice of one kind on a desk: whatever else lies there, nothing else has the dice's colour.

Where pictures have colour, and the three dice that were read are alike, things of another look are not dice of that
game. A further die would be of that kind too: a body of that colour, in the middle or cut by the frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.still_leftover import grown
from dealer_drivers.dice.still_squares import Floats

WORK_PX = 320
"""Long side of the picture that bodies are looked for in."""
CHROMA = 9.5
"""Grey levels by which blue or red may leave a curve of green in a grey camera's picture. Strongly tinted ones have up
to 8.5, like dice on desks from 10."""
LIKE_LIGHT, LIKE_COLOUR = 38.0, 12.0
"""Lab, 0 to 255: like dice differ at most by so much in lightness (each stands in its own light) and in colour."""
LIKE_SIZE = 1.6
GROUND_PX = 61
"""Side of the median that gives the ground beside a die: much more than a die, of ``WORK_PX``."""
LEAST_APART = 12.0
"""Lab: dice that differ by less from the ground beside them cannot be told from it."""
PART = 0.5
"""Of the way from the ground to the dice's colour: pixels beyond are of that colour."""
ASKEW = 0.55
"""Beside that way, in its length: pixels farther off have another colour."""
BODY = (0.80, 1.85)
"""Area of a body for each die it holds, in areas of its face. Half A: 1.06 to 1.79: sides being darker than the top."""
BODY_UNLIKE = 1.3
"""Largest over smallest of these: a camera sees as much of the sides of each die, unless one hides under another. Half
A and B: up to 1.2 but for one."""
BODY_ASIDE = 0.30
"""Middle of the body of one die against that of its face, in sides: above, the face is no top face."""
BODY_LIGHT, BODY_COLOUR = 48.0, 16.0
"""Lab: what is farther from the looks of the dice themselves than this is of another kind, whatever its ground."""
THIN = 0.42
"""Shorter side of a body, in sides of a face: a thinner one is a line, an edge of paper or a glint, and no die."""
FURTHER = 0.30
"""Area of a body without a die, in areas of the smallest face, from which it may be one."""
FURTHER_CUT = 0.05
"""The same where it touches the frame. The photographs to be read have up to 0.03, three tenths of a die 0.2."""
OWN = 1.25
"""Times a face: what of a body reaches farther and to the frame is not its die's alone. A die that lies against another
and is cut by the frame makes one body with it."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """What has the dice's colour, in areas of the smallest face."""

    per_die: tuple[float, ...]
    """Of the bodies that hold dice: area for each die."""
    aside: float
    """How far a body that holds one die reaches to one side of the face, in sides of it."""
    further: float
    """The largest body without a die."""
    cut: float
    """The largest one without a die that touches the frame, or such a part of one that holds dice."""


def has_colour(picture: Bgr) -> bool:
    """Whether the picture comes from a colour camera and shows some.

    A tint over a grey picture is no colour: blue and red are then curves of green, whatever the light and the camera.
    """
    small = cv2.resize(picture, (160, 120), interpolation=cv2.INTER_AREA).astype(np.float64).reshape(-1, 3)
    green = small[:, 1] / 255
    curve = np.stack([np.ones_like(green), green, green**2], axis=1)
    others = small[:, ::2]
    off = np.abs(others - curve @ np.linalg.lstsq(curve, others, rcond=None)[0]).max(axis=1)
    return bool(np.percentile(off, 95) > CHROMA)


def alike_bodies(picture: Bgr, faces: list[npt.NDArray[np.float64]]) -> Bodies | None:
    """Bodies of the colour of the faces (4 by 2 corners each); ``None`` when these are not alike or not distinct."""
    scale = min(1.0, WORK_PX / max(picture.shape[:2]))
    size = (max(8, round(picture.shape[1] * scale)), max(8, round(picture.shape[0] * scale)))
    small = cv2.GaussianBlur(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)
    corners = [(each + 0.5) * scale - 0.5 for each in faces]
    areas = [float(cv2.contourArea(each.astype(np.float32))) for each in corners]
    if max(areas) > LIKE_SIZE**2 * min(areas):
        return None
    ground = _ground(lab, corners)
    away = lab.astype(np.float32) - ground
    looks, ways = [], []
    for each in corners:
        inside = _filled(lab.shape[:2], [grown(each, 0.85)]) > 0
        if inside.sum() < 20:
            return None
        looks.append(np.median(lab[inside], axis=0))
        ways.append(np.median(away[inside], axis=0))
    for one in looks:
        for other in looks:
            if abs(one[0] - other[0]) > LIKE_LIGHT or np.hypot(*(one[1:] - other[1:])) > LIKE_COLOUR:
                return None
    way = np.mean(ways, axis=0)
    length = float(np.linalg.norm(way))
    if length < LEAST_APART or min(float(each @ way) for each in ways) < 0.5 * length**2:
        return None
    along = away @ (way / length).astype(np.float32)
    beside = np.sqrt(np.maximum((away**2).sum(axis=2) - along**2, 0))
    body = ((along > PART * length) & (beside < np.maximum(ASKEW * along, 9.0))).astype(np.uint8)
    middle = np.mean(looks, axis=0).astype(np.float32)
    apart = np.abs(lab.astype(np.float32) - middle)
    body[(apart[:, :, 0] > BODY_LIGHT) | (np.hypot(apart[:, :, 1], apart[:, :, 2]) > BODY_COLOUR)] = 0
    # The faces are bodies by what was read, pips and all.
    body |= _filled(lab.shape[:2], corners)
    body = np.asarray(cv2.morphologyEx(body, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    return _measured(body, corners, min(areas), np.array(areas))


def _ground(lab: npt.NDArray[np.uint8], corners: list[npt.NDArray[np.float64]]) -> Floats:
    """The look of what is around each pixel: a wide median, the dice themselves left out."""
    quarter = cv2.resize(lab, (max(4, lab.shape[1] // 4), max(4, lab.shape[0] // 4)), interpolation=cv2.INTER_AREA)
    side = GROUND_PX // 4 | 1
    middle = cv2.medianBlur(quarter, side)
    holes = _filled(quarter.shape[:2], [grown((each + 0.5) / 4 - 0.5, 1.5) for each in corners])
    # What a die hides looks like the ring around it: filled from the nearest ground by averaging inwards.
    weight = cv2.blur((1 - holes).astype(np.float32), (side, side))
    filled = np.dstack(
        [
            cv2.blur(middle[:, :, each].astype(np.float32) * (1 - holes), (side, side)) / np.maximum(weight, 1e-3)
            for each in range(3)
        ]
    )
    inside = (holes > 0) & (weight > 0.02)
    ground = middle.astype(np.float32)
    ground[inside] = filled[inside]
    return np.asarray(cv2.resize(ground, (lab.shape[1], lab.shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)


def _filled(shape: tuple[int, ...], corners: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.uint8]:
    mask = np.zeros(shape[:2], np.uint8)
    for each in corners:
        cv2.fillPoly(mask, [np.rint(each * 16).astype(np.int32)], 1, shift=4)
    return mask


def _measured(
    body: npt.NDArray[np.uint8], corners: list[npt.NDArray[np.float64]], face: float, areas: npt.NDArray[np.float64]
) -> Bodies:
    count, labels, stats, middles = cv2.connectedComponentsWithStats(body, connectivity=4)
    holds: dict[int, list[int]] = {}
    for index, each in enumerate(corners):
        inside = labels[_filled(body.shape, [grown(each, 0.8)]) > 0]
        inside = inside[inside > 0]
        if len(inside):
            holds.setdefault(int(np.bincount(inside).argmax()), []).append(index)
    own = _filled(body.shape, [grown(each, OWN) for each in corners])
    per_die, aside, further, cut = [], 0.0, 0.0, 0.0
    for label in range(1, count):
        area = int(stats[label][cv2.CC_STAT_AREA])
        if label in holds:
            cut = max(cut, _at_frame((labels == label) & (own == 0)) / face)
            per_die.append(area / float(areas[holds[label]].sum()))
            if len(holds[label]) == 1:
                off = middles[label] - corners[holds[label][0]].mean(axis=0)
                aside = max(aside, float(np.hypot(*off)) / float(np.sqrt(areas[holds[label][0]])))
            continue
        points = np.argwhere(labels == label)[:, ::-1].astype(np.float32)
        if min(cv2.minAreaRect(points)[1]) + 1 >= THIN * np.sqrt(face):
            further = max(further, area / face)
        cut = max(cut, _at_frame(labels == label) / face)
    return Bodies(tuple(per_die), aside, further, cut)


def _at_frame(body: npt.NDArray[np.bool_]) -> int:
    """Area of the largest connected part that touches the frame, in pixels."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(body.astype(np.uint8), connectivity=4)
    height, width = body.shape
    left, top, wide, high, area = stats[1:].T
    touches = (left <= 1) | (top <= 1) | (left + wide >= width - 1) | (top + high >= height - 1)
    return int(area[touches].max(initial=0))
