"""``bean-camera``: what its process says of beans."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.conformance import Example, Examples, seen
from dealer_drivers.readings.beans import BeansSeen
from support.driver_examples.barcode_camera import MEMORY, PIPE, WATCHED
from support.driver_examples.sicbo_camera import STEPS, looking

NAME = "conformance-beans.json"


def prepare(folder: Path) -> None:
    """A cloth's profile."""
    from dealer_drivers.beans.profile import BeanSize, BeansProfile, encode_profile

    profile = BeansProfile(
        width=640,
        height=480,
        region=(10, 10, 620, 460),
        size=BeanSize(middle_px=14.0),
        cloth=(60, 120, 40),
        bean=(230, 235, 240),
        link=1.2,
        apart=2.0,
        room=2.0,
        edge_px=2.0,
    )
    (folder / NAME).write_bytes(encode_profile(profile))


def examples(folder: Path) -> Examples:
    return Examples(
        plays=(
            Example(
                name="three looks",
                sends=(rb'\{"type":"ask","ask":[0-9]+\}\n',),
                options={"profile": str(folder / NAME)},
                steps=STEPS,
                answer=looking(
                    {"beans": 43, "groups": 11, "remainder": 3},
                    {"beans": 44, "groups": 11, "remainder": 4},
                    {"beans": 21, "groups": 6, "remainder": 1},
                ),
                expect=(
                    seen(SceneMoved),
                    seen(SceneStill),
                    seen(BeansSeen, ask=1, beans=43, remainder=3),
                    seen(BeansSeen, ask=2, beans=44, groups=11, remainder=4),
                    seen(BeansSeen, ask=3, beans=21, groups=6, remainder=1),
                ),
                undamaged=PIPE,
                memory_bytes=MEMORY,
                resync_bytes=800,
                silent_for_ever=WATCHED,
            ),
        ),
        refused={"profile": ("/nowhere.json",), "quiet_ms": (0, 60_000), "width": (8,)},
        unbounded={"exposure": "in the camera's own units", "focus": "in the camera's own units"},
    )
