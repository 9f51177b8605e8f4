"""Rounds of sic bo: from the server's word through the shaker and the camera to one outcome, or a pause."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import AttemptRefused, RoundOutcome
from dealer_drivers.readings import Fault
from support.dice_tables import DiceTable


def at_rest(**options: object) -> DiceTable:
    table = DiceTable(**options)  # type: ignore[arg-type]
    table.rest()
    table.new()
    return table


def test_a_round_that_the_station_shakes() -> None:
    table = at_rest(start="station").open()
    table.wait(15).idle()
    assert table.new() == ["round.opened"], "never before betting closes"
    table.close()
    assert table.new() == ["betting.closed", "start"]
    table.wait(0.1).taken().wait(0.1).shake(told_s=4.0).seen(2, 3, 6)
    assert table.new() == ["attempt.started", "look", "round.outcome:2-3-6"]
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.witnesses == ["die_first", "pip_first"]
    assert outcome.attempts == 1
    assert outcome.evidence


def test_a_round_whose_shaker_was_not_ready_when_betting_closed_starts_when_it_is() -> None:
    table = at_rest(start="station").open().moves().wait(1)  # type: ignore[attr-defined]
    table.close()
    assert table.new() == ["round.opened", "betting.closed"]
    table.wait(1).still()
    assert table.new() == ["start"]


def test_a_button_pressed_while_bets_are_open_gives_nothing() -> None:
    table = at_rest().open()
    table.shaking().moves().wait(4).idle()
    table.close()
    table.wait(0.8).still().wait(0.5).seen(2, 3, 6)
    assert table.new() == ["round.opened", "attempt.started", "attempt.refused:launched_early", "betting.closed"]
    table.shake().seen(1, 1, 4)
    assert table.new() == ["attempt.started", "look", "round.outcome:1-1-4"]
    assert table.events[-1].data.attempts == 2  # type: ignore[union-attr]


def test_re_shaking_does_not_go_on_for_ever() -> None:
    """``tries_before_pause``: a system in the field shook ten thousand times."""
    table = at_rest(start="station", tries=3).open()
    table.close()
    for _ in range(10):
        if "start" in table.new():
            table.taken().shake(told_s=4.0).unclear("leaning").wait(5)
    words = [event.data.type for event in table.events]
    assert words.count("attempt.refused") == 3
    assert words[-1] == "table.paused"
    table.wait(600).idle()
    assert table.new() == []
    reply = table.order(CommandName.TABLE_RESUME, Role.MANAGER, reason="looked at")
    assert reply.ok
    assert table.new() == ["table.resumed:looked at", "start"]


def test_a_refused_throw_says_what_is_to_be_done_and_the_next_one_counts() -> None:
    table = at_rest(start="station").open()
    table.close()
    table.taken().shake(told_s=4.0).unclear("stacked")
    assert table.new()[-2:] == ["attempt.refused:stacked", "start"]
    refused = next(event.data for event in table.events if isinstance(event.data, AttemptRefused))
    assert refused.remedy == "reshake"
    table.taken().shake(told_s=4.0).seen(5, 5, 5)
    assert table.new()[-1] == "round.outcome:5-5-5"
    assert table.events[-1].data.attempts == 2  # type: ignore[union-attr]


def test_a_held_throw_waits_for_the_manager_who_decides_by_the_video() -> None:
    table = at_rest().open()
    table.close()
    table.shaking().wait(4).idle().wait(3)
    assert table.new()[-1] == "attempt.held:camera_saw_nothing"
    bad = table.order(CommandName.ATTEMPT_DECIDE, Role.MANAGER, dice=[1, 2, 7], reason="video")
    assert not bad.ok
    assert table.order(CommandName.ATTEMPT_DECIDE, Role.MANAGER, dice=[6, 1, 2], reason="video").ok
    assert table.new()[-1] == "round.outcome:1-2-6:video"


@pytest.mark.parametrize("device", ["shaker", "camera"])
def test_a_device_lost_in_mid_throw_is_held_and_said(device: str) -> None:
    table = at_rest().open()
    table.close()
    table.shaking().moves().wait(2).fault(device, Fault.LINK_LOST)
    reason = "shaker_lost" if device == "shaker" else "camera_fault"
    assert table.new()[-2:] == ["device.fault", f"attempt.held:{reason}"]


def test_a_station_that_restarts_in_mid_throw_takes_nothing_from_it() -> None:
    table = at_rest().open()
    table.close()
    table.shaking().moves().wait(2)
    again = DiceTable(history=table.events)
    again.at, again.cycle = table.at, 0
    again.start()
    assert again.new()[-1] == "attempt.held:station_restarted"
    again.shaking().moves().wait(2).idle().wait(1).still().wait(1).seen(1, 2, 3, ask=1)
    assert again.new() == []


def test_a_station_that_restarts_before_the_throw_does_not_read_the_old_dice() -> None:
    table = at_rest().open()
    table.close()
    table.shake().seen(2, 3, 6)
    table.open()
    again = DiceTable(history=table.events)
    again.at = table.at
    again.start().rest()
    again.close()
    again.wait(60).seen(2, 3, 6, ask=1)
    assert [word for word in again.new() if "outcome" in word or "attempt" in word] == []


def test_dice_that_move_right_after_the_outcome_pause_the_table() -> None:
    table = at_rest().open()
    table.close()
    table.shake().seen(2, 3, 6).wait(0.3).moves().wait(2.1)
    assert table.new()[-3:] == [
        "round.outcome:2-3-6",
        "violation:number_changed_after_outcome",
        "table.paused:violation",
    ]


def test_a_table_without_a_server_is_opened_and_closed_by_its_shaker() -> None:
    table = DiceTable(source="device")
    table.rest()
    assert table.new() == ["round.opened"]
    table.shake().seen(2, 3, 6)
    assert table.new() == ["attempt.started", "betting.closed", "look", "round.outcome:2-3-6", "round.opened"]


def test_a_dice_tower_without_a_server() -> None:
    table = DiceTable(source="device", tower=True)
    table.moves().wait(0.5).still().seen(1, 1, 1)
    assert table.new() == ["round.opened", "look"]
    table.wait(5).moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert table.new() == ["attempt.started", "betting.closed", "look", "round.outcome:2-4-6", "round.opened"]


def test_a_dice_tower_with_a_server_throws_after_betting_closed() -> None:
    table = DiceTable(tower=True)
    table.moves().wait(0.5).still().seen(1, 1, 1)
    table.open().moves().wait(1).still().wait(0.3).seen(1, 1, 1).wait(5)
    table.close()
    assert table.new() == ["look", "round.opened", "look", "betting.closed"], "touching the dice is no throw"
    table.moves().wait(1.5).still().wait(0.5).seen(2, 4, 6)
    assert table.new() == ["attempt.started", "look", "round.outcome:2-4-6"]


def test_dice_of_a_tower_thrown_while_bets_are_open_are_no_result() -> None:
    """Rolled out, still rolling when betting closed, or put down by hand: then a hand passes over the plate."""
    for closed_while_rolling in (False, True):
        table = DiceTable(tower=True)
        table.moves().wait(0.5).still().seen(1, 1, 1)
        table.open().wait(2).moves()  # type: ignore[attr-defined]
        if closed_while_rolling:
            table.close()
        table.wait(1.5).still().wait(0.3).seen(2, 4, 6)
        if not closed_while_rolling:
            table.close()
        table.wait(3).moves().wait(1).still().wait(0.5).seen(2, 4, 6, moved=False)
        assert table.new()[-1] == "attempt.held:dice_did_not_move"


def test_a_lamp_over_a_dice_tower_pauses_no_table() -> None:
    table = DiceTable(tower=True)
    table.moves().wait(0.5).still().seen(1, 1, 1)
    table.open().close()
    for _ in range(5):
        table.moves().wait(0.3).still(0.25).wait(6)
    assert table.new()[-1] == "attempt.started"


def test_a_late_answer_of_the_shaker_after_betting_closed_publishes_nothing() -> None:
    """What the button shook while bets were open still rolls when betting closes, and an old answer says: it shakes."""
    table = at_rest().open()
    table.shaking().moves().wait(1.5).idle().wait(0.1)
    table.close()
    table.shaking().wait(0.15).still().wait(0.3).idle().wait(0.3).seen(2, 3, 6).wait(3)
    assert not [word for word in table.new() if "outcome" in word]


def test_a_stop_switch_that_bounces_after_betting_closed_publishes_nothing() -> None:
    table = at_rest().open()
    table.shaking().moves().wait(10)
    table.close()
    table.idle().wait(0.02).shaking().wait(1.05).idle().wait(0.8).still().wait(0.3).seen(2, 3, 6)
    assert table.new() == ["round.opened", "attempt.started", "attempt.refused:launched_early", "betting.closed"]
    table.wait(1).shake().seen(1, 1, 4)
    assert table.new() == ["attempt.started", "look", "round.outcome:1-1-4"]
