"""``cammegh-ss2``: the Cammegh Slingshot 2, an automatic wheel (``devices.md`` §1).

Its status line has no laps. With ``lap_events`` the station asks for the rim sensors' stream (``*I 4``, port 1 only)
and counts: three hits a lap, a rest is no lap. Counted is from the first hit of a launch in state 2, since the wheel
itself enters state 3 only after one full lap; a new launch, a failed one, or a pause longer than any lap starts anew.

The field RRR overflows to 000 at 100 rpm [inf]; 000 is given as 0.0 here, since that is what a rotor that stops and
reverses in state 2 shows, and a rotor at 100 rpm is as little fit for a spin as a stopped one.
"""

from __future__ import annotations

from collections.abc import Iterable

from dealer_drivers.driver import Driver, Maturity, Observes
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.roulette import BallLaps, WheelFault
from dealer_drivers.roulette.cammegh_dialogue import Ask
from dealer_drivers.roulette.cammegh_frames import Advanced, Answer, Extended, Frame, RimSensor
from dealer_drivers.roulette.cammegh_options import CammeghOptions, actions, serial_settings
from dealer_drivers.roulette.cammegh_session import (
    BALL_IN_PLAY,
    SILENT_AFTER_S,
    STATE_NO_MORE_BETS,
    STATE_RESULT,
    STATE_RIM,
    CammeghSession,
)

FLAG_NO_BALL, FLAG_SAME_DIRECTION, FLAG_SENSOR, FLAG_LAUNCH_FAILED = 1, 2, 4, 8
NO_BALL_IGNORED_S = 5.0
"""In state 4 the ball is out of sight between rim and pocket: flag 1 counts only when it lasts."""
LAUNCH_FAILED_IGNORED_S = 3.0
"""At the beginning of state 3 flag 8 may still stand from a launch that succeeded after all."""
STATUS_EVERY_S = 0.5
HIT_PAUSE_S = 3.0
"""The slowest recorded lap on a track took 1.7 s: after a longer pause it is another launch."""

STATE_LAUNCHING = 2
LAP_EVENTS_MISSING = "lap_events_missing"
RIM_STREAM_ON = Ask("*I 4", "I", needs_idle=True)


