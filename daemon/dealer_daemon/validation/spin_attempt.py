"""One spin as it is seen: what is remembered of it, and the checks that need no more than that."""

from __future__ import annotations

from dataclasses import dataclass, field

from dealer_daemon.validation.signals import Contradicted
from dealer_daemon.validation.spin_rules import SpinReason, SpinRules
from dealer_daemon.verdicts import Held, Refused, Remedy
from dealer_drivers.instant import Instant
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberWitness,
    Rotation,
    WheelFault,
    WheelPhase,
    pocket_names,
)
from dealer_drivers.readings.roulette import WheelStatus as Status

SINGLE_ZERO = pocket_names(1)
"""The wheel of every rule book (``games.md`` §5)."""

# One odd frame may be a flipped bit; two in a row are the wheel.
FRAMES_TO_BELIEVE = 2

CADENCE_S = 0.5
"""Between two status frames of a wheel (measured 496 to 512 ms, ``devices.md`` §1)."""
SHORTEST_LAP_S = 0.3
"""The fastest of 313 recorded spins made a lap in 0.34 s (``devices.md`` §1, physics)."""
BURST_S = 0.25
"""What a reader that stalled had waiting arrives within this time."""

# A wheel's own warning that ends the spin at once; the session has already waited as long as the model asks.
_FAULT_REASONS: dict[WheelFault, tuple[SpinReason, str]] = {
    WheelFault.SAME_DIRECTION: (SpinReason.SAME_DIRECTION, "the wheel says that ball and rotor turn the same way"),
    WheelFault.BALL_LEFT: (SpinReason.BALL_LEFT_WHEEL, "the wheel says that the ball left it or the spin is void"),
    WheelFault.SENSOR: (SpinReason.SENSOR_FAULT, "the wheel reports a sensor, motor or encoder fault"),
    WheelFault.NO_BALL: (SpinReason.NO_BALL, "the wheel sees no ball"),
    WheelFault.LAUNCH_FAILED: (SpinReason.LAUNCH_FAILED, "the wheel says that the launch failed"),
}


def refused(reason: SpinReason, detail: str, **figures: float) -> Refused:
    """Throw the ball again."""
    return Refused(str(reason), Remedy.RETHROW, detail, figures)


def held(reason: SpinReason, detail: str, **seen: object) -> Held:
    """A person must look."""
    return Held(str(reason), detail, seen)


def contradiction(number: str, reading: BallRested) -> Contradicted:
    """The wheel named ``number``, it stood, and now it names another."""
    return Contradicted(
        f"after {number} stood, the {reading.witness} says {reading.number}",
        {"accepted": number, str(reading.witness): reading.number},
    )


def no_such_pocket(witness: NumberWitness, text: str) -> Held:
    """What the wheel names is no number of this game."""
    return held(SpinReason.NUMBER_UNREADABLE, f"the {witness} says {text!r}: no such pocket", **{str(witness): text})


