"""What the bench sees through a camera: rest, movement, and what it remembers of the scene before."""

from __future__ import annotations

import itertools
import random

import pytest

from dealer_calibration.bench import BenchError
from dealer_calibration.cameras.looks import Eyes
from dealer_drivers.dice.camera_reader import DiceSceneReader
from hw_sim.dice.poses import throw
from hw_sim.dice.scene import Pose, Scene
from support.camera_bench import ScriptedCamera, shot_of
from support.rig_dice import calibrated

RIG, PROFILE, _ = calibrated(1, "asian")
ONE, OTHER = (throw(RIG, Pose.FLAT, random.Random(n)) for n in (1, 2))


async def test_what_moved_while_nobody_looked_has_moved() -> None:
    camera = ScriptedCamera([shot_of(RIG, Scene()), shot_of(RIG, ONE)], hold=14)
    eyes = Eyes(camera)
    await eyes.at_rest(8, quiet_s=0.2)
    for _ in range(8):  # a person types meanwhile
        await camera.picture()
    (picture,) = await eyes.at_rest(1, quiet_s=0.2, must_move=True, move_within_s=0.2)
    assert (picture != shot_of(RIG, Scene())(1)).any()


async def test_dice_that_moved_while_they_were_read_are_no_new_shake() -> None:
    camera = ScriptedCamera([shot_of(RIG, ONE), shot_of(RIG, OTHER), shot_of(RIG, OTHER)], hold=14)
    eyes = Eyes(camera)
    await eyes.at_rest(5, quiet_s=0.2)
    looked = await eyes.look(DiceSceneReader(PROFILE, 3), 0.2)
    assert looked.reasons == ("moving",)
    with pytest.raises(BenchError, match="nothing moved"):
        await eyes.at_rest(1, quiet_s=0.2, must_move=True, move_within_s=0.5)


async def test_a_scene_that_never_rests_ends_with_words() -> None:
    shots = [shot_of(RIG, ONE if n % 2 else OTHER) for n in range(40)]
    with pytest.raises(BenchError, match="did not come to rest within 1 s"):
        await Eyes(ScriptedCamera(shots, hold=1)).at_rest(1, quiet_s=0.2, within_s=1.0)


async def test_a_picture_counts_once() -> None:
    camera = ScriptedCamera([shot_of(RIG, ONE)], hold=30)
    pictures = await Eyes(camera).at_rest(6, quiet_s=0.2)
    assert len(pictures) == 6
    assert all((one != other).any() for one, other in itertools.pairwise(pictures))
