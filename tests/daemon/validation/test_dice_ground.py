"""How the dice lie before a throw is asked and must be known: what was there already is no result."""

from __future__ import annotations

import pytest

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_drivers.readings import Fault
from support.throws import Hall

HELD = "held:dice_did_not_move"
UNKNOWN = "refused:dice_unknown_before"


def dome(**rules: object) -> Hall:
    """Just started; the camera answers only when told to."""
    hall = Hall(DiceJudge(ShakeRules(**rules), dice_facts, shaker="shaker", camera="camera"))  # type: ignore[arg-type]
    hall.lies = None
    return hall


def known(**rules: object) -> Hall:
    """A dome in which 1-2-3 lie, which is known; the round waits."""
    hall = dome(**rules).rest().wait(0.3).seen(1, 2, 3)
    assert hall.new() == ["look", "ready"]
    return hall


def tower() -> Hall:
    """A tower before which 1-1-1 lie, which is known; the round waits."""
    hall = Hall(TowerJudge(ShakeRules(), dice_facts, camera="camera"))
    hall.moves().wait(0.5).still().wait(0.3).seen(1, 1, 1).wait(5).due()
    hall.new()
    return hall


def hand(hall: Hall) -> Hall:
    """A hand before the camera that touches no die."""
    return hall.moves().wait(1.5).still().wait(0.4)


# -- a dome after a start --------------------------------------------------------------------------------------


def test_a_shaker_that_lies_and_a_hand_make_no_first_result_of_dice_that_lay_there() -> None:
    table = dome().rest().wait(0.3).seen(1, 2, 3).due().shake().seen(1, 2, 3, moved=False)
    assert table.new() == ["look", "ready", "started", "look", HELD, "ready"]


def test_it_is_ready_once_the_camera_was_asked_how_the_dice_lie() -> None:
    table = dome(start="station").rest()
    assert table.due().wait(0.3).new() == ["look"]
    assert not table.judge.waiting()
    assert table.seen(1, 2, 3).new() == ["ready"]
    assert table.due().new() == ["start"]


@pytest.mark.parametrize("answer", ["unclear", "none"])
def test_dice_that_cannot_be_read_before_the_first_shake_keep_no_table_waiting(answer: str) -> None:
    table = dome(start="station").rest().due()
    table.wait(0.3).unclear("leaning") if answer == "unclear" else table.wait(8.5)
    assert table.new()[:2] == ["look", "ready"]
    assert table.judge.waiting()
    table.new()
    assert table.due().new() == ["start"]
    table.taken().shake(told_s=4.0).seen(4, 5, 6)
    assert table.new() == ["started", "look", UNKNOWN, "ready"]
    table.due().taken().wait(0.1).shake(told_s=4.0).seen(1, 1, 4)
    assert table.new() == ["start", "started", "look", "1-1-4", "ready"], "what was refused is known now"


def test_a_person_decides_first_where_the_table_wants_that() -> None:
    table = dome(unclear="hold").rest().wait(0.3).unclear("leaning").due().shake().seen(4, 5, 6)
    assert table.new()[-2:] == ["held:dice_unknown_before", "ready"]


def test_a_dealer_who_is_faster_than_the_camera_shakes_again() -> None:
    table = dome().rest().due().wait(0.1).shake().seen(1, 2, 3)
    assert table.new() == ["look", "started", "look", UNKNOWN, "ready"]


def test_an_answer_that_comes_after_the_shaker_spoke_tells_how_they_lay() -> None:
    table = dome().rest().due().wait(0.3).shaking().wait(0.05)
    table.seen(1, 2, 3, last=table.at.plus_s(-0.1)).wait(0.1).moves().wait(4).idle().wait(0.8).still().wait(0.4)
    assert table.seen(2, 2, 6).new() == ["look", "started", "look", "2-2-6", "ready"]


def test_an_unclear_answer_is_asked_for_again_and_not_for_ever() -> None:
    table = dome().rest()
    for _ in range(20):
        table.wait(0.3).unclear("occluded").wait(1.1)
    assert table.new().count("look") == 5
    assert table.judge.deadline_ns() is None
    assert table.moves().wait(0.5).still().new() == ["look"]


