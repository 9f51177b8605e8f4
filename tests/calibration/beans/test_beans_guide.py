"""The guided calibration of a camera over beans, and the check of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dealer_calibration.bean_cloth.guide import CLOTH, Plan, calibrate, check
from dealer_calibration.bean_cloth.layouts import LayoutRead, counted_of, counts_of, judged
from dealer_calibration.bench import Result
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.picture_files import picture_of_file
from dealer_daemon.config import load_config
from dealer_drivers.beans.camera_reader import find_profile
from hw_sim.beans.layout import Layout, LayoutFault, lay_out
from hw_sim.beans.paint import paint
from hw_sim.beans.scene import Scene, disturbed, make_rig, make_stick
from support.camera_bench import ScriptedCamera, Shot, bench_config, command_of, shifted

RIG = make_rig(4, "blue")
EMPTY = Scene(Layout(()))
PROFILE, SET = (121, 97, 45), (64, 13, 180)
CHANCE = Random("layouts")
LAYOUTS = [Scene(lay_out(count, CHANCE)) for count in (*PROFILE, *SET)]


def shot(scene: Scene, change: Callable[[Bgr], Bgr] | None = None) -> Shot:
    def take(number: int) -> Bgr:
        picture = paint(RIG, scene, number)
        return picture if change is None else change(picture)

    return take


async def run(
    folder: Path, scenes: Sequence[Scene] = (EMPTY, *LAYOUTS), counts: Sequence[int | None] = (*PROFILE, *SET)
) -> Result:
    command = command_of(bench_config(folder, driver="bean-camera"))
    plan = Plan(pictures=len(PROFILE), layouts=len(SET), counts=counts, quiet_s=0.2, patience_s=20.0)
    return await calibrate(command, ScriptedCamera([shot(scene) for scene in scenes]), plan)


def wrong(result: Result) -> set[str]:
    return {finding.code for finding in result.findings if finding.ok is False}


def nothing_kept(folder: Path) -> bool:
    return not list((folder / "state").glob("calibration/**/calibration.json"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose camera the tool calibrated."""
    folder = tmp_path_factory.mktemp("table")
    result = asyncio.run(run(folder))
    assert wrong(result) == set()
    assert result.passed
    return folder


async def test_a_calibration_is_made_and_the_station_takes_it_up(table: Path) -> None:
    device = load_config(table / "station.toml").tables["s1"].devices[0]
    assert device.calibration is not None
    stored = device.calibration.stored
    assert stored is not None
    assert stored.envelope.kind == "bean-cloth"
    assert stored.envelope.values["layouts"]["wrong"] == 0
    assert sorted(stored.envelope.files) == ["cloth.png", "layouts.json", "profile.json"]


async def check_of(table: Path, scene: Scene, layout: Scene, change: Callable[[Bgr], Bgr] | None = None) -> Result:
    command = command_of(table / "station.toml", calibrated=True)
    calibration = command.device.calibration
    assert calibration is not None
    profile = find_profile(str(calibration.file("profile.json")))
    cloth = picture_of_file(calibration.file(CLOTH).read_bytes())
    camera = ScriptedCamera([shot(scene, change), shot(layout, change)])
    plan = Plan(pictures=0, layouts=1, quiet_s=0.2, patience_s=20.0)
    return await check(command, camera, profile, cloth, plan, layout=True, counted=64)


async def test_a_cloth_that_is_as_it_was_passes(table: Path) -> None:
    result = await check_of(table, EMPTY, LAYOUTS[3])
    assert wrong(result) == set()
    assert result.passed


@pytest.mark.parametrize(
    ("scene", "change", "named"),
    [
        (EMPTY, shifted(30.0, 14.0), "camera_moved"),
        (replace(EMPTY, blur_px=3.0), None, "focus"),
        (replace(EMPTY, gain=0.75), None, "brightness"),
        (replace(EMPTY, layout=Layout((), lay_out(1, Random(1)).beans)), None, "cloth_empty"),
    ],
    ids=["shifted camera", "blurred lens", "darker", "a bean left over"],
)
async def test_what_changed_is_named(
    table: Path, scene: Scene, change: Callable[[Bgr], Bgr] | None, named: str
) -> None:
    layout = replace(LAYOUTS[3], blur_px=scene.blur_px, gain=scene.gain)
    assert named in wrong(await check_of(table, scene, layout, change))


async def test_a_layout_that_was_counted_otherwise_is_wrong(table: Path) -> None:
    assert wrong(await check_of(table, EMPTY, LAYOUTS[4])) == {"read_wrong"}


async def test_a_miscounted_layout_keeps_nothing(tmp_path: Path) -> None:
    result = await run(tmp_path, counts=(*PROFILE, 64, 14, 180))
    assert wrong(result) == {"read_wrong"}
    assert nothing_kept(tmp_path)


async def test_a_miscounted_layout_of_the_profile_is_named(tmp_path: Path) -> None:
    result = await run(tmp_path, counts=(121, 98, 45, *SET))
    assert wrong(result) == {"beans_counted"}
    assert nothing_kept(tmp_path)


@pytest.mark.parametrize(
    "cloth",
    [Scene(lay_out(3, Random(2))), replace(Scene(Layout(())), stick=make_stick(0.0, 0.0, Random(2)))],
    ids=["beans", "the stick"],
)
async def test_what_lies_on_the_cloth_that_is_to_be_empty_is_seen(tmp_path: Path, cloth: Scene) -> None:
    result = await run(tmp_path, (cloth, *LAYOUTS))
    assert wrong(result) == {"cloth_empty"}
    assert nothing_kept(tmp_path)


async def test_a_layout_with_a_hand_over_it_is_refused_and_counts_as_unread(tmp_path: Path) -> None:
    hand = disturbed(LAYOUTS[4], LayoutFault.HAND, Random(3))
    result = await run(tmp_path, (EMPTY, *LAYOUTS[:4], hand, LAYOUTS[5]))
    assert wrong(result) == {"read_rate"}
    assert nothing_kept(tmp_path)


def test_counts_are_numbers_of_beans_or_said_to_be_none() -> None:
    assert (counted_of(" 97 "), counted_of("x")) == (97, None)
    assert counts_of("97\n\n# none\nx\n") == [97, None]
    for text in ("0", "201", "many", "-3", "²"):
        with pytest.raises(ValueError, match="no number of beans"):
            counted_of(text)
    with pytest.raises(ValueError, match="line 2"):
        counts_of("97\n250\n")


def test_what_is_read_where_nothing_clean_lies_is_wrong() -> None:
    layouts = [LayoutRead(1, None, 12, (), ""), LayoutRead(2, 12, 12, (), "")]
    assert {one.code: one.ok for one in judged(layouts)}["read_wrong"] is False
    assert {one.code: one.ok for one in judged([])}["read_rate"] is False
