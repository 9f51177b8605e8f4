"""The commands as a technician calls them, on a camera that the station's own capture process opens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import pytest

from dealer_calibration.bench import device_of
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import rig_of
from hw_sim.dice.scene import Pose, Scene
from hw_sim.mjpeg import MjpegPort, Paint
from hw_sim.simulation import running
from support.camera_bench import bench_config, flat_scenes
from support.rig_bench import keep_rig
from support.rig_dice import calibrated

RIG = rig_of(1, "asian")
SHAKES = [throw(RIG, Pose.FLAT, random.Random(n), values) for n, values in enumerate(([1, 3, 5], [2, 2, 6], [4, 5, 1]))]
WITHIN_S = 60.0


@dataclass
class Rig:
    """A camera on loopback. ``scene`` is what it sees."""

    port: MjpegPort
    scene: Scene = field(default_factory=Scene)
    number: int = 0

    async def shot(self) -> Paint:
        self.number += 1
        # A little darker than the rig's own light: at that one its white is at the camera's end in every tenth picture.
        scene, number = replace(self.scene, exposure=0.96 * self.scene.exposure), self.number
        return lambda: render(scene, RIG, number, 5)


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made: list[Rig] = []

    async def shot() -> Paint:
        return await made[0].shot()

    port = MjpegPort(shot)
    made.append(Rig(port))
    await port.plug()
    yield made[0]
    await port.close()


class Called:
    """A command that runs: its events as they come, and what it said to the technician."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self.said = ""

    async def event(self, kind: str) -> dict[str, Any]:
        """The next event of that kind; the last line, the result, is ``result``."""
        assert self.process.stdout is not None
        async with asyncio.timeout(WITHIN_S):
            while line := await self.process.stdout.readline():
                event: dict[str, Any] = json.loads(line)
                self.events.append(event)
                if event.get("event", "result") == kind:
                    return event
        raise AssertionError(f"no {kind}: {self.events[-3:]} {await self.rest()}")

    async def hear(self, words: str) -> None:
        """Until it has said so to the technician, all of it since the last time."""
        assert self.process.stderr is not None
        heard = ""
        async with asyncio.timeout(WITHIN_S):
            while words not in " ".join(heard.split()):
                data = await self.process.stderr.read(4096)
                assert data, f"it never said {words!r}: {self.said}{heard}"
                heard += data.decode()
        self.said += heard

    async def rest(self) -> str:
        assert self.process.stderr is not None
        async with asyncio.timeout(WITHIN_S):
            self.said += (await self.process.stderr.read()).decode()
            await self.process.wait()
        return self.said

    async def answer(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n".encode())
        await self.process.stdin.drain()


@contextlib.asynccontextmanager
async def called(config: Path, *words: str) -> AsyncIterator[Called]:
    which = ("--config", str(config), "--table", "s1", "--device", "camera", "--json")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dealer_calibration", *words, *which),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Called(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        # Reads both pipes to their end, and waits.
        await process.communicate()


def kept(folder: Path) -> list[Path]:
    """All files that the command left in the state directory, but the lock of a device in its hands."""
    return [path for path in (folder / "state").rglob("*") if path.is_file() and path.suffix != ".lock"]


async def test_a_rig_is_calibrated_through_its_own_camera(rig: Rig, tmp_path: Path) -> None:
    config = bench_config(tmp_path, rig.port.address)
    truth = tmp_path / "truth.txt"
    truth.write_text("1 3 5\n2 2 6\n1 4 5\n")
    words = ("dice", "calibrate", "--yes", "--shown", "8", "--truth", str(truth), "--by", "A. Technician")
    async with called(config, *words) as command:
        await command.event("plate")
        for scene in flat_scenes(RIG, 8, "shown"):
            rig.scene = scene
            assert (await command.event("shown"))["usable"]
        for number, scene in enumerate(SHAKES, 1):
            if number == 1:
                await command.hear("waiting for dice that move and come to rest")
                await command.hear("shake 1 of 3")
            rig.scene = scene
            assert (await command.event("shake"))["agree"]
        result = await command.event("result")
        said = await command.rest()
    assert command.process.returncode == 0, said
    assert result["passed"]
    codes = {finding["code"]: finding["ok"] for finding in result["findings"]}
    assert codes["kept"] is True
    # A camera on the network is set at the camera; that cannot be read back, and is said.
    assert codes["exposure_locked"] is None
    device = device_of(config, "s1", "camera")
    assert device.calibration is not None
    assert device.calibration.id == result["calibration"]
    assert device.calibration.envelope.by == "A. Technician"
    async with called(config, "dice", "check", "--yes", "--dice", "135") as command:
        rig.scene = Scene()
        await command.hear("1. The empty plate")
        await command.hear("waiting for dice that move and come to rest")
        rig.scene = SHAKES[0]
        result = await command.event("result")
        said = await command.rest()
    assert command.process.returncode == 0, said
    assert {finding["code"] for finding in result["findings"] if finding["ok"] is False} == set()


@pytest.mark.parametrize("at", ["plate", "shown", "shakes", "typing"])
async def test_interrupted_at_any_question_nothing_is_written(rig: Rig, tmp_path: Path, at: str) -> None:
    config = bench_config(tmp_path, rig.port.address)
    async with called(config, "dice", "calibrate", "--shown", "6", "--shakes", "3") as command:
        await command.hear("Then press Enter")
        if at != "plate":
            await command.answer("")
            await command.hear("picture 1 of 6")
        if at in ("shakes", "typing"):
            for scene in flat_scenes(RIG, 6, "shown"):
                rig.scene = scene
                await command.event("shown")
            await command.hear("shake 1 of 3")
        if at == "typing":
            rig.scene = SHAKES[0]
            await command.hear("Shake 1, the dice show:")
        command.process.send_signal(signal.SIGINT)
        said = await command.rest()
    assert command.process.returncode == 130, said
    assert "nothing was kept" in said
    assert kept(tmp_path) == []


async def test_one_annotated_picture_for_those_without_a_browser(rig: Rig, tmp_path: Path) -> None:
    config = bench_config(tmp_path, rig.port.address)
    rig.scene = SHAKES[0]
    file = tmp_path / "now.png"
    async with called(config, "dice", "live", "--once", str(file)) as command:
        result = await command.event("result")
        assert "no calibration" in await command.rest()
    assert command.process.returncode == 0
    picture = cv2.imread(str(file))
    assert picture is not None
    assert picture.shape == (480, 640, 3)
    assert 2 < result["figures"]["edge_px"] < 6
    keep_rig(config, calibrated(1, "asian")[1])
    async with called(config, "dice", "live", "--once", str(file)) as command:
        result = await command.event("result")
        await command.rest()
    assert result["figures"]["values"] == [1, 3, 5]


async def fetched(address: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    """Status and body."""
    port = int(address.rstrip("/").rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n\r\n".encode())
    async with asyncio.timeout(WITHIN_S):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return int(head.split()[1]), body


async def test_the_live_page_shows_this_machine_the_picture_and_nobody_else(rig: Rig, tmp_path: Path) -> None:
    config = bench_config(tmp_path, rig.port.address)
    keep_rig(config, calibrated(1, "asian")[1])
    rig.scene = SHAKES[1]
    async with called(config, "dice", "live") as command:
        address = (await command.event("live"))["address"]
        assert address.startswith("http://127.0.0.1:")
        async with asyncio.timeout(WITHIN_S):
            while (await fetched(address, "/picture.jpg"))[0] == 404:
                await asyncio.sleep(0.05)
        status, body = await fetched(address, "/picture.jpg?1")
        assert (status, body[:2]) == (200, b"\xff\xd8")
        assert json.loads((await fetched(address, "/figures.json"))[1])["values"] == [2, 2, 6]
        status, body = await fetched(address, "/")
        assert (status, b"s1/camera" in body) == (200, True)
        assert (await fetched(address, "/picture.jpg", "elsewhere.example"))[0] == 403
        assert (await fetched(address, "/etc/passwd"))[0] == 404
        # A browser opens connections on which it asks nothing yet.
        idle = await asyncio.open_connection("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))
        await fetched(address, "/figures.json")
        command.process.send_signal(signal.SIGINT)
        assert "Traceback" not in await command.rest()
        idle[1].close()
        await idle[1].wait_closed()
    assert command.process.returncode == 130
    assert not (tmp_path / "state" / "bench" / "s1" / "camera").exists()


async def test_a_camera_that_is_not_there_is_said_with_what_to_look_at(tmp_path: Path) -> None:
    for port, words in (("http://127.0.0.1:9/none.mjpg", "is the camera powered"), ("/dev/video99", "plugged in")):
        async with called(bench_config(tmp_path, port), "dice", "live", "--once", str(tmp_path / "now.png")) as command:
            said = await command.rest()
        assert command.process.returncode == 3
        assert words in said
    async with called(bench_config(tmp_path, "video0"), "beans", "live", "--once", "now.png") as command:
        said = await command.rest()
    assert command.process.returncode == 2
    assert "is no camera over beans" in said


async def test_a_camera_that_goes_away_ends_the_command(rig: Rig, tmp_path: Path) -> None:
    config = bench_config(tmp_path, rig.port.address)
    async with called(config, "dice", "calibrate", "--yes", "--shown", "6", "--shakes", "3") as command:
        await command.event("plate")
        rig.port.unplug()
        said = await command.rest()
    assert command.process.returncode == 3
    assert "look at its power and cable" in said or "restart the camera" in said
    assert kept(tmp_path) == []


async def test_a_file_of_truth_that_cannot_be_is_refused_before_the_camera_is_opened(tmp_path: Path) -> None:
    config = bench_config(tmp_path)
    truth = tmp_path / "truth.txt"
    truth.write_text("1 2 3\n1 2 9\n")
    async with called(config, "dice", "calibrate", "--truth", str(truth)) as command:
        said = await command.rest()
    assert command.process.returncode == 2
    assert "line 2" in said
    truth.write_text("1 2 3\n")
    async with called(config, "dice", "calibrate", "--truth", str(truth), "--shakes", "2") as command:
        said = await command.rest()
    assert command.process.returncode == 2
    assert "has 1 shakes, --shakes asks for 2" in said


SCENARIO = """
title = "a rig that is calibrated"
[[devices]]
name = "shaker"
model = "shaker-relay"
rig = 4
dice = "black"
starts = "told"
touching = 0.0
values = ["1-2-3", "4-5-6", "1-2-3", "4-5-6", "1-2-3", "4-5-6", "2-4-4", "1-6-6", "1-3-5"]
shakes = ["good", "good", "good", "good", "good", "good", "good", "stacked", "good"]
[[devices]]
name = "camera"
model = "dome-camera"
shaker = "shaker"
"""


async def test_the_bench_shakes_a_simulated_rig_and_calibrates_it(tmp_path: Path) -> None:
    scenario = tmp_path / "rig.toml"
    scenario.write_text(SCENARIO)
    truth = tmp_path / "truth.txt"
    truth.write_text("2 4 4\nx\n1 3 5\n")
    async with running(scenario, seed=4, run_dir=tmp_path / "dev") as sim:
        await sim.tell("shaker", "empty")
        config = bench_config(tmp_path, sim.ports["camera"])
        shaker = f'name = "shaker"\ndriver = "shaker-relay"\nport = "{sim.ports["shaker"]}"\ncontrol = true\n'
        config.write_text(f"{config.read_text()}\n[[tables.s1.devices]]\n{shaker}shake_ms = 400\n")
        words = ("dice", "calibrate", "--yes", "--shown", "6", "--truth", str(truth), "--shaker", "shaker")
        async with called(config, *words) as command:
            result = await command.event("result")
            said = await command.rest()
        assert command.process.returncode == 0, said
        assert [one["read"] for one in command.events if one.get("event") == "shake"] == [[2, 4, 4], None, [1, 3, 5]]
        assert {one["code"]: one["ok"] for one in result["findings"]}["refuses"] is True
        assert len(sim.truth()) == 9
        async with called(config, "dice", "calibrate", "--yes", "--shaker", "camera") as command:
            said = await command.rest()
        assert command.process.returncode == 2
        assert "may not start it" in said