def test_dice_under_a_doubt_before_and_in_the_first_shake_are_still_not_known() -> None:
    """Both looks met a hand, and the dice lay there all the time."""
    table = dome().rest().wait(0.3).unclear("occluded").due().shake().unclear("occluded").due()
    table.new()
    assert table.wait(2).shake().seen(1, 2, 3).new()[-2:] == [UNKNOWN, "ready"]


# -- a dome later ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.LINK_LOST, Fault.SILENT])
@pytest.mark.parametrize("read", [True, False])
def test_dice_may_have_been_moved_while_the_camera_was_away(fault: str, read: bool) -> None:
    table = known().fault("camera", fault).wait(60).fault("camera", fault, cleared=True)
    if fault == Fault.LINK_LOST:
        table.ask = 0
        table.moves().wait(0.5).still()
    assert table.new() == ["look"]
    if read:
        table.wait(0.3).seen(4, 4, 4).due().shake().seen(4, 4, 4, moved=False)
        assert table.new() == ["ready", "started", "look", HELD, "ready"]
    else:
        table.wait(0.3).unclear("glare").due().shake().seen(4, 4, 4)
        assert table.new() == ["ready", "started", "look", UNKNOWN, "ready"]


def test_dice_that_a_hand_laid_between_two_rounds_are_no_result() -> None:
    table = hand(known())
    assert table.wait(0.3).seen(6, 6, 6).due().new() == ["look", "ready"]
    assert table.shake().seen(6, 6, 6, moved=False).new() == ["started", "look", HELD, "ready"]


def test_a_camera_that_cannot_tell_what_a_hand_did_leaves_the_dice_known_that_were() -> None:
    table = hand(known()).wait(0.3).unclear("occluded").due().shake().seen(2, 4, 6)
    assert table.new() == ["look", "ready", "started", "look", "2-4-6", "ready"]


def test_a_shake_of_the_round_before_that_was_broken_off_is_no_result() -> None:
    table = known().due().shake()
    table.new()
    table.judge.discard()
    table.wait(0.1)
    assert table.new() == ["look"], "asked without anything else that happens"
    table.wait(0.3).seen(3, 3, 5).due().shake().seen(3, 3, 5, moved=False)
    assert table.new() == ["ready", "started", "look", HELD, "ready"]


def test_dice_of_a_shake_before_betting_closed_are_no_result() -> None:
    table = known().moves().wait(0.3).due().shaking().wait(4).idle().wait(0.8).still()
    assert table.new() == ["started", "refused:shaken_early"]
    table.wait(1.2).wait(0.3).seen(3, 3, 5).due().shake().seen(3, 3, 5, moved=False)
    assert table.new() == ["look", "ready", "started", "look", HELD, "ready"]


def test_a_shake_that_was_cut_short_is_looked_at_before_the_next() -> None:
    table = known().due().wait(0.1).shaking().wait(0.1).moves().wait(0.5).idle().wait(0.5).still().wait(2)
    assert table.new() == ["started", "refused:shake_cut_short", "look"]
    table.seen(3, 3, 5).due().shake().seen(3, 3, 5, moved=False)
    assert table.new() == ["ready", "started", "look", HELD, "ready"]


def test_a_station_that_starts_in_mid_shake_asks_what_came_of_it() -> None:
    table = dome().shaking().moves().wait(3).idle().wait(1).still()
    table.wait(0.3).seen(5, 5, 6).due().shake().seen(5, 5, 6, moved=False)
    assert table.new() == ["unseen:joined_mid_shake", "look", "ready", "started", "look", HELD, "ready"]


def unread(table: Hall) -> list[str]:
    """What lies there cannot be read until a shaker lies; then it is three threes."""
    for _ in range(7):
        table.wait(0.3).unclear("leaning").wait(1.1)
    table.due().wait(0.1).shake().seen(3, 3, 3)
    return [word for word in table.new() if word not in ("look", "ready")]


def test_dice_of_a_shake_that_was_broken_off_and_cannot_be_read_are_not_known() -> None:
    table = known().due().shake()
    table.judge.discard()
    table.new()
    assert unread(table) == ["started", UNKNOWN]


def test_dice_of_a_shake_that_nobody_looked_at_are_not_known_in_the_next_round() -> None:
    table = known().due().shake().wait(9)
    table.judge.discard()
    table.new()
    assert unread(table) == ["started", UNKNOWN]


