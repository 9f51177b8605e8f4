"""``dice check``: whether a rig still is what it was, by the empty plate and one shake."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_calibration.bench import BenchError, Result, kept_results
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.dice_rig.checked import check, reader_or_none, rig_of
from dealer_calibration.dice_rig.limits import expected
from dealer_calibration.dice_rig.shakes import ShakeRead, Typed
from dealer_drivers.dice.faces import Dice
from hw_sim.dice.poses import throw
from hw_sim.dice.scene import Pose, Scene
from support.camera_bench import ScriptedCamera, bench_config, command_of, shifted, shot_of
from support.rig_bench import keep_rig
from support.rig_dice import calibrated

RIG, PROFILE, READER = calibrated(1, "asian")
SHAKE = throw(RIG, Pose.FLAT, random.Random(8), [2, 3, 5])


def expectations() -> dict[str, dict[str, float]]:
    """As a set of shakes gives them."""
    scenes = [throw(RIG, Pose.FLAT, random.Random(n)) for n in range(8)]
    pictures = [shot_of(RIG, scene)(1) for scene in scenes]
    shakes = []
    for number, (scene, picture) in enumerate(zip(scenes, pictures, strict=True)):
        answer = READER.read(picture)
        read = answer.values if isinstance(answer, Dice) else None
        shakes.append(ShakeRead(number, scene.values, read, (), "", {}))
    return expected(READER, pictures, shakes)


EXPECT = expectations()


async def run(
    folder: Path,
    plate: Scene | None = None,
    shake: Scene = SHAKE,
    typed: Typed | str = (2, 3, 5),
    change: Callable[[Bgr], Bgr] | None = None,
) -> Result:
    config = bench_config(folder)
    keep_rig(config, PROFILE, EXPECT)
    command = command_of(config, calibrated=True)
    camera = ScriptedCamera([shot_of(RIG, plate or Scene(), 3, change), shot_of(RIG, shake, 4, change)])
    return await check(command, camera, rig_of(command), shake=True, typed=typed)


def wrong(result: Result) -> set[str]:
    return {finding.code for finding in result.findings if finding.ok is False}


async def test_a_rig_that_is_as_it_was_passes_and_is_kept_for_the_report(tmp_path: Path) -> None:
    assert set(EXPECT) == {"die_px", "pip_pitch_px", "edge_px", "brightness"}
    result = await run(tmp_path)
    assert wrong(result) == set()
    assert result.passed
    assert {f"drift_{name}" for name in EXPECT} <= {finding.code for finding in result.findings}
    (kept,) = kept_results(tmp_path / "state", "s1", "camera")
    assert kept.command == "dice-check"
    assert kept.calibration == result.calibration
    assert kept.pictures == ["dice-check/plate.png", "dice-check/shake.png"]


@pytest.mark.parametrize(
    ("scene", "change", "named"),
    [
        (Scene(), shifted(9.0, 4.0), "camera_moved"),
        (Scene(defocus_px=1.8), None, "focus"),
        (Scene(exposure=0.75), None, "brightness"),
    ],
    ids=["shifted camera", "blurred lens", "changed light"],
)
async def test_what_changed_is_named(
    tmp_path: Path, scene: Scene, change: Callable[[Bgr], Bgr] | None, named: str
) -> None:
    shake = replace(SHAKE, defocus_px=scene.defocus_px, exposure=scene.exposure)
    result = await run(tmp_path, scene, shake, change=change)
    assert named in wrong(result)
    assert not result.passed


async def test_a_blurred_lens_is_told_by_the_shake_too(tmp_path: Path) -> None:
    result = await run(tmp_path, shake=replace(SHAKE, defocus_px=1.8))
    assert wrong(result) == {"drift_edge_px"}
    sharper = await run(tmp_path, shake=replace(SHAKE, defocus_px=0.0))
    assert wrong(sharper) == set()


async def test_larger_dice_of_another_make_are_drift(tmp_path: Path) -> None:
    larger = tuple(replace(die, edge_mm=die.edge_mm * 1.06) for die in SHAKE.dice)
    result = await run(tmp_path, shake=replace(SHAKE, dice=larger))
    assert wrong(result) & {"drift_die_px", "drift_pip_pitch_px", "shake_read"}


async def test_dice_that_show_something_else_take_the_table_out_of_play(tmp_path: Path) -> None:
    result = await run(tmp_path, typed=(2, 3, 6))
    (finding,) = [one for one in result.findings if one.ok is False]
    assert finding.code == "read_wrong"
    assert "out of play" in finding.do_next
    assert wrong(await run(tmp_path, typed=None)) == {"read_wrong"}


async def test_dice_that_lie_on_another_are_not_read(tmp_path: Path) -> None:
    result = await run(tmp_path, shake=throw(RIG, Pose.STACKED, random.Random(4)), typed=None)
    assert wrong(result) == {"shake_read"}
    assert "stacked" in next(one.said for one in result.findings if one.code == "shake_read")


async def test_a_rig_without_calibration_is_sent_to_calibrate(tmp_path: Path) -> None:
    command = command_of(bench_config(tmp_path))
    with pytest.raises(BenchError, match="not calibrated"):
        rig_of(command)
    assert reader_or_none(command) is None
