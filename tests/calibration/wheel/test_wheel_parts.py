"""The wheel bench's pure parts on cases that a whole calibration does not bring."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.wheel.coast_fit import CoastFit, TooLittle, fit_coast
from dealer_calibration.wheel.segments import color_of, compare_maps, step_problem, way_of
from dealer_calibration.wheel.watch import Run, Standing, WheelWatch
from dealer_calibration.wheel.wheel_file import Incomplete, Measured, as_toml, make_file, roll_back_deg
from dealer_calibration.wheel.zero import Boundary, Zero, around, find_zero, misplaced
from dealer_daemon.validation.turn_map import COUNTS, SEGMENT_DEG, WheelFile, parse_wheel
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from support.technician import CalibratedWheel
from support.turns import COLORS, at, plain_file

COAST = CoastFit(20.0, 0.02, (1.0, 0.5), ((1.5, 0.5), (0.2, 0.0), (0.0, 0.0)), 0.01, 4, 400)


def accepted(more: str = "") -> WheelFile:
    return parse_wheel(plain_file(more=more).encode(), Path("a.toml")).file


def pointer(file: WheelFile, encoder_deg: float) -> float:
    wheel = parse_wheel(as_toml(file), Path("w.toml"))
    sign = 1 if file.direction == "up" else -1
    return sign * (encoder_deg + wheel.correction(encoder_deg)) + file.offset_deg


@pytest.mark.parametrize("seed", [1, 2, 5, 6])
def test_the_heavy_side_is_where_it_is_whichever_way_the_encoder_counts(seed: int) -> None:
    wheel = CalibratedWheel("light", seed)
    file = wheel.calibrate().file
    assert file.imbalance_at_deg is not None
    assert abs(around(file.imbalance_at_deg - wheel.table.dynamics.phi_deg - 90)) < 5


def test_the_seeds_of_that_test_count_both_ways() -> None:
    assert {CalibratedWheel("light", seed).table.encoder.sign for seed in (1, 2, 5, 6)} == {1, -1}


def test_new_friction_leaves_an_accepted_zero_where_it_is() -> None:
    """A correction that was made by hand need not have a mean of 0."""
    old = accepted(f"correction_deg = {[2.0 + COAST.correction(deg) for deg in range(0, 360, 5)]}\n")
    for file in (old, msgspec.structs.replace(old, direction="down")):
        new = make_file("w", Measured(coast=COAST), file)
        for deg in (0.0, 100.0, 200.0, 300.0):
            assert abs(around(pointer(new, deg) - pointer(file, deg))) < 0.02


def test_a_new_zero_takes_the_heavy_side_with_it() -> None:
    old = make_file("w", Measured(coast=COAST), accepted())
    new = make_file("w", Measured(zero=Zero(old.offset_deg + 30.0, (0.0,), 0.7)), old)
    assert old.imbalance_at_deg is not None
    assert new.imbalance_at_deg == pytest.approx((old.imbalance_at_deg + 30.0) % 360)
    whole = make_file("w", Measured(zero=Zero(old.offset_deg + 30.0, (0.0,), 0.7), coast=COAST), accepted())
    assert whole.imbalance_at_deg == pytest.approx(new.imbalance_at_deg, abs=0.01)


def test_another_direction_needs_another_zero() -> None:
    with pytest.raises(Incomplete, match="run the step zero"):
        make_file("w", Measured(segments=COLORS, way=-1), accepted())
    with pytest.raises(Incomplete, match="segments, zero"):
        make_file("w", Measured(coast=COAST), None)


@given(
    slowing=st.floats(5, 60),
    per_s=st.floats(0, 0.1),
    pull=st.floats(0, 60),
    at_deg=st.floats(0, 359),
    spread=st.floats(0, 0.4),
    offset=st.floats(0, 359),
    way=st.sampled_from([1, -1]),
)
def test_whatever_was_measured_makes_a_file_that_the_station_reads(
    slowing: float, per_s: float, pull: float, at_deg: float, spread: float, offset: float, way: int
) -> None:
    angle = math.radians(at_deg)
    coast = CoastFit(
        slowing, per_s, (pull * math.cos(angle), pull * math.sin(angle)), ((2.0, 1.0),) * 3, spread, 4, 400
    )
    measured = Measured(COLORS, way, Zero(offset, (0.1, -0.1), 0.7), coast, 12.0)
    file = make_file("w", measured, None)
    assert parse_wheel(as_toml(file), Path("w.toml")).file == file


@given(
    offset=st.floats(0, 359),
    way=st.sampled_from([1, -1]),
    errors=st.lists(st.floats(-0.2, 0.2), min_size=4, max_size=4),
)
def test_the_zero_is_found_from_pegs_that_were_nearly_met(offset: float, way: int, errors: list[float]) -> None:
    boundaries = [
        Boundary(segment, Standing(way * (segment * SEGMENT_DEG + error - offset) + 720, 0.05))
        for segment, error in zip((0, 13, 26, 39), errors, strict=True)
    ]
    zero = find_zero(boundaries, lambda _: 0.0, way)
    assert abs(around(zero.offset_deg - offset)) < 0.21
    assert zero.worst_deg < 0.41
    assert zero.keep_out_deg >= 0.7
    stops = [way * ((segment + 0.5) * SEGMENT_DEG - offset) for segment in range(52)]
    assert misplaced(stops, zero.offset_deg, lambda _: 0.0, way) == [0] * 52
    assert misplaced(stops[3:] + stops[:3], zero.offset_deg, lambda _: 0.0, way) == [3] * 52


@pytest.mark.parametrize("pull", [20.000000000000004, 20.0, 20.0001, 5.0])
def test_a_wheel_that_gravity_hardly_moves_does_not_roll(pull: float) -> None:
    """The first one was rolled for hours of computing: its force was a rounding error."""
    assert roll_back_deg(CoastFit(20.0, 0.0, (pull, 0.0), ((0.0, 0.0),), 0.01, 4, 400)) < 40


def test_steps_and_colours() -> None:
    assert [color_of(text) for text in ("ye", " Pink ", "p", "pu", "", "black")] == [
        "yellow", "pink", None, "purple", None, None,
    ]  # fmt: skip
    assert all(color_of(color) == color for color in COUNTS)
    one = SEGMENT_DEG
    assert [step_problem(0, deg * one, 1) is None for deg in (0.3, 0.5, 1.0, 1.5, 1.7, -1.0)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip
    assert step_problem(0, -one, 0) is None
    assert step_problem(0, -one, -1) is None
    assert (way_of([0.0]), way_of([0, 7, 14, 21]), way_of([0, -7, -14]), way_of([0, 1])) == (0, 1, -1, 0)


@given(shift=st.integers(1, 51))
def test_a_shifted_and_a_turned_map_are_told_from_a_wrong_one(shift: int) -> None:
    assert compare_maps(COLORS[shift:] + COLORS[:shift], COLORS).kind == "shifted"
    turned = [COLORS[0], *reversed(COLORS[1:])]
    found = compare_maps(turned[shift:] + turned[:shift], COLORS)
    assert found.kind == "reversed"


def turned(degs: list[float], *, absolute: bool = False, lost_at: int = -1, every_s: float = 0.02) -> WheelWatch:
    """A watch that was told these angles one after another."""
    watch = WheelWatch()
    for number, deg in enumerate(degs):
        now = at(number * every_s)
        watch.feed(
            WheelAngle(
                at=now, raw=b"", count=round(deg / 360 * 4096) % 2**32, per_turn=4096, wraps_at=2**32,
                absolute=absolute, counts_lost=number == lost_at,
            )
        )  # fmt: skip
        if number == 0 or deg // 360 != degs[number - 1] // 360:
            passes = int(deg // 360) + 1
            latch = round((deg // 360) * 4096) % 2**32
            watch.feed(IndexMark(at=now, raw=b"", passes=passes, count=latch))
    return watch


def coasted(turns: float = 4.0) -> list[float]:
    """A second of rest, a spin that slows evenly, two of rest."""
    way, seconds = turns * 360, 8.0
    run = [10 + way * (1 - (1 - n / (seconds * 50)) ** 2) for n in range(int(seconds * 50))]
    return [10.0] * 50 + run + [10 + way] * 100


def test_a_run_is_from_rest_to_rest_and_says_whether_counts_are_missing() -> None:
    (run,) = turned(coasted()).runs
    assert run.turns == pytest.approx(4.0, abs=0.01)
    assert run.whole
    (broken,) = turned(coasted(), lost_at=200).runs
    assert not broken.whole
    assert turned(coasted(1.5)).runs == [], "a wheel that is turned to its next place"
    with_hole = coasted()
    assert not turned(with_hole[:200] + with_hole[200:], every_s=0.3).runs


def test_too_little_of_a_coast_is_said() -> None:
    with pytest.raises(TooLittle, match="spin it harder"):
        fit_coast([Run((0.0, 0.02), (0.0, 10.0), True)])
    with pytest.raises(TooLittle):
        fit_coast(turned(coasted(), lost_at=200).runs)


def test_a_counter_knows_no_place_before_its_index() -> None:
    watch = WheelWatch()
    for number in range(100):
        reading = WheelAngle(at=at(number * 0.02), raw=b"", count=5, per_turn=4096, wraps_at=2**32, absolute=False)
        watch.feed(reading)
    assert not watch.placed
    assert watch.standing() is None
    watch.feed(IndexMark(at=at(2.0), raw=b"", passes=1, count=5))
    assert watch.placed
    standing = watch.standing()
    assert standing is not None
    assert standing.encoder_deg == pytest.approx(0.0)