def test_dice_that_were_refused_are_looked_at_again_for_the_next_round_without_anything_that_happens() -> None:
    table = known().due().shake().unclear("leaning").wait(60)
    assert table.new() == ["started", "look", "refused:leaning", "ready"]
    table.judge.discard()
    assert table.wait(0.1).new() == ["look"]
    assert unread(table) == ["started", UNKNOWN]


def test_dice_of_a_shake_that_was_joined_midway_are_not_known() -> None:
    table = known().fault("shaker", Fault.LINK_LOST).fault("shaker", Fault.LINK_LOST, cleared=True)
    table.shaking().moves().wait(3).idle().wait(1.2).still()
    assert table.new() == ["unseen:joined_mid_shake", "look"]
    assert unread(table) == ["started", UNKNOWN]


def test_dice_of_a_shake_that_began_before_the_one_before_was_over_are_not_known() -> None:
    table = known().fault("shaker", Fault.LINK_LOST).fault("shaker", Fault.LINK_LOST, cleared=True)
    table.idle().wait(0.3).shaking().moves().wait(3).idle().wait(1.2).still()
    assert table.new() == ["look"]
    assert unread(table) == ["started", UNKNOWN]


def test_dice_that_moved_alone_are_not_known() -> None:
    table = known().due().moves(0.0).wait(2.1).still()
    assert table.new() == ["unseen:dice_moved_alone", "look"]
    assert unread(table) == ["started", UNKNOWN]


def test_a_shake_outside_a_round_that_the_camera_did_not_see_is_looked_into() -> None:
    table = known().shaking().wait(4).idle().wait(2.1)
    assert table.new() == ["started", "held:camera_saw_nothing", "look"]
    assert unread(table) == ["started", UNKNOWN]


# -- a tower ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["falling", "looking", "in hand"])
def test_dice_of_a_tower_whose_throw_was_broken_off_are_no_result_of_the_next_round(when: str) -> None:
    """The round was voided; the dice lie there while bets are open, and a hand passes once they are closed."""
    table = tower().moves()
    if when != "falling":
        table.wait(1.5).still().wait(0.4)
    if when == "in hand":
        table.unclear("wrong_count")
    table.judge.discard()
    if when == "falling":
        table.wait(1.5).still()
    table.wait(0.1)
    assert table.new()[-1] == "look"
    table.wait(0.3).seen(2, 4, 6).wait(9).due()
    table.new()
    assert hand(table).seen(2, 4, 6, moved=False).new() == ["started", "look", HELD, "ready"]


def test_dice_of_a_tower_that_nobody_looked_at_are_no_result_of_the_next_round() -> None:
    table = hand(tower()).wait(8)
    assert table.new() == ["started", "look", "refused:no_look", "ready", "look"]
    table.wait(0.3).unclear("leaning")
    table.judge.discard()
    table.due().wait(0.1)
    table.new()
    assert hand(table).seen(2, 4, 6).new() == ["started", "look", "held:dice_unknown_before", "ready"]


def test_a_tower_asks_again_after_its_picture_stood_still() -> None:
    table = tower().fault("camera", Fault.SILENT).wait(5).fault("camera", Fault.SILENT, cleared=True)
    assert table.new() == ["ready", "look"]
    table.wait(0.3).seen(2, 4, 6).due()
    assert hand(table).seen(2, 4, 6, moved=False).new() == ["started", "look", HELD, "ready"]


def test_a_hand_over_dice_that_were_never_read_makes_no_result_of_them() -> None:
    """A tower that starts with a hand over its dice, which moves, rests and goes away."""
    table = Hall(TowerJudge(ShakeRules(), dice_facts, camera="camera")).moves().wait(0.5).still()
    for _ in range(6):
        table.wait(0.3).unclear("occluded").wait(1.1)
    table.due().wait(0.3).unclear("occluded").wait(1)
    hand(table).unclear("occluded").wait(5.1)
    assert table.new()[-2:] == ["refused:occluded", "ready"]
    table.due().wait(0.1)
    table.new()
    assert hand(table).seen(2, 4, 6).new()[-2:] == ["held:dice_unknown_before", "ready"]
