"""Judges roulette spins: a pure machine over the wheel's readings, the same for every make of wheel.

Ready → running → spent → ready. A spin counts only if it was seen from its beginning: the ball in the rim,
no more bets, the result, with one spin counter and no gap (``devices.md`` §1). Whatever else happens ends in
``Refused`` (a rule was broken: throw again) or ``Held`` (not clear: a person looks).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto

from dealer_daemon.validation.signals import (
    BettingOver,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Ready,
    Signal,
    Started,
    Trouble,
    Unseen,
    Value,
)
from dealer_daemon.validation.spin_attempt import SINGLE_ZERO, SpinAttempt, contradiction, held, no_such_pocket, refused
from dealer_daemon.validation.spin_result import SpinResult, check_laps
from dealer_daemon.validation.spin_rules import SpinReason, SpinRules
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    WheelFault,
    WheelPhase,
    WheelStatus,
)

RUNNING_PHASES = frozenset({WheelPhase.RIM, WheelPhase.NO_MORE_BETS, WheelPhase.RESULT})

# Said of the wheel between spins, so that a table never stands still without saying why.
_TROUBLES = {
    WheelFault.LAUNCH_FAILED: "the launch failed; the wheel tries again by itself",
    WheelFault.SENSOR: "the wheel reports a sensor, motor or encoder fault: call a technician",
    WheelFault.NO_BALL: "the wheel sees no ball: is it on the table, is the rim clean?",
}
_CLOSED = "wheel_closed"


class _State(Enum):
    UNKNOWN = auto()
    READY = auto()
    RUNNING = auto()
    SPENT = auto()


class SpinJudge:
    """See the module. ``facts`` turns a result into the game's facts, whose numbers are ``pockets``: the wheel may name
    another, and that is held. ``last_spin`` is the wheel's counter as the journal knows it, so that a spin missed while
    nobody listened is noticed; ``stands`` is the number of the spin that was judged last, which the wheel may still
    contradict.
    """

    def __init__(
        self,
        rules: SpinRules,
        facts: Callable[[SpinResult], Mapping[str, object]],
        *,
        pockets: Collection[str] = SINGLE_ZERO,
        last_spin: int | None = None,
        stands: tuple[str, int] | None = None,
    ) -> None:
        self._rules = rules
        self._facts = facts
        self._pockets = pockets
        self._state = _State.UNKNOWN
        self._attempt: SpinAttempt | None = None
        self._spin = last_spin
        self._last_status: WheelStatus | None = None
        self._accepted: tuple[str, int | None] | None = stands
        if stands is not None:
            self._state, self._spin = _State.SPENT, stands[1]
        self._other: str | None = None
        self._troubles: set[str] = set()

    def underway(self) -> bool:
        """A spin seen from its beginning is running."""
        return self._state is _State.RUNNING

    def waiting(self) -> bool:
        """The wheel is ready for a launch."""
        return self._state is _State.READY

    def due(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """The croupier launches the ball: there is nothing to ask for."""
        return []

    def discard(self) -> None:
        """What is under way does not count: wait until the wheel is ready again."""
        if self._state is _State.RUNNING:
            self._spend()

    def deadline_ns(self) -> int | None:
        """When silence or an endless ball would be noticed."""
        moment = self._attempt.deadline() if self._attempt is not None else None
        return None if moment is None else moment.mono_ns + 1

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        if self._attempt is None:
            return []
        verdict = self._attempt.overdue(at)
        return [] if verdict is None else self._end(verdict)

    def feed(self, device: str, reading: Reading) -> list[Signal]:  # noqa: ARG002
        """One reading of the wheel."""
        signals = self.tick(reading.at)
        match reading:
            case WheelStatus():
                signals += self._status(reading)
            case BallLaps():
                signals += self._laps(reading)
            case BallRested(number=number) if self._attempt is not None and number not in self._pockets:
                signals += self._end(no_such_pocket(reading.witness, number))
            case BallRested():
                signals += self._rested(reading)
            case NumberUnreadable() if self._attempt is not None:
                signals += self._end(no_such_pocket(reading.witness, reading.text))
            case DeviceFault(cleared=False, fault=Fault.LINK_LOST) if self._attempt is not None:
                signals += self._end(held(SpinReason.DEVICE_LOST, "the wheel's connection was lost in mid-spin"))
            case DeviceFault(cleared=False, fault=Fault.LINK_LOST):
                self._last_status = None
            case _:
                pass
        return signals

    # -- status frames ------------------------------------------------------------------------------------

    def _status(self, status: WheelStatus) -> list[Signal]:
        before, self._last_status = self._last_status, status
        signals: list[Signal] = []
        if self._state is _State.RUNNING:
            assert self._attempt is not None
            if status.phase in RUNNING_PHASES:
                return self._run(self._attempt, status)
            signals += self._end(self._unfinished(self._attempt, status))
        if status.phase in RUNNING_PHASES:
            return signals + self._begin_or_join(status, before)
        return signals + self._wait(status, before)

    def _run(self, attempt: SpinAttempt, status: WheelStatus) -> list[Signal]:
        closed_before = attempt.no_more_bets_at is not None
        verdict = attempt.note(status)
        if verdict is not None:
            return self._end(verdict)
        if attempt.no_more_bets_at is not None and not closed_before:
            return [BettingOver()]
        return []

    def _unfinished(self, attempt: SpinAttempt, status: WheelStatus) -> Refused | Held:
        if status.spin != attempt.spin:
            return held(
                SpinReason.COUNTER_CHANGED,
                f"the wheel went on from spin {attempt.spin} to {status.spin} and its result was not seen",
                **{str(w): n for w, n in attempt.numbers},
            )
        if attempt.phase is WheelPhase.RESULT and attempt.numbers:
            return held(
                SpinReason.SINGLE_WITNESS,
                "the number was reported too few times to be sure of it",
                **{str(w): n for w, n in attempt.numbers},
            )
        if status.phase is WheelPhase.CLOSED:
            return refused(SpinReason.WHEEL_CLOSED, "the wheel was closed or powered down in mid-spin")
        return refused(SpinReason.BALL_LEFT_WHEEL, "the ball was launched and came to rest in no pocket")

    def _begin_or_join(self, status: WheelStatus, before: WheelStatus | None) -> list[Signal]:
        if self._state is _State.SPENT and status.spin == self._spin:
            return []
        if self._state is not _State.READY or before is None:
            self._state, self._spin = _State.SPENT, status.spin
            verdict = held(
                SpinReason.JOINED_MID_SPIN, f"the wheel was already in {status.phase} when it was first seen"
            )
            return [Unseen(status.spin, verdict)]
        gap_s = status.at.since_s(before.at)
        if status.spin != self._spin:
            self._spin = status.spin
            return self._unseen(
                held(SpinReason.SPIN_NOT_SEEN, f"the wheel's counter is {status.spin}: a spin went by unseen")
            )
        fresh = gap_s <= self._rules.silence_s or not status.periodic
        if status.phase is WheelPhase.RESULT:
            if fresh:
                return self._never_ran(
                    refused(SpinReason.POCKET_BEFORE_LAUNCH, "the wheel names a pocket and no launch was seen")
                )
            return self._unseen(
                held(SpinReason.SPIN_NOT_SEEN, f"the wheel was silent for {gap_s:.1f} s and then showed a result")
            )
        if status.phase is WheelPhase.NO_MORE_BETS:
            return self._unseen(
                held(SpinReason.STATE_ORDER, "the wheel said no more bets and the ball was never seen in the rim")
            )
        if not fresh:
            return self._unseen(
                held(SpinReason.SILENCE, f"the wheel was silent for {gap_s:.1f} s while the ball was launched")
            )
        self._attempt = SpinAttempt(self._rules, status.spin, status.at, periodic=status.periodic)
        self._state = _State.RUNNING
        self._accepted = None
        verdict_now = self._attempt.note(status)
        started: list[Signal] = [Started()]
        return started + (self._end(verdict_now) if verdict_now is not None else [])

    def _never_ran(self, verdict: Refused | Held) -> list[Signal]:
        return [Started(), *self._end(verdict)]

    def _unseen(self, verdict: Held) -> list[Signal]:
        self._spend()
        return [Unseen(self._spin, verdict)]

    def _wait(self, status: WheelStatus, before: WheelStatus | None) -> list[Signal]:
        signals = self._trouble(status)
        if WheelFault.SAME_DIRECTION in status.faults:
            # Seen in state 2 on real wheels: the ball was launched the wrong way before one lap was made.
            if self._state in (_State.READY, _State.UNKNOWN):
                self._spin = status.spin
                signals += self._never_ran(
                    refused(SpinReason.SAME_DIRECTION, "the wheel says that ball and rotor turn the same way")
                )
            return signals
        if self._state is _State.SPENT and status.phase is WheelPhase.CLOSED and status.spin == self._spin:
            return signals
        if self._missed(status, before):
            signals += self._unseen(
                held(
                    SpinReason.SPIN_NOT_SEEN,
                    f"the wheel's counter went from {self._spin} to {status.spin}: a spin went by unseen",
                )
            )
        if self._state is not _State.READY or status.spin != self._spin:
            self._state, self._spin = _State.READY, status.spin
            signals.append(Ready(status.spin))
        return signals

    def _missed(self, status: WheelStatus, before: WheelStatus | None) -> bool:
        """The counter rose while the wheel waited: a whole spin was not seen."""
        if self._state is _State.SPENT or status.spin == self._spin or self._spin is None or status.spin is None:
            return False
        # A wheel that was switched off counts from 0 again; in less than a game's time nothing can be missed.
        reset = status.spin <= 1 and before is not None
        return not (reset and status.at.since_s(before.at) < self._rules.min_game_s) if before else True

    def _trouble(self, status: WheelStatus) -> list[Signal]:
        now = {str(fault): detail for fault, detail in _TROUBLES.items() if fault in status.faults}
        if status.phase is WheelPhase.CLOSED:
            now[_CLOSED] = "the wheel is closed or powered down: open it at the wheel"
        begun = [Trouble(fault, detail) for fault, detail in now.items() if fault not in self._troubles]
        over = [Trouble(fault, "", cleared=True) for fault in sorted(self._troubles - set(now))]
        self._troubles = set(now)
        return [*over, *begun]

    # -- laps and numbers ---------------------------------------------------------------------------------

    def _laps(self, reading: BallLaps) -> list[Signal]:
        if self._attempt is None or self._attempt.phase is WheelPhase.RESULT:
            return []
        verdict = self._attempt.note_laps(reading)
        return [] if verdict is None else self._end(verdict)

    def _rested(self, reading: BallRested) -> list[Signal]:
        if self._attempt is None:
            return self._stray(reading)
        attempt = self._attempt
        verdict = attempt.note_number(reading)
        if verdict is not None:
            return self._end(verdict)
        periodic = self._last_status is None or self._last_status.periodic
        needed = self._rules.min_witnesses or (2 if periodic else 1)
        if attempt.phase is not WheelPhase.RESULT or len(attempt.numbers) < needed or attempt.owes:
            return []
        if all(witness is NumberWitness.BARE for witness, _ in attempt.numbers):
            return []
        return self._conclude(attempt)

    def _stray(self, reading: BallRested) -> list[Signal]:
        """A number outside a running spin."""
        if self._state is _State.SPENT and self._accepted is not None:
            return self._after_accepted(reading, *self._accepted)
        showing_result = self._last_status is not None and self._last_status.phase in RUNNING_PHASES
        if self._state is not _State.READY or showing_result:
            return []
        return self._never_ran(
            refused(SpinReason.POCKET_BEFORE_LAUNCH, f"the {reading.witness} names a pocket and no launch was seen")
        )

    def _after_accepted(self, reading: BallRested, number: str, spin: int | None) -> list[Signal]:
        """One odd report against the agreeing ones that the result stands on is noise; two of the same are not."""
        if reading.spin not in (spin, None) or reading.number == number:
            self._other = None
            return []
        if self._other != reading.number:
            self._other = reading.number
            return []
        self._accepted, self._other = (reading.number, spin), None
        return [contradiction(number, reading)]

    # -- the end of a spin --------------------------------------------------------------------------------

    def _conclude(self, attempt: SpinAttempt) -> list[Signal]:
        laps, doubt = check_laps(self._rules, attempt.laps, attempt.rim_s())
        if isinstance(doubt, Refused | Held):
            return self._end(doubt)
        number = attempt.numbers[0][1]
        result = SpinResult(
            number=number,
            laps=laps,
            laps_source=self._rules.laps,
            rotor_direction=None if attempt.rotor is None else str(attempt.rotor),
            rotor_rpm=attempt.rotor_rpm,
            ball_time_s=self._ball_time_s(attempt),
            spin=attempt.spin,
        )
        witnesses = tuple(dict.fromkeys(str(witness) for witness, _ in attempt.numbers))
        value = Value(self._facts(result), witnesses, attempt.spin)
        self._spend()
        self._accepted = (number, attempt.spin)
        return [Judged(value) if doubt is None else NeedsConfirmation(value, doubt)]

    def _ball_time_s(self, attempt: SpinAttempt) -> float | None:
        if attempt.last_frame is None:
            return None
        return round(attempt.last_frame.since_s(attempt.started), 3)

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        self._spend()
        return [NotJudged(verdict)]

    def _spend(self) -> None:
        self._attempt = None
        self._accepted = None
        self._state = _State.SPENT
