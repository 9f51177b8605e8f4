"""Many shakes of one rig, in process: pictures and their truth, for a reader's tests. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from hw_sim.dice.poses import throw
from hw_sim.dice.render import Bgr, render
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Pose, Scene, Seen, seen

FRAMES = 8
"""Pictures of one look: 0.4 s at 20 a second, more than the five that a reader needs."""
MIX: dict[Pose, float] = {
    Pose.FLAT: 0.45,
    Pose.TOUCHING: 0.15,
    Pose.LEANING: 0.05,
    Pose.COCKED: 0.05,
    Pose.STACKED: 0.06,
    Pose.ROLLING: 0.03,
    Pose.CREEPING: 0.03,
    Pose.CUT: 0.03,
    Pose.OUT_OF_VIEW: 0.02,
    Pose.FOUR_DICE: 0.03,
    Pose.TWO_DICE: 0.03,
    Pose.HAND: 0.02,
    Pose.CABLE: 0.02,
    Pose.GLARE: 0.01,
    Pose.FROZEN: 0.01,
    Pose.OUT_OF_FOCUS: 0.01,
}
"""How often each pose comes by default; a real machine gives far fewer bad ones."""


@dataclass(frozen=True, slots=True)
class Shake:
    """One shake that is over: what lies there, and the pictures of it."""

    number: int
    seed: int
    rig: Rig
    scene: Scene

    @property
    def pose(self) -> Pose:
        """How the dice came to lie."""
        return self.scene.pose

    @property
    def reason(self) -> str | None:
        """Why a reader should refuse; ``None``: it should read ``values``."""
        return self.scene.reason

    @property
    def values(self) -> tuple[int, ...]:
        """What the dice show, ascending; of a refused shake only for the record."""
        return self.scene.values

    def seen(self) -> tuple[Seen, ...]:
        """Where each upper face is in the picture, once it rests."""
        return tuple(seen(die, self.rig) for die in self.scene.dice)

    def frame(self, index: int) -> Bgr:
        """One picture."""
        return render(self.scene, self.rig, index, self.seed)

    def frames(self, count: int = FRAMES) -> Iterator[Bgr]:
        """The first pictures, one after the other."""
        return (self.frame(index) for index in range(count))


def shake(seed: int, rig: Rig, number: int, mix: Mapping[Pose, float] = MIX) -> Shake:
    """Shake ``number`` of a seed by itself: what ``shakes`` gives there."""
    rng = Random(f"shake/{seed}/{number}")
    pose = rng.choices(list(mix), list(mix.values()))[0]
    return Shake(number, rng.randrange(2**31), rig, throw(rig, pose, rng))


def shakes(seed: int, rig: Rig, count: int | None = None, mix: Mapping[Pose, float] = MIX) -> Iterator[Shake]:
    """Shakes from number 0 on, without end by default; any of them again with ``shake``."""
    number = 0
    while count is None or number < count:
        yield shake(seed, rig, number, mix)
        number += 1