@dataclass(slots=True)
class SpinAttempt:
    """A spin from the moment the ball was seen in the rim."""

    rules: SpinRules
    spin: int | None
    started: Instant
    periodic: bool
    """Frames come at a cadence: silence means something, and the time in the rim is known."""
    phase: WheelPhase = WheelPhase.RIM
    no_more_bets_at: Instant | None = None
    last_frame: Instant | None = None
    rotor: Rotation | None = None
    rotor_rpm: float | None = None
    laps: int | None = None
    """Laps that two frames in a row agree on, or that were tallied from single events."""
    _last_count: BallLaps | None = None
    lap_times_s: list[float] = field(default_factory=list)
    numbers: list[tuple[NumberWitness, str]] = field(default_factory=list)
    _odd: dict[SpinReason, int] = field(default_factory=dict)
    _owed: int = 0
    _owed_by: Instant | None = None

    def note(self, status: Status) -> Refused | Held | None:
        """One status frame of the running spin, in rim, no more bets or result. A verdict ends the spin."""
        self._arrived(status.at)
        if status.spin != self.spin:
            return held(
                SpinReason.COUNTER_CHANGED,
                f"the wheel's spin counter went from {self.spin} to {status.spin} in the middle of a spin",
            )
        order = _order(status.phase)
        if order < _order(self.phase):
            return held(
                SpinReason.STATE_ORDER,
                f"the wheel went from {self.phase} back to {status.phase} in the middle of a spin",
            )
        if status.phase is WheelPhase.RESULT and self.no_more_bets_at is None:
            return held(SpinReason.STATE_ORDER, "the wheel shows a result and never said no more bets")
        self.phase = status.phase
        self.last_frame = status.at
        if status.phase is WheelPhase.RESULT:
            return self._fault(status)
        if status.phase is WheelPhase.NO_MORE_BETS and self.no_more_bets_at is None:
            self.no_more_bets_at = status.at
        return self._fault(status) or self._rotor(status)

    def _fault(self, status: Status) -> Refused | None:
        for fault, (reason, detail) in _FAULT_REASONS.items():
            if fault in status.faults:
                return refused(reason, detail)
        return None

    def _rotor(self, status: Status) -> Refused | None:
        if self.rotor is None:
            self.rotor = status.rotor
        if status.rotor_rpm is not None:
            self.rotor_rpm = status.rotor_rpm
        rpm, low, high = status.rotor_rpm, self.rules.min_rotor_rpm, self.rules.max_rotor_rpm
        stopped = rpm is not None and rpm < 1.0
        outside = rpm is not None and not stopped and not low <= rpm <= high
        by_wheel = WheelFault.ROTOR_SPEED in status.faults
        reversed_ = status.rotor is not None and self.rotor is not None and status.rotor is not self.rotor
        along = status.ball is not None and status.ball is status.rotor
        speed = f"{rpm:.1f} rpm" if rpm is not None else "outside the wheel's own limits"
        limits = f"{low:g} to {high:g} rpm are allowed"
        checks = (
            (SpinReason.ROTOR_STOPPED, stopped, "the rotor stands still"),
            (SpinReason.ROTOR_SPEED, outside or by_wheel, f"the rotor turns at {speed}; {limits}"),
            (SpinReason.ROTOR_REVERSED, reversed_, f"the rotor changed its direction to {status.rotor}"),
            (SpinReason.SAME_DIRECTION, along, f"ball and rotor both turn {status.rotor}"),
        )
        for reason, odd, detail in checks:
            count = self._odd.get(reason, 0) + 1 if odd else 0
            self._odd[reason] = count
            if count >= FRAMES_TO_BELIEVE:
                return refused(reason, detail)
        return None

    def note_laps(self, reading: BallLaps) -> Refused | None:
        """A lap count of the wheel. One frame's word is not enough: the next must go on from it in the time between.
        Equal lap times in a row are an endless ball."""
        last, self._last_count = self._last_count, reading
        before = 0 if last is None else last.laps
        if reading.tallied or not self.periodic:
            self.laps = reading.laps
        elif last is not None and abs(reading.laps - last.laps) <= 1 + reading.at.since_s(last.at) / SHORTEST_LAP_S:
            self.laps = min(last.laps, reading.laps)
        if reading.lap_time_s is None or reading.laps <= before or self._in_pocket(reading.lap_time_s):
            return None
        self.lap_times_s.append(reading.lap_time_s)
        recent = self.lap_times_s[-self.rules.endless_laps - 1 :]
        if len(recent) <= self.rules.endless_laps:
            return None
        first = recent[0]
        if all(abs(lap / first - 1) < self.rules.endless_lap_growth for lap in recent[1:]):
            return refused(
                SpinReason.ENDLESS_BALL,
                f"{self.rules.endless_laps} laps of {first:.2f} s each: the ball does not slow down",
            )
        return None

    def rim_s(self) -> float | None:
        """Seconds in the rim, where beginning and end were both seen."""
        if self.no_more_bets_at is None or not self.periodic:
            return None
        return self.no_more_bets_at.since_s(self.started)

    def _in_pocket(self, lap_time_s: float) -> bool:
        # A lap that takes as long as the rotor's own turn is the ball carried round in a pocket (devices.md §1).
        if self.rotor_rpm is None or self.rotor_rpm < 1.0:
            return False
        return abs(lap_time_s * self.rotor_rpm / 60.0 - 1) < 0.01

    def note_number(self, reading: BallRested) -> Refused | Held | None:
        """One witness of the number. Different ones are never settled by a vote."""
        for witness, number in self.numbers:
            if number != reading.number:
                seen = {str(w): n for w, n in self.numbers}
                if witness is reading.witness:
                    return refused(
                        SpinReason.TWO_POCKETS, f"the {witness} named pocket {number} and then {reading.number}"
                    )
                return held(
                    SpinReason.WITNESSES_DISAGREE,
                    f"the {witness} says {number}, the {reading.witness} says {reading.number}",
                    **(seen | {str(reading.witness): reading.number}),
                )
        self.numbers.append((reading.witness, reading.number))
        return None

    @property
    def _silent_from(self) -> Instant | None:
        return self.last_frame if self.periodic else None

    def _arrived(self, at: Instant) -> None:
        """A status frame came. After a gap the frames of that time must follow at once: then the reader stalled and
        the wheel did not fall silent. Frames that are missing are a silence."""
        before = self._silent_from
        if before is None:
            return
        if self._owed:
            self._owed -= 1
        elif at.since_s(before) > self.rules.silence_s:
            # One frame has come, and one may be torn or on its way.
            self._owed = max(0, int(at.since_s(before) / CADENCE_S) - 2)
            self._owed_by = at.plus_s(BURST_S)
        if not self._owed:
            self._owed_by = None

    @property
    def owes(self) -> bool:
        """Frames of a gap are still missing: no result may stand on this."""
        return self._owed > 0

    def overdue(self, at: Instant) -> Refused | Held | None:
        """What the clock alone says."""
        late = self._owed_by is not None and at.mono_ns > self._owed_by.mono_ns
        silent = self._silent_from is not None and at.since_s(self._silent_from) > self.rules.offline_s
        if late or silent:
            return held(
                SpinReason.SILENCE,
                f"the wheel was silent for more than {self.rules.silence_s:g} s while the ball was running",
                **{str(w): n for w, n in self.numbers},
            )
        limit, since = self._limit()
        if limit is not None and since is not None and at.since_s(since) > limit:
            return refused(SpinReason.ENDLESS_BALL, f"the ball did not drop within {limit:g} s of {self.phase}")
        return None

    def deadline(self) -> Instant | None:
        """The first moment at which ``overdue`` can say something."""
        silent = self._silent_from.plus_s(self.rules.offline_s) if self._silent_from is not None else None
        limit, since = self._limit()
        endless = since.plus_s(limit) if since is not None and limit is not None else None
        moments = [moment for moment in (silent, self._owed_by, endless) if moment is not None]
        return min(moments, key=lambda moment: moment.mono_ns) if moments else None

    def _limit(self) -> tuple[float | None, Instant | None]:
        if self.phase is WheelPhase.RIM:
            return self.rules.max_rim_s, self.started
        if self.phase is WheelPhase.NO_MORE_BETS:
            return self.rules.max_no_more_bets_s, self.no_more_bets_at
        return None, None


_ORDER = {WheelPhase.RIM: 1, WheelPhase.NO_MORE_BETS: 2, WheelPhase.RESULT: 3}


def _order(phase: WheelPhase) -> int:
    return _ORDER.get(phase, 0)
