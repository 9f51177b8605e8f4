"""Every condition of a valid spin (``devices.md`` §1, rule book 002), each with its own reason word."""

from __future__ import annotations

import dataclasses

import pytest

from dealer_daemon.games.roulette import spin_facts
from dealer_daemon.validation.signals import Contradicted, Judged, NeedsConfirmation, NotJudged, Signal, Unseen
from dealer_daemon.validation.spin import SpinJudge
from dealer_daemon.validation.spin_rules import LapCurve, SpinRules
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.readings import Reading
from dealer_drivers.readings.roulette import Rotation, WheelFault, WheelPhase
from support.wheel import Wheel

ACCEPT = SpinRules(unobserved="accept")
COUNTED = SpinRules(laps="counted")


def signals(readings: list[Reading], rules: SpinRules = ACCEPT, judge: SpinJudge | None = None) -> list[Signal]:
    judge = judge or SpinJudge(rules, spin_facts)
    return [signal for reading in readings for signal in judge.feed("wheel", reading)]


def verdicts(wheel: Wheel, rules: SpinRules = ACCEPT) -> list[str]:
    """The end of each attempt in a word: a number, ``refused:reason``, ``held:reason``, ``confirm:number``."""
    words = []
    for signal in signals(wheel.take(), rules):
        match signal:
            case Judged(value=value):
                words.append(str(value.facts["number"]))
            case NeedsConfirmation(value=value):
                words.append(f"confirm:{value.facts['number']}")
            case NotJudged(verdict=Refused() as verdict):
                words.append(f"refused:{verdict.reason}")
            case NotJudged(verdict=Held() as verdict):
                words.append(f"held:{verdict.reason}")
            case Unseen(verdict=verdict):
                words.append(f"unseen:{verdict.reason}")
            case Contradicted():
                words.append("contradicted")
            case _:
                pass
    return words


def test_a_whole_spin_is_accepted_with_both_witnesses() -> None:
    wheel = Wheel().good_spin("27")
    (judged,) = [signal for signal in signals(wheel.take()) if isinstance(signal, Judged)]
    assert judged.value.facts["number"] == "27"
    assert judged.value.facts["laps"] is None
    assert judged.value.facts["laps_source"] == "unobserved"
    assert judged.value.witnesses == ("bare_number", "status_frame")


def test_the_same_number_twice_is_two_results() -> None:
    assert verdicts(Wheel().good_spin("9").next_game().good_spin("9")) == ["9", "9"]


def test_without_the_bare_number_two_result_frames_are_needed() -> None:
    assert verdicts(Wheel().betting().rim().no_more_bets().result("5", times=2)) == ["5"]
    wheel = Wheel().betting().rim().no_more_bets().result("5", times=1).next_game()
    assert verdicts(wheel) == ["held:counter_changed"]


def test_one_frame_is_never_enough_even_when_the_counter_stands() -> None:
    wheel = Wheel().betting().rim().no_more_bets().result("5", times=1).betting()
    assert verdicts(wheel) == ["held:single_witness"]


def test_a_bare_number_alone_is_never_enough() -> None:
    wheel = Wheel().betting().rim().no_more_bets().bare("5").bare("5").betting()
    assert verdicts(wheel)[0].startswith(("held", "refused"))


@pytest.mark.parametrize("bare", ["26", "0", "7"])
def test_witnesses_that_differ_are_held(bare: str) -> None:
    assert verdicts(Wheel().betting().rim().no_more_bets().bare(bare).result("27")) == ["held:witnesses_disagree"]


def test_two_pockets_from_one_witness_are_refused() -> None:
    wheel = Wheel().betting().rim().no_more_bets().result("5", times=1).result("6")
    assert verdicts(wheel) == ["refused:two_pockets"]


def test_another_number_after_the_result_stood_is_said() -> None:
    assert verdicts(Wheel().good_spin("5").result("6")) == ["5", "contradicted"]


