"""Wheels whose friction was measured: turns that no free coast explains are refused, and every free one counts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.validation.turn_coast import Coast
from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelFileError
from hw_sim.wheel.physics import RAD, Course, Dynamics, coast, push
from support.turns import PlainWheel, plain_file

MEASURED = """
least_slowing_deg_s2 = 17.0
most_slowing_deg_s2 = 23.0
imbalance_deg_s2 = 1.0
imbalance_at_deg = 90.0
"""


def measured(more: str = MEASURED) -> PlainWheel:
    """A heavy wheel that friction slows by 20 degrees/s²."""
    return PlainWheel(file=plain_file(more=more).replace("slowing_deg_s2 = 40.0", "slowing_deg_s2 = 25.0", 1))


def pushed_and_braked(wheel: PlainWheel, turns: float, speed: float, brake: float) -> list[str]:
    """Brought to a speed, kept there by hand for so many turns, then braked evenly until it stands."""
    wheel.rest(1.5)
    wheel.speed = 0.0
    wheel.go(speed / 0.5, 0.5)
    wheel.go(0.0, turns * 360 / speed)
    wheel.go(-brake, 30)
    wheel.rest(2)
    return wheel.words()[3:]


@pytest.mark.parametrize(("turns", "speed", "brake"), [(1.4, 200, 29), (1.4, 200, 35), (2.2, 150, 35), (0.9, 260, 36)])
def test_a_wheel_braked_within_its_bound_at_every_instant_is_refused_over_its_turns(
    turns: float, speed: float, brake: float
) -> None:
    alone = measured(more="least_slowing_deg_s2 = 17.0\n")
    assert pushed_and_braked(alone, turns, speed, brake)[0].startswith(("ok:", "NotJudged:driven")), "the gap that was"
    words = pushed_and_braked(measured(), turns, speed, brake)
    assert words[0] in ("NotJudged:stopped_by_hand", "NotJudged:driven_by_hand")


def test_the_known_gap_was_there_and_is_closed() -> None:
    """Pushed at 200 degrees a second for 1.4 turns, then braked no harder than the wheel may slow by itself."""
    old = PlainWheel(file=plain_file(more="least_slowing_deg_s2 = 17.0\n"))
    assert pushed_and_braked(old, 1.4, 200, 33)[0].startswith("ok:")
    wheel = PlainWheel(file=plain_file(more=MEASURED))
    assert pushed_and_braked(wheel, 1.4, 200, 33)[0] in ("NotJudged:driven_by_hand", "NotJudged:stopped_by_hand")


@pytest.mark.parametrize("slowing", [17.5, 20.0, 22.5])
@pytest.mark.parametrize("segments", [5, 30])
def test_a_wheel_that_runs_freely_counts(slowing: float, segments: int) -> None:
    wheel = measured()
    wheel.rest(1.5)
    wheel.turn(1080 + segments * SEGMENT_DEG, slowing=slowing)
    wheel.rest(2)
    assert wheel.words()[3:] == [f"ok:{segments}", "Ready"]


@settings(max_examples=60)
@given(
    c0=st.floats(0.06, 0.6),
    c1=st.floats(0.001, 0.05),
    g=st.floats(0, 1),
    turns=st.floats(3, 9),
    rising=st.booleans(),
    off=st.floats(-0.08, 0.08),
    seed=st.integers(),
)
def test_no_free_coast_is_refused_whatever_friction_and_balance(
    c0: float, c1: float, g: float, turns: float, rising: bool, off: float, seed: int
) -> None:
    rng = Random(seed)
    dynamics = Dynamics(c0, c1, g, rng.uniform(0, 360), rng.uniform(0, 14))
    start, sign = rng.uniform(0, 360), 1 if rising else -1
    course = Course(0.0, start)
    speed = dynamics.speed_for(360 * turns)
    push(course, sign, speed, rng.uniform(0.3, 0.8))
    coast(dynamics, course, sign * speed)
    # What was measured is as far off as a calibration's margin leaves room for.
    least, most = (part * (1 + off) * c0 / RAD for part in (0.85, 1.15))
    pull = g / RAD * (1 + off)
    lines = {
        "slowing_per_s": 1.15 * c1,
        "least_slowing_per_s": 0.85 * c1,
        "least_slowing_deg_s2": least,
        "most_slowing_deg_s2": most,
        "imbalance_deg_s2": pull,
        # Rising angles are pushed most a quarter turn after phi.
        "imbalance_at_deg": (dynamics.phi_deg + 90) % 360,
    }
    file = plain_file(more="\n".join(f"{key} = {value}" for key, value in lines.items()) + "\n")
    wheel = PlainWheel(file=file.replace("= 40.0", f"= {most + 1.2 * pull}", 1)).wheel
    judged = Coast(wheel, start, rising=rising)
    t_s = 0.0
    while t_s < course.end_s + 1:
        t_s += 1 / 40
        heard_s = t_s + rng.uniform(0, 0.001)
        way = sign * (course.at(t_s) - course.begin_deg) + rng.uniform(-0.05, 0.05)
        assert judged.note(way, heard_s) is None


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("most_slowing_deg_s2 = 23.0\n", "most_slowing_deg_s2"),
        ("most_slowing_deg_s2 = 16.0\nleast_slowing_deg_s2 = 17.0\n", "most_slowing_deg_s2"),
        ("most_slowing_deg_s2 = 41.0\nleast_slowing_deg_s2 = 17.0\n", "most_slowing_deg_s2"),
        ("least_slowing_per_s = 0.1\n", "least_slowing_per_s"),
        ("imbalance_deg_s2 = 1.0\n", "imbalance_at_deg"),
        ("imbalance_at_deg = 1.0\n", "imbalance_deg_s2"),
        (MEASURED.replace("= 1.0", "= 17.1"), "imbalance_deg_s2: with most_slowing_deg_s2 it makes 40.1"),
    ],
)
def test_figures_that_do_not_go_together_are_refused(more: str, key: str) -> None:
    with pytest.raises(WheelFileError, match=key):
        PlainWheel(file=plain_file(more=more))


def test_a_heavy_side_within_what_the_wheel_slows_by_is_taken() -> None:
    assert PlainWheel(file=plain_file(more=MEASURED.replace("= 1.0", "= 17.0"))).words() == []
