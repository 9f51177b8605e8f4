"""The simulated wheel turns as it should, and its faults do what their names say."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest

from hw_sim.faults import UnknownFault
from hw_sim.truth import TruthLog
from hw_sim.wheel.device import colour_wheel
from hw_sim.wheel.encoder import Encoder
from hw_sim.wheel.faults import TurnFault, parse_turn
from hw_sim.wheel.layout import COUNTS, layout
from hw_sim.wheel.options import WheelCounterOptions, WheelModbusOptions
from hw_sim.wheel.physics import RAD, Course, Dynamics, coast, draw_dynamics
from hw_sim.wheel.wire import Slave, check, closed

SMOOTH = Dynamics(c0=0.3, c1=0.02, g=0.0, phi_deg=0.0, peg_deg_s=0.0)


def run(dynamics: Dynamics, speed: float, deg: float = 0.0) -> Course:
    course = Course(0.0, deg)
    coast(dynamics, course, speed)
    return course


def test_a_balanced_wheel_runs_as_the_formula_has_it() -> None:
    speed = 500.0
    w = speed * RAD
    course = run(SMOOTH, speed)
    way = (w / 0.02 - 0.3 / 0.02**2 * math.log1p(0.02 * w / 0.3)) / RAD
    assert course.end_deg == pytest.approx(way, rel=0.005)
    assert course.end_s == pytest.approx(math.log1p(0.02 * w / 0.3) / 0.02, rel=0.005)
    assert SMOOTH.speed_for(way) == pytest.approx(speed, rel=0.005)


def test_both_ways_are_the_same() -> None:
    assert run(SMOOTH, -300.0).end_deg == pytest.approx(-run(SMOOTH, 300.0).end_deg)


def test_an_unbalanced_wheel_rolls_back_and_a_balanced_one_does_not() -> None:
    light, casino = draw_dynamics("light", Random(1)), draw_dynamics("casino", Random(1))
    assert light.roll_back_deg() > 100
    assert casino.roll_back_deg() < 5
    backs = [run(light, 400 + 3 * n) for n in range(40)]
    assert max(course.furthest_deg(1) - course.end_deg for course in backs) > 60


def test_pegs_keep_the_pointer_off_the_boundaries() -> None:
    dynamics = draw_dynamics("casino", Random(3))
    ends = [run(dynamics, 300 + 1.7 * n).end_deg % (360 / 52) for n in range(60)]
    near = sum(min(end, 360 / 52 - end) < 0.7 for end in ends)
    assert near <= 6


@pytest.mark.parametrize("seed", range(5))
def test_the_layout_has_the_book_s_counts(seed: int) -> None:
    colors = layout(Random(seed))
    assert {color: colors.count(color) for color in COUNTS} == COUNTS
    assert not any(a == b == "blue" for a, b in itertools.pairwise(colors)), "spread over the wheel"


def test_corrections_make_a_bent_encoder_true() -> None:
    encoder = Encoder(Random(2), 4096)
    corrections = encoder.corrections()
    assert max(map(abs, corrections)) > 1.0
    for index, correction in enumerate(corrections):
        own = index * 5.0
        wheel = encoder.sign * (own + correction + encoder.zero_deg)
        assert encoder.angle(wheel) == pytest.approx(own, abs=0.01)


def test_the_mark_is_latched_once_a_turn_either_way() -> None:
    encoder = Encoder(Random(2), 4096)
    for tick in range(721):
        encoder.watch(tick * 1.0)
    assert encoder.passes == 2
    forward = encoder.latch_deg
    for tick in range(720, -1, -1):
        encoder.watch(tick * 1.0)
    assert encoder.passes == 4
    assert forward is not None
    assert encoder.latch_deg is not None
    assert (forward - encoder.latch_deg) % 360 == pytest.approx(0, abs=1e-6) or pytest.approx(360) == (
        (forward - encoder.latch_deg) % 360
    )


def test_the_slave_answers_its_own_questions_only() -> None:
    slave = Slave(1)
    ask = closed(bytes((1, 3, 0, 0, 0, 2)))
    assert ask == bytes.fromhex("010300000002c40b")
    assert slave.receive(b"\x00\xff" + ask[:3]) == []
    (question,) = slave.receive(ask[3:])
    assert (question.function, question.register, question.value) == (3, 0, 2)
    assert slave.receive(closed(bytes((2, 3, 0, 0, 0, 2)))) == []
    assert slave.answer(question, lambda _: [1, 2]) == closed(bytes((1, 3, 4, 0, 1, 0, 2)))
    assert slave.answer(question, lambda _: None) == closed(bytes((1, 0x83, 2)))
    assert check(b"123456789") == 0x4B37


def test_what_a_scenario_may_say() -> None:
    assert WheelModbusOptions(name="w", script=("good", "short_spin+garbled")).problems() == []
    found = WheelCounterOptions(
        name="a b", script=("busy",), rates={TurnFault.MISREAD: 0.1}, turns=(4, 3), between_s=(2, 1)
    ).problems()
    assert [key for key, _ in found] == ["name", "turns", "between_s", "script", "rates"]
    assert TurnFault.INDEX_MISSING not in WheelModbusOptions(name="w", reference=False).faults()
    with pytest.raises(UnknownFault, match="there are: good"):
        parse_turn("wobble", frozenset(TurnFault))


def test_a_wheel_that_is_told_spins_when_told() -> None:
    log = TruthLog()
    wheel = colour_wheel(WheelCounterOptions(name="w", starts="told", turns=(3.2, 3.3)), 1, log)
    wheel.advance(60.0)
    assert wheel.in_play() is None
    wheel.tell("spin")
    wheel.advance(61.0)
    playing = wheel.in_play()
    assert playing is not None
    assert playing["finished"] is False
    wheel.advance(200.0)
    assert len(log.records) == 1
    with pytest.raises(ValueError, match="spin"):
        wheel.tell("deal")


def test_a_technician_steps_and_finds_boundaries() -> None:
    wheel = colour_wheel(WheelCounterOptions(name="w", starts="told"), 1, TruthLog())
    wheel.advance(1.0)

    def after(word: str) -> float:
        wheel.tell(word)
        wheel.advance(wheel.now_s + 8.0)
        return wheel.table.angle() * 52 / 360 % 52

    for segment in (13, 51, 0):
        off = (after(f"boundary {segment}") - segment + 26) % 52 - 26
        assert abs(off) < 0.03
    assert [int(after(word)) for word in ("step", "step", "step 3", "back", "back 2")] == [0, 1, 4, 3, 1]
    for word in ("boundary", "boundary 52", "step x", "spin 2", "jump"):
        with pytest.raises(ValueError, match="boundary N"):
            wheel.tell(word)


def test_faults_are_injected_by_name() -> None:
    log = TruthLog()
    wheel = colour_wheel(WheelModbusOptions(name="w"), 1, log)
    wheel.inject("short_spin")
    wheel.advance(60.0)
    assert log.records[0]["faults"] == ["short_spin"]
    with pytest.raises(UnknownFault, match="counts_lost"):
        wheel.inject("counts_lost")
