"""Whether readings drift from what a calibration expects. Pure, and only ever a warning: no result depends on it.

A calibration says what it expects under ``values.expect``: ``{"rotor_rpm": {"value": 14.0, "tolerance": 1.5}}``. Of
each quantity the mean over the newest readings is held against that; one odd reading is no drift.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from dealer_drivers.readings import Reading
from dealer_drivers.readings.dice import DiceSeen
from dealer_drivers.readings.roulette import BallLaps, WheelPhase, WheelStatus
from dealer_drivers.readings.shoe import CardRead, CardUnreadable
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

EXPECT = "expect"
SAMPLES = 60
"""Readings that a mean is taken over: a shoe's first hands, a minute of a rotor, twenty shakes of three dice."""
OVER = 0.8
"""A warning ends when the mean is so far back within its tolerance: it must not come and go."""


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a quantity was when it was calibrated, and how far its mean may stray from that."""

    value: float
    tolerance: Annotated[float, msgspec.Meta(gt=0)]


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is watched: its unit for a person, and what to do about it. ``around``: it is an angle."""

    unit: str
    remedy: str
    around: bool = False


QUANTITIES: dict[str, Quantity] = {
    "rotor_rpm": Quantity("rpm", "look at the rotor's speed; calibrate anew if it is meant"),
    "lap_growth": Quantity("of the lap before", "clean and level the track; calibrate the laps anew"),
    # Of a rig's picture the bench alone tells the three after ``die_px``: ``dealer-calibrate dice check``.
    "die_px": Quantity("px", "the camera or the plate moved, or the dice are others: calibrate the rig anew"),
    "pip_pitch_px": Quantity("px", "the camera moved, or the dice are others: calibrate the rig anew"),
    "edge_px": Quantity("px", "focus the camera and clean its lens; calibrate the rig anew"),
    "brightness": Quantity("of the calibrated plate", "look at lamps and exposure; calibrate the rig anew"),
    "read_rate": Quantity("of the cards", "clean the window and look at the cards; calibrate the reader anew"),
    "index_deg": Quantity("°", "tighten the coupling of the encoder; calibrate the wheel anew", around=True),
}


def expectations(values: Mapping[str, Any]) -> dict[str, Expected]:
    """What a calibration expects, by quantity. Raises ``ValueError`` with key and reason for what cannot be."""
    found: dict[str, Expected] = {}
    given = values.get(EXPECT, {})
    if not isinstance(given, Mapping):
        raise ValueError(f"values.{EXPECT}: expected a section")
    for name, one in given.items():
        if name not in QUANTITIES:
            raise ValueError(f"values.{EXPECT}.{name}: is not watched; known are: {', '.join(sorted(QUANTITIES))}")
        try:
            found[name] = msgspec.convert(one, Expected, strict=True)
        except msgspec.ValidationError as error:
            raise ValueError(f"values.{EXPECT}.{name}: {error}") from error
    return found


class DriftMonitor:
    """The means of what is expected. ``warnings`` are sentences for a person, by quantity."""

    def __init__(self, expected: Mapping[str, Expected]) -> None:
        self._expected = dict(expected)
        self._samples = {name: deque[float](maxlen=SAMPLES) for name in self._expected}
        self._take = _Samples()
        self.warnings: dict[str, str] = {}

    @property
    def judged(self) -> bool:
        """Every quantity was read often enough to be judged."""
        return all(len(samples) == SAMPLES for samples in self._samples.values())

    def heard(self, readings: Iterable[Reading]) -> list[str]:
        """The quantities that began to drift with these readings."""
        begun = []
        for reading in readings:
            for name, value in self._take.of(reading):
                if name in self._expected and self._noted(name, value):
                    begun.append(name)
        return begun

    def _noted(self, name: str, value: float) -> bool:
        expected, quantity, samples = self._expected[name], QUANTITIES[name], self._samples[name]
        # An angle is kept as its distance, so that 359.9 and 0.1 are near.
        off = value - expected.value
        samples.append((off + 180) % 360 - 180 if quantity.around else off)
        if len(samples) < SAMPLES:
            return False
        mean = sum(samples) / len(samples)
        standing = name in self.warnings
        if abs(mean) <= expected.tolerance * (OVER if standing else 1.0):
            self.warnings.pop(name, None)
            return False
        now = expected.value + mean
        self.warnings[name] = (
            f"{name} is {now:.4g} {quantity.unit} over the last {SAMPLES} readings, calibrated were "
            f"{expected.value:.4g} (±{expected.tolerance:.3g}): {quantity.remedy}"
        )
        return not standing


class _Samples:
    """From readings to samples of quantities."""

    def __init__(self) -> None:
        self._lap: tuple[int, float] | None = None
        self._passes: int | None = None
        self._angle: WheelAngle | None = None
        # Each family's reading has one way to its samples.
        self._ways: dict[type[Reading], Callable[[Any], list[tuple[str, float]]]] = {
            WheelStatus: self._rotor,
            BallLaps: self._laps,
            DiceSeen: self._dice,
            CardRead: lambda _: [("read_rate", 1.0)],
            CardUnreadable: lambda _: [("read_rate", 0.0)],
            WheelAngle: self._encoder,
            IndexMark: self._index,
        }

    def of(self, reading: Reading) -> list[tuple[str, float]]:
        """What the reading says of any quantity."""
        way = self._ways.get(type(reading))
        return [] if way is None else way(reading)

    def _rotor(self, reading: WheelStatus) -> list[tuple[str, float]]:
        # While the ball is in play: at other times the dealer brings the rotor to its speed.
        if reading.rotor_rpm is None or reading.phase not in (WheelPhase.RIM, WheelPhase.NO_MORE_BETS):
            return []
        return [("rotor_rpm", reading.rotor_rpm)]

    def _laps(self, reading: BallLaps) -> list[tuple[str, float]]:
        before, self._lap = self._lap, None
        if reading.lap_time_s is None or reading.lap_time_s <= 0:
            return []
        self._lap = (reading.laps, reading.lap_time_s)
        if before is None or reading.laps != before[0] + 1:
            return []
        return [("lap_growth", reading.lap_time_s / before[1])]

    def _dice(self, reading: DiceSeen) -> list[tuple[str, float]]:
        return [("die_px", face.size_px) for face in reading.faces]

    def _encoder(self, reading: WheelAngle) -> list[tuple[str, float]]:
        self._angle = reading
        return []

    def _index(self, reading: IndexMark) -> list[tuple[str, float]]:
        # What the latch holds at first may be of yesterday; and a counter counts from the mark itself.
        before, self._passes = self._passes, reading.passes
        if before in (None, reading.passes) or self._angle is None or not self._angle.absolute:
            return []
        return [("index_deg", reading.count * 360 / self._angle.per_turn % 360)]
