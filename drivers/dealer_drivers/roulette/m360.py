"""``cammegh-m360``: the Cammegh Mercury 360, a manual wheel with in-rim sensors (``devices.md`` §1).

RRR is printed as 000 under 2 and over 60 rpm: the speed is given as unknown then, and as 0.0 only where an extended
frame says that the rotor is stopped. With ``extended`` (``*m 2``) the wheel counts the ball's laps itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dealer_drivers.driver import Driver, Maturity, Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.readings.roulette import BallLaps, Rotation, WheelFault
from dealer_drivers.roulette.cammegh_dialogue import Ask
from dealer_drivers.roulette.cammegh_frames import LAP_TICKS_PER_S, Advanced, Answer, Extended, Frame, WheelEvents
from dealer_drivers.roulette.cammegh_options import CammeghOptions, actions, serial_settings
from dealer_drivers.roulette.cammegh_session import (
    BALL_IN_PLAY,
    ROTATIONS,
    SILENT_AFTER_S,
    STATE_NO_MORE_BETS,
    STATE_RIM,
    CammeghSession,
)

FLAGS = {
    1: WheelFault.ROTOR_SPEED,
    2: WheelFault.SAME_DIRECTION,
    4: WheelFault.SENSOR,
    8: WheelFault.BALL_LEFT,
}
EXTENDED_WITHIN_S = 5.0
"""Plain status frames for so long mean that the wheel is not set to extended ones."""
POCKET_LAP_TOLERANCE = 0.02
"""How near a lap time and the rotor's period must be to be one: the documented example is 1.2 % apart."""

EXTENDED_MISSING = "extended_frames_missing"
EXTENDED_ON = Ask("*m 2", "m", needs_idle=True)
GAME_MODE = Ask("*G?", "G")


