"""A technician who calibrates a simulated wheel with the bench's pure parts; after it the wheel before the judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dealer_calibration.wheel.coast_fit import CoastFit, fit_coast
from dealer_calibration.wheel.segments import way_of
from dealer_calibration.wheel.watch import Standing, WheelWatch
from dealer_calibration.wheel.wheel_file import Measured, as_toml, make_file
from dealer_calibration.wheel.zero import BOUNDARIES, Boundary, Zero, find_zero
from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.validation.turn import TurnJudge
from dealer_daemon.validation.turn_map import SEGMENT_DEG, SEGMENTS, WheelMap, parse_wheel
from dealer_drivers.readings import Reading
from hw_sim.wheel.options import WheelModbusOptions
from hw_sim.wheel.physics import Kind
from support.turns import RULES, BareWheel, Said

SPINS = 4
LONGEST_S = 600.0


class CalibratedWheel(BareWheel):
    """A wheel without a wire, told when to spin. ``calibrate`` measures it and gives its judge the file."""

    def __init__(self, kind: Kind, seed: int, *, hertz: float = 40, **options: Any) -> None:
        told = WheelModbusOptions(name="wheel", kind=kind, starts="told", turns=(3.3, 6.0), **options)
        super().__init__(told, seed, hertz=hertz)
        self.watch: WheelWatch | None = WheelWatch()

    def _feed(self, reading: Reading) -> None:
        if self.watch is not None:
            self.watch.feed(reading)
        else:
            super()._feed(reading)

    def until_rest(self) -> Standing:
        """Time goes on until the wheel stands somewhere else."""
        assert self.watch is not None
        end_s, before = self.table.now_s + LONGEST_S, self.table.angle()
        while True:
            self.step()
            standing = self.watch.standing()
            if standing is not None and abs(self.table.angle() - before) > SEGMENT_DEG / 10:
                return standing
            assert self.table.now_s < end_s, "it never came to rest"

    def spin(self) -> None:
        assert self.watch is not None
        runs = len(self.watch.runs)
        self.table.tell()
        while len(self.watch.runs) == runs:
            self.step()
        for _ in range(200):  # the dealer leaves it alone for a while
            self.step()

    def boundary(self, segment: int) -> Boundary:
        self.table.tell(f"boundary {segment}")
        return Boundary(segment, self.until_rest())

    def measure(self) -> tuple[CoastFit, Zero, list[Standing], list[str]]:
        assert self.watch is not None
        for _ in range(100):
            self.step()
        for _ in range(SPINS):
            self.spin()
        coast = fit_coast(self.watch.runs)
        boundaries = [self.boundary(segment) for segment in BOUNDARIES]
        self.table.tell("boundary 0")
        self.until_rest()
        stops, colors = [], []
        for _ in range(SEGMENTS):
            self.table.tell("step")
            stops.append(self.until_rest())
            colors.append(self.table.segments[int(self.table.angle() % 360 / SEGMENT_DEG)])
        way = way_of([stop.encoder_deg for stop in stops])
        return coast, find_zero(boundaries, coast.correction, way), stops, colors

    def calibrate(self) -> WheelMap:
        coast, zero, stops, colors = self.measure()
        assert self.watch is not None
        reference = self.watch.passes[-1].encoder_deg
        way = way_of([stop.encoder_deg for stop in stops])
        measured = Measured(colors, way, zero, coast, reference)
        self.wheel = parse_wheel(as_toml(make_file("w", measured, None)), Path("w.toml"))
        self.judge = TurnJudge(RULES, self.wheel, turn_facts)
        self.watch = None
        self.records.clear()
        return self.wheel

    def turns(self, number: int) -> Iterator[tuple[dict[str, Any], Said]]:
        """So many turns before the judge, each spun when the wheel has rested."""
        for index in range(number):
            for _ in range(200):  # it rests; what slipped is set right again
                self.step()
            self.table.tell()
            self.log.clear()
            while len(self.records) <= index:
                self.step()
            yield self.records[index], self.during(self.records[index])
