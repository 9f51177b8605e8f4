"""What a technician takes pictures of before a camera over beans can count: clean layouts, each counted by hand.

The simulator draws them; what the station must know of the table is measured from them by the bench, as on a real one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import cv2

from hw_sim.beans.layout import lay_out
from hw_sim.beans.options import BeanTableOptions
from hw_sim.beans.paint import paint
from hw_sim.beans.scene import Scene, make_rig
from hw_sim.scenario import Scenario

BEANS = (200, 97, 45)
"""Of the layouts: the whole cloth, several columns, and not many."""


def write_bean_pictures(scenario: Scenario, folder: Path, seed: int) -> Mapping[str, Mapping[str, list[str]]]:
    """PNG files ``CAMERA-beans-200.png``, …: by camera and number of beans, where they are. Raises ``OSError``."""
    cv2.setNumThreads(1)
    written: dict[str, dict[str, list[str]]] = {}
    for device in scenario.devices:
        if not isinstance(device, BeanTableOptions):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        rig = make_rig(device.rig, device.cloth)
        chance = Random(f"{seed}/{device.name}/technician")
        written[device.name] = {}
        for number, beans in enumerate(BEANS):
            path = folder / f"{device.name}-beans-{beans}.png"
            _, data = cv2.imencode(".png", paint(rig, Scene(lay_out(beans, chance)), number))
            path.write_bytes(data.tobytes())
            written[device.name][str(beans)] = [str(path)]
    return written
