"""What is wrong with dice or camera may cost a reading, and never gives other values."""

from __future__ import annotations

import random

import pytest

from dealer_drivers.dice.faces import Dice
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.rig_reader import RigReader
from support.rig_dice import calibrated, calibration_pictures
from support.rig_harm import HARMS, distorted, good, picture, tilted

RIGS = [(1, "asian"), (2, "red")]
both = pytest.mark.parametrize(("seed", "kind"), RIGS, ids=[kind for _, kind in RIGS])
READ_ANYHOW = ("jpeg", "exposed")
"""What a rig must bear."""


@both
@pytest.mark.parametrize("name", sorted(HARMS))
def test_harm_gives_no_other_values(seed: int, kind: str, name: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    read = 0
    for number in range(4):
        seen, scene = HARMS[name](rig, random.Random(f"{name}/{seed}/{number}"))
        answer = reader.read(seen)
        if isinstance(answer, Dice):
            assert answer.values == scene.values
            read += 1
    assert read >= 3 or name not in READ_ANYHOW


@both
def test_a_die_tilted_by_ten_degrees_is_refused(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    accepted = 0
    for number in range(8):
        seen, scene = tilted(rig, random.Random(f"tilt/{seed}/{number}"), 10 + number % 4)
        answer = reader.read(seen)
        if isinstance(answer, Dice):
            # Tilted so that the camera looks straight at it: as a flat die below the camera looks.
            assert answer.values == scene.values
            accepted += 1
    assert accepted <= 2


def test_a_lens_that_distorts_is_part_of_the_rig() -> None:
    rig = calibrated(1, "asian")[0]
    plates, dice = calibration_pictures(rig, 1)
    reader = RigReader(
        make_profile([distorted(one, 0.02) for one in plates], [distorted(one, 0.02) for one in dice]), 3
    )
    read = 0
    for number in range(5):
        rng = random.Random(f"lens/{number}")
        scene = good(rig, rng)
        answer = reader.read(distorted(picture(scene, rig, rng), 0.02))
        if isinstance(answer, Dice):
            assert answer.values == scene.values
            read += 1
    assert read >= 4