class Ss2Options(CammeghOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``cammegh-ss2``."""

    lap_events: bool = False
    """Ask for one message a rim-sensor hit, and count laps by them. Needs ``control = true``."""
    rim_sensors: int = 3
    """Rim sensors of the wheel: hits in one lap."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = super().problems()
        if self.lap_events and not self.control:
            problems.append(OptionError("lap_events", "sends `*I 4` to the wheel, so it needs control = true"))
        if not 1 <= self.rim_sensors <= 9:
            problems.append(OptionError("rim_sensors", "must be 1 to 9; a Slingshot 2 has 3"))
        return problems


class Ss2Session(CammeghSession):
    """One Slingshot 2."""

    def __init__(self, options: Ss2Options) -> None:
        super().__init__(options)
        self._ss2 = options
        self._no_ball_since: Instant | None = None
        self._hits = 0
        self._laps = 0
        self._last_hit: Instant | None = None
        self._last_sensor: int | None = None
        self._sensors: set[int] = set()
        """Those that were hit by this ball."""
        self._quiet_frames = 0
        """Status frames since the last hit."""
        self._rim_seen = False
        """This ball was seen to enter the rim."""
        self._streamed = False
        """The rim sensors' stream was heard since this ball's launch."""

    def _knows(self, frame: Frame) -> bool:
        return not isinstance(frame, Extended)

    def _at_connect(self) -> Iterable[Ask]:
        return (RIM_STREAM_ON,) if self._ss2.lap_events else ()

    def _rotor_rpm(self, frame: Advanced) -> float | None:
        return frame.rotor_tenths / 10

    def _wheel_faults(self, frame: Advanced, at: Instant) -> frozenset[WheelFault]:
        faults = set()
        if self._no_ball_counts(frame, at):
            faults.add(WheelFault.NO_BALL)
        if frame.flags & FLAG_SAME_DIRECTION:
            faults.add(WheelFault.SAME_DIRECTION)
        if frame.flags & FLAG_SENSOR:
            faults.add(WheelFault.SENSOR)
        if frame.flags & FLAG_LAUNCH_FAILED and not (
            frame.state == STATE_RIM and self._in_state_s(at) < LAUNCH_FAILED_IGNORED_S
        ):
            faults.add(WheelFault.LAUNCH_FAILED)
        return frozenset(faults)

    def _no_ball_counts(self, frame: Advanced, at: Instant) -> bool:
        if not frame.flags & FLAG_NO_BALL or frame.state != STATE_NO_MORE_BETS:
            self._no_ball_since = None
            return bool(frame.flags & FLAG_NO_BALL)
        if self._no_ball_since is None or self._in_state_s(at) == 0:
            self._no_ball_since = at
        return at.since_s(self._no_ball_since) >= NO_BALL_IGNORED_S

    def _in_state_s(self, at: Instant) -> float:
        return at.since_s(self._state_since) if self._state_since is not None else 0.0

    def _on_status(self, frame: Advanced, at: Instant) -> list[Reading]:
        before = self._previous
        self._quiet_frames += 1
        readings: list[Reading] = []
        if frame.state == STATE_RESULT and before is not None and before.state == STATE_NO_MORE_BETS:
            readings += self._check_stream(frame, at)
        if self._begins_anew(frame, before):
            self._restart()
            self._rim_seen = self._streamed = False
        elif frame.state == STATE_LAUNCHING and frame.flags & FLAG_LAUNCH_FAILED:
            self._restart()
        if frame.state == STATE_RIM and before is not None and before.state not in BALL_IN_PLAY:
            self._rim_seen = True
            if self._streamed:
                # Laps from before the rim state are said now that the spin has begun, be there none.
                readings.append(BallLaps(at=at, raw=frame.raw, laps=self._laps, tallied=True))
        return readings

    def _begins_anew(self, frame: Advanced, before: Advanced | None) -> bool:
        """Whether the ball that hits the sensors from now on is not the one of the frame before."""
        if before is None or before.spin != frame.spin:
            return True
        if frame.state == STATE_LAUNCHING:
            return before.state != STATE_LAUNCHING
        return frame.state not in BALL_IN_PLAY or (before.state, frame.state) == (STATE_NO_MORE_BETS, STATE_RIM)

    def _on_rim_sensor(self, frame: RimSensor, at: Instant) -> list[Reading]:
        readings = self._cleared(at, LAP_EVENTS_MISSING, "The wheel sends its rim sensors' hits.", frame.raw)
        self._streamed = True
        if self._previous is None or self._previous.state not in {STATE_LAUNCHING, *BALL_IN_PLAY}:
            return readings
        # By the clock, or by the status frames between: a reader that stalled gets all of them at once.
        paused = self._last_hit is not None and at.since_s(self._last_hit) > HIT_PAUSE_S
        if paused or self._quiet_frames * STATUS_EVERY_S > HIT_PAUSE_S:
            self._restart()
        self._quiet_frames = 0
        self._last_hit = at
        if frame.sensor not in self._sensors and len(self._sensors) >= self._ss2.rim_sensors:
            return readings  # more sensors than the wheel has: a misread digit, never counted
        self._sensors.add(frame.sensor)
        # The same sensor twice is a bounce, or the others are blind: never counted, so never a lap too many.
        if frame.sensor == self._last_sensor and self._ss2.rim_sensors > 1:
            return readings
        self._last_sensor = frame.sensor
        self._hits += 1
        laps = self._hits // self._ss2.rim_sensors
        if laps > self._laps:
            self._laps = laps
            readings.append(BallLaps(at=at, raw=frame.raw, laps=laps, tallied=True))
        return readings

    def _check_stream(self, frame: Advanced, at: Instant) -> list[Reading]:
        if not self._ss2.lap_events or not self._rim_seen or self._streamed:
            return []
        self._dialogue.ask(RIM_STREAM_ON)
        detail = "A ball ran and no rim-sensor hit came: laps cannot be counted. Is the cable on the wheel's port 1?"
        return self._fault(at, LAP_EVENTS_MISSING, detail, frame.raw)

    def _on_answer(self, ask: Ask, answer: Answer | None, at: Instant) -> list[Reading]:
        # Whether `*I 4` is answered at all is not known; the stream itself is the proof. Only a plain no is one, too.
        if ask == RIM_STREAM_ON and answer is not None and answer.text == "NO":
            detail = "The wheel refuses `*I 4`: it works on port 1 only."
            return self._fault(at, LAP_EVENTS_MISSING, detail, answer.raw)
        return []

    def _restart(self) -> None:
        self._hits = 0
        self._laps = 0
        self._last_hit = None
        self._last_sensor = None
        self._sensors.clear()


def _observes(options: Ss2Options) -> frozenset[Observes]:
    seen = {Observes.PHASE, Observes.NUMBER, Observes.ROTOR}
    return frozenset(seen | {Observes.LAPS} if options.lap_events else seen)


DRIVER = Driver(
    name="cammegh-ss2",
    summary="Cammegh Slingshot 2, automatic roulette wheel, advanced output on RS-232",
    maturity=Maturity.RECORDED,
    provenance="recorded lines of real wheels and the maker's description (devices.md §1); the rim-sensor stream "
    "is documented only",
    options=Ss2Options,
    session=Ss2Session,
    observes=_observes,
    serial=serial_settings,
    offline_after_s=SILENT_AFTER_S,
    actions=actions,
)
