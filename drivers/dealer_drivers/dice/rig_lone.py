"""The die around a pip, seen from the pip: where the strongest step is on rays, and what square that is.

The reader of pips' own proof that a lone pip is a one. It looks at the picture's colours alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_spots import Spot

Floats: TypeAlias = npt.NDArray[np.float64]

RAYS = 64
STEP_PX = 0.5
REACH = 0.86
"""How far rays go, in edges: beyond the corners."""
SPAN = 3
"""A step is looked for over that many steps to both sides."""
NEAREST = 0.3
"""Where rays begin to look for the die's end, in edges: half an edge is where it is."""
EDGE = (0.10, 14.0)
"""Least step at the die's end: as part of the body's brightness, and in grey levels."""
NEAR = 0.035
"""How far a ray's end may be from the square, in edges."""
LEAST_RAYS = 0.62
"""Part of the rays that must end at the square: another die that touches hides up to a third."""
EARLY = 0.22
"""Part of the rays that may end before it."""
TURNS_DEG = np.arange(0.0, 90.0, 1.5)
SIZES = np.arange(0.90, 1.16, 0.0075)


@dataclass(frozen=True, slots=True)
class Around:
    """The square that fits the ends of most rays best. ``proved``: it is a die's."""

    size_px: float
    turn_deg: float
    fitting: float
    early: float
    proved: bool


def square_reach(corner: float) -> Floats:
    """From the centre to the rim of a unit square with rounded corners, each half degree over a quarter turn, 180."""
    angle = np.radians(np.arange(180) * 0.5)
    cos, sin = np.abs(np.cos(angle)), np.abs(np.sin(angle))
    straight = 0.5 / np.maximum(cos, sin)
    inner = 0.5 - corner
    # The corner's circle: |t × direction - (inner, inner)| = corner, its far solution.
    dot = inner * (cos + sin)
    root = np.sqrt(np.maximum(dot**2 - (2 * inner**2 - corner**2), 0))
    round_ = dot + root
    at_corner = (straight * np.minimum(cos, sin) > inner) & (straight * np.maximum(cos, sin) > inner)
    return np.asarray(np.where(at_corner, round_, straight), np.float64)


class Surroundings:
    """Holds what is worked out from the profile once."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.angles = np.arange(RAYS) * (2 * np.pi / RAYS)
        reach = square_reach(min(profile.corner, 0.3))
        own = (np.degrees(self.angles)[None, :] - TURNS_DEG[:, None]) % 90.0
        self.ideal = reach[np.round(own * 2).astype(int) % 180]
        """Turns by rays, of a unit square."""

    def look(self, picture: Bgr, spot: Spot) -> Around:
        """The die that has this pip in its middle."""
        size = self.profile.die_px
        out = np.arange(0, REACH * size, STEP_PX)
        x = (spot.pip.x + np.cos(self.angles)[:, None] * out).astype(np.float32)
        y = (spot.pip.y + np.sin(self.angles)[:, None] * out).astype(np.float32)
        seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT).astype(np.float32)
        rise = np.abs(seen[:, 2 * SPAN :] - seen[:, : -2 * SPAN]).max(axis=2)
        rise[:, : int(NEAREST * size / STEP_PX) - SPAN] = 0
        limit = max(EDGE[0] * float(max(spot.ring)), EDGE[1], 5 * self.profile.noise)
        at = np.argmax(rise, axis=1)
        ends = np.where(rise.max(axis=1) > limit, (at + SPAN) * STEP_PX, np.inf) / size
        sides = self._sides(spot)
        turns, sizes = np.arange(0, len(TURNS_DEG), 2), SIZES[::3]
        turn, scale, _, _ = self._fit(ends, sides, turns, sizes)
        turns = (np.arange(turn - 1, turn + 2)) % len(TURNS_DEG)
        turn, scale, part, early = self._fit(ends, sides, turns, scale + np.arange(-3, 4) * (SIZES[1] - SIZES[0]))
        return Around(
            scale * size,
            float(TURNS_DEG[turn]),
            part,
            early,
            part >= LEAST_RAYS and early <= EARLY,
        )

    def _fit(
        self, ends: Floats, sides: Floats, turns: npt.NDArray[np.intp], sizes: Floats
    ) -> tuple[int, float, float, float]:
        """The best of these turns (indices) and sizes (in edges), the part of the rays that ends there, and before."""
        ideal = self.ideal[turns][:, None, :] * sizes[None, :, None]
        beyond = ideal + sides[turns][:, None, :]
        off = np.maximum(np.maximum(ideal - ends, ends - beyond), 0.0)
        close = np.maximum(1 - off / NEAR, 0.0).sum(axis=2)
        one, two = np.unravel_index(int(np.argmax(close)), close.shape)
        early = float((ends < ideal[one, two] - NEAR).mean())
        return int(turns[one]), float(sizes[two]), float((off[one, two] < NEAR).mean()), early

    def _sides(self, spot: Spot) -> Floats:
        """How much farther than the top's rim each ray may go over a side that the camera sees: turns by rays, in
        edges."""
        box = self.profile
        toward = box.rise * (np.array(box.axis) - np.array([spot.pip.x, spot.pip.y])) / box.die_px
        turns = np.radians(TURNS_DEG)[:, None]
        own = self.angles[None, :] - turns
        x, y = np.cos(own), np.sin(own)
        shift_x = toward[0] * np.cos(turns) + toward[1] * np.sin(turns)
        shift_y = toward[1] * np.cos(turns) - toward[0] * np.sin(turns)
        more_x = np.maximum(np.sign(x) * shift_x - box.rise / 2, 0.0)
        more_y = np.maximum(np.sign(y) * shift_y - box.rise / 2, 0.0)
        with np.errstate(divide="ignore"):
            far = np.minimum((0.5 + more_x) / np.abs(x), (0.5 + more_y) / np.abs(y))
            near = np.minimum(0.5 / np.abs(x), 0.5 / np.abs(y))
        return np.asarray(far - near, np.float64)
