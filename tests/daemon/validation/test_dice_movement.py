"""Whose movement it is that the camera sees: the shaker's, an earlier shake's, or a hand's."""

from __future__ import annotations

import pytest

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.signals import Withdrawn
from dealer_drivers.readings import Fault
from support.throws import Hall


def hall(**rules: object) -> Hall:
    judge = DiceJudge(ShakeRules(**rules), dice_facts, shaker="shaker", camera="camera")  # type: ignore[arg-type]
    return Hall(judge)


def ready(**rules: object) -> Hall:
    """At rest, the round waiting for a throw that the dealer starts."""
    at_rest = hall(**rules).rest().due().wait(0.1)
    at_rest.said.remove("ready")
    return at_rest


def station() -> Hall:
    """At rest, and the station asked for a shake."""
    asked = ready(start="station")
    assert asked.new() == ["start"]
    return asked


def shaken() -> Hall:
    """The dice lie still and the camera was asked."""
    throw = ready().shake()
    assert throw.new() == ["started", "look"]
    return throw


# -- dice that move after they were read -------------------------------------------------------------------------


def test_dice_that_move_before_the_outcome() -> None:
    throw = shaken().moves().seen(2, 3, 6)
    assert throw.new() == ["refused:moved_after_look"]


def test_a_table_may_leave_dice_that_moved_before_they_were_read_to_a_person() -> None:
    throw = ready(unclear="hold").shake().moves()
    assert throw.new() == ["started", "look", "held:moved_after_look"]


def test_a_hand_that_turns_the_dice_while_they_are_looked_at_makes_no_result() -> None:
    """They rest again before the answer, and its pictures may all be of what the hand left."""
    throw = shaken().moves().wait(0.7).still().wait(0.3)
    assert throw.new() == ["refused:moved_after_look", "ready"]
    assert throw.seen(6, 6, 6).new() == []


def test_a_movement_that_is_told_late_is_not_one_after_the_look() -> None:
    throw = shaken().moves(ago_s=0.6)
    assert throw.new() == []
    assert throw.wait(0.5).still().new() == ["look"]
    assert throw.wait(0.3).seen(2, 3, 6).new() == ["2-3-6", "ready"]


def test_dice_that_rest_and_move_again_though_the_shaker_says_no_more_that_it_shakes() -> None:
    """Its word that it stands comes late, and meanwhile a hand turns the dice."""
    throw = ready().shaking().moves().wait(2).still().wait(2).moves().wait(0.6).idle()
    assert throw.new() == ["started", "refused:dice_moved_alone"]
    throw = ready().shaking().moves().wait(2).still().wait(1).moves().wait(0.3).shaking(new=False).wait(1).idle()
    assert throw.wait(0.8).still().new() == ["started", "look"], "a shaker that pauses"


def test_dice_that_move_right_after_the_outcome_were_not_at_rest() -> None:
    throw = shaken().seen(2, 3, 6).wait(0.5).moves().wait(1.9)
    assert throw.new() == ["2-3-6", "ready"], "the shaker may be about to say that it shakes"
    assert throw.wait(0.2).new() == ["contradicted"]
    assert throw.still().wait(0.1).moves().wait(10).new() == ["ready"]


def test_dice_that_move_long_after_the_outcome_are_the_next_rounds() -> None:
    throw = shaken().seen(2, 3, 6).wait(2.0).moves()
    assert throw.new() == ["2-3-6", "ready"]


def test_the_next_shake_contradicts_nothing() -> None:
    throw = shaken().seen(2, 3, 6).wait(0.1).shaking().wait(0.1).moves().wait(3)
    assert throw.new() == ["2-3-6", "ready", "started"]
    throw = shaken().seen(2, 3, 6).wait(0.1).moves().wait(0.1).shaking().wait(3)
    assert throw.new() == ["2-3-6", "ready", "started"]


def test_a_told_shake_whose_first_word_was_lost_is_whole() -> None:
    throw = station().taken().wait(0.2).moves().wait(0.8).shaking(4.0).wait(3.2).idle().wait(0.8).still()
    assert throw.new() == ["started", "look"]


@pytest.mark.parametrize(("hand_s", "shaken_s"), [(3.4, 0.4), (2.4, 1.3)])
def test_a_hand_before_it_makes_no_short_shake_whole(hand_s: float, shaken_s: float) -> None:
    throw = station().taken().wait(0.2).moves().wait(hand_s).shaking(4.0).wait(shaken_s).idle().wait(1.1)
    assert throw.new() == ["started", "refused:shake_cut_short"]


@pytest.mark.parametrize("flickers", [1, 3])
def test_a_stopped_input_that_flickers_while_a_hand_moves_the_dice_is_no_shake(flickers: int) -> None:
    throw = ready().moves().wait(1.3)
    for _ in range(flickers):
        throw.shaking().wait(0.02).idle().wait(0.6)
    assert throw.still().wait(1).new() == ["started", "refused:shake_cut_short", "ready"]


def test_what_a_hand_moved_before_the_shaker_said_that_it_shakes_is_not_the_shakes() -> None:
    throw = ready().moves().wait(0.5).still(0.4).wait(1.3).shaking().wait(1.5).idle().wait(2.1)
    assert throw.new() == ["ready", "started", "held:camera_saw_nothing", "ready"]


# -- what began before the round waited for a throw ---------------------------------------------------------------


def test_dice_that_moved_before_the_round_waited_are_nobodys_throw() -> None:
    throw = hall().rest().wait(5).moves().wait(0.5).due().wait(0.5).shaking().wait(4).idle().wait(0.8).still().wait(0.4)
    assert throw.new() == ["ready", "started", "refused:shaken_early", "ready"]
    throw.due().wait(0.1).shake().seen(2, 3, 6)
    assert throw.new() == ["started", "look", "2-3-6", "ready"]


def test_movement_from_before_that_is_told_after_the_shaking_is_no_throw() -> None:
    throw = hall().rest().wait(5).due().wait(0.05).shaking().wait(0.05).moves(ago_s=0.2)
    assert throw.new() == ["ready", "started", "refused:shaken_early"]


def test_a_switch_that_bounces_makes_no_new_throw_of_a_shake_that_does_not_count() -> None:
    early = hall().rest().shaking().moves()
    early.judge.discard()
    early.wait(10).due().wait(0.1).idle().wait(0.02).shaking().wait(1).idle().wait(0.8).still().wait(0.3).seen(2, 3, 6)
    assert early.new() == ["ready", "started", "ready"]
    assert early.wait(2).shake().seen(1, 1, 2).new() == ["started", "look", "1-1-2", "ready"]


# -- a value that still waits for a witness -----------------------------------------------------------------------


def test_dice_that_move_while_a_witness_is_awaited_are_taken_back_until_the_next_throw() -> None:
    throw = shaken().seen(2, 3, 6).wait(3).moves().wait(1).still().wait(1).moves()
    assert [signal.held.reason for signal in throw.signals if isinstance(signal, Withdrawn) and signal.held] == [
        "moved_after_look"
    ]
    throw = shaken().seen(2, 3, 6).due().shake()
    assert not [signal for signal in throw.signals if isinstance(signal, Withdrawn)]


def test_a_camera_lost_while_a_witness_is_awaited_takes_the_value_back() -> None:
    throw = shaken().seen(2, 3, 6).fault("camera", Fault.LINK_LOST)
    assert [signal.held.reason for signal in throw.signals if isinstance(signal, Withdrawn) and signal.held] == [
        "camera_fault"
    ]
