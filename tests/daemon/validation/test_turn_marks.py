"""No segment of the colour wheel is told by an encoder that nothing vouches for: marks that stop coming, knocks."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.validation.signals import Trouble
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_daemon.validation.turn_rules import TurnRules
from support.turns import RULES, PlainWheel

UNCHECKED = msgspec.structs.replace(RULES, reference="unchecked")
TO_SEGMENT_5 = 1080 + 5 * SEGMENT_DEG
MARK_DEG = 10.0


class DyingMark(PlainWheel):
    """Its mark's sensor dies once the wheel has come so far."""

    dies_at_deg = float("inf")

    def see(self, *, at_deg: float | None = None, gap_s: float = 1 / PlainWheel.HERTZ) -> None:
        if at_deg is not None and abs(at_deg) > self.dies_at_deg:
            self.marks = False
        super().see(at_deg=at_deg, gap_s=gap_s)


@given(st.floats(1085, 2000), st.sampled_from([1, -1]), st.floats(0, 2000))
def test_a_turn_counts_only_with_its_last_pass_seen(degrees: float, sign: int, dies_after_deg: float) -> None:
    wheel = DyingMark()
    wheel.rest(1.5)
    begin_deg = wheel.deg
    wheel.dies_at_deg = abs(begin_deg) + dies_after_deg
    wheel.turn(sign * degrees)
    wheel.rest(2)
    low, high = sorted((begin_deg, wheel.deg))
    passes = [MARK_DEG + 360 * n for n in range(-7, 8) if low < MARK_DEG + 360 * n <= high]
    unseen = [deg for deg in passes if abs(deg) > wheel.dies_at_deg]
    counted = [word for word in wheel.words() if word.startswith("ok:")]
    if not unseen:
        assert "NotJudged:index_missing" not in wheel.words()
    elif min(abs(wheel.deg - deg) for deg in unseen) > 20:  # else it rests about where the mark is
        assert not counted


@pytest.mark.parametrize(
    ("degrees", "word"), [(340.0, "too_few_turns"), (370.0, "index_missing"), (400.0, "index_missing")]
)
def test_a_turn_of_one_round_needs_its_mark_too(degrees: float, word: str) -> None:
    wheel = PlainWheel(msgspec.structs.replace(RULES, min_turns=1.0))
    wheel.marks = False
    wheel.rest(1.5)
    wheel.turn(degrees)
    wheel.rest(2)
    assert f"NotJudged:{word}" in wheel.words()
    assert not [said for said in wheel.words() if said.startswith("ok:")]


def knocked(by_deg: float, rules: TurnRules = UNCHECKED) -> PlainWheel:
    """The wheel stands, and its encoder is another way round from one count to the next."""
    wheel = PlainWheel(rules)
    wheel.rest(2)
    wheel.slip_deg += by_deg
    wheel.rest(2)
    return wheel


@pytest.mark.parametrize("by_deg", [3.5, -8.0, 20.0, 60.0, -170.0])
def test_without_a_mark_a_knock_ends_every_segment(by_deg: float) -> None:
    wheel = knocked(by_deg)
    (trouble,) = [signal for signal in wheel.signals if isinstance(signal, Trouble)]
    assert (trouble.fault, trouble.cleared) == ("encoder_slip", False)
    for _ in range(2):
        wheel.turn(TO_SEGMENT_5)
        wheel.rest(2)
    assert [word for word in wheel.words() if ":" in word] == ["NotJudged:encoder_slip"] * 2


@pytest.mark.parametrize("by_deg", [8.0, -170.0])
def test_an_encoder_that_is_knocked_back_is_believed_again(by_deg: float) -> None:
    wheel = knocked(by_deg)
    wheel.slip_deg -= by_deg
    wheel.rest(2)
    assert Trouble("encoder_slip", "", cleared=True) in wheel.signals
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(2)
    assert wheel.words()[-2] == "ok:5"


@pytest.mark.parametrize("jump_deg", [-4.5, 90.0])
def test_without_a_mark_a_slip_in_a_turn_ends_those_after_it_too(jump_deg: float) -> None:
    wheel = PlainWheel(UNCHECKED)
    wheel.rest(1.5)
    wheel.turn(2000, slowing=20.0, leave_deg=300.0)
    wheel.slip_deg += jump_deg
    wheel.go(-20.0, 10)
    wheel.rest(2)
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(2)
    told = [word for word in wheel.words() if ":" in word]
    assert len(told) == 2
    assert told[-1] == "NotJudged:encoder_slip"


def test_a_small_step_in_a_turn_may_have_been_a_hand() -> None:
    """It costs that turn, and no other."""
    wheel = PlainWheel(UNCHECKED)
    wheel.rest(1.5)
    wheel.turn(2002, slowing=20.0, leave_deg=300.0)
    wheel.slip_deg -= 1.5
    wheel.go(-20.0, 10)
    wheel.rest(2)
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(2)
    assert [word.partition(":")[0] for word in wheel.words() if ":" in word] == ["NotJudged", "ok"]


@given(st.floats(3.5, 14.0), st.sampled_from([1, -1]), st.floats(0.15, 2.0))
def test_a_hand_that_moves_a_wheel_a_little_is_no_knock(degrees: float, sign: int, seconds: float) -> None:
    wheel = PlainWheel(UNCHECKED)
    wheel.rest(2)
    wheel.swing(sign * degrees, change=4 * degrees / seconds**2)
    wheel.rest(2)
    assert "Trouble" not in wheel.words()


def test_a_mark_shows_by_itself_what_a_knock_did() -> None:
    wheel = knocked(20.0, RULES)
    assert "Trouble" not in wheel.words()
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(2)
    assert "NotJudged:encoder_slip" in wheel.words()
