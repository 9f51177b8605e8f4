"""Judges throws of dice in a shaker: a pure machine over the shaker's words and the camera's, neither believed alone.

Standing → (asked) → shaking → stopped → looking → standing. A throw counts only if it was seen from its beginning: the
shaker stood, said that it shakes and then that it stands; the camera saw the scene move during that and at rest after
it; and all pictures of the look were taken after both (``devices.md`` §4). Movement that began before the round waited
for a throw belongs to none. Anything else ends in ``Refused`` (shake again) or ``Held`` (the two witnesses differ: a
person looks).
"""

from __future__ import annotations

from dealer_daemon.validation.dice_ground import Ground
from dealer_daemon.validation.dice_rules import DiceReason, ShakeRules, held, refused
from dealer_daemon.validation.dice_scene import Facts, Looks, Scene, restless
from dealer_daemon.validation.dice_throw import IN_THROW, State, Throw
from dealer_daemon.validation.signals import (
    Ask,
    BettingOver,
    Contradicted,
    Judged,
    NotJudged,
    Ready,
    Signal,
    Started,
    Unseen,
    Value,
    Withdrawn,
)
from dealer_daemon.validation.standing import STANDS_S, Cause, Standing, StandsWhy
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking, ShakerTaken

BOUNCE_S = 1.0
"""An idle may be a stopped switch that bounces, or an old word: shaking that is said again within this is the same."""
TOLD_PART = 0.9
"""Of the time a shaker was told to shake: less is a shake that was cut short."""
SAID_LATE_S = 1.0
"""By so much at most a told shake may have begun, for the camera, before the shaker said so: a word was lost."""
GONE = frozenset({Fault.LINK_LOST, Fault.LINK_REFUSED, Fault.SILENT, Fault.NO_VALID_FRAME})


