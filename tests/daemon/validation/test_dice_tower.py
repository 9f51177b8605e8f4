"""Throws through a dice tower: the camera alone, and what it must not take for a throw (002)."""

from __future__ import annotations

import pytest

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_daemon.validation.signals import Withdrawn
from dealer_drivers.readings import Fault
from support.throws import Hall


def hall(**rules: object) -> Hall:
    return Hall(TowerJudge(ShakeRules(**rules), dice_facts, camera="camera"))  # type: ignore[arg-type]


def ready(**rules: object) -> Hall:
    """At rest; three ones lie there from before; the round waits for a throw."""
    tower = hall(**rules).moves().wait(0.5).still().wait(0.3).seen(1, 1, 1).wait(5)
    assert tower.new() == ["ready", "look"]
    return tower.due()


def thrown() -> Hall:
    tower = ready().moves().wait(1.5).still().wait(0.4)
    assert tower.new() == ["started", "look"]
    return tower


def test_a_throw() -> None:
    tower = thrown().seen(2, 4, 6)
    assert tower.new() == ["2-4-6", "ready"]
    assert not tower.judge.underway()
    assert tower.judge.deadline_ns() is None


def test_what_moves_before_the_round_waits_is_no_throw() -> None:
    tower = hall().moves().wait(0.5).still().seen(1, 1, 1).wait(5).moves().wait(1).still().wait(5).seen(2, 4, 6)
    assert tower.new() == ["ready", "look", "ready", "look"]


def test_dice_that_were_still_falling_when_the_round_began_to_wait_are_no_throw() -> None:
    tower = hall().moves().wait(0.5).still().seen(1, 1, 1).wait(5).moves().wait(0.5).due().wait(1).still().wait(0.3)
    assert tower.seen(2, 4, 6).wait(30).new() == ["ready", "look", "ready", "look"]
    tower.moves().wait(1).still().wait(0.5).seen(2, 4, 6, moved=False)
    assert tower.new() == ["started", "look", "held:dice_did_not_move", "ready"], "a hand passed over them"


def test_taking_the_dice_up_and_throwing_them_is_one_throw() -> None:
    tower = ready().moves().wait(1).still().wait(0.5).unclear("wrong_count").wait(2)
    assert tower.new() == ["started", "look"]
    tower.moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert tower.new() == ["look", "2-4-6", "ready"]


def test_a_throw_that_follows_while_the_camera_still_looks_is_the_same() -> None:
    tower = ready().moves().wait(1).still().wait(0.2).moves().wait(1.2).still().wait(0.4)
    assert tower.new() == ["started", "look", "look"]
    assert tower.seen(2, 4, 6).new() == ["2-4-6", "ready"]


def test_dice_that_are_not_all_there_and_are_not_thrown_again() -> None:
    tower = thrown().unclear("wrong_count").wait(4.9)
    assert tower.new() == []
    assert tower.wait(0.2).new() == ["refused:wrong_count", "ready"]


@pytest.mark.parametrize("reason", ["stacked", "leaning", "blurred"])
def test_dice_that_cannot_be_read_are_thrown_again(reason: str) -> None:
    assert thrown().unclear(reason).new() == [f"refused:{reason}", "ready"]


def test_a_lamp_makes_no_result_of_old_dice() -> None:
    tower = ready().moves(0.05).wait(0.5).still(0.5).wait(4.9)
    tower.wait(600).moves(0.05).wait(0.5).still(0.5).wait(600)
    assert tower.new() == ["started"], "nothing fell: no try is counted for it"
    tower.moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert tower.new() == ["look", "2-4-6", "ready"]


def test_a_lamp_while_the_dice_are_in_a_hand_changes_nothing() -> None:
    tower = thrown().unclear("wrong_count").wait(1).moves(0.05).wait(0.5).still(0.5).wait(3.4)
    assert tower.new() == []
    assert tower.wait(0.2).new() == ["refused:wrong_count", "ready"]


def test_a_lamp_before_the_throw_is_forgiven() -> None:
    tower = ready().moves().wait(0.5).still().wait(1).moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert tower.new() == ["started", "look", "2-4-6", "ready"]


@pytest.mark.parametrize("first", [True, False])
def test_daylight_over_dice_that_lie_as_before_is_no_throw(first: bool) -> None:
    tower = ready()
    if not first:
        tower.moves().wait(1.5).still().wait(0.5).seen(1, 1, 1).wait(5).due()
        tower.new()
    tower.moves().wait(2).still().wait(0.5).seen(1, 1, 1, moved=False)
    assert tower.new() == ["started", "look", "held:dice_did_not_move", "ready"]


def test_a_look_from_before_the_rest_is_no_answer() -> None:
    tower = ready()
    old = tower.at
    tower.moves().wait(1.5).still().wait(0.4)
    for ask in (2, 3, 4, 5, 6):
        tower.seen(2, 4, 6, ask=ask, first=old)
    assert tower.wait(9).new() == ["started", "look", "refused:no_look", "ready", "look"]


