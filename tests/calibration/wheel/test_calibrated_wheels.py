"""Wheels that the bench calibrated before the judge: no wrong segment, and good turns count."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hw_sim.wheel.faults import TurnDesk
from hw_sim.wheel.options import WheelModbusOptions
from hw_sim.wheel.physics import Kind
from support.technician import CalibratedWheel
from support.turns import WIRE_ONLY, failure

TURNS = 40


def play(kind: Kind, turns: int, seed: int) -> Counter[bool]:
    """So many turns of wheels of a kind with every fault, a new wheel, calibrated first, every forty turns."""
    rates = dict.fromkeys(WheelModbusOptions(name="wheel").faults() - WIRE_ONLY, 0.035)
    accepted: Counter[bool] = Counter()
    for number in range(seed, seed + turns // TURNS):
        wheel = CalibratedWheel(kind, number)
        found = wheel.calibrate()
        assert tuple(found.file.segments) == wheel.table.segments
        wheel.table._desk = TurnDesk(Random(f"{number}/faults"), rates)
        for record, said in wheel.turns(TURNS):
            assert failure(record, said) is None, f"seed {number}: {said.words}; the truth is {record}"
            if record["expect"] == "accept":
                accepted[said.facts is not None] += 1
            if said.facts is not None:
                assert abs(said.facts["margin_deg"] - record["margin_deg"]) < 0.35
    return accepted


@pytest.mark.parametrize(("kind", "turns"), [("casino", 240), ("light", 120)])
def test_a_calibration_of_the_bench_brings_the_figures_of_the_wheel(kind: Kind, turns: int) -> None:
    accepted = play(kind, turns, 300)
    assert accepted[False] <= max(2, 0.01 * accepted.total()), accepted


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("kind", "turns"), [("casino", 14_000), ("light", 6_000)])
def test_twenty_thousand_turns_of_calibrated_wheels(kind: Kind, turns: int) -> None:
    accepted = play(kind, turns, 40_000)
    assert accepted[False] <= max(2, 0.01 * accepted.total()), accepted
