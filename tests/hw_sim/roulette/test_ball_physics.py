"""The ball's law in closed form agrees with itself, with a step-by-step integration, and with real spins."""

from __future__ import annotations

import itertools
import math
import statistics
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.faults import Fault
from hw_sim.roulette.flight import Flight, draw_drag, plan_flight
from hw_sim.roulette.physics import (
    TURN,
    WHEEL_ORDER,
    Course,
    Drag,
    full_laps,
    pocket_under,
    rad_s_of,
    rpm_of,
    sensor_hits,
)
from hw_sim.roulette.rotor import CLOCKWISE, COUNTER_CLOCKWISE, Rotor

drags = st.one_of(
    st.builds(Drag, st.floats(0.6, 0.8), st.just(0.0)),
    st.builds(Drag, st.just(0.0), st.floats(0.0105, 0.0157)),
    st.builds(Drag, st.floats(0.05, 0.8), st.floats(0.001, 0.0157)),
)


def throw(seed: int, kind: str = "air", *faults: Fault, **more: int) -> Flight:
    rng = Random(seed)
    return plan_flight(
        rng,
        drag=draw_drag(rng, kind),
        launch_s=0.0,
        direction=1,
        faults=frozenset(faults),
        no_more_bets_rpm=42.8,
        verify_s=(4.0, 12.0),
        **more,
    )


@given(drags, st.floats(9, 16), st.floats(0.1, 6))
def test_the_law_holds_step_by_step(drag: Drag, w0: float, t_s: float) -> None:
    w, angle, steps = w0, 0.0, 2000
    for _ in range(steps):
        half = w - (drag.a + drag.b * w * w) * t_s / steps / 2
        angle += half * t_s / steps
        w -= (drag.a + drag.b * half * half) * t_s / steps
    assert drag.speed_after_s(w0, t_s) == pytest.approx(w, rel=1e-4)
    assert drag.angle(w0, drag.speed_after_s(w0, t_s)) == pytest.approx(angle, rel=1e-4)


@given(drags, st.floats(9, 16), st.floats(3.5, 8.9))
def test_time_and_angle_invert_each_other(drag: Drag, w0: float, w1: float) -> None:
    assert drag.speed_after_s(w0, drag.seconds(w0, w1)) == pytest.approx(w1)
    assert drag.speed_after_angle(w0, drag.angle(w0, w1)) == pytest.approx(w1)
    assert drag.speed_after_angle(w1, -drag.angle(w0, w1)) == pytest.approx(w0)


@given(st.integers(0, 10_000), st.sampled_from(["air", "rolling"]), st.floats(0.01, 0.99))
def test_travel_and_moment_invert_each_other_over_the_whole_course(seed: int, kind: str, part: float) -> None:
    course = throw(seed, kind, Fault.ENDLESS_BALL).course
    travel = course.end_angle * part
    assert course.travel(course.when(travel)) == pytest.approx(travel)
    assert course.when(course.end_angle + 1) == math.inf


@given(st.integers(0, 10_000), st.sampled_from(["air", "rolling"]))
def test_a_throw_lies_in_the_documented_ranges(seed: int, kind: str) -> None:
    flight = throw(seed, kind)
    drag = flight.drag
    assert (
        (0.60 <= drag.a <= 0.80 and drag.b == 0) if kind == "rolling" else (drag.a == 0 and 0.0105 <= drag.b <= 0.0157)
    )
    assert 9 <= flight.launch_rad_s <= 16
    assert flight.laps(math.inf) >= 8
    assert 7 <= flight.deflector_s - flight.left_rim_s <= 8
    down = full_laps(flight.course.travel(flight.deflector_s) - flight.course.travel(flight.left_rim_s))
    assert 2 <= down <= 4, "3 to 5 laps from rim to deflector, full ones counted from the rim"
    assert 4 <= flight.verified_s - flight.deflector_s <= 12
    assert flight.deflector_s < flight.landed_s < flight.verified_s


def test_a_throw_at_the_slow_end_is_still_a_good_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hw_sim.roulette.flight.LAUNCH_TYPICAL_RAD_S", 8.0)
    assert min(throw(seed, "rolling").laps(math.inf) for seed in range(50)) >= 8


@given(st.integers(0, 10_000), st.sampled_from(["air", "rolling"]))
def test_a_weak_throw_is_under_seven_laps(seed: int, kind: str) -> None:
    assert 4 <= throw(seed, kind, Fault.WEAK_LAUNCH).laps(math.inf) <= 6


@given(st.integers(0, 10_000), st.integers(1, 30), st.sampled_from(["air", "rolling"]))
def test_forced_laps_are_made(seed: int, laps: int, kind: str) -> None:
    assert throw(seed, kind, laps=laps).laps(math.inf) == laps


