"""Every condition of a valid throw with a shaker (``games.md`` §6, ``devices.md`` §4), each with its reason word."""

from __future__ import annotations

import pytest

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.signals import Judged, NotJudged
from dealer_daemon.verdicts import Held, Refused, Remedy
from dealer_drivers.readings import Fault
from support.throws import Hall


def hall(**rules: object) -> Hall:
    judge = DiceJudge(ShakeRules(**rules), dice_facts, shaker="shaker", camera="camera")  # type: ignore[arg-type]
    return Hall(judge)


def ready(**rules: object) -> Hall:
    """At rest, the round waiting for a throw that the dealer starts."""
    at_rest = hall(**rules).rest()
    assert at_rest.new() == ["ready"]
    return at_rest.due().wait(0.1)


def station(**rules: object) -> Hall:
    """At rest, and the station asked for a shake."""
    asked = ready(start="station", **rules)
    assert asked.new() == ["start"]
    return asked


def shaken() -> Hall:
    """The dice lie still and the camera was asked."""
    throw = ready().shake()
    assert throw.new() == ["started", "look"]
    return throw


# -- whole throws ---------------------------------------------------------------------------------------------


def test_a_throw_by_the_dealers_button() -> None:
    throw = shaken().seen(6, 2, 3)
    assert throw.new() == ["2-3-6", "ready"]
    (judged,) = [signal for signal in throw.signals if isinstance(signal, Judged)]
    assert judged.value.witnesses == ("die_first", "pip_first")
    assert judged.value.facts["sum"] == 11
    assert not throw.judge.underway()
    assert throw.judge.deadline_ns() is None


def test_a_throw_by_the_station() -> None:
    throw = station().wait(0.1).idle().taken().wait(0.1).shake(told_s=4.0).seen(1, 1, 5)
    assert throw.new() == ["started", "look", "1-1-5", "ready"]


def test_by_position_is_from_left_to_right() -> None:
    throw = shaken().seen(1, 4, 6)
    (judged,) = [signal for signal in throw.signals if isinstance(signal, Judged)]
    assert judged.value.facts["by_position"] == [1, 4, 6]
    assert judged.value.facts["dice"] == [1, 4, 6]


def test_the_same_values_twice_are_two_results() -> None:
    throw = shaken().seen(2, 3, 6).due().shake().seen(2, 3, 6)
    assert throw.new() == ["2-3-6", "ready", "started", "look", "2-3-6", "ready"]


def test_the_words_of_the_shaker_may_be_doubled() -> None:
    throw = ready().shaking().wait(0.01).shaking(new=False).moves().wait(4).idle().wait(0.01).idle().wait(0.8)
    throw.still().wait(0.5).seen(1, 2, 3)
    assert throw.new() == ["started", "look", "1-2-3", "ready"]


def test_the_camera_may_see_the_movement_a_little_before_the_shaker_says_it() -> None:
    throw = ready().moves().wait(0.5).shaking().wait(4).idle().wait(0.7).still().wait(0.5).seen(1, 2, 3)
    assert throw.new() == ["started", "look", "1-2-3", "ready"]


def test_a_late_idle_only_makes_the_look_later() -> None:
    throw = ready().shaking().moves().wait(4.5).still().wait(5)
    assert throw.new() == ["started"]
    assert throw.idle().new() == ["look"]


# -- the shaker starts only when it may ------------------------------------------------------------------------


def test_nothing_starts_before_the_round_waits_for_it() -> None:
    at_rest = hall(start="station").rest().wait(60).idle().wait(60)
    assert at_rest.new() == ["ready"]
    assert at_rest.due().new() == ["start"]
    assert at_rest.due().new() == [], "asked for once"


def test_the_station_starts_no_shaker_whose_button_is_the_dealers() -> None:
    assert ready(start="button").wait(60).new() == []


@pytest.mark.parametrize("before", ["shaking", "moving", "unheard", "unseen", "blind"])
def test_the_station_starts_nothing_while_something_moves_or_cannot_be_seen(before: str) -> None:
    table = hall(start="station")
    match before:
        case "shaking":
            table.rest().shaking().wait(1)
        case "moving":
            table.idle().moves().wait(0.5).still().wait(1).moves()
        case "unheard":
            table.moves().wait(0.5).still()
        case "unseen":
            table.idle()
        case "blind":
            table.rest().fault("camera", Fault.SILENT)
    table.new()
    assert not table.judge.waiting()
    assert table.due().new() == []


