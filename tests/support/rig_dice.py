"""Calibrated rigs of the simulator: their profiles, measured from simulated pictures alone, and whole looks at
shakes."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np

from dealer_drivers.dice.faces import Bgr, Dice, Doubt, Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig, rig_of
from hw_sim.dice.scene import Pose, Scene
from hw_sim.dice.shakes import Shake

PICTURES = 12
"""Of dice in a calibration."""
LOOKED_AT = (0, 1, 2, 3, 4)
"""Frames of a look."""
MOVED_LEVELS, MOVED_PIXELS = 22, 60
"""Changed pixels between the first and last frame of a look from which on something moved."""


def calibration_pictures(rig: Rig, seed: int) -> tuple[list[Bgr], list[Bgr]]:
    """Of the empty plate, and of three flat dice each, every value six times."""
    rng = random.Random(f"calibration/{seed}")
    plates = [render(Scene(), rig, index, seed) for index in range(4)]
    dice = []
    for number in range(PICTURES):
        values = [(3 * number + n) % 6 + 1 for n in range(3)]
        dice.append(render(throw(rig, Pose.FLAT, rng, values), rig, 0, 1000 + number))
    return plates, dice


@lru_cache(maxsize=8)
def calibrated(seed: int, kind: str | None = None) -> tuple[Rig, RigProfile, RigReader]:
    """A rig by chance, its measured profile, and the reader for three dice."""
    rig = rig_of(seed, kind)
    profile = make_profile(*calibration_pictures(rig, seed))
    return rig, profile, RigReader(profile, 3)


def look(reader: RigReader, shake: Shake, frames: tuple[int, ...] = LOOKED_AT) -> Dice | Doubts:
    """What a look at these frames says: living, still, and all the same, or the first doubt."""
    pictures = [shake.frame(index) for index in frames]
    if any(np.array_equal(one, other) for one, other in pairwise(pictures)):
        return Doubts((Doubt.CAMERA_FAULT,), "the same picture twice")
    first, last = (cv2.blur(picture, (5, 5)) for picture in (pictures[0], pictures[-1]))
    if int((cv2.absdiff(first, last).max(axis=2) > MOVED_LEVELS).sum()) > MOVED_PIXELS:
        return Doubts((Doubt.MOVING,), "the picture changes")
    seen: Dice | None = None
    for picture in pictures:
        answer = reader.read(picture)
        if isinstance(answer, Doubts):
            return answer
        if seen is not None and not reader.same(seen, answer):
            return Doubts((Doubt.MOVING,), "the dice are not where they were")
        seen = seen or answer
    assert seen is not None
    return seen