class M360Options(CammeghOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``cammegh-m360``."""

    extended: bool = False
    """Expect extended frames, which carry laps. With ``control`` the wheel is set to them, else it must be already."""


class M360Session(CammeghSession):
    """One Mercury 360."""

    def __init__(self, options: M360Options) -> None:
        super().__init__(options)
        self._m360 = options
        self._plain_since: Instant | None = None
        self._laps: BallLaps | None = None
        """What was last said of this ball."""
        self._in_pocket_seen = False

    def _knows(self, frame: Frame) -> bool:  # noqa: ARG002
        return True

    def _at_connect(self) -> Iterable[Ask]:
        return (GAME_MODE, EXTENDED_ON) if self._m360.extended and self._m360.control else (GAME_MODE,)

    def _rotor_rpm(self, frame: Advanced) -> float | None:
        if isinstance(frame, Extended) and frame.events & WheelEvents.ROTOR_STOPPED:
            return 0.0
        return frame.rotor_tenths / 10 if frame.rotor_tenths else None

    def _rotor(self, frame: Advanced) -> Rotation | None:
        """``None`` when the wheel does not know, or says two things."""
        said = super()._rotor(frame)
        if not isinstance(frame, Extended):
            return said
        events = frame.events
        denied = WheelEvents.COUNTER_CLOCKWISE if said is Rotation.CLOCKWISE else WheelEvents.CLOCKWISE
        return None if events & (WheelEvents.DIRECTION_UNKNOWN | denied) else said

    def _ball(self, frame: Advanced) -> Rotation | None:
        return ROTATIONS[int(frame.ball)] if isinstance(frame, Extended) and frame.ball != "?" else None

    def _wheel_faults(self, frame: Advanced, at: Instant) -> frozenset[WheelFault]:  # noqa: ARG002
        faults = {fault for bit, fault in FLAGS.items() if frame.flags & bit}
        if isinstance(frame, Extended):
            if frame.events & (WheelEvents.TOO_FAST | WheelEvents.TOO_SLOW):
                faults.add(WheelFault.ROTOR_SPEED)
            # Before a launch, and when the dealer has taken the ball out, there is none to be seen.
            if frame.events & WheelEvents.NO_BALL and frame.state in BALL_IN_PLAY:
                faults.add(WheelFault.NO_BALL)
        return frozenset(faults)

    def _on_status(self, frame: Advanced, at: Instant) -> list[Reading]:
        if isinstance(frame, Extended):
            self._plain_since = None
            readings = self._cleared(at, EXTENDED_MISSING, "The wheel sends extended frames.", frame.raw)
            return readings + self._count_laps(frame, at)
        return self._plain(frame, at) if self._m360.extended else []

    def _plain(self, frame: Advanced, at: Instant) -> list[Reading]:
        if self._plain_since is None:
            self._plain_since = at
        if at.since_s(self._plain_since) < EXTENDED_WITHIN_S:
            return []
        self._plain_since = at
        if self._m360.control:
            self._dialogue.ask(EXTENDED_ON)
            detail = (
                "The wheel was told `*m 2` and sends no extended frames: laps cannot be seen. Set them on the wheel."
            )
        else:
            detail = (
                "The wheel sends no extended frames: laps cannot be seen. Set them on the wheel, or control = true."
            )
        return self._fault(at, EXTENDED_MISSING, detail, frame.raw)

    def _count_laps(self, frame: Extended, at: Instant) -> list[Reading]:
        """The wheel's count as it stands; the newest reading is the one that counts.

        The field may be emptied before the result shows, so 0 does not take back what was counted. A smaller
        number than before is another ball on the track.
        """
        if self._begins_anew(frame):
            self._laps = None
            self._in_pocket_seen = False
        if frame.state not in BALL_IN_PLAY:
            return []
        lap_time_s = frame.lap_ticks / LAP_TICKS_PER_S if frame.lap_ticks else None
        self._in_pocket_seen |= bool(frame.events & WheelEvents.BALL_IN_POCKET)
        if self._in_pocket_seen or self._turns_with_rotor(frame, lap_time_s):
            return []
        if frame.laps == 0 and self._laps is not None and self._laps.laps > 0:
            return []
        self._laps = BallLaps(at=at, raw=frame.raw, laps=frame.laps, lap_time_s=lap_time_s)
        return [self._laps]

    def _begins_anew(self, frame: Extended) -> bool:
        before = self._previous
        if before is None or before.spin != frame.spin or frame.state not in BALL_IN_PLAY:
            return True
        return before.state not in BALL_IN_PLAY or (before.state, frame.state) == (STATE_NO_MORE_BETS, STATE_RIM)

    def _turns_with_rotor(self, frame: Extended, lap_time_s: float | None) -> bool:
        """Whether the ball comes round once a turn of the rotor: it lies in a pocket."""
        if lap_time_s is None or not frame.rotor_tenths:
            return False
        rotor_period_s = 600 / frame.rotor_tenths
        return abs(lap_time_s - rotor_period_s) <= POCKET_LAP_TOLERANCE * rotor_period_s

    def _on_answer(self, ask: Ask, answer: Answer | None, at: Instant) -> list[Reading]:
        if ask == GAME_MODE:
            return [self._game_mode(answer, at)]
        if ask == EXTENDED_ON and answer is not None and answer.text == "NO":
            detail = "The wheel refuses `*m 2`: laps cannot be seen on this wheel."
            return self._fault(at, EXTENDED_MISSING, detail, answer.raw)
        return []

    def _game_mode(self, answer: Answer | None, at: Instant) -> DeviceNotice:
        raw = answer.raw if answer is not None else b""
        match = re.fullmatch(r"[0-9]{1,2}", answer.text) if answer is not None else None
        if match is None:
            said = "answered nothing that names a mode" if answer is not None else "did not answer"
            detail = f"The wheel {said} to `*G?`: whether it detects a flying ball is not known."
            return DeviceNotice(at=at, raw=raw, notice="game_mode_unknown", detail=detail)
        if int(match[0]) == 0:
            detail = "Game mode 00: the wheel never says that the ball left it. Set another mode on the wheel."
            return DeviceNotice(at=at, raw=raw, notice="flying_ball_detection_off", detail=detail)
        return DeviceNotice(at=at, raw=raw, notice="game_mode", detail=f"Game mode {match[0]}.")

    def _forget(self) -> None:
        super()._forget()
        self._plain_since = None


def _observes(options: M360Options) -> frozenset[Observes]:
    seen = {Observes.PHASE, Observes.NUMBER, Observes.ROTOR}
    return frozenset(seen | {Observes.LAPS} if options.extended else seen)


DRIVER = Driver(
    name="cammegh-m360",
    summary="Cammegh Mercury 360, manual roulette wheel with in-rim sensors, advanced or extended output on RS-232",
    maturity=Maturity.DOCUMENTED,
    provenance="the maker's and integrators' descriptions (devices.md §1); no recording of a real wheel",
    options=M360Options,
    session=M360Session,
    observes=_observes,
    serial=serial_settings,
    offline_after_s=SILENT_AFTER_S,
    actions=actions,
)
