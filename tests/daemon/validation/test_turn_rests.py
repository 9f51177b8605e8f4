"""From where the judge of the colour wheel counts turns: a verified rest, and no other."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from dealer_daemon.validation.signals import NotJudged, Signal
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_daemon.verdicts import Refused
from dealer_drivers.readings import Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from support.turns import PlainWheel, plain_file

GOOD = ["Ready", "Started", "BettingOver", "ok:5", "Ready"]
TO_SEGMENT_5 = 1080 + 5 * SEGMENT_DEG


class SingleTurnWheel(PlainWheel):
    """An encoder that counts one turn and begins again."""

    def feed(self, reading: Reading) -> list[Signal]:
        if isinstance(reading, WheelAngle):
            reading = replace(reading, count=reading.count % 4096, wraps_at=4096)
        elif isinstance(reading, IndexMark):
            reading = replace(reading, count=reading.count % 4096)
        return super().feed(reading)


class TestUnverifiedRest:
    """A turn is counted from a rest that was verified, and from no other."""

    @pytest.mark.parametrize("kind", [SingleTurnWheel, PlainWheel])
    @pytest.mark.parametrize("gap_s", [0.3, 0.4, 0.7, 0.9])
    @pytest.mark.parametrize("back_deg", [-200.0, -300.0])
    def test_wound_back_in_a_gap(self, kind: type[PlainWheel], gap_s: float, back_deg: float) -> None:
        wheel = kind()
        wheel.rest(1.5)
        wheel.see(at_deg=wheel.deg + back_deg, gap_s=gap_s)
        wheel.turn(720 - back_deg + 28)
        wheel.rest(2)
        assert wheel.words()[1] == "Unseen:samples_missing"
        assert not [word for word in wheel.words() if word.startswith("ok")]

    @pytest.mark.parametrize("kind", [SingleTurnWheel, PlainWheel])
    def test_a_gap_costs_no_turn_once_the_wheel_is_verified_anew(self, kind: type[PlainWheel]) -> None:
        wheel = kind()
        wheel.rest(1.5)
        wheel.see(gap_s=0.9)
        wheel.rest(1.0)
        wheel.turn(TO_SEGMENT_5)
        wheel.rest(2)
        assert wheel.words() == GOOD

    @pytest.mark.parametrize("pause_s", [0.0, 0.1, 0.3, 0.5, 0.6])
    def test_spun_again_before_it_rested(self, pause_s: float) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(1500, leave_deg=900)
        wheel.judge.discard()
        wheel.go(-600, wheel.speed / 600)
        wheel.rest(pause_s)
        wheel.turn(TO_SEGMENT_5)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Started", "BettingOver", "NotJudged:not_rested", "Ready"]
        (signal,) = [signal for signal in wheel.signals if isinstance(signal, NotJudged)]
        assert isinstance(signal.verdict, Refused)
        assert "let it rest first" in signal.verdict.detail

    def test_spun_again_after_a_short_push(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(40, leave_deg=3)
        wheel.judge.discard()
        wheel.go(-20, wheel.speed / 20)
        wheel.rest(0.3)
        wheel.turn(TO_SEGMENT_5)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Started", "BettingOver", "NotJudged:not_rested", "Ready"]

    def test_pushed_once_more_while_it_still_runs(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(1500, leave_deg=600)
        wheel.judge.discard()
        wheel.go(-20, 3)
        wheel.go(250, 0.5)
        wheel.go(-20, 20)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Started", "BettingOver", "NotJudged:not_rested", "Ready"]

    @pytest.mark.parametrize("moved_deg", [20, 60, 900])
    def test_a_discarded_spin_that_runs_out_is_no_other_one(self, moved_deg: float) -> None:
        """Wound up or not, with its hand still on it, and rolling back at its end."""
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(-30)
        before_deg = wheel.deg
        wheel.judge.discard()
        wheel.turn(1500, leave_deg=1500 - moved_deg)
        assert wheel.deg > before_deg
        wheel.go(-20, wheel.speed / 20)
        wheel.swing(-150)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Ready"]

    @pytest.mark.parametrize("seed", range(4))
    def test_nor_is_a_wheel_out_of_balance(self, seed: int) -> None:
        """It gains speed in every turn, downhill."""
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(1500, leave_deg=1400)
        wheel.judge.discard()
        speed = wheel.speed
        while speed > 20:
            speed += (-6 - 38 * math.sin(math.radians(wheel.deg + 90 * seed))) / 40
            wheel.see(at_deg=wheel.deg + speed / 40)
        assert not [signal for signal in wheel.signals if isinstance(signal, NotJudged)]

    @pytest.mark.parametrize("brake", [900, 3000])
    def test_spun_a_third_time_and_the_other_way(self, brake: float) -> None:
        """Right after it was said: the hand stops the second spin before it has gone half a turn further."""
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(1500, leave_deg=600)
        wheel.judge.discard()
        wheel.go(-20, 3)
        wheel.go(250, 0.5)
        while "NotJudged:not_rested" not in wheel.words():
            wheel.go(-20, 0.05)
        wheel.go(-brake, wheel.speed / brake)
        wheel.turn(-TO_SEGMENT_5)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Started", "BettingOver", "NotJudged:not_rested"] * 2 + ["Ready"]

    def test_a_wheel_that_rolls_back_far_was_not_spun_again(self) -> None:
        wheel = PlainWheel(file=plain_file().replace("roll_back_deg = 170.0", "roll_back_deg = 350.0"))
        wheel.rest(1.5)
        wheel.turn(1500, leave_deg=600)
        wheel.judge.discard()
        wheel.go(-20, 3)
        wheel.go(250, 0.5)
        wheel.go(-20, wheel.speed / 20)
        wheel.swing(-345)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Started", "BettingOver", "NotJudged:not_rested", "Ready"], "said once"
