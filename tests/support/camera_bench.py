"""A camera of the bench without processes: scenes one after the other, each for a while, as a shaker leaves them."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from dealer_calibration.bench import BenchCommand, BenchError, Talk, device_of
from dealer_calibration.cameras.figures import Bgr
from dealer_drivers.camera.shared import Frame
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Pose, Scene

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[mqtt]
url = "mqtt://127.0.0.1:1"
[tables.s1]
game = "{game}"
round_source = "server"
[[tables.s1.devices]]
name = "camera"
driver = "{driver}"
port = "{port}"
quiet_ms = 200
calibration = "current"
{more}
"""
HOLD = 26
"""Pictures of each scene: longer than it takes to come to rest and be read."""
Shot = Callable[[int], Bgr]
"""A picture by its number."""


class ScriptedCamera:
    """Each shot for ``HOLD`` pictures, 50 ms apart; it ends after the last."""

    def __init__(self, shots: Sequence[Shot], locked: bool | None = True, hold: int = HOLD) -> None:
        cv2.setNumThreads(1)
        self.locked = locked
        self._frames = self._all(shots, hold)
        self._count = 0
        first = shots[0](0)
        self.height, self.width = first.shape[:2]

    async def picture(self) -> Frame:
        pixels = next(self._frames, None)
        if pixels is None:
            raise BenchError("the camera ended", 3)
        self._count += 1
        return Frame(self._count, self._count * 50_000_000, pixels)

    @staticmethod
    def _all(shots: Sequence[Shot], hold: int) -> Iterator[Bgr]:
        number = 0
        for shot in shots:
            for _ in range(hold):
                number += 1
                yield shot(number)


def shot_of(rig: Rig, scene: Scene, seed: int = 7, change: Callable[[Bgr], Bgr] | None = None) -> Shot:
    """The scene's pictures; something may be done to each."""

    def take(number: int) -> Bgr:
        picture = render(scene, rig, number, seed)
        return picture if change is None else change(picture)

    return take


def flat_scenes(rig: Rig, count: int, seed: str) -> list[Scene]:
    """Three dice that lie flat and apart, every value in turn."""
    chance = random.Random(seed)
    scenes = (throw(rig, Pose.FLAT, chance, [(3 * n + k) % 6 + 1 for k in range(3)]) for n in range(count))
    return [replace(scene, exposure=1.0) for scene in scenes]


def bench_config(folder: Path, port: str = "http://127.0.0.1:9/none", driver: str = "sicbo-camera") -> Path:
    """A station of one table with a camera that is not calibrated."""
    game = {"sicbo-camera": "sic-bo", "bean-camera": "fan-tan"}[driver]
    more = '[tables.s1.shake]\nstart = "button"' if game == "sic-bo" else ""
    path = folder / "station.toml"
    path.write_text(CONFIG.format(port=port, driver=driver, game=game, more=more))
    (folder / "state").mkdir(exist_ok=True)
    return path


def command_of(config: Path, *, calibrated: bool = False, ask: bool = False, **answers: str) -> BenchCommand:
    """What a guided command is given; nobody is asked."""
    arguments = argparse.Namespace(by="A. Technician", speed=1.0, wait=0.0, resume=False, yes=True)
    device = device_of(config, "s1", "camera", calibrated=calibrated)
    return BenchCommand(device, Talk(ask=ask, answers=answers), arguments)


def shifted(right: float, down: float) -> Callable[[Bgr], Bgr]:
    """A camera that was pushed: all that it sees lies elsewhere."""
    warp = np.array([[1, 0, right], [0, 1, down]], np.float32)

    def push(picture: Bgr) -> Bgr:
        size = (picture.shape[1], picture.shape[0])
        return np.asarray(cv2.warpAffine(picture, warp, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return push
