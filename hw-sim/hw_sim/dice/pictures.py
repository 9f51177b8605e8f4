"""What a technician takes pictures of before a camera over dice can read: the empty plate, and dice that lie flat.

The simulator draws them; what the station must know of the rig is measured from them by the bench, as on a real table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import cv2

from hw_sim.dice.options import DomeCameraOptions, ThrowOptions, TowerOptions
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig, rig_of
from hw_sim.dice.scene import Pose, Scene
from hw_sim.scenario import Scenario

if TYPE_CHECKING:
    from hw_sim.mjpeg import Picture

PLATES, DICE = 4, 12
"""Pictures of the empty plate, and of three dice; in the latter every value shows six times."""


def cameras(scenario: Scenario) -> Mapping[str, Rig]:
    """The scenario's cameras over dice by name, each with the machine that it looks at."""
    throwers = {device.name: device for device in scenario.devices if isinstance(device, ThrowOptions)}
    found: dict[str, Rig] = {}
    for device in scenario.devices:
        match device:
            case DomeCameraOptions():
                shaker = throwers[device.shaker]
                found[device.name] = rig_of(shaker.rig, shaker.dice)
            case TowerOptions():
                found[device.name] = rig_of(device.rig, device.dice)
            case _:
                pass
    return found


def pictures(rig: Rig, seed: int) -> Iterator[tuple[str, Picture]]:
    """``plate`` or ``dice``, and a picture of 480 rows by 640 columns by blue, green, red."""
    chance = Random(f"{seed}/technician")
    for number in range(PLATES):
        yield "plate", render(Scene(), rig, number, seed)
    for number in range(DICE):
        values = [(3 * number + place) % 6 + 1 for place in range(3)]
        yield "dice", render(throw(rig, Pose.FLAT, chance, values), rig, number, seed)


def write_pictures(scenario: Scenario, folder: Path, seed: int) -> dict[str, dict[str, list[str]]]:
    """PNG files ``CAMERA-plate-1.png``, …: by camera and kind, where they are. Raises ``OSError``."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, dict[str, list[str]]] = {}
    for camera, rig in cameras(scenario).items():
        files: dict[str, list[str]] = {"plate": [], "dice": []}
        for kind, picture in pictures(rig, seed):
            path = folder / f"{camera}-{kind}-{len(files[kind]) + 1}.png"
            _, data = cv2.imencode(".png", picture)
            path.write_bytes(data.tobytes())
            files[kind].append(str(path))
        written[camera] = files
    return written
