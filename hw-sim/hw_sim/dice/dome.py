"""What lies under the dome from moment to moment: shaken, rolling out, at rest. Pure; seconds of the device's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from hw_sim.dice.poses import throw, tumble
from hw_sim.dice.render import picture_at
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Die, Hand, Roll, Scene, about, die_at, seen, upright
from hw_sim.dice.truth import Lies
from hw_sim.dice.words import Pose

if TYPE_CHECKING:
    from hw_sim.mjpeg import Paint

ROLL_OUT_S = (0.2, 1.2)
"""How long dice roll on after the motor stopped."""
LONG_ROLL_S = (3.0, 7.0)
"""The same when they are still rolling."""
STUCK_S = (4.0, 8.0)
"""How long a camera stands or hangs after the stop, before it goes on by itself."""
TUMBLES = 6
"""Different pictures of dice being shaken; they come again and again, with noise of their own."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A scene with its moment, and the chance for the sensor's noise: what a picture is made of."""

    scene: Scene
    at_s: float
    chance: str

    def paint(self, rig: Rig) -> Paint:
        """Draws it."""
        return partial(picture_at, self.scene, rig, self.at_s, self.chance)


class Dome:
    """One dome with its dice. The same seed and calls give the same pictures."""

    def __init__(self, rig: Rig, seed: str) -> None:
        self.rig = rig
        self._rng = Random(f"{seed}/dome")
        self._seed = seed
        self._scene = replace(throw(rig, Pose.FLAT, self._rng), exposure=1.0)
        self._since_s = 0.0
        """Moment 0 of the scene."""
        self._shaken = False
        self._stuck: Moment | None = None
        """What the camera gives again and again between two moments."""
        self._stuck_from_s = self._stuck_to_s = self._blind_to_s = -math.inf
        self._tumbling: tuple[Scene, ...] = ()

    @property
    def rest_s(self) -> float:
        """When the dice lie still; ``math.inf`` while they are shaken."""
        return math.inf if self._shaken else self._since_s + self._scene.rest_s

    @property
    def pose(self) -> Pose:
        """How the dice came to lie."""
        return self._scene.pose

    def lies(self) -> tuple[Lies, ...]:
        """The dice at rest."""
        found = [(die, seen(die, self.rig)) for die in self._scene.dice]
        return tuple(Lies(die.value, at.x_px, at.y_px, at.size_px, at.turn_deg, die.tilt_deg) for die, at in found)

    def shake(self, now_s: float, *, stuck: bool = False, blind: bool = False) -> None:
        """The motor begins to turn. ``stuck``: from now on the camera gives this one picture; ``blind``: none.
        Some seconds after the dice have settled it goes on by itself."""
        if stuck:
            self._stuck, self._stuck_from_s, self._stuck_to_s = self.look(now_s), now_s, math.inf
        if blind:
            self._blind_to_s = math.inf
        self._shaken, self._since_s = True, now_s
        if not self._tumbling:
            self._tumbling = tuple(self._tumble() for _ in range(TUMBLES))

    def settle(self, now_s: float, pose: Pose, values: Sequence[int]) -> None:
        """The motor stops; the dice roll out into this pose."""
        scene = throw(self.rig, pose, self._rng, values)
        if pose is Pose.ROLLING:
            scene = self._rolling_out(scene, *LONG_ROLL_S)
        elif pose is not Pose.CREEPING:
            scene = self._rolling_out(scene, *ROLL_OUT_S)
        again_s = now_s + self._rng.uniform(*STUCK_S)
        if self._blind_to_s == math.inf:
            self._blind_to_s = again_s
        self._scene, self._since_s, self._shaken = replace(scene, frozen=False), now_s, False
        if pose is Pose.FROZEN:
            if self._stuck_to_s != math.inf:
                self._stuck_from_s = now_s + scene.rest_s
                self._stuck = Moment(self._scene, scene.rest_s, f"{self._seed}/stuck/{now_s}")
            self._stuck_to_s = again_s + scene.rest_s

    def clear(self, now_s: float) -> None:
        """All dice are taken up: a hand reaches in, and the plate is empty under it."""
        hand = Hand(*self.rig.middle_px, from_deg=self._rng.uniform(20, 160), seed=self._rng.randrange(2**31))
        self._scene, self._since_s, self._shaken = Scene(over=(hand,)), now_s, False

    def empty(self, now_s: float) -> None:
        """Nothing lies there."""
        self._scene, self._since_s, self._shaken = Scene(), now_s, False

    def look(self, now_s: float, taken_s: float | None = None) -> Moment | None:
        """What the camera sees; ``None``: it gives no picture. ``taken_s``: by the camera's own clock, which goes on
        when the machine's stands."""
        if now_s < self._blind_to_s:
            return None
        if self._stuck_from_s <= now_s < self._stuck_to_s:
            return self._stuck
        chance = f"{self._seed}/{round((now_s if taken_s is None else taken_s) * 1e6)}"
        if self._shaken:
            which = Random(chance).randrange(TUMBLES)
            return Moment(self._tumbling[which], 0.0, chance)
        return Moment(self._scene, now_s - self._since_s, chance)

    def _rolling_out(self, scene: Scene, least_s: float, most_s: float) -> Scene:
        """The same dice, which come there rolling; those that lean or lie on others slide in."""
        dice: list[Die] = []
        for die in scene.dice:
            rest_s = self._rng.uniform(least_s, most_s)
            roll = tumble(self.rig, self._rng, rest_s)
            high = die.z_mm > 0.75 * die.edge_mm
            if high or die.tilt_deg > 1:
                roll = Roll(rest_s, dx_mm=0.3 * roll.dx_mm, dy_mm=0.3 * roll.dy_mm)
            dice.append(replace(die, roll=roll))
        return replace(scene, dice=tuple(dice))

    def _tumble(self) -> Scene:
        """Dice in the air, smeared."""
        rng, rig = self._rng, self.rig
        dice = []
        for _ in range(3):
            way = (rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1))
            turn = about(way, rng.uniform(0, math.pi)) @ upright(rig.kind, rng.randint(1, 6))
            away, at = rig.plate_mm * 0.7 * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
            roll = Roll(
                rest_s=0.5,
                axis=(rng.gauss(0, 1), rng.gauss(0, 1), 0.1),
                turn_rad=rng.uniform(5, 12),
                dx_mm=rng.uniform(-1, 1) * rig.die_mm * 3,
                dy_mm=rng.uniform(-1, 1) * rig.die_mm * 3,
            )
            x, y = away * math.cos(at) - roll.dx_mm, away * math.sin(at) - roll.dy_mm
            lifted = rng.uniform(0, 0.6) * rig.die_mm
            dice.append(die_at(rig.kind, rig.die_mm, float(x), float(y), np.asarray(turn), on_mm=lifted, roll=roll))
        return Scene(tuple(dice), Pose.ROLLING)