def test_a_shaker_whose_motor_failed_stands_and_may_be_started() -> None:
    """Its fault stays its state until the next start."""
    table = hall(start="station").faulted().moves().wait(0.5).still()
    assert table.new() == ["ready"]
    assert table.due().new() == ["start"]
    assert table.taken().shake(told_s=4.0).seen(1, 2, 3).new() == ["started", "look", "1-2-3", "ready"]


def test_it_says_again_that_it_is_ready_once_everything_stands() -> None:
    table = hall(start="station").idle().moves().wait(0.5).still().wait(1).moves().wait(1)
    assert table.due().new() == ["ready"]
    assert table.still().new() == ["ready"]
    assert table.due().new() == ["start"]


# -- stale and early idles (what systems in the field fell for) ---------------------------------------------------


def test_a_stale_idle_does_not_satisfy_the_wait() -> None:
    throw = station().wait(0.01).idle().taken().wait(0.1).idle().still()
    assert throw.new() == []
    assert throw.shake(told_s=4.0).new() == ["started", "look"]


def test_a_shaker_that_says_idle_before_it_moved() -> None:
    throw = station().wait(0.1).taken().wait(0.2).idle().wait(7.5)
    assert throw.new() == []
    assert throw.wait(1).new() == ["started", "refused:never_shook", "ready"]


def test_an_idle_of_the_cycle_before_is_no_end() -> None:
    throw = ready().shaking().moves().wait(4).idle(cycle=0).wait(1).still()
    assert throw.new() == ["started"]
    assert throw.idle().new() == ["look"]


def test_the_cut_short_shake_is_told_with_its_figures() -> None:
    throw = station().taken().shaking(4.0).moves().wait(2.5).idle().wait(1.1)
    verdict = next(signal.verdict for signal in throw.signals if isinstance(signal, NotJudged))
    assert isinstance(verdict, Refused)
    assert verdict.reason == "shake_cut_short"
    assert verdict.remedy is Remedy.RESHAKE
    assert "2.5 s" in verdict.detail
    assert "3.6 s" in verdict.detail


def test_a_stopped_switch_that_bounces_ends_nothing() -> None:
    throw = station().shaking(4.0).moves().wait(2).idle().wait(0.5).shaking(new=False).wait(2).idle().wait(0.8).still()
    assert throw.new() == ["started", "look"]


def test_a_shake_that_goes_on_before_the_dice_rest_is_the_same_throw() -> None:
    throw = ready().shaking().moves().wait(2).idle().wait(0.3).shaking().wait(2).idle().wait(0.8).still()
    assert throw.new() == ["started", "look"]


def test_a_repeated_idle_does_not_make_a_short_shake_whole() -> None:
    throw = ready().shaking().moves().wait(0.6).idle().wait(0.5).idle().wait(0.6)
    assert throw.new()[:2] == ["started", "refused:shake_cut_short"]


# -- waits that are too long ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no_shake_answer", lambda hall: hall.wait(9)),
        ("never_shook", lambda hall: hall.taken().wait(9)),
        ("never_stopped", lambda hall: hall.taken().shaking(4.0).moves().wait(31)),
        ("never_still", lambda hall: hall.taken().shaking(4.0).moves().wait(4).idle().wait(11)),
        ("no_look", lambda hall: hall.taken().shake(told_s=4.0).wait(9)),
        ("motion_fault", lambda hall: hall.taken().faulted()),
        ("motion_fault", lambda hall: hall.taken().shaking(4.0).moves().wait(1).faulted()),
    ],
)
def test_each_wait_ends_with_its_own_reason(reason: str, words: object) -> None:
    assert callable(words)
    throw = station()
    words(throw)
    said = [word for word in throw.new() if word not in ("look", "ready")]
    assert said == ["started", f"refused:{reason}"]
    (verdict,) = [signal.verdict for signal in throw.signals if isinstance(signal, NotJudged)]
    assert isinstance(verdict, Refused)
    assert verdict.remedy is Remedy.RESHAKE
    assert not throw.judge.underway()


def test_after_a_refusal_the_next_shake_counts() -> None:
    throw = station().taken().wait(9)
    assert throw.due().new()[-1] == "start"
    throw.taken().shake(told_s=4.0).seen(4, 5, 6)
    assert throw.new() == ["started", "look", "4-5-6", "ready"]


def test_a_shake_that_began_after_its_wait_was_over_is_a_throw_of_its_own() -> None:
    throw = station().wait(9)
    throw.new()
    throw.shake().seen(4, 5, 6)
    assert throw.new() == ["started", "look", "4-5-6", "ready"]


def test_a_shaker_that_never_stopped_must_stand_before_the_next_throw_counts() -> None:
    throw = ready().shaking().moves().wait(31)
    assert throw.new() == ["started", "refused:never_stopped"]
    throw.shaking(new=False).wait(2).idle().wait(1.1).still()
    assert throw.new() == ["ready"], "the end of that shake is no throw"


