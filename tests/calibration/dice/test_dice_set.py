"""A calibration that the tool makes reads as those of the large measurements: nothing wrong, hardly any refused."""

from __future__ import annotations

import random

import pytest

from dealer_calibration.bounds import at_most
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.dice_rig.limits import chosen
from dealer_calibration.dice_rig.shown import look_at, profile_of
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig, rig_of
from hw_sim.dice.scene import Pose, Scene
from hw_sim.dice.shakes import MIX, shake
from support.camera_bench import flat_scenes
from support.rig_dice import glance

RIGS = range(1, 41)
MOST_UNFIT = 0.25
"""Part of the simulated rigs that a calibration may refuse: they are made by chance, a few with a poor light."""


def made(rig: Rig, seed: int) -> RigProfile | None:
    """By the tool's own steps: plates, shown dice, and limits from 60 confirmed shakes. ``None``: it is refused."""
    plates: list[Bgr] = [render(Scene(), rig, index, seed) for index in range(12)]
    pictures = [render(scene, rig, 0, 100 + n) for n, scene in enumerate(flat_scenes(rig, 12, f"shown/{seed}"))]
    shown = [look_at(plates[0], 2.0, picture, 3) for picture in pictures]
    profile, _ = profile_of(plates, shown, count=3, region=None, translucent=False)
    if profile is None:
        return None
    chance = random.Random(f"set/{seed}")
    flat = [render(throw(rig, Pose.FLAT, chance), rig, 0, 200 + n) for n in range(60)]
    final, limits = chosen(profile, [*pictures, *flat], 3)
    return final if all(one.ok for one in limits) else None


def read(seed: int, count: int) -> tuple[int, int, list[str]]:
    """How many of the shakes that can be read were, how many there were, and what was read wrongly. All none for a rig
    that the calibration refuses."""
    rig = rig_of(seed)
    profile = made(rig, seed)
    if profile is None:
        return 0, 0, []
    reader = RigReader(profile, 3)
    good = can = 0
    wrong = []
    for number in range(count):
        one = shake(seed, rig, number, MIX)
        answer = glance(reader, one)
        can += one.reason is None
        good += answer.values is not None and one.reason is None
        if answer.values is not None and (one.reason is not None or answer.values != one.values):
            wrong.append(f"rig {seed} shake {number} {one.pose} {one.values} read {answer.values}")
    return good, can, wrong


@pytest.mark.parametrize("seed", [1, 5])
def test_sixty_shakes_of_a_rig_that_the_tool_calibrated(seed: int) -> None:
    good, can, wrong = read(seed, 60)
    assert wrong == []
    assert can > 25
    assert good >= 0.97 * can


@pytest.mark.soak
def test_thousands_of_shakes_of_rigs_that_the_tool_calibrated() -> None:
    good = can = unfit = 0
    for seed in RIGS:
        some, of, wrong = read(seed, 240)
        assert wrong == []
        good, can, unfit = good + some, can + of, unfit + (of == 0)
    assert unfit <= MOST_UNFIT * len(RIGS)
    assert good >= 0.99 * can
    assert at_most(0, good) < 0.001
