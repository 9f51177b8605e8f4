"""A wheel that a hand carries round does not lose what its bearing takes; one that runs by itself does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.validation.turn_coast import Coast
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from hw_sim.wheel.physics import RAD, Course, Dynamics, coast, push
from support.turns import PlainWheel, plain_file


def carried(wheel: PlainWheel, goal_deg: float, speed: float, brake: float = 35.0) -> None:
    """Brought to a speed within half a second, kept there, and braked no harder than it slows by itself."""
    dt, now, deg = 1 / wheel.HERTZ, 0.0, wheel.deg
    while goal_deg - deg > 0.05:
        now = min(now + speed * dt / 0.5, speed, (2 * brake * (goal_deg - deg)) ** 0.5)
        if now < 0.3:
            break
        deg += now * dt
        wheel.see(at_deg=deg)


@pytest.mark.parametrize("speed", [20, 35, 60, 100])
@pytest.mark.parametrize("segment", [1, 17, 51])
def test_a_wheel_carried_by_hand_to_any_segment_is_refused(speed: float, segment: int) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    carried(wheel, 1080 + 3 + (segment + 0.5) * SEGMENT_DEG, speed)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:driven_by_hand", "Ready"]


@pytest.mark.parametrize("speed", [150, 250, 400])
def test_a_fast_wheel_that_is_kept_at_its_speed_is_refused(speed: float) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    carried(wheel, 2600 + speed**2 / 70, speed)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:driven_by_hand", "Ready"]


def test_a_wheel_whose_friction_was_measured_is_not_carried_for_half_a_turn() -> None:
    """It is balanced: within a turn, too, it slows all the time."""
    wheel = PlainWheel(file=plain_file(more="least_slowing_deg_s2 = 18.0\n").replace("= 40.0", "= 20.0"))
    wheel.rest(1.5)
    wheel.turn(1300, slowing=20.0, leave_deg=200)
    wheel.go(0.0, 3.0)
    wheel.go(-20.0, 10)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:driven_by_hand", "Ready"]


@pytest.mark.parametrize("slowing", [2.5, 5.0, 20.0, 39.0])
def test_a_wheel_that_runs_freely_is_its_own(slowing: float) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1080 + 5 * SEGMENT_DEG, slowing=slowing)
    wheel.rest(2)
    assert wheel.words()[3:] == ["ok:5", "Ready"]


@settings(max_examples=30)
@given(c0=st.floats(0.06, 0.6), c1=st.floats(0.001, 0.05), g=st.floats(0, 1), turns=st.floats(3, 9), seed=st.integers())
def test_no_wheel_of_any_friction_and_balance_is_called_driven(
    c0: float, c1: float, g: float, turns: float, seed: int
) -> None:
    rng = Random(seed)
    dynamics = Dynamics(c0, c1, g, rng.uniform(0, 360), rng.uniform(0, 14))
    course = Course(0.0, rng.uniform(0, 360))
    speed = dynamics.speed_for(360 * turns)
    push(course, 1, speed, rng.uniform(0.3, 0.8))
    coast(dynamics, course, speed)
    most, per_s = dynamics.slowing()
    file = plain_file(more=f"slowing_per_s = {per_s}\nleast_slowing_deg_s2 = {0.95 * c0 / RAD}\n")
    judged = Coast(PlainWheel(file=file.replace("= 40.0", f"= {most}")).wheel)
    t_s = 0.0
    while t_s < course.end_s + 1:
        t_s += 1 / 40
        heard_s = t_s + rng.uniform(0, 0.001)
        assert judged.note(course.at(t_s) - course.begin_deg + rng.uniform(-0.05, 0.05), heard_s) is None
