"""Turns of the colour wheel at random, and the rules of a table."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.validation.signals import Judged, Ready
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from support.turns import RULES, PlainWheel, at, spun


@settings(max_examples=30, deadline=None)
@given(st.floats(1.0, 4.2), st.sampled_from([1, -1]), st.floats(14.0, 26.0), st.floats(0, 359))
def test_a_smooth_turn_is_judged_by_its_net_way(turns: float, sign: int, slowing: float, start_deg: float) -> None:
    wheel = PlainWheel()
    wheel.deg = start_deg
    words = spun(wheel, sign * 360 * turns, slowing=slowing)
    margin = min(wheel.deg % SEGMENT_DEG, SEGMENT_DEG - wheel.deg % SEGMENT_DEG)
    if abs(turns - 3) < 0.002 or abs(margin - 0.7) < 0.2:
        return
    if turns < 3:
        assert words[3] == "NotJudged:too_few_turns"
    elif margin < 0.7:
        assert words[3] == "NotJudged:on_boundary"
    else:
        assert words[3] == f"ok:{int(wheel.deg % 360 / SEGMENT_DEG)}"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(-3000, 3000), st.booleans()), max_size=80))
def test_whatever_the_counts_do_no_turn_is_accepted_without_three(steps: list[tuple[int, int, bool]]) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    count, furthest, begin = 34, 0, 34
    for ms, step, mark in steps:
        wheel.t_s += ms / 1000
        count += step
        furthest = max(furthest, abs(count - begin))
        wheel.feed(
            WheelAngle(
                at=at(wheel.t_s), raw=b"", count=count % (1 << 24), per_turn=4096, wraps_at=1 << 24, absolute=True
            )
        )
        if mark:
            wheel.passes += 1
            wheel.feed(IndexMark(at=at(wheel.t_s), raw=b"", passes=wheel.passes, count=count % (1 << 24)))
    for _ in range(100):
        wheel.t_s += 0.025
        wheel.feed(
            WheelAngle(
                at=at(wheel.t_s), raw=b"", count=count % (1 << 24), per_turn=4096, wraps_at=1 << 24, absolute=True
            )
        )
    accepted = [signal for signal in wheel.signals if isinstance(signal, Judged)]
    assert not accepted or furthest >= 3 * 4096
    assert all(signal.value.facts["turns"] >= 3 for signal in accepted)  # type: ignore[operator]
    assert isinstance(wheel.signals[0], Ready)


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"min_turns": 0.5}, "min_turns"),
        ({"still_s": 0.4}, "still_s"),
        ({"max_gap_s": 2.0}, "max_gap_s"),
        ({"silence_s": 0.2, "max_gap_s": 0.3}, "silence_s"),
        ({"reference_tolerance_deg": 5.0}, "reference_tolerance_deg"),
        ({"max_spin_s": float("nan")}, "max_spin_s"),
    ],
)
def test_impossible_rules(changed: dict[str, object], key: str) -> None:
    assert key in [where for where, _ in msgspec.structs.replace(RULES, **changed).problems()]
    assert RULES.problems() == []
