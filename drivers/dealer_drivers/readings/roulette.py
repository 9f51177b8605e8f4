"""Readings of a roulette wheel, the same for every make.

What a model's own words and flags mean is settled in its session; from here on there are no models.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.readings import Reading

_ZERO_NAMES = ("0", "00", "000", "0000")


def pocket_names(zeros: int) -> frozenset[str]:
    """The pockets of a wheel with ``zeros`` zeros (1–4): ``"0"``, ``"00"``, … and ``"1"`` to ``"36"``."""
    return frozenset(_ZERO_NAMES[:zeros]) | {str(number) for number in range(1, 37)}


ANY_POCKET = pocket_names(len(_ZERO_NAMES))
NO_POCKET = 'pockets are the texts "0", "00", "000", "0000" and "1" to "36"; another is a NumberUnreadable'


class Rotation(StrEnum):
    """Seen from above."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"


class WheelPhase(StrEnum):
    """Where the wheel says it is in a game (``devices.md`` §1, field S)."""

    IDLE = "idle"
    """Before the game, rotor started or starting (1)."""
    BETTING = "betting"
    """Place bets, or launching (2)."""
    RIM = "rim"
    """The ball runs on the track, one full lap seen (3)."""
    NO_MORE_BETS = "no_more_bets"
    """The ball is slow (4)."""
    RESULT = "result"
    """The wheel shows a winning number (5)."""
    CLOSED = "closed"
    """Table closed or wheel powered down (6)."""
    NO_BALL = "no_ball"
    """Ball not in the track, or the dealer's lock (7)."""


class WheelFault(StrEnum):
    """Warnings of the wheel after the session applied each model's own timing rules: present means it counts."""

    NO_BALL = "no_ball"
    """No ball seen for longer than the model allows."""
    SAME_DIRECTION = "same_direction"
    """Ball and rotor turn the same way."""
    SENSOR = "sensor_fault"
    """Sensor, motor or encoder fault, or rim sensors that lost the ball."""
    LAUNCH_FAILED = "launch_failed"
    """The launch failed and the wheel tries again."""
    BALL_LEFT = "ball_left_wheel"
    """The ball left the wheel, or the wheel voided the spin: launch too weak, sudden rotor change."""
    ROTOR_SPEED = "rotor_speed"
    """The wheel says that its rotor is outside its own limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelStatus(Reading):
    """One status frame.

    ``spin`` is the wheel's own spin counter (it wraps; only equality means anything), ``number_shown``
    the number in the frame, which outside ``RESULT`` is still the previous one. ``None`` = the device
    does not say.
    """

    phase: WheelPhase
    spin: int | None
    number_shown: str | None
    rotor_rpm: float | None
    rotor: Rotation | None
    ball: Rotation | None = None
    faults: frozenset[WheelFault] = frozenset()
    periodic: bool = True
    """Frames of this kind come on their own at a steady cadence, so that silence means something."""

    def impossible(self) -> str | None:
        """See ``Reading``."""
        if self.number_shown is not None and self.number_shown not in ANY_POCKET:
            return f"number {self.number_shown!r}: {NO_POCKET}"
        if self.rotor_rpm is not None and not 0 <= self.rotor_rpm < math.inf:
            return f"a rotor at {self.rotor_rpm} rpm"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BallLaps(Reading):
    """Full laps of the ball on the track so far in this spin, as the wheel counts them.

    ``lap_time_s`` is the time of the newest lap where known.
    """

    laps: int
    lap_time_s: float | None = None
    tallied: bool = False
    """Counted from single events of the sensors, so that no misread digit can make laps of it."""

    def impossible(self) -> str | None:
        """See ``Reading``."""
        timed = self.lap_time_s is None or 0 < self.lap_time_s < math.inf
        return None if self.laps >= 0 and timed else f"{self.laps} laps, the newest in {self.lap_time_s} s"


class NumberWitness(StrEnum):
    """Who says which pocket the ball lies in."""

    BARE = "bare_number"
    """The line of its own that a Cammegh wheel sends between no-more-bets and result."""
    FRAME = "status_frame"
    """The number in a status frame of the result phase."""
    POCKET = "pocket_sensor"
    """The pocket sensor's own field or event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallRested(Reading):
    """The device says that the ball rests in the pocket ``number`` ("0" ... "36", "00", "000", "0000")."""

    number: str
    witness: NumberWitness
    spin: int | None = None

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return None if self.number in ANY_POCKET else f"number {self.number!r}: {NO_POCKET}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberUnreadable(Reading):
    """A well-formed frame that names no pocket of this wheel (99, 37 on a single-zero wheel)."""

    text: str
    witness: NumberWitness
