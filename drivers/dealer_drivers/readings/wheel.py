"""Readings of a colour wheel's encoder, the same for every kind: counts as the device said them, never a segment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.readings import Reading

LEAST_COUNTS = 900
"""Of a turn of the wheel: half a count is 0.2 degrees then, and a wheel that dithers between two counts stays within
the band of a rest, 0.2 degrees to either side (``devices.md`` §5)."""
TOO_COARSE = "of fewer one count is more than 0.4 degrees, and a rest is told within 0.2 to either side"


class EncoderFault(StrEnum):
    """What can be wrong with an encoder, beside what can be wrong with any device."""

    EXCEPTION = "encoder_exception"
    """It answers the question with an error of its own."""
    OUT_OF_RANGE = "encoder_out_of_range"
    """It gives nothing but counts that it cannot have as it is configured."""
    WRONG_ADDRESS = "encoder_wrong_address"
    """An answer came from another address on the line."""
    ZERO_NOT_SET = "encoder_zero_not_set"
    """It was told to take this place as zero and did not."""
    CLOCK_OFF = "encoder_clock_off"
    """Its own clock does not run as the station's: what was timed by it cannot be judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelAngle(Reading):
    """The encoder's count.

    ``count`` is 0 up to below ``wraps_at``, where it begins again; ``per_turn`` counts are one turn of the wheel.
    ``absolute``: the count alone names the place on the wheel; otherwise only together with an ``IndexMark`` of the
    same ``life``. A device that began to count anew begins another life. ``device_s`` is the moment of the count, in
    seconds from any beginning: by the device's own clock where it has one, by when it was asked where it answers. Of
    bytes that waited in a buffer only this one is true; ``None``: it is ``at``.
    """

    count: int
    per_turn: int
    wraps_at: int
    absolute: bool
    life: int = 0
    device_s: float | None = None
    counts_lost: bool = False
    """The device says that it missed counts since its last report."""

    def impossible(self) -> str | None:
        """See ``Reading``."""
        if not LEAST_COUNTS <= self.per_turn <= self.wraps_at:
            return f"{self.per_turn} counts a turn, of {self.wraps_at} in all; {LEAST_COUNTS} a turn is the least"
        if not 0 <= self.count < self.wraps_at:
            return f"count {self.count}, of 0 up to below {self.wraps_at}"
        if self.device_s is not None and not math.isfinite(self.device_s):
            return f"{self.device_s} s by the device's clock"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMark(Reading):
    """The newest pass of the wheel's index or reference mark, as the device latched it.

    ``passes`` is the device's own number of passes (it wraps; only a change means anything), ``count`` the encoder's
    count at that moment, in the terms of ``WheelAngle``.
    """

    passes: int
    count: int
    life: int = 0

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return None if self.passes >= 0 and self.count >= 0 else f"pass {self.passes} at count {self.count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AngleUnreadable(Reading):
    """A whole answer that names no place: an error's code, or a count that the encoder does not have (0xFFFF…)."""

    reason: str
