"""The guided calibration of a rig, from the first picture to the file in the store, and what may go wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_calibration.bench import BenchError, Result, kept_results
from dealer_calibration.bench.results import picture_path
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.dice_rig.guide import calibrate, plan_of
from dealer_calibration.dice_rig.shakes import Typed
from dealer_daemon.config import load_config
from dealer_drivers.dice.faces import Dice
from dealer_drivers.dice.profile import load_profile
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.dice.poses import throw
from hw_sim.dice.rig import rig_of
from hw_sim.dice.scene import Pose, Scene
from support.camera_bench import ScriptedCamera, Shot, bench_config, command_of, flat_scenes, shifted, shot_of

RIG = rig_of(1, "asian")
SHOWN = 8
POSES = [Pose.FLAT, Pose.FLAT, Pose.TOUCHING, Pose.LEANING, Pose.FLAT, Pose.STACKED, Pose.FLAT, Pose.FLAT]


def scenes_of_shakes(count: int, seed: str = "shakes") -> list[Scene]:
    chance = random.Random(seed)
    return [throw(RIG, POSES[n % len(POSES)], chance) for n in range(count)]


def truth_of(scenes: Sequence[Scene]) -> list[Typed]:
    return [scene.values if scene.reason is None else None for scene in scenes]


def shots(
    plate: Scene | None = None,
    shown: Callable[[Scene], Scene] = lambda scene: scene,
    shakes: Sequence[Scene] = (),
    change: Callable[[Bgr], Bgr] | None = None,
) -> list[Shot]:
    scenes = [plate or Scene(), *(shown(scene) for scene in flat_scenes(RIG, SHOWN, "shown"))]
    return [shot_of(RIG, scene, n) for n, scene in enumerate(scenes)] + [
        shot_of(RIG, scene, 100 + n, change) for n, scene in enumerate(shakes)
    ]


async def run(
    folder: Path, what: Sequence[Shot], truth: Sequence[Typed] = (), locked: bool | None = True, **own: Any
) -> Result:
    command = command_of(bench_config(folder))
    plan = plan_of(command, shown=SHOWN, shakes=len(truth), truth=truth, **own)
    return await calibrate(command, ScriptedCamera(what, locked), plan)


def wrong(result: Result) -> set[str]:
    return {finding.code for finding in result.findings if finding.ok is False}


def nothing_kept(folder: Path) -> bool:
    return not list((folder / "state").glob("calibration/**/calibration.json"))


async def test_a_calibration_is_made_kept_and_taken_up_by_the_station(tmp_path: Path) -> None:
    scenes = scenes_of_shakes(16)
    result = await run(tmp_path, shots(shakes=scenes), truth_of(scenes))
    assert wrong(result) == set()
    assert result.passed
    # The station's own configuration takes it as it is.
    device = load_config(tmp_path / "station.toml").tables["s1"].devices[0]
    assert device.calibration is not None
    assert device.calibration.ref.id == result.calibration
    assert set(device.calibration.expected) == {"die_px", "pip_pitch_px", "edge_px", "brightness"}
    stored = device.calibration.stored
    assert stored is not None
    assert (stored.envelope.kind, stored.envelope.by) == ("dice-rig", "A. Technician")
    assert stored.envelope.values["shakes"]["shakes"] == 16
    assert stored.envelope.values["shakes"]["wrong"] == 0
    record = msgspec.json.decode(stored.file("shakes.json").read_bytes())
    assert [one["typed"] for one in record] == [None if typed is None else list(typed) for typed in truth_of(scenes)]
    # And it reads.
    reader = RigReader(load_profile(stored.file("profile.json")), 3)
    answer = reader.read(shot_of(RIG, scenes[0], 5)(3))
    assert isinstance(answer, Dice)
    assert answer.values == scenes[0].values
    (again,) = kept_results(tmp_path / "state", "s1", "camera")
    assert again.calibration == result.calibration
    assert all(picture_path(tmp_path / "state", again, name).is_file() for name in again.pictures)


async def test_what_is_typed_otherwise_than_read_keeps_nothing_and_shows_the_picture(tmp_path: Path) -> None:
    scenes = scenes_of_shakes(3)
    truth = [(1, 1, 1), *truth_of(scenes)[1:]]
    assert truth[0] != scenes[0].values
    result = await run(tmp_path, shots(shakes=scenes), truth)
    assert "read_wrong" in wrong(result)
    assert nothing_kept(tmp_path)
    assert "dice-calibrate/shake-1.png" in result.pictures


async def test_a_lens_that_lost_its_focus_is_named(tmp_path: Path) -> None:
    result = await run(tmp_path, shots(shown=lambda scene: replace(scene, defocus_px=4.5)))
    assert wrong(result) == {"focus"}
    assert nothing_kept(tmp_path)


async def test_a_camera_that_was_pushed_after_the_profile_is_refused_shake_by_shake(tmp_path: Path) -> None:
    scenes = [throw(RIG, Pose.FLAT, random.Random(n)) for n in range(4)]
    result = await run(tmp_path, shots(shakes=scenes, change=shifted(25.0, 12.0)), truth_of(scenes))
    assert "read_rate" in wrong(result)
    assert nothing_kept(tmp_path)


async def test_exposure_that_follows_the_dice_is_named(tmp_path: Path) -> None:
    scenes = [throw(RIG, Pose.FLAT, random.Random(1))]
    result = await run(
        tmp_path,
        shots(shown=lambda scene: replace(scene, exposure=0.84), shakes=scenes),
        truth_of(scenes),
    )
    assert "exposure_held" in wrong(result)
    assert nothing_kept(tmp_path)


async def test_a_camera_that_chooses_its_exposure_is_refused_before_anything_else(tmp_path: Path) -> None:
    result = await run(tmp_path, shots(), locked=False)
    assert wrong(result) == {"exposure_locked"}
    assert "exposure = NUMBER" in result.findings[0].do_next


@pytest.mark.parametrize("values", [(2, 3), (1, 2, 5, 6)], ids=["two dice", "four dice"])
async def test_another_number_of_dice_is_named_with_both_numbers(tmp_path: Path, values: tuple[int, ...]) -> None:
    pose = Pose.TWO_DICE if len(values) == 2 else Pose.FOUR_DICE
    chance = random.Random(4)
    what = [shot_of(RIG, Scene()), *(shot_of(RIG, throw(RIG, pose, chance, values), n) for n in range(3 * SHOWN))]
    result = await run(tmp_path, what)
    assert "dice_count" in wrong(result)
    assert nothing_kept(tmp_path)


async def test_dice_on_the_plate_that_is_to_be_empty_are_seen(tmp_path: Path) -> None:
    result = await run(tmp_path, shots(plate=throw(RIG, Pose.FLAT, random.Random(2))))
    assert wrong(result) == {"plate_empty"}


async def test_a_mirrored_lamp_on_the_plate_is_named(tmp_path: Path) -> None:
    glaring = throw(RIG, Pose.GLARE, random.Random(2))
    result = await run(tmp_path, shots(plate=replace(glaring, dice=(), over=glaring.over)))
    assert wrong(result) == {"glare"}
    assert "turn the lamp away" in next(one.do_next for one in result.findings if one.code == "glare")


async def test_dice_whose_white_is_at_the_cameras_end_are_named(tmp_path: Path) -> None:
    result = await run(tmp_path, shots(Scene(exposure=1.35), lambda scene: replace(scene, exposure=1.35)))
    assert "white_clipped" in wrong(result)
    assert nothing_kept(tmp_path)


async def test_dice_that_never_move_are_not_waited_for_for_ever(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="nothing moved") as caught:
        await run(tmp_path, [shot_of(RIG, Scene())] * 8, patience_s=3.0)
    assert caught.value.code == 1
    assert nothing_kept(tmp_path)


async def test_a_camera_that_repeats_its_picture_is_named(tmp_path: Path) -> None:
    still = shot_of(RIG, Scene())(0)
    with pytest.raises(BenchError, match="same picture again and again"):
        await run(tmp_path, [lambda _: still] * 8)


async def test_the_device_of_another_game_is_refused(tmp_path: Path) -> None:
    command = command_of(bench_config(tmp_path, driver="bean-camera"))
    with pytest.raises(BenchError, match="is no camera over dice: its driver is bean-camera"):
        plan_of(command, shown=1, shakes=1)
