"""``hw-sim pictures``: what a technician calibrates a simulated dice camera with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealer_calibration.dice_profile import measure
from dealer_drivers.dice.faces import Dice
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.cli import main
from hw_sim.dice.rig import rig_of
from hw_sim.dice.shakes import shakes
from hw_sim.dice.words import Pose


def test_the_pictures_of_a_scenario_make_the_profile_of_its_camera(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pictures", "demo-cameras", "--out", str(tmp_path)]) == 0
    files = json.loads(capsys.readouterr().out)
    assert list(files) == ["dome", "cloth"]
    plates, dice = ([Path(file) for file in files["dome"][kind]] for kind in ("plate", "dice"))
    profile, checked = measure(
        plates,
        dice,
        count=3,
        circle=None,
        translucent=False,
        plate_name="plate.png",
        watch=lambda paths, _what, _count: paths,
    )
    assert all(len(one.values) == 3 for one in checked)
    reader = RigReader(profile, 3)
    for shake in shakes(seed=5, rig=rig_of(7, "asian"), count=6, mix={Pose.FLAT: 1.0}):
        read = reader.read(shake.frame(0))
        assert isinstance(read, Dice)
        assert list(read.values) == sorted(shake.values)


def test_a_scenario_without_such_cameras_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pictures", "roulette", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == {}
