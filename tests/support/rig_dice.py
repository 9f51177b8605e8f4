"""Calibrated rigs of the simulator: their profiles, measured from simulated pictures alone, and whole looks at
shakes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from dealer_drivers.camera.scene import Looked, SceneWatcher
from dealer_drivers.dice.camera_reader import faces_of
from dealer_drivers.dice.faces import Bgr, Dice, Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig, rig_of
from hw_sim.dice.scene import Pose, Scene
from hw_sim.dice.shakes import Shake

PICTURES = 12
"""Of dice in a calibration."""
QUIET_S, LOOK_S = 0.2, 1.4
"""Shorter than at a table, where dice have longer to be caught moving."""


@lru_cache(maxsize=2)
def calibration_pictures(rig: Rig, seed: int) -> tuple[list[Bgr], list[Bgr]]:
    """Of the empty plate, and of three flat dice each, every value six times."""
    rng = random.Random(f"calibration/{seed}")
    plates = [render(Scene(), rig, index, seed) for index in range(4)]
    dice = []
    for number in range(PICTURES):
        values = [(3 * number + n) % 6 + 1 for n in range(3)]
        dice.append(render(throw(rig, Pose.FLAT, rng, values), rig, 0, 1000 + number))
    return plates, dice


@lru_cache(maxsize=8)
def calibrated(seed: int, kind: str | None = None) -> tuple[Rig, RigProfile, RigReader]:
    """A rig by chance, its measured profile, and the reader for three dice."""
    rig = rig_of(seed, kind)
    profile = make_profile(*calibration_pictures(rig, seed))
    return rig, profile, RigReader(profile, 3)


@dataclass(frozen=True, slots=True)
class Look:
    """What the watcher of a scene answered: ``values`` ascending, or ``None`` and reasons."""

    values: tuple[int, ...] | None
    reasons: tuple[str, ...]
    detail: str

    @property
    def word(self) -> str:
        """The first reason, or ``read``."""
        return self.reasons[0] if self.values is None else "read"


class _Reader:
    """A rig's reader as a scene watcher has it. Remembers how many pictures in a row, from the first on, it refused."""

    def __init__(self, reader: RigReader) -> None:
        self._reader = reader
        self.refused: list[Doubts] = []
        self.read_any = False

    def read(self, picture: Bgr) -> Dice | Doubts:
        answer = self._reader.read(picture)
        if isinstance(answer, Dice):
            self.read_any = True
        elif not self.read_any:
            self.refused.append(answer)
        return answer

    def same(self, one: Dice, other: Dice) -> bool:
        return self._reader.same(one, other)

    def encode(self, value: Dice) -> dict[str, Any]:
        return {"faces": msgspec.to_builtins(value.faces)}


def glance(reader: RigReader, shake: Shake) -> Look:
    """As ``look``, and faster: what one picture of a scene at rest already says is believed where it is right, and the
    watcher is asked where it is not."""
    if shake.reason not in ("moving", "camera_fault"):
        answer = reader.read(shake.frame(0))
        if isinstance(answer, Dice) and answer.values == shake.values and shake.reason is None:
            return Look(answer.values, (), "")
        if isinstance(answer, Doubts) and str(answer.reasons[0]) == shake.reason:
            return Look(None, tuple(str(reason) for reason in answer.reasons), answer.detail)
    return look(reader, shake)


def look(reader: RigReader, shake: Shake, *, chances: int = 2, change: Callable[[Bgr], Bgr] | None = None) -> Look:
    """One question to the real watcher, pictures 50 ms apart; ``change`` is done to each.

    A scene has several chances to be read. To save time a look ends once the first ``chances`` pictures were refused.
    """
    scene = _Reader(reader)
    watcher = SceneWatcher(scene, QUIET_S, LOOK_S)
    watcher.ask(1, 0)
    for index in range(round(LOOK_S * 20) + 2):
        picture = shake.frame(index)
        events = watcher.picture(picture if change is None else change(picture), (index + 1) * 50_000_000)
        for event in events:
            if isinstance(event, Looked):
                faces = faces_of(event.value, reader.count) if event.value is not None else None
                values = None if faces is None else tuple(sorted(face.value for face in faces))
                return Look(values, tuple(str(reason) for reason in event.reasons), event.detail)
        if len(scene.refused) >= chances:
            first = scene.refused[0]
            return Look(None, tuple(str(reason) for reason in first.reasons), first.detail)
    raise AssertionError("the watcher gave no answer in time")
