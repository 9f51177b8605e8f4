"""A fan-tan layout counts when the bowl was seen, the beans lie still, and two looks read the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.validation.beans_rules import BeansRules
from dealer_daemon.validation.signals import (
    BettingOver,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Ready,
    Signal,
    Started,
    Withdrawn,
)
from dealer_daemon.verdicts import Held, Refused
from support.cloth import LOOK, Cloth


def facts(signals: list[Signal]) -> dict[str, object]:
    (judged,) = signals
    assert isinstance(judged, Judged)
    return dict(judged.value.facts)


def verdict(signals: list[Signal]) -> Refused | Held:
    (signal,) = signals
    assert isinstance(signal, NotJudged)
    return signal.verdict


def test_two_looks_at_a_still_layout_make_a_result() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    assert cloth.sees(78) == []
    assert cloth.wait(1.5) == []
    assert cloth.wait(1.5) == [LOOK]
    assert facts(cloth.sees(78)) == {"remainder": 2, "parity": "even", "beans": 78, "groups": 20}
    assert not cloth.judge.underway()


def test_a_dealer_who_pauses_while_counting_gives_no_result() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    cloth.sees(40)
    cloth.wait(2)
    assert cloth.moves() == []
    cloth.wait(10)
    assert cloth.rests() == [LOOK]
    cloth.sees(42)
    cloth.wait(3)
    (signal,) = cloth.sees(42)
    assert isinstance(signal, NeedsConfirmation), "the beans that came had not been in sight"


def test_beans_that_come_to_an_empty_cloth_had_not_been_in_sight() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    assert cloth.doubts("no_beans") == []
    assert cloth.moves() == []
    cloth.wait(10)
    cloth.rests()
    cloth.sees(42)
    cloth.wait(3)
    (signal,) = cloth.sees(42)
    assert isinstance(signal, NeedsConfirmation)


def test_a_pause_for_which_the_heap_is_in_sight_costs_nothing() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    assert cloth.doubts("beans_touch") == []
    assert cloth.moves() == []
    cloth.wait(10)
    cloth.rests()
    cloth.sees(42)
    cloth.wait(3)
    assert facts(cloth.sees(42))["remainder"] == 2


def test_the_second_look_must_be_taken_after_the_set_time() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    cloth.sees(40)
    cloth.wait(2.4)
    assert cloth.sees(40, first_s=cloth.now_s - 1.5) == []


def test_the_heap_in_view_is_waited_for_and_then_refused() -> None:
    cloth = Cloth(patience_s=8)
    cloth.covered()
    cloth.laid_out()
    for _ in range(5):
        assert cloth.doubts("beans_touch") == []
        assert cloth.wait(1.1) == [LOOK]
    refusal = verdict(cloth.doubts("beans_touch", "left_over"))
    assert isinstance(refusal, Refused)
    assert (refusal.reason, refusal.remedy) == ("beans_touch", "rearrange")
    assert refusal.detail == "what is wrong (also: left_over)"


def test_the_same_beans_are_laid_out_again_after_a_refusal() -> None:
    cloth = Cloth(patience_s=3)
    cloth.covered()
    cloth.laid_out()
    cloth.wait(3)
    assert verdict(cloth.doubts("groups_not_four")).reason == "groups_not_four"
    assert cloth.due() == []
    cloth.laid_out()
    cloth.sees(9)
    cloth.wait(3)
    assert facts(cloth.sees(9))["remainder"] == 1


def test_counts_that_change_by_themselves_are_refused() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    cloth.sees(40)
    cloth.wait(3)
    assert verdict(cloth.sees(39)).reason == "count_changed"


@pytest.mark.parametrize("confirm", ["never", "uncovered", "always"])
@pytest.mark.parametrize("covered", [True, False])
def test_who_confirms(confirm: str, covered: bool) -> None:
    cloth = Cloth(confirm=confirm)
    if covered:
        cloth.covered()
    else:
        cloth.moves()
        cloth.wait(1)
        cloth.rests()
        cloth.doubts("no_beans")
        cloth.due()
    cloth.laid_out()
    cloth.sees(77)
    cloth.wait(3)
    (signal,) = cloth.sees(77)
    asked = confirm == "always" or (confirm == "uncovered" and not covered)
    assert isinstance(signal, NeedsConfirmation if asked else Judged)


def test_an_old_layout_is_no_new_one() -> None:
    """The beans of the round before still lie there, and a hand passes over them."""
    cloth = Cloth(confirm="never")
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.sees(50)
    cloth.due()
    cloth.laid_out()
    cloth.sees(50)
    cloth.wait(3)
    held = verdict(cloth.sees(50))
    assert isinstance(held, Held)
    assert held.reason == "layout_not_new"


@pytest.mark.parametrize(
    "reasons",
    [("occluded",), ("glare",), ("blurred",), ("beans_touch",), ("left_over",), ("occluded", "counts_differ"), ()],
)
def test_what_may_be_a_hand_over_an_old_layout_is_no_bowl(reasons: tuple[str, ...]) -> None:
    cloth = Cloth()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.doubts(*reasons)
    cloth.due()
    cloth.laid_out()
    cloth.sees(77)
    cloth.wait(3)
    (signal,) = cloth.sees(77)
    assert isinstance(signal, NeedsConfirmation)


def test_as_many_beans_as_lay_there_last_are_held_even_where_the_bowl_was_seen() -> None:
    cloth = Cloth()
    for _ in range(2):
        cloth.covered()
        cloth.laid_out()
        cloth.sees(50)
        cloth.wait(3)
        signals = cloth.sees(50)
    assert verdict(signals).reason == "layout_not_new"


def unconfirmed(beans: int = 12) -> Cloth:
    cloth = Cloth()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.doubts("no_beans")
    cloth.due()
    cloth.laid_out()
    cloth.sees(beans)
    cloth.wait(3)
    (signal,) = cloth.sees(beans)
    assert isinstance(signal, NeedsConfirmation)
    assert not cloth.judge.underway()
    return cloth


def test_a_dealer_who_lays_on_takes_the_value_back_and_the_whole_layout_is_asked_about() -> None:
    cloth = unconfirmed()
    assert cloth.wait(600) == [], "it waits for as long as the dealer does"
    (withdrawn,) = cloth.moves()
    assert isinstance(withdrawn, Withdrawn)
    assert withdrawn.held is None
    assert cloth.judge.underway()
    cloth.wait(250)
    assert cloth.rests() == [LOOK]
    cloth.sees(14)
    cloth.wait(3)
    (signal,) = cloth.sees(14)
    assert isinstance(signal, NeedsConfirmation)
    assert signal.value.facts["beans"] == 14


def test_a_hand_that_changes_nothing_is_asked_about_anew() -> None:
    cloth = unconfirmed()
    assert len(cloth.moves()) == 1
    cloth.wait(1)
    assert cloth.rests() == [LOOK]
    cloth.sees(12)
    cloth.wait(3)
    (signal,) = cloth.sees(12)
    assert isinstance(signal, NeedsConfirmation)


def test_a_camera_lost_before_the_dealer_confirms_leaves_it_to_a_person() -> None:
    cloth = unconfirmed()
    (withdrawn,) = cloth.fails()
    assert isinstance(withdrawn, Withdrawn)
    assert withdrawn.held is not None
    assert withdrawn.held.reason == "camera_fault"
    assert cloth.moves() == []


@pytest.mark.parametrize("discarded", [True, False])
def test_what_was_confirmed_is_what_lies_there_before_the_next_attempt(discarded: bool) -> None:
    cloth = unconfirmed()
    if discarded:
        cloth.judge.discard()
        (withdrawn,) = cloth.moves()
        assert isinstance(withdrawn, Withdrawn)
        assert withdrawn.held is not None, "where the table was resumed meanwhile and the value still stands"
        cloth.wait(1)
        cloth.rests()
        cloth.doubts("covered")
    cloth.due()
    cloth.laid_out()
    cloth.sees(12)
    cloth.wait(3)
    assert verdict(cloth.sees(12)).reason == "layout_not_new"


def test_nothing_begins_before_the_round_waits_for_it() -> None:
    cloth = Cloth()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    assert cloth.sees(50) == []
    cloth.wait(5)
    assert cloth.moves() == []
    cloth.wait(1)
    assert cloth.rests() == [LOOK]
    assert cloth.sees(51) == []
    assert cloth.wait(60) == []
    assert not cloth.judge.underway()


def test_a_hand_at_the_bowl_when_betting_closes_leaves_it_to_the_dealer() -> None:
    cloth = Cloth()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.doubts("covered")
    assert cloth.moves() == []
    assert cloth.due() == [Started(), BettingOver()]
    cloth.wait(30)
    cloth.rests()
    cloth.sees(33)
    cloth.wait(3)
    (signal,) = cloth.sees(33)
    assert isinstance(signal, NeedsConfirmation)


def test_a_station_that_begins_in_the_middle_of_a_movement_waits_for_the_next() -> None:
    cloth = Cloth()
    assert cloth.moves() == []
    assert cloth.due() == []
    cloth.wait(3)
    assert cloth.rests() == [LOOK]
    assert not cloth.judge.underway()


def test_covered_beans_open_the_round_of_a_table_without_a_server() -> None:
    cloth = Cloth()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    assert cloth.sees(12) == []
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    assert cloth.doubts("no_beans") == []
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    assert cloth.doubts("covered") == [Ready()]
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    assert cloth.doubts("blurred", "occluded") == [Ready()], "a bowl that is not sure to be one: the dealer confirms"


def test_a_camera_that_fails_during_the_layout_holds_it() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    cloth.sees(60)
    held = verdict(cloth.fails())
    assert isinstance(held, Held)
    assert held.reason == "camera_fault"
    assert cloth.wait(600) == []


def test_stale_repeated_and_unasked_looks_say_nothing() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    assert cloth.sees(60, first_s=cloth.now_s - 1) == []
    assert cloth.wait(10)[-1] == NotJudged(
        Refused("no_look", "rearrange", "the camera did not say within 8 s what lies there")  # type: ignore[arg-type]
    )
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    cloth.sees(60)
    cloth.wait(3)
    assert cloth.sees(60, ask=cloth.ask - 1) == []


def test_a_count_that_cannot_be_is_held() -> None:
    cloth = Cloth()
    cloth.covered()
    cloth.laid_out()
    assert verdict(cloth.sees(201)).reason == "impossible_beans"


def test_a_layout_that_never_comes_is_refused() -> None:
    cloth = Cloth(max_layout_s=60)
    cloth.covered()
    cloth.moves()
    assert [signal for signal in cloth.wait(100) if isinstance(signal, NotJudged)] != []


STEPS = st.sampled_from(["moves", "rests", "due", "wait", "long", "see40", "see41", "doubt", "fault", "discard"])


@given(st.lists(STEPS, max_size=40))
def test_no_result_without_an_attempt_that_lay_still(steps: list[str]) -> None:
    """Whatever comes in whatever order: a result needs the round to wait, then movement, then still_s without any."""
    cloth = Cloth(confirm="never")
    due_s = moved_s = None
    for step in steps:
        before = len(cloth.said)
        match step:
            case "moves":
                moved_s = cloth.now_s
                cloth.moves()
            case "rests":
                cloth.rests()
            case "due":
                due_s = cloth.now_s if due_s is None else due_s
                cloth.due()
            case "wait":
                cloth.wait(1.2)
            case "long":
                cloth.wait(4)
            case "see40" | "see41":
                cloth.sees(int(step[3:]))
            case "doubt":
                cloth.doubts("beans_touch")
            case "fault":
                cloth.fails()
            case _:
                cloth.judge.discard()
        for signal in cloth.said[before:]:
            if isinstance(signal, Judged):
                assert due_s is not None
                assert moved_s is not None
                assert cloth.now_s - moved_s >= 2.5
                assert step.startswith("see")
                due_s = None


def test_rules_that_cannot_be() -> None:
    assert [key for key, _ in BeansRules(still_s=0, patience_s=9999, max_layout_s=3).problems()] == [
        "still_s",
        "patience_s",
        "max_layout_s",
    ]
    assert BeansRules().problems() == []


# -- layouts that lay there before, where the dealer confirms nothing ---------------------------------------------


def held_as_old(cloth: Cloth, beans: int) -> None:
    """The hand goes away, and the beans are read twice."""
    cloth.laid_out()
    cloth.sees(beans)
    cloth.wait(3)
    assert verdict(cloth.sees(beans)).reason == "layout_not_new"


def test_the_layout_of_a_round_that_was_voided_is_no_result_of_the_next() -> None:
    cloth = Cloth(confirm="never")
    cloth.covered()
    cloth.laid_out()
    cloth.sees(50)
    cloth.judge.discard()
    cloth.due()
    cloth.doubts("occluded")
    held_as_old(cloth, 50)


def test_a_layout_below_a_hand_that_rests_is_no_result_of_the_round_after() -> None:
    """It was laid out while bets were open, and never seen."""
    cloth = Cloth(confirm="never")
    cloth.covered()
    cloth.judge.discard()
    cloth.moves()
    cloth.wait(40)
    cloth.rests()
    cloth.doubts("beans_touch")
    cloth.due()
    held_as_old(cloth, 50)


def test_a_layout_that_nobody_had_looked_at_when_a_hand_came_back_is_no_result() -> None:
    cloth = Cloth(confirm="never")
    cloth.covered()
    cloth.judge.discard()
    cloth.moves()
    cloth.wait(40)
    cloth.rests()
    cloth.due()
    held_as_old(cloth, 50)
