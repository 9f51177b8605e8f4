"""How the dice lie before they are thrown: asked of the camera, and asked again where it could not be read. Pure.

Dice that lie there from before and are read once more are the worst result there is: it is known already. So whatever
may have moved them without a result makes the judge ask anew (decision 0033).
"""

from __future__ import annotations

from dealer_daemon.validation.dice_scene import Looks
from dealer_daemon.validation.signals import Ask, Signal
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear

AGAIN_S = 1.0
"""From one look at dice that wait for their throw, and could not be read, to the next."""
LOOKS = 5
"""So many, then the next movement or the round's beginning to wait is awaited."""


class Ground:
    """Asks ``camera`` what lies there, and notes the answer in ``looks``. ``look_s``: an answer comes within it."""

    def __init__(self, looks: Looks, camera: str, look_s: float) -> None:
        self._looks = looks
        self._camera = camera
        self._look_s = look_s
        self._asked: Instant | None = None
        """When it was asked, and not answered yet."""
        self._again: Instant | None = None
        """When to ask again."""
        self._left = LOOKS
        self.fresh = False
        """It was read, or a throw was looked at, and nothing has moved since."""
        self.tried = False
        """A question since then was answered, or should have been."""

    @property
    def settled(self) -> bool:
        """There is nothing to wait for before a throw."""
        return self.fresh or self.tried

    def stale(self, again: Instant | None = None) -> None:
        """Something moved, or may have: what was asked is asked about another scene. ``again``: nothing more may
        happen that would make the judge ask, so it is called for that from then on."""
        self.fresh = self.tried = False
        self._asked, self._again = None, again
        self._left = LOOKS

    def looked(self) -> None:
        """A throw was looked at, whatever was seen."""
        self.stale()
        self.fresh = True

    def refill(self) -> None:
        """The round begins to wait: it may be asked at once, and some times more."""
        self._again, self._left = None, LOOKS

    def ask(self, at: Instant) -> list[Signal]:
        """Asks, where it must be known and is not yet, and is not asked already. Call while nothing moves."""
        waits = self._asked is not None or (self._again is not None and at < self._again)
        if self.fresh or waits or self._left == 0:
            return []
        self._left -= 1
        self._asked, self._again = at, None
        return [Ask(self._camera, DeviceAction.LOOK)]

    def answered(self, look: DiceSeen | DiceUnclear, *, at_rest: bool) -> bool:
        """Whether this look answers the question."""
        if self._asked is None or not at_rest or not self._looks.answers(look, self._asked):
            return False
        self._asked, self.tried = None, True
        if isinstance(look, DiceSeen):
            self._looks.note(look)
            self.fresh = True
        elif self._left:
            self._again = look.at.plus_s(AGAIN_S)
        return True

    def late(self, at: Instant) -> None:
        """A question that was not answered in time is given up."""
        if self._asked is not None and at > self._asked.plus_s(self._look_s):
            self._asked, self.tried = None, True

    def limit(self) -> Instant | None:
        """When ``late`` and then ``ask`` are to be called next."""
        return self._again if self._asked is None else self._asked.plus_s(self._look_s)
