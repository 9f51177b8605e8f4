"""``sicbo-camera``: what its process says of dice."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.conformance import Example, Examples, passed, received, seen, wanted
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings.dice import DiceSeen, Face
from support.driver_examples.barcode_camera import MEMORY, PIPE, WATCHED, line

JPEG = b"\xff\xd8 a picture of a plate"
SHA = hashlib.sha256(JPEG).hexdigest()
NAME = "conformance-dice.json"
STEPS = (
    *received(0.1, line("ready", detail="640 x 480, two readers")),
    *received(0.5, *(line("beat", frame=10 * n, fresh=9) for n in range(1, 9)), every_s=0.5),
    *received(4.6, line("scene", moving=True, age_ms=40.0)),
    *received(5.0, line("beat", frame=90, fresh=9)),
    *received(5.4, line("scene", moving=False, age_ms=500.0)),
    *wanted(5.5, DeviceAction.LOOK),
    *received(6.0, *(line("beat", frame=10 * n, fresh=9) for n in range(10, 14)), every_s=0.5),
    *wanted(7.7, DeviceAction.LOOK),
    *wanted(8.2, DeviceAction.LOOK),
    *passed(8.6),
)


def looking(*values: dict[str, Any]) -> Callable[[bytes], bytes]:
    """The process: answers each question with a picture and one of ``values`` in turn."""

    def answer(sent: bytes) -> bytes:
        picture = line("picture", sha256=SHA, media_type="image/jpeg", base64=base64.b64encode(JPEG).decode())
        number = json.loads(sent)["ask"]
        return picture + line(
            "look",
            ask=number,
            frames=5,
            first_age_ms=300.0,
            last_age_ms=20.0,
            picture=SHA,
            value=values[(number - 1) % len(values)],
        )

    return answer


def prepare(folder: Path) -> None:
    """A rig's profile."""
    import numpy as np

    from dealer_drivers.dice.profile import FaceLook, Polygon, Profile, RigProfile, dump_profile, encode_plate

    plate = np.full((120, 160, 3), 90, np.uint8)
    grey = (30.0, 30.0, 30.0)
    content = Profile(
        dice_profile=1,
        width=160,
        height=120,
        plate="conformance-plate.png",
        plate_sha256=encode_plate(plate)[1],
        region=Polygon(corners=((0, 0), (159, 0), (159, 119), (0, 119))),
        die_px=40.0,
        rise=0.04,
        axis=(80.0, 60.0),
        corner=0.1,
        pitch_px=10.0,
        six_aspect=1.0,
        one_px=39.0,
        faces={str(value): FaceLook(pip_radius_px=4.0, pip_bgr=grey, dark=True) for value in range(1, 7)},
        bodies=((220.0, 220.0, 220.0),),
        body_spread=3.0,
        translucent=False,
        shadow=0.2,
        shadow_px=5.0,
        noise=1.0,
        edge_width_px=2.0,
    )
    text, picture = dump_profile(RigProfile(content, plate))
    (folder / NAME).write_bytes(text)
    (folder / content.plate).write_bytes(picture)


def examples(folder: Path) -> Examples:
    common: dict[str, Any] = {"y": 60.0, "size_px": 40.0, "turn_deg": 3.0, "dark_pips": True, "score": 0.9}
    throws = ((1, 2, 5), (3, 3, 6), (4, 4, 4))
    lying = [[{"value": value, "x": 30.0 * n} | common for n, value in enumerate(throw, 1)] for throw in throws]
    return Examples(
        plays=(
            Example(
                name="three looks",
                sends=(rb'\{"type":"ask","ask":[0-9]+\}\n',),
                options={"profile": str(folder / NAME)},
                steps=STEPS,
                answer=looking(*({"faces": faces} for faces in lying)),
                expect=(
                    seen(SceneMoved),
                    seen(SceneStill),
                    *(
                        seen(DiceSeen, ask=n, faces=tuple(Face(**face) for face in faces))
                        for n, faces in enumerate(lying, 1)
                    ),
                ),
                undamaged=PIPE,
                memory_bytes=MEMORY,
                resync_bytes=800,
                silent_for_ever=WATCHED,
            ),
        ),
        refused={"profile": ("/nowhere.json",), "dice": (0, 6), "quiet_ms": (0, 60_000), "width": (8,)},
        unbounded={"exposure": "in the camera's own units", "focus": "in the camera's own units"},
    )