def test_one_odd_frame_after_the_result_is_noise() -> None:
    wheel = Wheel().good_spin("5").result("6", times=1).result("5").result("7", times=1).result("6", times=1)
    assert verdicts(wheel) == ["5"]


def test_no_such_pocket_is_held() -> None:
    wheel = Wheel().betting().rim().no_more_bets().unreadable("99")
    assert verdicts(wheel) == ["held:number_unreadable"]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (WheelFault.SAME_DIRECTION, "same_direction"),
        (WheelFault.BALL_LEFT, "ball_left_wheel"),
        (WheelFault.SENSOR, "sensor_fault"),
        (WheelFault.NO_BALL, "no_ball"),
        (WheelFault.LAUNCH_FAILED, "launch_failed"),
    ],
)
@pytest.mark.parametrize("phase", [WheelPhase.RIM, WheelPhase.NO_MORE_BETS])
def test_a_warning_of_the_wheel_in_play_refuses(fault: WheelFault, reason: str, phase: WheelPhase) -> None:
    wheel = Wheel().betting().rim()
    if phase is WheelPhase.NO_MORE_BETS:
        wheel.no_more_bets()
    wheel.frame(phase, fault)
    wheel.no_more_bets().bare("4").result("4")
    assert verdicts(wheel) == [f"refused:{reason}"]


def test_wrong_direction_before_the_first_lap_refuses_once_and_the_next_throw_counts() -> None:
    wheel = Wheel().betting().betting(WheelFault.SAME_DIRECTION, times=20).betting(WheelFault.LAUNCH_FAILED, times=20)
    wheel.rim().no_more_bets().bare("15").result("15")
    assert verdicts(wheel) == ["refused:same_direction", "15"]


def test_a_failed_launch_is_waited_out() -> None:
    wheel = Wheel().betting(WheelFault.LAUNCH_FAILED, times=30).rim().no_more_bets().bare("8").result("8")
    assert verdicts(wheel) == ["8"]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"rpm": 0.0}, "rotor_stopped"),
        ({"rpm": 9.9}, "rotor_speed"),
        ({"rpm": 30.1}, "rotor_speed"),
        ({"rotor": Rotation.COUNTER_CLOCKWISE}, "rotor_reversed"),
        ({"ball": Rotation.CLOCKWISE}, "same_direction"),
    ],
)
def test_the_rotor_must_turn_as_it_should(how: dict[str, object], reason: str) -> None:
    assert verdicts(Wheel().betting().rim().rim(times=2, **how).no_more_bets()) == [f"refused:{reason}"]
    # One odd frame between good ones may be a flipped bit.
    wheel = Wheel().betting().rim().rim(times=1, **how).rim().no_more_bets().bare("1").result("1")
    assert verdicts(wheel) == ["1"]


@pytest.mark.parametrize("rpm", [10.0, 30.0])
def test_rotor_limits_include_their_ends(rpm: float) -> None:
    assert verdicts(Wheel(rpm=rpm).good_spin("1")) == ["1"]


@pytest.mark.parametrize(("laps", "verdict"), [(6, "refused:too_few_laps"), (7, "2"), (12, "2")])
def test_seven_laps_are_needed(laps: int, verdict: str) -> None:
    assert verdicts(Wheel().good_spin("2", laps=laps), COUNTED) == [verdict]


def counted(wheel: Wheel, *counts: int) -> Wheel:
    """One rim frame and one count each."""
    for count in counts:
        wheel.rim(times=1).laps(count)
    return wheel


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((1, 2, 3, 4, 5, 6, 7, 7), "2"),
        ((1, 2, 3, 4, 36, 4, 4), "refused:too_few_laps"),
        ((18, 1, 2, 3, 4, 4), "refused:too_few_laps"),
        ((6, 6, 7, 6, 6), "refused:too_few_laps"),
        ((6, 7), "refused:too_few_laps"),
        ((255,), "held:laps_not_counted"),
        ((1, 2, 3, 4, 5, 6, 7, 8, 9, 9), "2"),
    ],
)
def test_one_frames_word_on_laps_is_not_enough(counts: tuple[int, ...], verdict: str) -> None:
    wheel = counted(Wheel().betting().rim(), *counts).no_more_bets().bare("2").result("2")
    assert verdicts(wheel, COUNTED) == [verdict]