@given(st.integers(0, 10_000), st.sampled_from(["air", "rolling"]))
def test_three_sensor_hits_are_a_lap(seed: int, kind: str) -> None:
    flight = throw(seed, kind)
    hits = list(sensor_hits(flight.course, flight.left_rim_s))
    assert len(hits) // 3 == flight.laps(math.inf)
    assert [sensor for _, sensor in hits[:6]] == [1, 2, 3, 1, 2, 3]
    assert all(flight.laps(at_s + 1e-6) == n // 3 for n, (at_s, _) in enumerate(hits, start=1))
    assert all(a[0] < b[0] for a, b in itertools.pairwise(hits))


def test_an_endless_ball_does_not_slow_and_then_drops() -> None:
    flight = throw(3, "air", Fault.ENDLESS_BALL)
    times = [flight.course.when((n + 1) * TURN) - flight.course.when(n * TURN) for n in range(flight.laps(math.inf))]
    same = sum(abs(b / a - 1) < 0.005 for a, b in itertools.pairwise(times))
    assert same >= 10
    assert flight.left_rim_s > 45


def test_a_lost_ball_counts_no_more_laps() -> None:
    flight = throw(3, "air", Fault.FLYING_BALL)
    assert flight.lost_s < flight.left_rim_s
    assert 1 <= flight.laps(math.inf) == flight.laps(flight.lost_s) <= 4


def test_before_the_first_lap_there_is_no_lap_time() -> None:
    flight = throw(3)
    assert flight.lap_time_s(flight.course.when(0.9 * TURN)) is None
    assert flight.lap_time_s(flight.course.when(2.5 * TURN)) == pytest.approx(
        flight.course.when(2 * TURN) - flight.course.when(TURN)
    )


def test_the_pocket_order_is_the_single_zero_wheels() -> None:
    assert sorted(map(int, WHEEL_ORDER)) == list(range(37))
    assert WHEEL_ORDER[:4] == ("0", "32", "15", "19")
    assert WHEEL_ORDER[-1] == "26"


def test_the_pocket_follows_from_both_angles() -> None:
    assert pocket_under(1.0, 1.0) == 0
    assert pocket_under(1.0 + TURN / 37, 1.0) == 1
    assert pocket_under(1.0, 1.0 + TURN / 37) == 36
    assert pocket_under(1.0 + 5 * TURN, 1.0 - 3 * TURN) == 0


@given(st.integers(0, 1000), st.sampled_from(WHEEL_ORDER), st.floats(-50, 50))
def test_a_forced_number_is_a_matter_of_scatter(seed: int, number: str, rotor_angle: float) -> None:
    flight = throw(seed)
    scatter = flight.scatter_for(number, rotor_angle)
    assert flight.with_scatter(scatter).lies_in(rotor_angle) == number


def test_numbers_are_spread_over_the_wheel() -> None:
    counts = [0] * 37
    for seed in range(3700):
        flight = throw(seed)
        counts[WHEEL_ORDER.index(flight.lies_in(seed * 0.37))] += 1
    chi2 = sum((count - 100) ** 2 / 100 for count in counts)
    assert chi2 < 80, "36 degrees of freedom: over 80 in one of 30,000"


def test_speeds_convert() -> None:
    assert rpm_of(rad_s_of(42.8)) == pytest.approx(42.8)
    assert rad_s_of(60) == pytest.approx(TURN)


def test_a_course_that_never_gets_slow_says_so() -> None:
    assert Course(0.0, 5.0).run_free(10.0).slower_than(4.0) == math.inf


class TestRotor:
    def test_a_steady_rotor_turns_by_time(self) -> None:
        assert Rotor(0.0, 15.0).angle(4.0) == pytest.approx(TURN)
        assert Rotor(0.0, -15.0).angle(4.0) == pytest.approx(-TURN)

    def test_stop_and_reverse(self) -> None:
        rotor = Rotor(0.0, 15.0)
        assert rotor.ramp(1.0, 0.0, 2.0) == 3.0
        rotor.ramp(4.0, -12.0, 2.0)
        assert [rotor.rpm(t) for t in (0, 1, 2, 3, 3.5, 4, 5, 6, 9)] == [15, 15, 7.5, 0, 0, 0, -6, -12, -12]
        assert [rotor.direction(t) for t in (0, 3.5)] == [CLOCKWISE, CLOCKWISE]
        assert rotor.direction(4.1) == COUNTER_CLOCKWISE
        # 1 s at 15, ramp of 2 s to 0, rest, ramp of 2 s to -12, 1 s at -12: turns are the areas
        assert rotor.angle(7.0) / TURN == pytest.approx((15 * 1 + 15 - 12 - 12 * 1) / 60)

    @given(st.floats(0.1, 9.9))
    def test_forgetting_the_past_changes_nothing_after_it(self, at_s: float) -> None:
        rotor, other = Rotor(0.0, 15.0), Rotor(0.0, 15.0)
        for each in (rotor, other):
            each.ramp(1.0, 0.0, 2.0)
            each.ramp(4.0, -12.0, 2.0)
        other.forget(at_s)
        for later_s in (at_s, at_s + 0.5, at_s + 3):
            assert other.angle(later_s) == pytest.approx(rotor.angle(later_s))
            assert other.rpm(later_s) == pytest.approx(rotor.rpm(later_s))
            assert other.direction(later_s) == rotor.direction(later_s)


def growth(laps_s: list[float], at_least_s: float, under_s: float) -> list[float]:
    """How much longer the next lap was, for laps of about one length. Laps in the order of play."""
    return [b / a for a, b in itertools.pairwise(laps_s) if at_least_s <= a < under_s]


@pytest.mark.parametrize("kind", ["rolling", "air"])
def test_laps_grow_as_on_a_real_wheel(real_data: Path, kind: str) -> None:
    """Lap by lap, the simulated growth lies between the quartiles of 313 real spins, for both laws."""
    rows = (real_data / "wheels" / "lap_times_ball.csv").read_text().splitlines()
    real = [
        [float(cell) for cell in row.split(",")][::-1] for row in rows if row.strip()
    ]  # the file has the last first
    assert len(real) == 313
    flights = [throw(seed, kind) for seed in range(200)]
    simulated = [
        [flight.course.when((n + 1) * TURN) - flight.course.when(n * TURN) for n in range(flight.laps(math.inf))]
        for flight in flights
    ]
    for band in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0)):
        low, _, high = statistics.quantiles([g for laps in real for g in growth(laps, *band)], n=4)
        ours = statistics.median(g for laps in simulated for g in growth(laps, *band))
        print(f"{kind} laps of {band} s: real quartiles {low:.3f} to {high:.3f}, simulated median {ours:.3f}")
        assert low <= ours <= high
