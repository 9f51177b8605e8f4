"""Tables without a server: the wheel's own beginning opens and closes the rounds."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, AttemptRefused, RoundOutcome, RoundVoided
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings.roulette import WheelFault, WheelPhase
from support.tables import Driven
from support.wheel import START, Wheel


def test_a_game_is_a_round() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.good_spin("27").next_game().take())
    assert table.words() == [
        "round.opened",
        "attempt.started",
        "betting.closed",
        "round.outcome:27",
        "round.opened",
    ]
    assert [event.sequence for event in table.events] == [1, 2, 3, 4, 5]
    assert [event.subject for event in table.events] == ["r1-1"] * 4 + ["r1-2"]


def test_an_outcome_names_the_frames_it_was_read_from() -> None:
    table = Driven()
    table.see(Wheel().good_spin("27").take())
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    (name,) = outcome.evidence
    lines = table.evidence[name].decode().splitlines()
    assert '"driver":"cammegh-ss2"' in lines[0]
    frames = [bytes.fromhex(line.split('"rxh":"')[1].rstrip('"}')) for line in lines[1:]]
    assert frames[-2] == b"27\r\n"
    assert sum(b"rim" in frame for frame in frames) == 8
    assert sum(b"no_more_bets" in frame for frame in frames) == 20


def test_a_refused_spin_leaves_the_round_open_to_one_result() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().betting(WheelFault.SAME_DIRECTION).betting(WheelFault.LAUNCH_FAILED).take())
    table.see(wheel.rim().no_more_bets().bare("15").result("15").take())
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.attempts == 2
    assert table.events[-1].subject == "r1-1"
    assert table.actions == [("wheel", DeviceAction.ACKNOWLEDGE_VOID)]


def test_three_refusals_in_a_row_pause_and_only_a_manager_goes_on() -> None:
    table, wheel = Driven(), Wheel()
    for _ in range(3):
        table.see(wheel.betting().rim().frame(WheelPhase.NO_BALL).take())
    assert [word.split(":")[0] for word in table.words()].count("attempt.refused") == 3
    assert table.words()[-1] == "table.paused:tries_exhausted"
    # Nothing counts while the table is paused, and that is said.
    table.see(wheel.good_spin("9").take())
    assert table.words()[-1] == "violation:spin_while_paused"
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.DEALER, reason="x").error is ErrorCode.NOT_ALLOWED
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="ball cleaned").ok
    table.see(wheel.next_game().good_spin("11").take())
    assert table.words()[-1] == "round.outcome:11"
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.attempts == 4


def test_a_held_spin_waits_for_a_person_and_the_manager_decides() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().rim().no_more_bets().bare("26").result("27").next_game().take())
    held = table.events[-1].data
    assert isinstance(held, AttemptHeld)
    assert held.seen == {"bare_number": "26", "status_frame": "27"}
    assert table.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.DEALER, number="27", reason="v").error == "not_allowed"
    assert (
        table.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.MANAGER, number="37", reason="v").error == "bad_argument"
    )
    assert table.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.MANAGER, number="27", reason="video").ok
    assert table.words()[-1] == "round.opened", "the wheel takes bets already"
    outcome = table.events[-2].data
    assert isinstance(outcome, RoundOutcome)
    assert (outcome.source, outcome.by, outcome.reason) == ("manager", "the-manager", "video")
    assert outcome.evidence == held.evidence
    assert outcome.facts["number"] == "27"


def test_a_held_spin_that_nobody_decided_is_void_when_the_next_ball_runs() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().rim().no_more_bets().bare("26").result("27").next_game().good_spin("3").take())
    voided = next(event.data for event in table.events if isinstance(event.data, RoundVoided))
    assert (voided.reason, voided.by) == ("held_not_decided", "station")
    assert voided.seen == {"bare_number": "26", "status_frame": "27"}
    assert table.words()[-1] == "round.outcome:3"
    assert table.events[-1].subject == "r1-2"


def test_the_dealer_confirms_where_nobody_counts() -> None:
    table, wheel = Driven(spin=SpinRules()), Wheel()
    table.see(wheel.good_spin("8").take())
    assert table.words()[-1] == "attempt.unconfirmed:8"
    assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).ok
    assert table.words()[-1] == "round.outcome:8"
    table.see(wheel.next_game().good_spin("9").take())
    assert table.ask(CommandName.ATTEMPT_REFUSE, wheel.at, Role.DEALER).ok
    refused = table.events[-1].data
    assert isinstance(refused, AttemptRefused)
    assert (refused.reason, refused.remedy) == ("dealer_no_spin", "rethrow")
    table.see(wheel.betting().good_spin("10").take())
    assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).ok
    assert table.words()[-1] == "round.outcome:10"


def test_unconfirmed_is_void_when_the_next_ball_runs() -> None:
    table, wheel = Driven(spin=SpinRules()), Wheel()
    table.see(wheel.good_spin("8").next_game().good_spin("9").take())
    assert "round.voided:not_confirmed" in table.words()
    assert table.words()[-1] == "attempt.unconfirmed:9"


def test_another_number_after_the_outcome_pauses() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.good_spin("8").result("9").take())
    assert table.words()[-2:] == ["violation:number_changed_after_outcome", "table.paused:violation"]
    assert table.ask(CommandName.OUTCOME_CORRECT, wheel.at, Role.MANAGER, replaces=4, number="9", reason="video").ok
    assert table.words()[-1] == "outcome.corrected:9:video"
    again = table.ask(CommandName.OUTCOME_CORRECT, wheel.at, Role.MANAGER, replaces=4, number="8", reason="video")
    assert again.error is ErrorCode.NOT_NOW


def test_joined_in_mid_spin_opens_no_round() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.rim().no_more_bets().bare("8").result("8").take())
    assert table.words() == []
    table.see(wheel.next_game().good_spin("9").take())
    assert table.words()[-1] == "round.outcome:9"


def test_restarted_in_mid_spin_the_round_is_held_and_never_guessed() -> None:
    table, wheel = Driven(), Wheel()
    table.start(START)
    table.see(wheel.betting().rim().no_more_bets().take())
    table = table.restart()
    table.start(wheel.at)
    assert table.words()[-1] == "attempt.held:station_restarted"
    table.see(wheel.no_more_bets(times=2).bare("8").result("8").next_game().good_spin("9").take())
    assert "round.outcome:8" not in table.words()
    assert table.words()[-1] == "round.outcome:9"


def test_restarted_between_spins_nothing_is_lost() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.good_spin("8").next_game().take())
    table = table.restart()
    table.start(wheel.at)
    table.see(wheel.good_spin("9").take())
    assert table.words()[-1] == "round.outcome:9"
    assert table.events[-1].subject == "r1-2"
    assert "attempt.held" not in " ".join(table.words())


def test_restarted_after_the_outcome_was_committed_it_is_not_given_twice() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.good_spin("8").take())
    table = table.restart()
    table.start(wheel.at)
    table.see(wheel.result("8").next_game().good_spin("9").take())
    assert [word for word in table.words() if word.startswith("round.outcome")] == [
        "round.outcome:8",
        "round.outcome:9",
    ]
    assert "attempt.held" not in " ".join(table.words())


def test_a_spin_missed_while_the_daemon_was_down_is_held() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().take())
    table = table.restart()
    table.start(wheel.wait(60).at)
    wheel.spin = 8
    table.see(wheel.betting().take())
    assert table.words()[-1] == "attempt.held:spin_not_seen"


def test_why_a_wheel_stands_is_said_once_and_taken_back_once() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting(WheelFault.SENSOR, times=5).betting(times=5).take())
    words = [event.data.type for event in table.events]
    assert words.count("device.fault") == 1
    assert words.count("device.recovered") == 1
    assert table.table.state.faults == {}


def test_servers_cannot_open_rounds_here() -> None:
    table, wheel = Driven(), Wheel()
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).error is ErrorCode.NOT_NOW
    table.see(wheel.betting().take())
    assert table.ask(CommandName.BETTING_CLOSE, wheel.at).error is ErrorCode.NOT_NOW


def test_a_spin_held_before_no_more_bets_can_be_decided() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().rim().wait(3).no_more_bets().bare("8").result("8").take())
    assert table.words()[-2:] == ["betting.closed", "attempt.held:silence"]
    assert table.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.MANAGER, number="8", reason="video").ok
    assert table.words()[-1] == "round.outcome:8:video"


def test_once_confirmed_the_next_round_opens_while_the_wheel_takes_bets() -> None:
    table, wheel = Driven(spin=SpinRules()), Wheel()
    table.see(wheel.good_spin("8").next_game().take())
    assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).ok
    assert table.words()[-2:] == ["round.outcome:8", "round.opened"]


def test_a_sequence_that_no_journal_can_hold_is_a_bad_argument() -> None:
    table, wheel = Driven(), Wheel()
    reply = table.ask(CommandName.OUTCOME_CORRECT, wheel.at, Role.MANAGER, replaces=10**25, number="1", reason="v")
    assert reply.error is ErrorCode.BAD_ARGUMENT


@pytest.mark.parametrize("confirm", [True, False])
def test_a_restart_does_not_forget_the_number_that_the_wheel_may_still_contradict(confirm: bool) -> None:
    table, wheel = Driven(spin=SpinRules(unobserved="confirm" if confirm else "accept")), Wheel()
    table.see(wheel.good_spin("17").take())
    table = table.restart()
    table.start(wheel.at)
    table.see(wheel.result("18", times=5).take())
    if confirm:
        assert table.words()[-1] == "attempt.held:two_pockets"
        assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).error is ErrorCode.NOT_NOW
    else:
        assert table.words()[-2:] == ["violation:number_changed_after_outcome", "table.paused:violation"]


def test_a_number_that_a_manager_corrected_is_not_contradicted_after_a_restart() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.good_spin("17").take())
    assert table.ask(CommandName.OUTCOME_CORRECT, wheel.at, Role.MANAGER, replaces=4, number="18", reason="video").ok
    table = table.restart()
    table.start(wheel.at)
    table.see(wheel.result("17", times=3).next_game().good_spin("20").take())
    assert table.words()[-1] == "round.outcome:20"
    assert table.table.state.paused is None