def test_laps_tallied_from_events_count_as_they_come() -> None:
    wheel = Wheel().betting().rim()
    for lap in range(1, 8):
        wheel.laps(lap, tallied=True)
    assert verdicts(wheel.no_more_bets().bare("2").result("2"), COUNTED) == ["2"]


@pytest.mark.parametrize("fault", [WheelFault.BALL_LEFT, WheelFault.SAME_DIRECTION, WheelFault.SENSOR])
def test_a_warning_in_the_result_refuses(fault: WheelFault) -> None:
    wheel = Wheel(shown="17").betting().rim().no_more_bets().bare("17").frame(WheelPhase.RESULT, fault, times=3)
    assert verdicts(wheel)[0].startswith("refused:")


def test_the_reset_of_state_5_takes_no_laps_back() -> None:
    wheel = counted(Wheel().betting().rim(), 6, 7, 8, 8).no_more_bets().bare("2").result("2", times=1)
    wheel.laps(0).result("2")
    (judged,) = [signal for signal in signals(wheel.take(), COUNTED) if isinstance(signal, Judged)]
    assert judged.value.facts["laps"] == 8


def test_lap_offset_moves_the_count() -> None:
    rules = SpinRules(laps="counted", lap_offset=-2)
    assert verdicts(Wheel().good_spin("2", laps=8), rules) == ["refused:too_few_laps"]
    assert verdicts(Wheel().good_spin("2", laps=9), rules) == ["2"]


def test_counting_that_counts_nothing_is_held() -> None:
    assert verdicts(Wheel().good_spin("2"), COUNTED) == ["held:laps_not_counted"]


def test_unobserved_laps_ask_the_dealer_by_default() -> None:
    assert verdicts(Wheel().good_spin("2"), SpinRules()) == ["confirm:2"]


@pytest.mark.parametrize(
    ("rim_frames", "verdict"),
    [(4, "refused:too_few_laps"), (12, "confirm:3"), (18, "3"), (60, "confirm:3")],
)
def test_estimated_laps(rim_frames: int, verdict: str) -> None:
    curve = LapCurve(points=[(1.0, 1.0), (12.0, 12.0)], margin_laps=1.5)
    rules = SpinRules(laps="estimated", estimate=curve)
    wheel = Wheel().betting().rim(times=rim_frames).no_more_bets().bare("3").result("3")
    assert verdicts(wheel, rules) == [verdict]


def test_ball_that_will_not_drop() -> None:
    assert verdicts(Wheel().betting().rim(times=90)) == ["refused:endless_ball"]
    assert verdicts(Wheel().betting().rim().no_more_bets(times=90)) == ["refused:endless_ball"]


def test_ten_equal_laps_are_an_endless_ball() -> None:
    wheel = Wheel().betting().rim()
    for lap in range(1, 13):
        wheel.laps(lap, 0.8)
    assert verdicts(wheel, COUNTED) == ["refused:endless_ball"]
    slowing = Wheel().betting().rim()
    for lap in range(1, 13):
        slowing.laps(lap, 0.8 * 1.01**lap)
    assert verdicts(slowing, COUNTED) == []


def test_laps_at_the_rotors_pace_are_the_ball_in_its_pocket() -> None:
    wheel = Wheel(rpm=20.0).betting().rim()
    for lap in range(1, 13):
        wheel.laps(lap, 3.0)
    assert verdicts(wheel, COUNTED) == []


