"""A wheel that has come to rest, as it seems, and creeps on too slowly for any single look at it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dealer_daemon.validation.signals import Judged, NotJudged
from dealer_daemon.validation.turn_creep import AHEAD_S, Creep
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from support.turns import PlainWheel

SLACK_S = 0.7
"""A rest is the middle of its counts, which are up to 0.75 s old, and one of them is 0.09 degrees."""
KEEP_OUT_DEG = 0.7


def crept(inside_deg: float, deg_s: float) -> tuple[PlainWheel, float | None]:
    """A wheel that comes so far inside segment 5 to rest and creeps on; for how long it had when its end was said."""
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1080 + 5 * SEGMENT_DEG + inside_deg - 3.0)
    for count in range(round(12 * wheel.HERTZ)):
        if any(isinstance(signal, Judged | NotJudged) for signal in wheel.signals):
            return wheel, count / wheel.HERTZ
        wheel.see(at_deg=wheel.deg + deg_s / wheel.HERTZ)
    return wheel, None


@settings(max_examples=60, deadline=None)
@given(st.floats(0.3, SEGMENT_DEG - 0.3), st.floats(-0.3, 0.3))
@example(0.8, -0.1)
@example(SEGMENT_DEG - 0.8, 0.12)
@example(1.5, -0.19)
def test_a_result_stands_while_people_look_at_it(inside_deg: float, deg_s: float) -> None:
    wheel, _ = crept(inside_deg, deg_s)
    results = [signal.value.facts["segment"] for signal in wheel.signals if isinstance(signal, Judged)]
    later = wheel.deg + deg_s * (AHEAD_S - SLACK_S)
    assert results in ([], [int(later % 360 / SEGMENT_DEG)])


@pytest.mark.parametrize("inside_deg", [0.85, 1.5, SEGMENT_DEG / 2, SEGMENT_DEG - 0.85])
def test_a_wheel_that_stands_waits_for_nothing(inside_deg: float) -> None:
    wheel, said_s = crept(inside_deg, 0.0)
    assert wheel.words()[3] == "ok:5"
    assert said_s is not None
    assert said_s <= 1.6


def test_one_that_creeps_onto_a_peg_is_spun_again() -> None:
    wheel, said_s = crept(0.95, -0.15)
    (end,) = [signal for signal in wheel.signals if isinstance(signal, NotJudged)]
    assert end.verdict.reason == "on_boundary"
    assert said_s is not None
    assert said_s < 5


@pytest.mark.parametrize("counts", [900, 4096])
def test_an_encoder_that_hides_a_creep_is_watched_for_longer(counts: int) -> None:
    """Half a count of movement in all: as far as anybody can see the wheel stands."""
    creep = Creep(100.0, 50.0, 360 / counts)
    waits_s = [tenth / 10 for tenth in range(1, 100) if not creep.stays(100.0, 50.0 + tenth / 10, 0.75)]
    assert max(waits_s) == (2.6 if counts == 900 else 0.6)
    assert not creep.stays(100.5, 60.0, 0.25), "it was seen to move"
    assert creep.stays(100.0, 60.0, 0.1), "and it was not, however near it is"


def test_one_that_creeps_a_little_and_then_stands_counts() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1080 + 5 * SEGMENT_DEG + 0.8 - 3.0)
    for _ in range(round(1.7 * wheel.HERTZ)):
        wheel.see(at_deg=wheel.deg + 0.12 / wheel.HERTZ)
    assert len(wheel.words()) == 3, "it is watched on"
    wheel.rest(2)
    assert wheel.words()[3:] == ["ok:5", "Ready"]
