"""The camera above a shaker of the same scenario, and a dice tower with a camera of its own. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hw_sim.device import Action, UnknownWord
from hw_sim.dice.options import DomeCameraOptions, TowerOptions
from hw_sim.dice.rig import Rig
from hw_sim.dice.thrower import Thrower
from hw_sim.faults import Fault, UnknownFault
from hw_sim.truth import TruthLog

if TYPE_CHECKING:
    from hw_sim.mjpeg import Paint

TAKES_UP_S, BETWEEN_S, FALLS_S = (0.8, 1.6), (0.5, 1.5), (0.4, 0.9)
"""A hand takes the dice up; then the plate is empty; then they fall through the tower."""
BUMP, BLUR, RIGHT = "bump", "blur", "right"
WORDS = {
    BUMP: "somebody knocks against the camera: it looks elsewhere",
    BLUR: "its lens loses its focus",
    RIGHT: "it is put right again",
}
BUMPED_PX, BLURRED_PX = (9.0, 5.0), 2.5
"""How far the picture moves, and how much softer it gets."""


class DomeCamera:
    """Looks at what a shaker shakes. It sees the shaker's present moment; faults of pictures belong to the shake."""

    driver, model = "sicbo-camera", "dome-camera"

    def __init__(self, options: DomeCameraOptions, shaker: Thrower) -> None:
        self.name = options.name
        self.options = options
        self.watches = options.shaker
        self._shaker = shaker
        self._harm: str | None = None
        self._now_s = 0.0

    @property
    def now_s(self) -> float:
        """The camera's present moment."""
        return self._now_s

    def next_s(self) -> float:
        """Nothing happens at a camera by itself."""
        return math.inf

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment."""
        self._now_s = max(self._now_s, to_s)
        return []

    def shot(self) -> Paint | None:
        """What lies under the dome now."""
        moment = self._shaker.dome.look(self._shaker.now_s, self._now_s)
        return None if moment is None else moment.paint(self._seen())

    def _seen(self) -> Rig:
        """The rig as the camera sees it now."""
        rig = self._shaker.dome.rig
        if self._harm == BUMP:
            across, down = rig.middle_px
            return replace(rig, middle_px=(across + BUMPED_PX[0], down + BUMPED_PX[1]))
        return replace(rig, softness_px=rig.softness_px + BLURRED_PX) if self._harm == BLUR else rig

    def tell(self, word: str) -> None:
        """``bump`` the camera, ``blur`` its lens, put it ``right`` again. Raises ``UnknownWord``."""
        if word not in WORDS:
            raise UnknownWord(f"nobody at the camera knows {word!r}; there are: {', '.join(WORDS)}")
        self._harm = None if word == RIGHT else word

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS

    def look(self) -> Mapping[str, str]:
        """What lies under the dome."""
        return self._shaker.look()

    def receive(self, data: bytes) -> list[Action]:  # noqa: ARG002
        """A camera is told nothing."""
        return []

    def attached(self) -> None:
        """Somebody looks."""

    def inject(self, fault: str) -> None:
        """Raises ``UnknownFault``: what the camera sees is the shaker's."""
        raise UnknownFault(f"a camera has no fault {fault!r}; give it to {self.watches!r}, whose shake it is")

    def note(self, fault: Fault) -> None:
        """Something was done from outside."""

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in."""

    def power_cycle(self) -> None:
        """Power fails and comes back: pictures go on."""

    def in_play(self) -> dict[str, Any] | None:
        """A camera has no games of its own."""
        return None


class DiceTower(Thrower):
    """Dice that the dealer takes up and drops: no shaker says anything; the pictures alone tell."""

    driver, model = "sicbo-camera", "dice-tower"

    def __init__(self, options: TowerOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._busy = False

    def shot(self) -> Paint | None:
        """What lies on the plate now."""
        moment = self.dome.look(self.now_s)
        return None if moment is None else moment.paint(self.dome.rig)

    def press(self) -> None:
        """The dealer takes the dice up, now, and throws them."""
        if self._busy:
            return
        self._busy = True
        record = self._begin("dealer")
        self.dome.clear(self._now_s)
        gone_s = self._rng.uniform(*TAKES_UP_S)
        self._after(gone_s, lambda: self.dome.empty(self._now_s))
        thrown_s = gone_s + self._rng.uniform(*BETWEEN_S)
        self._after(thrown_s, lambda: self._motor_on(record))

        def lands() -> None:
            self._busy = False
            self._motor_off(record)

        self._after(thrown_s + self._rng.uniform(*FALLS_S), lands)

    def receive(self, data: bytes) -> list[Action]:  # noqa: ARG002
        """A camera is told nothing."""
        return []

    def attached(self) -> None:
        """Somebody looks."""

    def power_cycle(self) -> None:
        """Power fails and comes back: pictures go on."""