class DiceJudge:
    """See the module. ``facts`` turns three values, left to right, into the game's facts."""

    def __init__(self, rules: ShakeRules, facts: Facts, *, shaker: str, camera: str) -> None:
        self._rules = rules
        self._shaker = shaker
        self._camera = camera
        self._looks = Looks(rules, facts)
        self._scene = Scene()
        self._ground = Ground(self._looks, camera, min(rules.look_s, STANDS_S))
        self._newest: Instant | None = None
        self._state = State.UNKNOWN
        self._stands = False
        """The newest word of the shaker is that it stands, idle or faulted."""
        self._stood: Instant | None = None
        """When it said so first."""
        self._old_shake = False
        """What it shook last does not count, and neither does its going on."""
        self._throw: Throw | None = None
        self._due: Instant | None = None
        """Since when the round waits for a throw."""
        self._ready_said = False
        self._alone: Instant | None = None
        """When dice began to move and the shaker has not said that it shakes."""
        self._unrested: str | None = None
        """Those dice had just been read: what is to be said unless the shaker does."""
        self._read: Instant | None = None
        """When the newest picture of the value that stands was taken."""
        self._given = False
        """A value was judged, and no throw has begun since: it may wait for a witness."""
        self._why = StandsWhy()
        self._gone: set[str] = set()
        """The shaker cannot be heard, which is said already."""

    # -- what the table asks --------------------------------------------------------------------------------

    def underway(self) -> bool:
        """A throw was asked for, or is running."""
        return self._throw is not None

    def waiting(self) -> bool:
        """The shaker stands, and the camera sees dice at rest and was asked how they lie."""
        return self._may_look() and self._ground.settled

    def due(self, at: Instant) -> list[Signal]:
        """The round waits for a throw: start the shaker where that is the station's part and it may start now."""
        self._due, self._newest = self._due or at, at
        self._comes_to_stand(at)
        stands = self._stands_why(at) + self._ask(at)
        if self._rules.start != "station" or not self.waiting():
            return stands
        self._state, self._throw = State.ASKED, Throw(at, floor=at)
        self._alone = self._unrested = self._read = None
        self._given = False
        return [*stands, Ask(self._shaker, DeviceAction.START_SHAKE)]

    def discard(self) -> None:
        """What is under way does not count."""
        if self._throw is not None:
            self._looks.unread()
        self._looks.settle()
        if not self._looks.known:
            self._ground.stale(self._newest)
        self._old_shake = self._old_shake or self._throw is not None
        if self._state is State.ASKED:
            self._state = State.SPENT  # it may be about to shake
        elif self._state in IN_THROW:
            self._state = self._rest_state()
        self._throw, self._due, self._ready_said = None, None, False
        self._alone = self._unrested = None
        self._given = False

    def deadline_ns(self) -> int | None:
        """When a wait has been too long."""
        limits = [self._limit(), self._bounced(), self._ground.limit() if self._may_look() else None]
        times = [*(limit.mono_ns + 1 for limit in limits if limit is not None), self._why.deadline_ns()]
        return min((time for time in times if time is not None), default=None)

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        self._newest = at
        limit = self._limit()
        late = limit is not None and at.mono_ns > limit.mono_ns
        return (self._too_long() if late else []) + self._ready(at) + self._stands_why(at)

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading of the shaker or the camera."""
        signals = self.tick(reading.at)
        match reading:
            case ShakerIdle():
                signals += self._idle(reading)
            case ShakerTaken() if self._throw is not None and self._state is State.ASKED:
                self._throw.taken = True
            case ShakerShaking():
                signals += self._shakes(reading)
            case ShakerFaulted():
                signals += self._motor_failed(reading)
            case SceneMoved():
                signals += self._moves(reading)
            case SceneStill():
                self._scene.rests(reading)
                signals += self._settled(reading.at)
            case DiceSeen() | DiceUnclear() if self._ground.answered(reading, at_rest=self._scene.at_rest):
                pass
            case DiceSeen() if self._answers(reading):
                signals += self._seen(reading)
            case DiceUnclear() if self._answers(reading):
                signals += self._end_looked(self._looks.doubt(reading))
            case DeviceFault() if device == self._camera:
                signals += self._camera_fault(reading)
            case DeviceFault() if device == self._shaker and reading.fault in GONE:
                signals += self._shaker_gone(reading)
            case _:
                pass
        return signals + self._ready(reading.at) + self._stands_why(reading.at)

    def _stands_why(self, at: Instant) -> list[Signal]:
        """What keeps the throw from beginning that the round waits for."""
        causes: list[Cause] = []
        waits = self._due is not None and self._throw is None
        if waits and not self._gone and self._state is not State.STANDING:
            detail = (
                "the round waits for a throw, and the shaker does not say that it stands: switch it off and on, and "
                "see whether the plate stands still"
            )
            causes.append(Cause(self._shaker, Standing.SHAKER_NOT_STANDING, detail))
        if waits and self._scene.restless:
            causes.append(restless(self._camera))
        return self._why.now(at, causes)

    # -- the shaker -----------------------------------------------------------------------------------------

    def _idle(self, idle: ShakerIdle) -> list[Signal]:
        self._stands_since(idle.at)
        throw = self._throw
        if self._state in (State.UNKNOWN, State.SPENT):
            self._state = self._rest_state()
        elif self._state is State.SHAKING and throw is not None and idle.cycle == throw.cycle and throw.early is None:
            if throw.said is not None:
                throw.shaken_s += idle.at.since_s(throw.said)
            if self._too_short(throw) is not None:
                throw.early = idle.at
                return []
            if throw.again:
                detail = "the dice had come to rest and moved again, and the shaker did not say that it shook again"
                return self._end(self._looks.doubtful(DiceReason.DICE_MOVED_ALONE, detail))
            self._state, throw.stop = State.STOPPED, idle.at
            return self._settled(idle.at)
        return []

    def _stands_since(self, at: Instant) -> None:
        if not self._stands:
            self._stood = at
        self._stands = True

    def _shakes(self, shaking: ShakerShaking) -> list[Signal]:
        self._stands = False
        throw = self._throw
        match self._state:
            case State.UNKNOWN:
                self._state, self._old_shake = State.SPENT, True
                self._looks.unsure()
                detail = "the shaker was already shaking when it was first heard"
                return [Unseen(None, held(DiceReason.JOINED_MID_SHAKE, detail))]
            case State.COMING_TO_STAND:
                self._state = State.SPENT
                self._looks.unsure()
            case State.STANDING | State.ASKED:
                return self._begin(shaking)
            case State.SHAKING if throw is not None:
                if throw.early is not None:
                    throw.said = shaking.at
                throw.cycle, throw.early, throw.again = shaking.cycle, None, False
            case State.STOPPED if throw is not None:
                # Dice had not come to rest: the same throw goes on.
                self._state, throw.cycle, throw.stop, throw.said = State.SHAKING, shaking.cycle, None, shaking.at
                throw.again = False
            case State.LOOKING:
                detail = "the shaker shook again after the dice had come to rest, before they were read"
                return self._end(held(DiceReason.SHAKEN_AGAIN, detail))
            case _:
                pass
        return []

    def _begin(self, shaking: ShakerShaking) -> list[Signal]:
        floor = self._throw.floor if self._throw is not None else self._due
        moved = self._scene.moved if self._scene.still is False else None
        throw = self._throw = Throw(
            since=shaking.at, floor=floor, said=shaking.at, cycle=shaking.cycle, told_s=shaking.told_s
        )
        self._state, self._due, self._ready_said = State.SHAKING, None, False
        self._alone = self._unrested = self._read = None
        self._old_shake = self._given = False
        began: list[Signal] = [Started(), BettingOver()]
        if moved is None:
            return began
        if floor is not None and moved.mono_ns < floor.mono_ns:
            return began + self._too_early()
        throw.moved = floor is not None or shaking.at.since_s(moved) <= self._rules.lead_s
        throw.late_s = max(0.0, shaking.at.since_s(moved))
        throw.since = min(shaking.at, moved)
        return began

    def _too_early(self) -> list[Signal]:
        detail = "the dice had begun to move before the round waited for a throw: shake again once they lie still"
        self._looks.unsure()
        return self._end(refused(DiceReason.SHAKEN_EARLY, detail))

    def _motor_failed(self, fault: ShakerFaulted) -> list[Signal]:
        self._stands_since(fault.at)
        verdict = refused(DiceReason.MOTION_FAULT, "the shaker reports a motion fault: look what blocks it")
        if self._state is State.ASKED:
            return self._never_ran(verdict)
        if self._state in IN_THROW:
            return self._end(verdict)
        self._state = State.STANDING
        return []

    def _shaker_gone(self, fault: DeviceFault) -> list[Signal]:
        if fault.cleared:
            self._gone.discard(fault.fault)
            return []
        self._gone.add(fault.fault)
        self._stands = False
        verdict = held(DiceReason.SHAKER_LOST, f"the shaker was lost during the shake: {fault.detail}")
        signals: list[Signal] = []
        if self._state is State.ASKED:
            signals = self._never_ran(verdict)
        elif self._state in IN_THROW:
            signals = self._end(verdict)
        self._state, self._ready_said, self._old_shake = State.UNKNOWN, False, True
        self._alone = self._unrested = None
        return signals

    # -- the camera -----------------------------------------------------------------------------------------

    def _moves(self, reading: SceneMoved) -> list[Signal]:
        begun = self._scene.moves(reading)
        self._ground.stale()
        self._ready_said = False
        if not begun:
            return []
        if self._throw is not None:
            return self._moves_in_throw(self._throw, reading)
        signals = self._taken_back(DiceReason.MOVED_AFTER_LOOK, "the dice moved after they were read")
        read, self._read = self._read, None
        if read is not None and reading.taken.since_s(read) <= self._rules.after_s:
            moved_s = max(0.0, reading.taken.since_s(read))
            self._unrested = f"the dice moved {moved_s:.1f} s after they were read, and the shaker stood"
        if self._alone is None and (self._unrested or (self._state is State.STANDING and self._due is not None)):
            self._alone = reading.at
        return signals

    def _moves_in_throw(self, throw: Throw, moved: SceneMoved) -> list[Signal]:
        if self._state is State.LOOKING and throw.look is not None:
            if moved.taken.mono_ns < throw.look.mono_ns:
                self._state, throw.look = State.STOPPED, None  # they had not come to rest, and the word came late
                return []
            detail = "the dice moved after they had come to rest, before they were read, and the shaker stood"
            return self._end(self._looks.doubtful(DiceReason.MOVED_AFTER_LOOK, detail))
        if throw.floor is not None and moved.taken.mono_ns < throw.floor.mono_ns:
            return self._too_early() if self._state in IN_THROW and not throw.moved else []
        throw.again = throw.moved
        throw.moved = True
        return []

    def _taken_back(self, reason: str, detail: str) -> list[Signal]:
        """A value that no witness has confirmed yet was not left alone."""
        given, self._given = self._given, False
        return [Withdrawn(detail, held(reason, detail))] if given else []

    def _settled(self, at: Instant) -> list[Signal]:
        """The shaker has stopped and the scene is at rest: what lies there?"""
        throw = self._throw
        if self._state is not State.STOPPED or throw is None or not throw.moved or not self._scene.at_rest:
            return []
        self._state, throw.look = State.LOOKING, at
        return [Ask(self._camera, DeviceAction.LOOK)]

    def _answers(self, look: DiceSeen | DiceUnclear) -> bool:
        since = self._throw.look if self._throw is not None else None
        fresh = self._looks.answers(look, since or look.first)
        return fresh and self._state is State.LOOKING

    def _seen(self, look: DiceSeen) -> list[Signal]:
        known, value = self._looks.known, self._looks.judge(look)
        if not isinstance(value, Value):
            return self._end_looked(value)
        if not known:
            detail = "it is not known how the dice lay before this shake: may they be older ones?"
            return self._end_looked(self._looks.doubtful(DiceReason.DICE_UNKNOWN_BEFORE, detail))
        self._over(counts=True)
        self._ground.looked()
        self._read, self._given = look.last, True
        return [Judged(value)]

    def _camera_fault(self, fault: DeviceFault) -> list[Signal]:
        self._scene.fault(fault)
        if fault.cleared:
            return self._settled(fault.at)
        if fault.fault == Fault.LINK_LOST:
            self._looks.restarted()
        self._looks.unsure()
        self._ground.stale()
        self._ready_said = False
        self._alone = self._unrested = None
        verdict = held(DiceReason.CAMERA_FAULT, f"the camera failed during the shake: {fault.detail}")
        if self._state is State.ASKED:
            return self._never_ran(verdict)
        if self._state in IN_THROW:
            return self._end(verdict)
        return self._taken_back(DiceReason.CAMERA_FAULT, f"the camera failed after the dice were read: {fault.detail}")

    # -- waits ----------------------------------------------------------------------------------------------

    def _limit(self) -> Instant | None:
        throw, rules = self._throw, self._rules
        if throw is None:
            return None if self._alone is None else self._alone.plus_s(rules.lead_s)
        if throw.look is not None:
            return throw.look.plus_s(rules.look_s)
        if throw.stop is not None:
            return throw.stop.plus_s(rules.settle_s if throw.moved else rules.lead_s)
        if throw.early is not None:
            return throw.early.plus_s(BOUNCE_S)
        return throw.since.plus_s(rules.start_s if self._state is State.ASKED else rules.max_shake_s)

    def _too_long(self) -> list[Signal]:
        throw, rules = self._throw, self._rules
        if throw is None:
            unrested, self._alone, self._unrested = self._unrested, None, None
            if unrested is not None:
                return [Contradicted(unrested)]
            self._due = None
            self._looks.unsure()
            detail = "the camera saw the dice move and the shaker did not say that it shakes"
            return [Unseen(None, held(DiceReason.DICE_MOVED_ALONE, detail))]
        if throw.look is not None:
            detail = f"the camera did not say within {rules.look_s:g} s what lies there"
            return self._end(refused(DiceReason.NO_LOOK, detail))
        if throw.stop is not None:
            return self._end(self._not_settled(throw))
        if throw.early is not None:
            return self._end(refused(DiceReason.SHAKE_CUT_SHORT, self._too_short(throw) or ""))
        if self._state is State.ASKED:
            return self._never_ran(self._not_begun(throw))
        detail = f"the shaker did not say that it stands within {rules.max_shake_s:g} s"
        return self._end(refused(DiceReason.NEVER_STOPPED, detail))

    def _not_settled(self, throw: Throw) -> Refused | Held:
        if throw.moved:
            detail = f"the dice did not come to rest within {self._rules.settle_s:g} s of the stop"
            return refused(DiceReason.NEVER_STILL, detail)
        if self._scene.still is None or self._scene.blind:
            return held(DiceReason.CAMERA_FAULT, "the camera did not see the shake: is it running?")
        return held(DiceReason.CAMERA_SAW_NOTHING, "the shaker says that it shook, and the camera saw nothing move")

    def _not_begun(self, throw: Throw) -> Refused | Held:
        within = f"within {self._rules.start_s:g} s"
        if throw.moved:
            detail = f"the camera saw the dice move and the shaker did not say {within} that it shakes"
            return held(DiceReason.DICE_MOVED_ALONE, detail)
        if throw.taken:
            return refused(DiceReason.NEVER_SHOOK, f"the shaker took the command and did not shake {within}")
        return refused(DiceReason.NO_SHAKE_ANSWER, f"the shaker did not take the command {within}: is control allowed?")

    def _too_short(self, throw: Throw) -> str | None:
        """How long it shook by its own words: what the camera saw before may have been a hand."""
        told_s = TOLD_PART * (throw.told_s or 0.0) - min(throw.late_s, SAID_LATE_S)
        shortest_s = max(self._rules.min_shake_s, told_s)
        if throw.shaken_s >= shortest_s:
            return None
        return f"the shaker shook for {throw.shaken_s:.1f} s by its own words, and {shortest_s:.1f} s are needed"

    # -- the end of a throw ---------------------------------------------------------------------------------

    def _never_ran(self, verdict: Refused | Held) -> list[Signal]:
        return [Started(), BettingOver(), *self._end(verdict)]

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        """Nobody looked at its dice, if there were any."""
        self._over()
        self._looks.unread()
        self._ground.stale()
        return [NotJudged(verdict)]

    def _end_looked(self, verdict: Refused | Held) -> list[Signal]:
        self._over()
        self._ground.looked()
        return [NotJudged(verdict)]

    def _over(self, *, counts: bool = False) -> None:
        if not counts and (self._throw is None or self._throw.floor is None):
            self._looks.unsure()  # dice that were shaken while no round waited for them
        self._old_shake = not counts
        self._state = self._rest_state()
        self._throw, self._due, self._ready_said = None, None, False
        self._alone = self._unrested = None

    def _rest_state(self) -> State:
        if not self._stands:
            return State.SPENT
        return State.COMING_TO_STAND if self._old_shake else State.STANDING

    def _bounced(self) -> Instant | None:
        """When a shake that does not count is over for good."""
        if self._state is not State.COMING_TO_STAND or self._stood is None:
            return None
        return self._stood.plus_s(BOUNCE_S)

    def _comes_to_stand(self, at: Instant) -> None:
        bounced = self._bounced()
        if bounced is not None and at.mono_ns >= bounced.mono_ns:
            self._state, self._old_shake = State.STANDING, False

    def _ready(self, at: Instant) -> list[Signal]:
        self._comes_to_stand(at)
        asks = self._ask(at)
        if self._ready_said or not self.waiting():
            return asks
        self._ready_said = True
        return [Ready(), *asks]

    def _may_look(self) -> bool:
        """Nothing moves, and what lies there waits for its throw."""
        return self._state is State.STANDING and self._scene.at_rest

    def _ask(self, at: Instant) -> list[Signal]:
        """What lies there before the throw?"""
        self._ground.late(at)
        return self._ground.ask(at) if self._may_look() else []