# -- the two witnesses differ -----------------------------------------------------------------------------------


def test_a_shaker_that_shook_and_a_camera_that_saw_nothing() -> None:
    throw = ready().shaking().wait(4).idle().wait(1.9)
    assert throw.new() == ["started"]
    assert throw.wait(0.2).new() == ["held:camera_saw_nothing", "ready"]


def test_dice_that_moved_with_the_shaker_idle() -> None:
    throw = ready().moves().wait(1.9).idle()
    assert throw.new() == []
    throw.wait(0.2)
    assert throw.new() == ["unseen:dice_moved_alone"]


def test_dice_that_moved_though_the_shaker_never_said_so() -> None:
    """``stopped_stuck``, ``lost_shaking``: it shook, by the camera, and said nothing of it."""
    throw = station().taken().wait(0.3).moves().wait(4).idle().wait(0.8).still().wait(5)
    assert throw.new() == ["started", "held:dice_moved_alone", "ready"]


def test_movement_while_no_round_waits_is_nobodys_business() -> None:
    table = hall().rest().wait(1).moves().wait(1).still().wait(10)
    assert table.new() == ["ready", "ready"]


def test_what_a_camera_says_first_is_no_movement() -> None:
    throw = hall().idle().due().shaking().moves().wait(4).idle().wait(0.8).still().wait(2)
    assert throw.new() == ["started", "held:camera_saw_nothing", "ready"]


def test_a_second_shake_after_the_dice_lay_still_is_looked_into() -> None:
    throw = shaken().shaking()
    assert throw.new() == ["held:shaken_again"]


def test_dice_that_lie_as_before_were_not_thrown() -> None:
    throw = shaken().seen(2, 3, 6)
    throw.due().shake().seen(2, 3, 6, moved=False)
    assert throw.new()[-2:] == ["held:dice_did_not_move", "ready"]


def test_a_die_that_moved_by_more_than_noise_was_thrown() -> None:
    throw = shaken().seen(2, 3, 6, moved=False).due().shake().seen(2, 3, 5, moved=False)
    assert throw.new()[-2:] == ["2-3-5", "ready"]


# -- the look ---------------------------------------------------------------------------------------------------


def test_a_look_older_than_the_stop_is_no_answer_however_often_it_comes() -> None:
    throw = ready()
    old = throw.at
    throw.shake()
    for ask in (1, 2, 3, 4, 5):
        throw.seen(2, 3, 6, ask=ask, first=old)
    assert throw.new() == ["started", "look"]
    throw.ask = 5
    assert throw.wait(9).new() == ["refused:no_look", "ready"]


def test_one_old_picture_among_new_ones_spoils_the_look() -> None:
    throw = shaken()
    throw.seen(2, 3, 6, first=throw.asked_at.plus_s(-0.001))
    assert throw.new() == []


def test_an_answer_counts_once() -> None:
    throw = shaken().seen(2, 3, 6).due().shake()
    throw.seen(1, 1, 1, ask=1)
    assert throw.new()[-1] == "look"
    assert throw.seen(4, 5, 6).new() == ["4-5-6", "ready"]


def test_another_rounds_result_is_not_taken() -> None:
    """An answer that comes when nothing was asked, between two throws and in the middle of one."""
    throw = shaken().seen(2, 3, 6)
    throw.new()
    throw.due().seen(1, 1, 1, ask=7).wait(0.1)
    throw.shaking().moves().wait(1).seen(1, 1, 1, ask=8).wait(3).idle().seen(1, 1, 1, ask=9)
    assert throw.new() == ["started"]
    throw.wait(0.8).still().wait(0.5).seen(4, 4, 4, ask=10)
    assert throw.new() == ["look", "4-4-4", "ready"]


@pytest.mark.parametrize("value", [0, 7, 99, -1])
def test_values_that_no_die_has_are_for_a_person(value: int) -> None:
    throw = shaken().seen(2, 3, value)
    assert throw.new() == ["held:impossible_dice", "ready"]
    (verdict,) = [signal.verdict for signal in throw.signals if isinstance(signal, NotJudged)]
    assert isinstance(verdict, Held)
    assert str(value) in str(verdict.seen)
    assert "2" not in verdict.detail


@pytest.mark.parametrize("values", [(), (2,), (2, 3), (1, 2, 3, 4)])
def test_another_number_of_dice_is_shaken_again(values: tuple[int, ...]) -> None:
    assert shaken().seen(*values).new() == ["refused:wrong_count", "ready"]