def test_ball_gone_without_a_pocket_left_the_wheel() -> None:
    assert verdicts(Wheel().betting().rim().frame(WheelPhase.NO_BALL)) == ["refused:ball_left_wheel"]
    assert verdicts(Wheel().betting().rim().no_more_bets().betting()) == ["refused:ball_left_wheel"]


def test_wheel_closed_in_play() -> None:
    assert verdicts(Wheel().betting().rim().frame(WheelPhase.CLOSED)) == ["refused:wheel_closed"]


def test_silence_in_play_is_held_and_the_number_after_it_is_not_taken() -> None:
    for play in (Wheel().betting().rim(), Wheel().betting().rim().no_more_bets()):
        play.wait(1.6).no_more_bets().bare("4").result("4")
        assert verdicts(play) == ["held:silence"]


def test_silence_is_noticed_by_the_clock_alone() -> None:
    judge = SpinJudge(ACCEPT, spin_facts)
    wheel = Wheel().betting().rim()
    signals(wheel.take(), judge=judge)
    deadline = judge.deadline_ns()
    assert deadline is not None
    assert deadline - wheel.at.mono_ns == pytest.approx(5e9, abs=10)
    assert judge.tick(wheel.at.plus_s(4.9)) == []
    (signal,) = judge.tick(wheel.at.plus_s(5.01))
    assert isinstance(signal, NotJudged)
    assert signal.verdict.reason == "silence"
    assert judge.deadline_ns() is None


def stall(wheel: Wheel, seconds: float) -> list[Reading]:
    """The wheel's readings with the last ``seconds`` of them arriving all at once, at the end."""
    readings = wheel.take()
    return [
        dataclasses.replace(reading, at=wheel.at) if wheel.at.since_s(reading.at) < seconds else reading
        for reading in readings
    ]


@pytest.mark.parametrize("seconds", [1.6, 2.0, 3.2, 4.4])
def test_a_reader_that_stalled_is_no_silence(seconds: float) -> None:
    wheel = Wheel().betting().rim().no_more_bets()
    readings = stall(wheel, seconds) + wheel.no_more_bets(times=2).bare("4").result("4").take()
    assert [s.value.facts["number"] for s in signals(readings) if isinstance(s, Judged)] == ["4"]


@pytest.mark.parametrize("lost", [2, 3, 5])
def test_a_stall_with_frames_lost_is_a_silence(lost: int) -> None:
    wheel = Wheel().betting().rim().no_more_bets()
    readings = stall(wheel, 4.4)
    late = [reading for reading in readings if reading.at == wheel.at]
    kept = [reading for reading in readings if reading.at != wheel.at] + late[lost:]
    found = signals(kept + wheel.no_more_bets(times=2).bare("4").result("4").take())
    assert [s.verdict.reason for s in found if isinstance(s, NotJudged)] == ["silence"]


def test_a_result_inside_a_gap_does_not_stand_before_the_gap_is_filled() -> None:
    wheel = Wheel().betting().rim().no_more_bets().bare("4").wait(3).result("4", times=2).wait(1)
    assert verdicts(wheel.betting(times=1)) == ["held:silence"]


def test_a_gap_over_the_launch_is_held() -> None:
    assert verdicts(Wheel().betting().wait(3).rim().no_more_bets().bare("4").result("4")) == ["unseen:silence"]


@pytest.mark.parametrize("first", [WheelPhase.RIM, WheelPhase.NO_MORE_BETS, WheelPhase.RESULT])
def test_joined_in_mid_spin_is_never_guessed(first: WheelPhase) -> None:
    wheel = Wheel().frame(first)
    wheel.no_more_bets() if first is WheelPhase.RIM else wheel
    wheel.bare("4").result("4").next_game().good_spin("6")
    assert verdicts(wheel) == ["unseen:joined_mid_spin", "6"]


def test_states_left_out_are_not_accepted() -> None:
    assert verdicts(Wheel().betting().result("14")) == ["refused:pocket_before_launch"]
    assert verdicts(Wheel().betting().wait(35).result("14")) == ["unseen:spin_not_seen"]
    assert verdicts(Wheel().betting().no_more_bets().bare("14").result("14")) == ["unseen:state_order"]
    assert verdicts(Wheel().betting().rim().result("14")) == ["held:state_order"]


