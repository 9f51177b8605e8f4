"""The camera's part in a throw: whether the scene moves, and what a look at it is worth. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from math import dist

from dealer_daemon.validation.dice_rules import DiceReason, ShakeRules, held, refused
from dealer_daemon.validation.signals import Value
from dealer_daemon.validation.standing import Cause, Standing
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear, Face

DICE = 3
SAME_PLACE_PX = 3.0
"""Dice that were thrown do not come to lie within this of where they lay, all of them with the values they had; nor as
far from each other as they lay, all of them: then the camera or the plate was pushed."""
SAME_TURN_DEG = 4.0
"""Nor does one of them lie where it lay with the value it had and turned as it was: once in 25,000 throws."""
WITNESSES = ("die_first", "pip_first")
"""The camera's two readers, which know nothing of each other; a look needs both."""

Facts = Callable[[tuple[int, ...]], Mapping[str, object]]
"""From three values, left to right, to the game's facts."""


class Scene:
    """Whether something moves before the camera."""

    def __init__(self) -> None:
        self.still: bool | None = None
        """``None``: the camera has not said, or its link was lost."""
        self.moved: Instant | None = None
        """When the newest movement began that the camera saw begin."""
        self.blind = False
        """The camera says that something is wrong with it."""
        self._faults: set[str] = set()

    @property
    def at_rest(self) -> bool:
        """Nothing moves, and the camera would say so if it did."""
        return self.still is True and not self.blind

    @property
    def restless(self) -> bool:
        """The camera says that something moves."""
        return self.still is False and not self.blind

    def moves(self, reading: SceneMoved) -> bool:
        """Something moves. ``False`` where its beginning was not seen: a camera begins with that word."""
        begun = self.still is True and not self.blind
        self.still = False
        if begun:
            self.moved = reading.taken
        return begun

    def rests(self, reading: SceneStill) -> None:  # noqa: ARG002
        """Nothing moves any more."""
        self.still = True

    def fault(self, fault: DeviceFault) -> None:
        """A fault of the camera began or ended. A lost link leaves nothing to go on; a picture that stood still and
        lives again goes on from where it was."""
        if fault.cleared:
            self._faults.discard(fault.fault)
        else:
            self._faults.add(fault.fault)
            if fault.fault == Fault.LINK_LOST:
                self.still = self.moved = None
        self.blind = bool(self._faults)


def restless(camera: str) -> Cause:
    """Why a round stands that waits for a throw."""
    detail = (
        "the round waits for a throw, and something moves before the camera all the time: a hand, a lamp that "
        "flickers, a camera that is not fixed"
    )
    return Cause(camera, Standing.PICTURE_NOT_AT_REST, detail)


class Looks:
    """What looks are worth: each counts once, and dice that lie as before were not thrown."""

    def __init__(self, rules: ShakeRules, facts: Facts, *, by_hand: bool = False) -> None:
        """``by_hand``: the dice are taken up and thrown, so that each of them must lie elsewhere."""
        self._by_hand = by_hand
        self._rules = rules
        self._facts = facts
        self._newest = 0
        self._before: tuple[Face, ...] = ()
        self._unread = False
        """The newest throw was not read."""
        self.known = False
        """What lies there before the next throw was read, or was thrown by the attempt before and refused."""

    def answers(self, look: DiceSeen | DiceUnclear, since: Instant) -> bool:
        """Whether the look is a new one, and all of its pictures were taken after ``since``."""
        fresh = look.ask > self._newest and look.first >= since and look.last >= look.first
        self._newest = max(self._newest, look.ask)
        return fresh

    def restarted(self) -> None:
        """The camera's questions may be counted anew."""
        self._newest = 0

    def note(self, look: DiceSeen) -> None:
        """What lies there before a throw."""
        self.known, self._unread, self._before = True, False, look.faces

    def forget(self) -> None:
        """What lies there may have changed, and nobody looked."""
        self.known, self._unread, self._before = False, False, ()

    def unsure(self) -> None:
        """The dice that were read last may not be those that lie there now."""
        self.known = False

    def unread(self) -> None:
        """A throw ended, or was broken off, and nobody looked at its dice."""
        self._unread = True

    def settle(self) -> None:
        """The attempt is over: dice that it left unread are no ground for the next round's."""
        if self._unread:
            self.known = False

    def judge(self, look: DiceSeen) -> Value | Held | Refused:
        """The dice of a fresh look."""
        before = self._before
        self.note(look)
        values = tuple(face.value for face in sorted(look.faces, key=lambda face: (face.x, face.y)))
        if any(value not in range(1, 7) for value in values):
            return held(DiceReason.IMPOSSIBLE_DICE, "the camera names a value that no die has", camera=list(values))
        if len(values) != DICE:
            detail = f"the camera sees {len(values)} dice and the game has {DICE}"
            return refused("wrong_count", detail, seen=len(values), needed=DICE)
        if _same(before, look.faces):
            detail = "all dice lie as they lay before, with the same values: were they thrown at all?"
            return held(DiceReason.DICE_DID_NOT_MOVE, detail, camera=list(values))
        left = sorted(new.value for new in look.faces if any(_untouched(old, new) for old in before))
        if left and self._by_hand:
            one = f"a die that shows {left[0]} lies" if len(left) == 1 else f"{len(left)} of the dice lie"
            detail = f"{one} exactly as before: were all dice thrown?"
            return held(DiceReason.DICE_DID_NOT_MOVE, detail, camera=list(values))
        return Value(self._facts(values), WITNESSES)

    def doubt(self, look: DiceUnclear) -> Refused | Held:
        """Why a fresh look gives no dice."""
        # The dice that were read last stay known: a hand over them is no throw, and they may lie there yet. Where none
        # were read before, they are no more known now.
        self._unread = True
        reason = look.reasons[0] if look.reasons else "unclear"
        others = f" (also: {', '.join(look.reasons[1:])})" if look.reasons[1:] else ""
        if reason == DiceReason.CAMERA_FAULT:
            return held(reason, f"{look.detail}{others}")
        return self.doubtful(reason, f"{look.detail}{others}")

    def doubtful(self, reason: str, detail: str) -> Refused | Held:
        """A shake that gives no result, where nothing was read that could be defended: shaken again as unclear dice
        are (``games.md`` §6), or a person decides first."""
        return held(reason, detail) if self._rules.unclear == "hold" else refused(reason, detail)


def _same(before: tuple[Face, ...], now: tuple[Face, ...]) -> bool:
    """Whether the dice lie as they lay, where they lay or all of them pushed or turned together."""
    return bool(before) and len(before) == len(now) and any(_alike(before, order) for order in permutations(now))


def _alike(before: tuple[Face, ...], now: tuple[Face, ...]) -> bool:
    pairs = list(zip(before, now, strict=True))
    if any(old.value != new.value for old, new in pairs):
        return False
    if all(_near(old, new) for old, new in pairs):
        return True
    return all(
        abs(dist(_place(one), _place(other)) - dist(_place(one_now), _place(other_now))) <= SAME_PLACE_PX
        for (one, one_now), (other, other_now) in combinations(pairs, 2)
    )


def _untouched(old: Face, new: Face) -> bool:
    turned = abs((old.turn_deg - new.turn_deg + 45) % 90 - 45)
    return old.value == new.value and turned <= SAME_TURN_DEG and _near(old, new)


def _near(old: Face, new: Face) -> bool:
    return max(abs(old.x - new.x), abs(old.y - new.y)) <= SAME_PLACE_PX


def _place(face: Face) -> tuple[float, float]:
    return face.x, face.y