@pytest.mark.parametrize("reason", ["stacked", "leaning", "detectors_disagree", "moving", "glare", "frames_disagree"])
def test_unclear_dice_are_shaken_again_with_the_cameras_reason(reason: str) -> None:
    throw = shaken().unclear(reason, "blurred")
    assert throw.new() == [f"refused:{reason}", "ready"]
    (verdict,) = [signal.verdict for signal in throw.signals if isinstance(signal, NotJudged)]
    assert verdict.detail == "so it is (also: blurred)"


def test_a_table_may_leave_unclear_dice_to_a_person() -> None:
    throw = ready(unclear="hold").shake().unclear("leaning")
    assert throw.new()[-2:] == ["held:leaning", "ready"]


def test_a_camera_that_says_it_is_broken_is_for_a_person() -> None:
    assert shaken().unclear("camera_fault").new() == ["held:camera_fault", "ready"]


def test_an_unclear_answer_to_an_old_question_is_nothing() -> None:
    throw = shaken()
    throw.unclear("stacked", first=throw.asked_at.plus_s(-1))
    assert throw.new() == []


# -- losses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.LINK_LOST, Fault.SILENT])
@pytest.mark.parametrize("when", ["asked", "shaking", "stopped", "looking"])
@pytest.mark.parametrize(("device", "reason"), [("shaker", "shaker_lost"), ("camera", "camera_fault")])
def test_a_device_lost_in_mid_throw_is_held(fault: str, when: str, device: str, reason: str) -> None:
    throw = station().wait(0.1).taken()
    if when != "asked":
        throw.shaking(4.0).moves().wait(4)
    if when in ("stopped", "looking"):
        throw.idle().wait(0.5)
    if when == "looking":
        throw.still()
    throw.fault(device, fault)
    assert [word for word in throw.new() if word not in ("look", "ready")] == ["started", f"held:{reason}"]
    throw.wait(60).fault(device, fault, cleared=True)
    assert not throw.judge.underway()


def test_after_a_loss_the_shaker_must_be_heard_standing_first() -> None:
    table = ready().fault("shaker", Fault.LINK_LOST).fault("shaker", Fault.LINK_LOST, cleared=True)
    table.shaking()
    assert table.new() == ["unseen:joined_mid_shake"]
    assert table.moves().wait(3).idle().wait(1).still().new() == ["ready"]
    assert table.due().shake().new() == ["started", "look"]


def test_a_station_that_starts_in_mid_shake_takes_nothing_from_it() -> None:
    table = hall().shaking().moves().wait(3).idle().wait(1).still()
    assert table.new() == ["unseen:joined_mid_shake", "ready"]


def test_a_picture_that_stood_still_and_lives_again_goes_on_from_where_it_was() -> None:
    table = ready().fault("camera", Fault.SILENT).wait(5)
    assert not table.judge.waiting()
    table.fault("camera", Fault.SILENT, cleared=True)
    assert table.new() == ["ready"]
    assert table.due().shake().new() == ["started", "look"]


def test_a_camera_whose_link_was_lost_must_say_anew_what_it_sees() -> None:
    table = ready().fault("camera", Fault.LINK_LOST).wait(5).fault("camera", Fault.LINK_LOST, cleared=True)
    assert table.new() == []
    table.ask = 0
    assert table.moves().wait(0.5).still().new() == ["ready"]
    assert table.due().shake().seen(1, 2, 4).new() == ["started", "look", "1-2-4", "ready"]


# -- what people and the table do ---------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["shaking", "stopped", "looking"])
def test_what_was_discarded_gives_nothing(when: str) -> None:
    throw = ready().shaking().moves().wait(3)
    if when != "shaking":
        throw.idle().wait(0.5)
    if when == "looking":
        throw.still()
    throw.new()
    throw.judge.discard()
    assert not throw.judge.underway()
    throw.idle().still().wait(0.5).seen(2, 3, 6).wait(60)
    assert throw.new() == ["ready"]


def test_a_shake_that_was_asked_for_and_discarded_counts_for_nothing() -> None:
    throw = station().taken()
    throw.judge.discard()
    throw.shake(told_s=4.0).seen(2, 3, 6)
    assert throw.new() == ["ready"]


def test_rules_that_cannot_be() -> None:
    assert ShakeRules().problems() == []
    keys = {key for key, _ in ShakeRules(start_s=0, min_shake_s=-1, max_shake_s=0, look_s=9999).problems()}
    assert keys == {"start_s", "min_shake_s", "max_shake_s", "look_s"}
    assert [key for key, _ in ShakeRules(min_shake_s=40).problems()] == ["max_shake_s"]
