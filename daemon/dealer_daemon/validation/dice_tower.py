"""Judges throws through a dice tower (002, fortune sic bo): there is no shaker, so the camera alone decides.

A throw begins when the scene moves while the round waits for one, and ends when it is at rest again. Whoever throws
must take the dice up first: fewer dice than the game has are then no throw yet, and the next movement belongs to the
same. A lamp moves the picture, too: what moved too shortly is no throw, and dice that lie as they lay before are held.

So it must be known how the dice lay before: after every movement that belongs to no throw, the judge asks what lies
there. A result is held where that could not be read. The dice therefore lie in the camera's sight until betting closes.
"""

from __future__ import annotations

from enum import Enum, auto

from dealer_daemon.validation.dice_ground import Ground
from dealer_daemon.validation.dice_rules import DiceReason, ShakeRules, held, refused
from dealer_daemon.validation.dice_scene import Facts, Looks, Scene, restless
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
    Withdrawn,
)
from dealer_daemon.validation.standing import StandsWhy
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear

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
        self._looks = Looks(rules, facts, by_hand=True)
        self._scene = Scene()
        self._state = _State.WAITING
        self._began: Instant | None = None
        self._since: Instant | None = None
        """When the look was asked for, or answered with too few dice."""
        self._doubt: Refused | Held | None = None
        self._moved: Instant | None = None
        """When the movement of this throw began, the first of them."""
        self._ground_ok = False
        """What lay there before this throw is known."""
        self._ground = Ground(self._looks, camera, rules.look_s)
        self._newest: Instant | None = None
        self._due = False
        self._ready_said = False
        self._read: Instant | None = None
        """When the newest picture of the value that stands was taken."""
        self._given = False
        """A value was judged, and nothing has moved since: it may wait for a witness."""
        self._why = StandsWhy()

    def underway(self) -> bool:
        """Dice were seen to move for this round."""
        return self._state is not _State.WAITING

    def waiting(self) -> bool:
        """Nothing moves, so that a throw can be seen from its beginning."""
        return self._state is _State.WAITING and self._scene.at_rest

    def due(self, at: Instant) -> list[Signal]:
        """The round waits for a throw. The dealer throws: only what lies there now may have to be asked for."""
        self._due, self._newest = True, at
        self._ground.refill()
        return self._ask(at) + self._stands_why(at)

    def discard(self) -> None:
        """What is under way does not count."""
        if self._state is not _State.WAITING:
            self._looks.unread()
        self._over()
        self._given = False
        self._looks.settle()
        if not self._looks.known:
            self._ground.stale(self._newest)

    def deadline_ns(self) -> int | None:
        """When a wait has been too long."""
        limit = self._limit()
        times = [None if limit is None else limit.mono_ns + 1, self._why.deadline_ns()]
        return min((time for time in times if time is not None), default=None)

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        self._newest = at
        limit = self._limit()
        signals: list[Signal] = []
        if limit is not None and at.mono_ns > limit.mono_ns:
            if self._state is _State.WAITING:
                self._ground.late(at)
                signals = self._ask(at)
            else:
                signals = self._too_long() + self._ready(at)
        return signals + self._stands_why(at)

    def _stands_why(self, at: Instant) -> list[Signal]:
        """What keeps the throw from beginning that the round waits for."""
        waits = self._due and self._state is _State.WAITING and self._scene.restless
        return self._why.now(at, [restless(self._camera)] if waits else [])

    def _ask(self, at: Instant) -> list[Signal]:
        """What lies there before the throw?"""
        return self._ground.ask(at) if self.waiting() else []

    def _too_long(self) -> list[Signal]:
        if self._state is _State.IN_HAND and self._doubt is not None:
            return self._end(self._doubt)
        if self._state is _State.LOOKING:
            detail = f"the camera did not say within {self._rules.look_s:g} s what lies there"
            return self._end_unread(refused(DiceReason.NO_LOOK, detail))
        detail = f"the dice did not come to rest within {self._rules.max_shake_s:g} s"
        return self._end_unread(refused(DiceReason.NEVER_STILL, detail))

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
                self._ground.answered(reading, at_rest=self._scene.at_rest)
            case DiceSeen() if self._answers(reading):
                signals += self._seen(reading)
            case DiceUnclear() if self._answers(reading):
                signals += self._unclear(reading)
            case DeviceFault() if device == self._camera:
                signals += self._camera_fault(reading)
            case _:
                pass
        return signals + self._ready(reading.at) + self._stands_why(reading.at)

    def _ready(self, at: Instant) -> list[Signal]:
        if self._ready_said or not self.waiting():
            return []
        self._ready_said = True
        return [Ready(), *self._ask(at)]

    def _moves(self, reading: SceneMoved) -> list[Signal]:
        begun = self._scene.moves(reading)
        self._ground.stale()
        if self._state is not _State.WAITING:
            if begun:
                self._falls(reading)
            return []
        self._ready_said = False
        ground_ok = self._looks.known
        if not begun or not self._due:
            signals = self._moves_outside(reading) if begun else []
            self._looks.forget()
            return signals
        self._ground_ok, self._given, self._read = ground_ok, False, None
        self._state, self._began, self._moved, self._due = _State.FALLING, reading.at, reading.taken, False
        return [Started(), BettingOver()]

    def _falls(self, reading: SceneMoved) -> None:
        if self._state is _State.IN_HAND:
            self._moved = reading.taken
            self._began = reading.at if self._doubt is None else self._began
        self._state = _State.FALLING

    def _moves_outside(self, reading: SceneMoved) -> list[Signal]:
        read, self._read = self._read, None
        signals = self._taken_back(DiceReason.MOVED_AFTER_LOOK, "the dice moved after they were read")
        if read is None or reading.taken.since_s(read) > self._rules.after_s:
            return signals
        moved_s = max(0.0, reading.taken.since_s(read))
        return [*signals, Contradicted(f"the dice moved {moved_s:.1f} s after they were read: they were not at rest")]

    def _taken_back(self, reason: str, detail: str) -> list[Signal]:
        """A value that no witness has confirmed yet was not left alone."""
        given, self._given = self._given, False
        return [Withdrawn(detail, held(reason, detail))] if given else []

    def _settled(self, still: SceneStill) -> list[Signal]:
        if self._state is not _State.FALLING or self._moved is None or not self._scene.at_rest:
            return []
        if still.since.since_s(self._moved) < self._rules.min_fall_s:
            self._state = _State.IN_HAND  # a lamp: the throw is still to come
            return []
        self._state, self._since, self._doubt = _State.LOOKING, still.at, None
        return [Ask(self._camera, DeviceAction.LOOK)]

    def _answers(self, look: DiceSeen | DiceUnclear) -> bool:
        fresh = self._looks.answers(look, self._since or look.first)
        return fresh and self._state is _State.LOOKING

    def _seen(self, look: DiceSeen) -> list[Signal]:
        value = self._looks.judge(look)
        if not isinstance(value, Value):
            return self._end(value)
        if not self._ground_ok:
            detail = "it is not known how the dice lay before the throw: may they be older ones?"
            return self._end(held(DiceReason.DICE_UNKNOWN_BEFORE, detail, camera=value.facts["dice"]))
        self._over()
        self._ground.looked()
        self._read, self._given = look.last, True
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
        self._looks.forget()
        self._ground.stale()
        self._ready_said = False
        if self._state is _State.WAITING:
            detail = f"the camera failed after the dice were read: {fault.detail}"
            return self._taken_back(DiceReason.CAMERA_FAULT, detail)
        return self._end_unread(held(DiceReason.CAMERA_FAULT, f"the camera failed during the throw: {fault.detail}"))

    def _limit(self) -> Instant | None:
        if self._state is _State.WAITING:
            return self._ground.limit() if self.waiting() else None
        if self._state is _State.LOOKING and self._since is not None:
            return self._since.plus_s(self._rules.look_s)
        if self._state is _State.IN_HAND:
            waits = self._since is not None and self._doubt is not None
            return self._since.plus_s(self._rules.pickup_s) if waits and self._since is not None else None
        return None if self._began is None else self._began.plus_s(self._rules.max_shake_s)

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        self._over()
        self._ground.looked()
        return [NotJudged(verdict)]

    def _end_unread(self, verdict: Refused | Held) -> list[Signal]:
        self._over()
        self._looks.unread()
        return [NotJudged(verdict)]

    def _over(self) -> None:
        self._state = _State.WAITING
        self._began = self._since = self._doubt = self._read = self._moved = None
        self._due = self._ready_said = False
