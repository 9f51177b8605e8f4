"""Whether encoder and reference mark agree, turn by turn. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_daemon.validation.turn_map import WheelMap
from dealer_daemon.validation.turn_track import step_deg
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

NO_HOME = "the counter has not seen its index mark since its power came: turn the wheel past it once"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass of the mark, and how far the encoder is off there: ``None`` where there is nothing to hold it against.

    ``first``: the latch was not looked at before, so what it holds may be of yesterday.
    """

    off_deg: float | None
    first: bool


class Reference:
    """The newest latched mark, and what the encoder's place on the wheel is by it.

    An absolute encoder is held against the calibrated angle of the mark. A counter knows its place by the mark alone:
    each pass is held against the one before, and then is the new home.
    """

    def __init__(self, wheel: WheelMap) -> None:
        self._wheel = wheel
        self._passes: int | None = None
        self._home: int | None = None

    def restart(self) -> None:
        """The device counts anew."""
        self._passes = self._home = None

    def note(self, mark: IndexMark, angle: WheelAngle | None) -> Pass | None:
        """A report of the latch; ``None`` when it is no new pass."""
        if angle is None:
            return None
        if mark.passes == self._passes:
            return None
        first = self._passes is None
        self._passes = mark.passes
        if angle.absolute:
            wanted = self._wheel.file.reference_deg
            return Pass(None if wanted is None else _around(mark.count * 360 / angle.per_turn - wanted), first)
        before, self._home = self._home, mark.count
        return Pass(None if before is None else _around(step_deg(angle, mark.count) - step_deg(angle, before)), first)

    def encoder_deg(self, angle: WheelAngle) -> float | None:
        """The encoder's angle by the wheel's file, turns left in; ``None`` where a counter has seen no mark."""
        if angle.absolute:
            return angle.count * 360 / angle.per_turn
        if self._home is None:
            return None
        return (self._wheel.file.reference_deg or 0.0) - step_deg(angle, self._home)


def _around(deg: float) -> float:
    """-180 up to 180."""
    return (deg + 180) % 360 - 180
