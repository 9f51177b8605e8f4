"""How a die that lies flat looks from above: a square top and, nearer to the picture's axis, its smaller base.

Everything is worked out in the die's own frame, turned with it, where both squares stand upright.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from dealer_drivers.dice.rig_frame import Floats, Mask

SHIFT_BITS = 4
"""Fraction bits of OpenCV's drawing."""


class Box(Protocol):
    """What must be known of dice and camera to say how a die looks: see ``Profile``."""

    @property
    def die_px(self) -> float: ...
    @property
    def rise(self) -> float: ...
    @property
    def axis(self) -> tuple[float, float]: ...


@dataclass(frozen=True, slots=True)
class Pose:
    """Centre of the top face, turn in degrees, edge in pixels."""

    x: float
    y: float
    turn_deg: float
    size_px: float

    def axes(self) -> tuple[Floats, Floats]:
        """Unit vectors along the die's own x and y."""
        turn = np.radians(self.turn_deg)
        return np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def to_own(self, points: Floats) -> Floats:
        """Points of the picture, n by 2, in the die's own frame with its centre as origin."""
        u, v = self.axes()
        moved = points - np.array([self.x, self.y])
        return np.stack([moved @ u, moved @ v], axis=1)

    def to_picture(self, own: Floats) -> Floats:
        """The way back."""
        u, v = self.axes()
        return np.array([self.x, self.y]) + own[:, :1] * u + own[:, 1:] * v


def base_shift(box: Box, pose: Pose) -> Floats:
    """From the centre of the top to the centre of the base, in the die's own frame."""
    toward = -box.rise * np.array([pose.x - box.axis[0], pose.y - box.axis[1]])
    u, v = pose.axes()
    return np.array([toward @ u, toward @ v])


def reach(box: Box, pose: Pose) -> tuple[float, float, float, float]:
    """How far the outline reaches from the centre in the die's own frame: right, bottom, left, top, all positive."""
    half = pose.size_px / 2
    base = half * (1 - box.rise)
    dx, dy = base_shift(box, pose)
    return max(half, base + dx), max(half, base + dy), max(half, base - dx), max(half, base - dy)


def square(half: float, centre: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """Four corners, in order around."""
    x, y = centre
    return np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])


def outline(box: Box, pose: Pose, grow: float = 0.0) -> Floats:
    """Corners of the hull of top and base in the picture, ``grow`` pixels larger on every side."""
    half = pose.size_px / 2
    dx, dy = base_shift(box, pose)
    own = np.concatenate([square(half + grow), square(half * (1 - box.rise) + grow, (float(dx), float(dy)))])
    hull = cv2.convexHull(pose.to_picture(own).astype(np.float32))
    return np.asarray(hull, np.float64).reshape(-1, 2)


def draw(mask: Mask, corners: Floats, value: int) -> None:
    """Fill a polygon in place."""
    fixed = np.round(corners * (1 << SHIFT_BITS)).astype(np.int32)
    cv2.fillPoly(mask, [fixed], value, lineType=cv2.LINE_8, shift=SHIFT_BITS)


def top(pose: Pose, shrink: float) -> Floats:
    """Corners of the top face in the picture, ``shrink`` pixels smaller on every side."""
    return pose.to_picture(square(pose.size_px / 2 - shrink))
