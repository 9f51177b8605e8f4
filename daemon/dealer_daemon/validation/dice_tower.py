"""Judges throws through a dice tower (002, fortune sic bo): there is no shaker, so the camera alone decides.

A throw begins when the scene moves while the round waits for one, and ends when it is at rest again. Whoever throws
must take the dice up first: fewer dice than the game has are then no throw yet, and the next movement belongs to the
same. A lamp moves the picture, too: what moved too shortly is no throw, and dice that lie as they lay before are held.
Before the first throw the judge therefore asks once what lies there.
"""

from __future__ import annotations

from enum import Enum, auto

from dealer_daemon.validation.dice_rules import DiceReason, ShakeRules, held, refused
from dealer_daemon.validation.dice_scene import Facts, Looks, Scene
from dealer_daemon.validation.signals import (
    Ask,
    BettingOver,
    Contradicted,
    Judged,
    NotJudged,
    Ready,
    Signal,
    Started,
    Value,
)
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.dice.readings import DiceSeen, DiceUnclear, SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading

NOT_THROWN_YET = frozenset({"wrong_count", "occluded"})
"""What a look shows while the dice are in a hand."""


class _State(Enum):
    WAITING = auto()
    FALLING = auto()
    LOOKING = auto()
    IN_HAND = auto()


class TowerJudge:
    """See the module. ``facts`` turns three values, left to right, into the game's facts."""

    def __init__(self, rules: ShakeRules, facts: Facts, *, camera: str) -> None:
        self._rules = rules
        self._camera = camera
        self._looks = Looks(rules, facts)
        self._scene = Scene()
        self._state = _State.WAITING
        self._began: Instant | None = None
        self._since: Instant | None = None
        """When the look was asked for, or answered with too few dice."""
        self._doubt: Refused | Held | None = None
        self._moved: Instant | None = None
        """When the movement of this throw began, the first of them."""
        self._asked_before = False
        self._due = False
        self._ready_said = False
        self._read: Instant | None = None
        """When the newest picture of the value that stands was taken."""

    def underway(self) -> bool:
        """Dice were seen to move for this round."""
        return self._state is not _State.WAITING

    def waiting(self) -> bool:
        """Nothing moves, so that a throw can be seen from its beginning."""
        return self._state is _State.WAITING and self._scene.at_rest

    def due(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """The round waits for a throw. The dealer throws: there is nothing to ask for."""
        self._due = True
        return []

    def discard(self) -> None:
        """What is under way does not count."""
        self._over()

    def deadline_ns(self) -> int | None:
        """When a wait has been too long."""
        limit = self._limit()
        return None if limit is None else limit.mono_ns + 1

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        limit = self._limit()
        if limit is None or at.mono_ns <= limit.mono_ns:
            return []
        return self._too_long() + self._ready()

    def _too_long(self) -> list[Signal]:
        if self._state is _State.IN_HAND and self._doubt is not None:
            return self._end(self._doubt)
        if self._state is _State.LOOKING:
            detail = f"the camera did not say within {self._rules.look_s:g} s what lies there"
            return self._end(refused(DiceReason.NO_LOOK, detail))
        detail = f"the dice did not come to rest within {self._rules.max_shake_s:g} s"
        return self._end(refused(DiceReason.NEVER_STILL, detail))

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading of the camera."""
        signals = self.tick(reading.at)
        match reading:
            case SceneMoved():
                signals += self._moves(reading)
            case SceneStill():
                self._scene.rests(reading)
                signals += self._settled(reading)
            case DiceSeen() | DiceUnclear() if self._state is _State.WAITING:
                if self._looks.answers(reading, reading.first):
                    self._looks.note(reading)
            case DiceSeen() if self._answers(reading):
                signals += self._seen(reading)
            case DiceUnclear() if self._answers(reading):
                signals += self._unclear(reading)
            case DeviceFault() if device == self._camera:
                signals += self._camera_fault(reading)
            case _:
                pass
        return signals + self._ready()

    def _ready(self) -> list[Signal]:
        if self._ready_said or not self.waiting():
            return []
        self._ready_said = True
        if self._looks.known or self._asked_before:
            return [Ready()]
        self._asked_before = True
        return [Ready(), Ask(self._camera, DeviceAction.LOOK)]

    def _moves(self, reading: SceneMoved) -> list[Signal]:
        if not self._scene.moves(reading):
            return []
        if self._state is not _State.WAITING:
            if self._state is _State.IN_HAND:
                self._moved = reading.taken
            self._state, self._since, self._doubt = _State.FALLING, None, None
            return []
        self._ready_said = False
        read, self._read = self._read, None
        if read is not None and reading.taken.since_s(read) <= self._rules.after_s:
            moved_s = max(0.0, reading.taken.since_s(read))
            return [Contradicted(f"the dice moved {moved_s:.1f} s after they were read: they were not at rest")]
        if not self._due:
            return []
        self._state, self._began, self._moved, self._due = _State.FALLING, reading.at, reading.taken, False
        return [Started(), BettingOver()]

    def _settled(self, still: SceneStill) -> list[Signal]:
        if self._state is not _State.FALLING or self._moved is None or not self._scene.at_rest:
            return []
        fell_s = still.since.since_s(self._moved)
        if fell_s < self._rules.min_fall_s:
            detail = f"the picture changed for {max(0.0, fell_s):.2f} s only: a lamp? Throw the dice"
            self._state, self._since = _State.IN_HAND, still.at
            self._doubt = refused(DiceReason.NO_THROW_SEEN, detail)
            return []
        self._state, self._since = _State.LOOKING, still.at
        return [Ask(self._camera, DeviceAction.LOOK)]

    def _answers(self, look: DiceSeen | DiceUnclear) -> bool:
        fresh = self._looks.answers(look, self._since or look.first)
        return fresh and self._state is _State.LOOKING

    def _seen(self, look: DiceSeen) -> list[Signal]:
        value = self._looks.judge(look)
        if not isinstance(value, Value):
            return self._end(value)
        self._over()
        self._read = look.last
        return [Judged(value)]

    def _unclear(self, look: DiceUnclear) -> list[Signal]:
        doubt = self._looks.doubt(look)
        if doubt.reason not in NOT_THROWN_YET:
            return self._end(doubt)
        self._state, self._since, self._doubt = _State.IN_HAND, look.at, doubt
        return []

    def _camera_fault(self, fault: DeviceFault) -> list[Signal]:
        self._scene.fault(fault)
        if fault.cleared:
            return []
        if fault.fault == Fault.LINK_LOST:
            self._looks.restarted()
            self._asked_before = False
        self._ready_said = False
        if self._state is _State.WAITING:
            return []
        return self._end(held(DiceReason.CAMERA_FAULT, f"the camera failed during the throw: {fault.detail}"))

    def _limit(self) -> Instant | None:
        if self._began is None:
            return None
        longest = self._began.plus_s(self._rules.max_shake_s)
        if self._state is _State.LOOKING and self._since is not None:
            return self._since.plus_s(self._rules.look_s)
        if self._state is _State.IN_HAND and self._since is not None:
            return self._since.plus_s(self._rules.pickup_s)
        return longest

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        self._over()
        return [NotJudged(verdict)]

    def _over(self) -> None:
        self._state = _State.WAITING
        self._began = self._since = self._doubt = self._read = self._moved = None
        self._due = self._ready_said = False
