"""Judges turns of the colour wheel: a pure machine over its encoder's counts, the same for every kind of encoder.

Unknown → ready (verified at rest) → running → at rest again. A turn counts only if it was seen from a verified rest to
the next one without a gap, nobody touched it on the way, and encoder and reference mark agreed (``devices.md`` §5).
Whatever else happens ends in ``Refused`` (a rule was broken: spin again) or ``Held`` (not clear: a person looks).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from dealer_daemon.validation.signals import (
    BettingOver,
    Contradicted,
    Judged,
    NotJudged,
    Ready,
    Signal,
    Started,
    Trouble,
    Unseen,
    Value,
)
from dealer_daemon.validation.turn_attempt import TurnAttempt, held, refused
from dealer_daemon.validation.turn_creep import Creep
from dealer_daemon.validation.turn_knocks import KNOCKED, UNKNOWN_DEG, Knocks
from dealer_daemon.validation.turn_map import SEGMENT_DEG, Place, WheelMap
from dealer_daemon.validation.turn_motion import Motion, Stillness
from dealer_daemon.validation.turn_reference import NO_HOME, Pass, Reference
from dealer_daemon.validation.turn_rules import TurnReason, TurnRules, longest_gap_s
from dealer_daemon.validation.turn_spent import Respun
from dealer_daemon.validation.turn_track import Jump, Sample, Track
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

STEP_DEG = 0.2
"""Between two samples of a wheel that turns."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """A turn that counts. ``turns`` is net: roll-back is taken off."""

    place: Place
    turns: float
    way: str
    start_segment: int
    seconds: float
    segment_map: str


class _State(Enum):
    UNKNOWN = auto()
    READY = auto()
    RUNNING = auto()
    SPENT = auto()


class TurnJudge:
    """See the module. ``facts`` turns a result into the game's facts; ``stands``: a result was given before, which
    the next pass of the mark may still throw doubt on."""

    def __init__(
        self,
        rules: TurnRules,
        wheel: WheelMap,
        facts: Callable[[TurnResult], Mapping[str, object]],
        *,
        stands: bool = False,
    ) -> None:
        self._rules = rules
        self._wheel = wheel
        self._facts = facts
        self._stands = stands
        self._state = _State.UNKNOWN
        self._track = Track(rules.max_turns_per_s * 360)
        self._still = Stillness(rules.still_deg, rules.still_s)
        self._motion = Motion()
        self._reference = Reference(wheel)
        self._attempt: TurnAttempt | None = None
        self._life: int | None = None
        self._newest: WheelAngle | None = None
        self._true_deg: tuple[float, float] | None = None
        """The newest place on the wheel, and where that is on the track; ``None`` while a counter has no home."""
        self._heard: Instant | None = None
        self._rest_deg: float | None = None
        """Where the wheel was last verified at rest, or first seen while that is unknown."""
        self._verified_s: float | None = None
        """Since when it has stood there, as far as that was verified."""
        self._left_deg: float | None = None
        """Where it rested when it was lost from sight."""
        self._left_angle_deg: float | None = None
        """The same as a place on the wheel, where the counter has begun anew since."""
        self._doubt: Held | None = None
        """Why a rest that was verified is not known to last: it is verified anew before a turn begins from it."""
        self._respun = Respun(0.0)
        self._last_deg = 0.0
        self._stepped = (False, False)
        """Whether the wheel moved between the last samples: an encoder that is knocked steps once."""
        self._creep: Creep | None = None
        """Since the running turn's wheel was verified at rest: it is watched."""
        self._slipped = self._lost_home = self._restless = False
        self._restless_since_s: float | None = None
        self._knocks = Knocks(rules.reference_tolerance_deg)

    def underway(self) -> bool:
        """A turn seen from its beginning is running."""
        return self._state is _State.RUNNING

    def waiting(self) -> bool:
        """The wheel is verified at rest."""
        return self._state is _State.READY

    def due(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """The dealer spins the wheel: there is nothing to ask for."""
        return []

    def discard(self) -> None:
        """What is under way does not count: wait until the wheel rests."""
        if self._state is _State.RUNNING:
            self._spend()

    def deadline_ns(self) -> int | None:
        """When silence would be noticed."""
        if self._heard is None or self._state is _State.UNKNOWN:
            return None
        return self._heard.plus_s(self._rules.silence_s).mono_ns + 1

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        if self._heard is None or at.since_s(self._heard) <= self._rules.silence_s:
            return []
        return self._out_of_sight(TurnReason.SAMPLES_MISSING, f"no count for more than {self._rules.silence_s:g} s")

    def feed(self, device: str, reading: Reading) -> list[Signal]:  # noqa: ARG002
        """One reading of the encoder."""
        # A count with its own time says itself whether any are missing: it may have waited in a buffer.
        timed = isinstance(reading, WheelAngle) and reading.device_s is not None
        signals = [] if timed else self.tick(reading.at)
        match reading:
            case WheelAngle():
                signals += self._angle(reading)
            case IndexMark() if reading.life == self._life:
                signals += self._mark(reading)
            case DeviceFault(cleared=False, fault=Fault.LINK_LOST):
                signals += self._out_of_sight(TurnReason.DEVICE_LOST, "the wheel's connection was lost in mid-turn")
            case _:
                pass
        return signals

    # -- out of sight -------------------------------------------------------------------------------------

    def _out_of_sight(self, reason: TurnReason, detail: str) -> list[Signal]:
        signals: list[Signal] = []
        if self._state is _State.RUNNING:
            signals += self._end(held(reason, detail))
        if self._state is _State.READY:
            self._left_deg = self._rest_deg
        self._doubt = None
        self._state, self._heard = _State.UNKNOWN, None
        self._forget_motion()
        return signals

    def _another_life(self, reading: WheelAngle) -> list[Signal]:
        signals: list[Signal] = []
        if self._state is _State.RUNNING:
            detail = "the encoder's counter began anew in mid-turn: did its power fail, was its zero set?"
            signals += self._end(held(TurnReason.ENCODER_RESTARTED, detail))
        if self._life is not None:
            self._stands = False
        left_deg = self._rest_deg if self._state is _State.READY else self._left_deg
        if left_deg is not None and self._true_deg is not None:
            self._left_angle_deg = self._angle_deg(left_deg)
        self._doubt = None
        self._life = reading.life
        self._state, self._left_deg, self._newest, self._true_deg = _State.UNKNOWN, None, None, None
        self._track.restart()
        self._reference.restart()
        self._forget_motion()
        return signals

    # -- counts -------------------------------------------------------------------------------------------

    def _angle(self, reading: WheelAngle) -> list[Signal]:
        signals = self._another_life(reading) if reading.life != self._life else []
        if reading.counts_lost:
            signals += self._counts_lost()
        fit = self._track.add(reading)
        if fit is None:
            return signals
        self._heard = reading.at
        if isinstance(fit, Jump):
            return signals + self._jumped(reading, fit)
        fit = self._corrected(reading, fit)
        gap_s = self._most_gap_s(reading)
        step_deg = fit.deg - self._last_deg
        self._stepped = (self._stepped[1], abs(step_deg) > STEP_DEG)
        self._knocks.step(step_deg, fit.gap_s)
        self._last_deg = fit.deg
        self._still.add(fit, gap_s)
        self._motion.add(fit)
        if self._rest_deg is None:
            self._rest_deg = fit.deg
        if self._state is _State.RUNNING:
            assert self._attempt is not None
            return signals + self._run(self._attempt, fit, gap_s)
        return signals + self._wait(fit, gap_s)

    def _counts_lost(self) -> list[Signal]:
        self._still.clear()
        verdict = held(TurnReason.COUNTS_LOST, "the counter says that it missed counts")
        if self._state is _State.RUNNING:
            return self._end(verdict)
        self._doubt = verdict
        return []

    def _corrected(self, reading: WheelAngle, sample: Sample) -> Sample:
        """The sample as the wheel really stands: encoders are out of true by half a segment."""
        self._newest = reading
        encoder_deg = self._reference.encoder_deg(reading)
        if encoder_deg is None:
            self._true_deg = None
            return sample
        if self._true_deg is None:
            self._forget_motion()
        off_deg = self._wheel.correction(encoder_deg)
        deg = sample.deg + off_deg
        self._true_deg = (encoder_deg + off_deg, deg)
        return replace(sample, deg=deg)

    def _forget_motion(self) -> None:
        self._still.clear()
        self._motion.clear()
        self._rest_deg = self._verified_s = self._restless_since_s = None

    def _jumped(self, reading: WheelAngle, jump: Jump) -> list[Signal]:
        signals: list[Signal] = []
        if self._state is _State.RUNNING:
            detail = f"the count went {jump.by_deg:+.0f}° away at once: is the encoder or its cable faulty?"
            signals += self._end(held(TurnReason.ENCODER_JUMP, detail))
        if self._state is not _State.UNKNOWN or self._knocks.off:
            # Only of a wheel that stood it is known how far its encoder went.
            self._knocks.jumped(jump.by_deg if self._state is _State.READY else UNKNOWN_DEG)
            signals += self._knocked()
        self._state = _State.UNKNOWN
        self._left_deg = self._left_angle_deg = self._doubt = None
        self._track.restart()
        self._forget_motion()
        self._track.add(reading)
        return signals

    def _most_gap_s(self, reading: WheelAngle) -> float:
        return longest_gap_s(self._rules, reading.wraps_at / reading.per_turn)

    def _wait(self, sample: Sample, gap_s: float) -> list[Signal]:
        """No turn is running."""
        assert self._rest_deg is not None
        if sample.gap_s > gap_s and self._state is _State.READY and self._doubt is None:
            detail = f"no count for {sample.gap_s:.2f} s before the wheel was spun; {gap_s:g} s is the longest gap"
            self._doubt = held(TurnReason.SAMPLES_MISSING, detail)
        verified = self._state is _State.READY and self._still.since_s == self._verified_s
        rests = self._still.lasted_s() >= self._rules.still_s
        if rests and self._true_deg is None:
            return self._homeless()
        if rests and not verified and self._still.steady():
            return self._rested_again(self._still.deg())
        if not rests and self._restless_for_s(sample) > self._rules.max_spin_s and not self._restless:
            self._restless = True
            detail = f"for {self._rules.max_spin_s:g} s the wheel has not stood within {self._rules.still_deg:g}°"
            return [Trouble(TurnReason.NO_REST, f"{detail}: let it rest, and look for what shakes it or its encoder")]
        if self._state is _State.SPENT:
            return self._again(sample, gap_s)
        if abs(sample.deg - self._rest_deg) <= self._rules.start_deg or not all(self._stepped):
            return []
        if self._state is _State.READY and self._doubt is None:
            return self._begin(sample)
        doubt = self._doubt
        self._left_deg = self._left_angle_deg = None
        in_ready = self._state is _State.READY
        self._spend()
        if in_ready and doubt is not None:
            return [Unseen(None, doubt)]
        if self._true_deg is None:
            return [Unseen(None, held(TurnReason.PLACE_UNKNOWN, NO_HOME))]
        detail = "the wheel was already turning when it was first seen"
        return [Unseen(None, held(TurnReason.JOINED_MID_TURN, detail))]

    def _restless_for_s(self, sample: Sample) -> float:
        """For how long it has turned or trembled while a verified rest is waited for."""
        if self._state is _State.READY or self._restless_since_s is None:
            self._restless_since_s = sample.t_s
        return sample.t_s - self._restless_since_s

    def _knocked(self) -> list[Signal]:
        """Where no mark shows whether the encoder is off, no segment is believed while it is."""
        if self._rules.reference != "unchecked" or self._knocks.off is self._slipped:
            return []
        self._slipped = not self._slipped
        detail = f"{KNOCKED}. Tighten the coupling, calibrate the wheel, restart the station" if self._slipped else ""
        return [Trouble(TurnReason.ENCODER_SLIP, detail, cleared=not self._slipped)]

    def _again(self, sample: Sample, gap_s: float) -> list[Signal]:
        """The last attempt is over and the wheel has not rested since."""
        if sample.gap_s > gap_s:  # speeds across a gap may be any
            self._motion.clear()
            self._motion.add(sample)
            self._respun = Respun(sample.deg)
        pace = self._motion.pace()
        if not self._respun.note(sample, pace, self._still.lasted_s()):
            return []
        assert pace is not None
        self._spend()
        self._respun = Respun(sample.deg, 1 if pace.now > 0 else -1)
        still_s = self._rules.still_s
        detail = f"the wheel was spun again before it had stood still for {still_s:g} s; let it rest first"
        return [Started(), BettingOver(), NotJudged(refused(TurnReason.NOT_RESTED, detail))]

    def _homeless(self) -> list[Signal]:
        """A counter stands and has not seen its index mark since its power came: it knows no place."""
        if self._lost_home:
            return []
        self._lost_home = True
        return [Trouble(TurnReason.PLACE_UNKNOWN, f"{NO_HOME}; that turn does not count")]

    def _rested_again(self, deg: float) -> list[Signal]:
        signals: list[Signal] = [Trouble(TurnReason.PLACE_UNKNOWN, "", cleared=True)] if self._lost_home else []
        if self._restless:
            signals.append(Trouble(TurnReason.NO_REST, "", cleared=True))
        self._lost_home = self._restless = False
        self._restless_since_s = None
        stood_deg = self._rest_deg if self._state is _State.READY else None
        self._knocks.rested(None if stood_deg is None else deg - stood_deg)
        signals += self._knocked()
        turned_deg = self._turned_unseen(deg)
        self._left_deg = self._left_angle_deg = self._doubt = None
        self._rest_deg, self._verified_s = deg, self._still.since_s
        if self._state is _State.READY:
            return signals
        self._state = _State.READY
        if turned_deg > self._rules.start_deg:
            detail = f"the wheel turned {turned_deg:.0f}° while it was out of sight"
            signals.append(Unseen(None, held(TurnReason.TURN_NOT_SEEN, detail)))
        return [*signals, Ready()]

    def _turned_unseen(self, deg: float) -> float:
        """How far it is from where it was lost from sight, at least: of a counter that began anew less than a turn."""
        if self._left_deg is not None:
            return abs(deg - self._left_deg)
        if self._left_angle_deg is not None:
            return abs((self._angle_deg(deg) - self._left_angle_deg + 180) % 360 - 180)
        return 0.0

    def _begin(self, sample: Sample) -> list[Signal]:
        assert self._rest_deg is not None
        place = self._place(self._rest_deg)
        self._attempt = TurnAttempt(
            rules=self._rules,
            wheel=self._wheel,
            start_deg=self._rest_deg,
            start_segment=place.segment,
            start_pointer_deg=place.segment * SEGMENT_DEG + place.angle_deg,
            began_s=sample.t_s,
            marked_deg=self._rest_deg,
            motion=self._motion,
        )
        self._state, self._creep = _State.RUNNING, None
        return [Started(), BettingOver()]

    # -- a turn -------------------------------------------------------------------------------------------

    def _run(self, attempt: TurnAttempt, sample: Sample, gap_s: float) -> list[Signal]:
        if sample.gap_s > gap_s:
            detail = f"no count for {sample.gap_s:.2f} s while the wheel turned; {gap_s:g} s is the longest gap"
            return self._end(held(TurnReason.SAMPLES_MISSING, detail))
        verdict = attempt.note(sample) if self._creep is None else None
        if verdict is not None:
            self._knocks.slipped(attempt.stepped_deg)
            return [*self._knocked(), *self._end(verdict)]
        still_s = self._still.lasted_s()
        if self._creep is None:
            if still_s >= self._rules.still_s and self._still.steady():
                assert self._newest is not None
                self._creep = Creep(self._still.deg(), sample.t_s, 360 / self._newest.per_turn)
        elif still_s < self._rules.still_s:
            detail = f"the wheel had come to rest and moved again within {self._rules.watch_s:g} s"
            return self._end(held(TurnReason.MOVED_AFTER_REST, detail, **self._seen()))
        if self._creep is not None and sample.t_s - self._creep.since_s >= self._rules.watch_s:
            if self._still.steady():
                return self._conclude(attempt, sample, self._creep)
            self._creep = None
        if sample.t_s - attempt.began_s > self._rules.max_spin_s:
            return self._end(
                refused(TurnReason.NO_REST, f"the wheel did not come to rest within {self._rules.max_spin_s:g} s")
            )
        return []

    def _conclude(self, attempt: TurnAttempt, sample: Sample, creep: Creep) -> list[Signal]:
        deg = self._still.deg()
        place = self._place(deg)
        verdict = self._against(attempt, deg, place)
        if verdict is None and not creep.stays(deg, sample.t_s, place.margin_deg):
            return []
        signals = [self._result(attempt, deg, place, sample.t_s) if verdict is None else NotJudged(verdict)]
        self._attempt = None
        self._state, self._rest_deg, self._verified_s = _State.READY, deg, self._still.since_s
        self._knocks.rested(None)
        return [*signals, Ready()]

    def _against(self, attempt: TurnAttempt, deg: float, place: Place) -> Refused | Held | None:
        """What speaks against the turn, at its end."""
        verdict: Refused | Held | None = attempt.too_short(deg) or attempt.wrong_way() or attempt.unmarked(deg)
        if verdict is None and self._rules.reference == "unchecked" and self._slipped:
            verdict = held(TurnReason.ENCODER_SLIP, f"{KNOCKED}; its calibration tells no segment any more")
        keep_out = self._wheel.file.keep_out_deg
        if verdict is None and place.margin_deg < keep_out:
            detail = f"the pointer is {place.margin_deg:.2f}° from a boundary; {keep_out:g}° are needed"
            verdict = refused(TurnReason.ON_BOUNDARY, detail)
        return verdict

    def _result(self, attempt: TurnAttempt, deg: float, place: Place, t_s: float) -> Signal:
        result = TurnResult(
            place=place,
            turns=math.floor(attempt.travel(deg) / 3.6) / 100,
            way=attempt.way(),
            start_segment=attempt.start_segment,
            seconds=round(t_s - attempt.began_s, 2),
            segment_map=self._wheel.sha256,
        )
        witnesses = ("encoder", "reference") if attempt.marks else ("encoder",)
        self._stands = True
        return Judged(Value(self._facts(result), witnesses))

    def _place(self, deg: float) -> Place:
        """Where the pointer is when the track says ``deg``. No turn begins before that is known."""
        return self._wheel.place(self._angle_deg(deg))

    def _angle_deg(self, deg: float) -> float:
        """The encoder's angle by the wheel's file when the track says ``deg``."""
        assert self._true_deg is not None
        true_deg, here_deg = self._true_deg
        return true_deg + deg - here_deg

    def _seen(self) -> dict[str, object]:
        """What a held turn shows a person of the wheel's present place."""
        place = self._place(self._last_deg)
        return {"segment": place.segment, "color": place.color}

    # -- the reference mark -------------------------------------------------------------------------------

    def _mark(self, mark: IndexMark) -> list[Signal]:
        passed = self._reference.note(mark, self._newest)
        attempt = self._attempt
        if passed is None or self._rules.reference == "unchecked" or (passed.first and attempt is None):
            return []
        first = attempt is None or attempt.marks == 0
        if attempt is not None:
            attempt.marks += 1
            deg = self._track.mark_deg(mark)
            attempt.marked_deg = attempt.marked_deg if deg is None else deg
        return self._compare(passed, first)

    def _compare(self, passed: Pass, first: bool) -> list[Signal]:
        if passed.off_deg is None:
            return []
        if abs(passed.off_deg) <= self._rules.reference_tolerance_deg:
            cleared: list[Signal] = [Trouble(TurnReason.ENCODER_SLIP, "", cleared=True)] if self._slipped else []
            self._slipped = False
            self._stands = False
            return cleared
        detail = f"encoder and reference mark differ by {passed.off_deg:+.1f}°: the shaft slipped or counts were lost"
        signals: list[Signal] = []
        if not self._slipped:
            signals.append(Trouble(TurnReason.ENCODER_SLIP, f"{detail}. Tighten the coupling and calibrate the wheel"))
        self._slipped = True
        if self._state is _State.RUNNING:
            signals += self._end(held(TurnReason.ENCODER_SLIP, detail))
        if first and self._stands:
            # The last rest lies between the last pass that agreed and this one: its segment may be wrong.
            signals.append(Contradicted(f"at the first pass after the last result {detail}"))
        self._stands = False
        return signals

    # -- the end of a turn --------------------------------------------------------------------------------

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        self._spend()
        return [NotJudged(verdict)]

    def _spend(self) -> None:
        self._respun = Respun(self._last_deg if self._attempt is None else self._attempt.start_deg)
        self._attempt = self._doubt = self._restless_since_s = None
        self._state = _State.SPENT