def test_dice_that_never_rest() -> None:
    assert ready().moves().wait(29).new() == ["started"]
    assert ready().moves().wait(31).new() == ["started", "refused:never_still"]


@pytest.mark.parametrize("value", [0, 7, 99])
def test_values_that_no_die_has_are_for_a_person(value: int) -> None:
    assert thrown().seen(2, 3, value).new() == ["held:impossible_dice", "ready"]


@pytest.mark.parametrize("fault", [Fault.LINK_LOST, Fault.SILENT])
def test_a_camera_lost_in_mid_throw_is_held(fault: str) -> None:
    tower = ready().moves().wait(0.5).fault("camera", fault)
    assert tower.new() == ["started", "held:camera_fault"]
    assert not tower.judge.waiting()


def test_dice_that_move_right_after_the_outcome_were_not_at_rest() -> None:
    tower = thrown().seen(2, 4, 6).wait(0.5).moves()
    assert tower.new() == ["2-4-6", "ready", "contradicted"]


def test_taking_the_dice_up_later_contradicts_nothing() -> None:
    tower = thrown().seen(2, 4, 6).wait(3).moves()
    assert tower.new() == ["2-4-6", "ready"]


def test_what_was_discarded_gives_nothing() -> None:
    tower = thrown()
    tower.judge.discard()
    assert tower.seen(2, 4, 6).new() == ["look", "ready"], "those dice lie there now"
    tower.wait(0.3).seen(2, 4, 6, moved=False).due().moves().wait(1.5).still().wait(0.5).seen(3, 4, 6)
    assert tower.new() == ["started", "look", "3-4-6", "ready"]


# -- what lay there before --------------------------------------------------------------------------------------


def known() -> Hall:
    tower = hall().moves().wait(0.5).still().wait(0.3).seen(1, 1, 1).wait(5)
    assert tower.new() == ["ready", "look"]
    return tower


def test_dice_thrown_while_bets_were_open_are_not_published_when_a_hand_passes() -> None:
    tower = known().moves().wait(1.5).still().wait(0.3).seen(2, 4, 6).wait(10).due()
    tower.wait(3).moves().wait(1).still().wait(0.5).seen(2, 4, 6, moved=False)
    assert tower.new() == ["ready", "look", "started", "look", "held:dice_did_not_move", "ready"]


@pytest.mark.parametrize("why", ["unread", "unanswered", "camera lost"])
def test_a_result_is_held_where_it_is_not_known_how_the_dice_lay_before(why: str) -> None:
    tower = known()
    match why:
        case "unread":
            tower.moves().wait(1.5).still()
            for _ in range(9):
                tower.wait(0.3).unclear("leaning").wait(1)
            tower.due().wait(0.3).unclear("leaning")
        case "unanswered":
            tower.moves().wait(1.5).still().wait(0.1).due()
        case _:
            tower.fault("camera", Fault.LINK_LOST).wait(1).fault("camera", Fault.LINK_LOST, cleared=True)
            tower.ask = 0
            tower.moves().wait(0.5).still().due()
    tower.new()
    tower.wait(0.2).moves().wait(1).still().wait(0.5).seen(2, 4, 6)
    assert tower.new() == ["started", "look", "held:dice_unknown_before", "ready"]


def test_an_unclear_look_before_the_throw_is_repeated_and_not_for_ever() -> None:
    tower = known().moves().wait(1).still().wait(0.3).unclear("occluded").wait(1.1)
    assert tower.new() == ["ready", "look", "look"]
    for _ in range(20):
        tower.wait(0.3).unclear("occluded").wait(1.1)
    assert tower.new().count("look") == 3
    assert tower.due().new() == ["look"], "and once more when the round waits"
    tower.wait(0.3).seen(5, 5, 1).moves().wait(1).still().wait(0.5).seen(2, 4, 6)
    assert tower.new()[-2:] == ["2-4-6", "ready"]


def test_after_dice_that_could_not_be_read_the_next_throw_of_the_round_counts() -> None:
    tower = thrown().unclear("leaning").due().wait(1).moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert tower.new() == ["refused:leaning", "ready", "started", "look", "2-4-6", "ready"]


def test_dice_that_another_round_left_unread_are_looked_at_anew() -> None:
    tower = thrown().unclear("leaning")
    tower.new()
    tower.judge.discard()
    assert tower.due().new() == ["look"]
    tower.wait(0.2).moves().wait(1).still().wait(0.5).seen(2, 4, 6)
    assert tower.new()[-2:] == ["held:dice_unknown_before", "ready"]


def test_dice_that_move_while_a_witness_is_awaited_are_taken_back() -> None:
    tower = thrown().seen(2, 4, 6).wait(3).moves()
    (withdrawn,) = [signal for signal in tower.signals if isinstance(signal, Withdrawn)]
    assert withdrawn.held is not None
    assert withdrawn.held.reason == "moved_after_look"