def test_states_that_go_back_are_held() -> None:
    assert verdicts(Wheel().betting().rim().no_more_bets().rim()) == ["held:state_order"]
    # A single flipped bit makes a 5 of a 4 and shows the number before: never a result.
    wheel = Wheel(shown="31").betting().rim().no_more_bets().frame(WheelPhase.RESULT).no_more_bets()
    assert verdicts(wheel) == ["held:state_order"]


def test_the_counter_must_not_change_in_play() -> None:
    wheel = Wheel().betting().rim()
    wheel.spin = 8
    assert verdicts(wheel.no_more_bets().bare("4").result("4"))[0] == "held:counter_changed"


def test_a_spin_missed_while_waiting_is_noticed() -> None:
    wheel = Wheel().betting().wait(40)
    wheel.spin = 8
    assert verdicts(wheel.betting()) == ["unseen:spin_not_seen"]


def test_a_counter_reset_in_less_than_a_game_is_no_missed_spin() -> None:
    wheel = Wheel().betting().wait(6)
    wheel.spin = 0
    assert verdicts(wheel.good_spin("4")) == ["4"]
    wheel = Wheel().betting().wait(30)
    wheel.spin = 0
    assert verdicts(wheel.betting()) == ["unseen:spin_not_seen"]


def test_the_counter_wraps() -> None:
    wheel = Wheel(spin=255).good_spin("4").next_game()
    assert wheel.spin == 0
    assert verdicts(wheel.good_spin("5")) == ["4", "5"]


def test_a_counter_known_from_the_journal_shows_a_missed_spin() -> None:
    judge = SpinJudge(ACCEPT, spin_facts, last_spin=6)
    (unseen, *_) = signals(Wheel(spin=7).betting().take(), judge=judge)
    assert isinstance(unseen, Unseen)
    assert unseen.verdict.reason == "spin_not_seen"


def test_a_pulled_plug_in_play_is_held() -> None:
    assert verdicts(Wheel().betting().rim().lost().back().no_more_bets().bare("4").result("4"))[0] == "held:device_lost"


def test_a_plug_pulled_between_spins_costs_nothing() -> None:
    assert verdicts(Wheel().betting().lost().wait(30).back().good_spin("4")) == ["4"]


def test_a_number_before_the_launch_is_refused() -> None:
    assert verdicts(Wheel().betting().bare("4").betting().good_spin("5")) == ["refused:pocket_before_launch", "5"]


def test_a_discarded_spin_gives_nothing_and_the_next_counts() -> None:
    judge = SpinJudge(ACCEPT, spin_facts)
    wheel = Wheel().betting().rim()
    signals(wheel.take(), judge=judge)
    judge.discard()
    rest = signals(wheel.no_more_bets().bare("4").result("4").next_game().good_spin("6").take(), judge=judge)
    assert [signal.value.facts["number"] for signal in rest if isinstance(signal, Judged)] == ["6"]


def test_basic_frames_need_no_cadence_and_one_number() -> None:
    wheel = Wheel(spin=None, periodic=False).betting(times=1).wait(20).rim(times=1).wait(25).no_more_bets(times=1)
    assert verdicts(wheel.wait(8).result("21", times=1)) == ["21"]


@pytest.mark.parametrize("number", ["00", "37", "07", ""])
def test_a_number_that_the_game_does_not_have_is_held(number: str) -> None:
    """A wheel with 00 at a table of a game without it: the station must not end of it."""
    assert verdicts(Wheel().good_spin(number)) == ["held:number_unreadable"]


def test_a_number_that_the_game_does_not_have_still_contradicts() -> None:
    assert verdicts(Wheel().good_spin("27").result("00")) == ["27", "contradicted"]
