"""Tables whose rounds the game server opens and closes."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, AttemptRefused, RoundOutcome, RoundVoided
from dealer_daemon.validation.spin_rules import SpinRules
from support.tables import Driven
from support.wheel import Wheel

OPEN, CLOSE = CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE


def server_table(**spin: object) -> Driven:
    return Driven("server", SpinRules(unobserved="accept", **spin))  # type: ignore[arg-type]


def test_a_round_from_open_to_outcome_with_the_servers_own_objects() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    reply = table.ask(OPEN, wheel.at, server={"lucky": [7, 11]})
    assert reply.result == {"round": "r1-1"}
    table.see(wheel.betting().rim(times=3).take())
    assert table.ask(CLOSE, wheel.at, round="r1-1", server={"multiplier": 5}).ok
    table.see(wheel.rim().no_more_bets().bare("7").result("7").take())
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.facts["number"] == "7"
    assert outcome.server == [{"lucky": [7, 11]}, {"multiplier": 5}]


def test_a_number_while_betting_is_open_is_a_violation_and_never_published() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.see(wheel.rim().no_more_bets().bare("7").result("7").take())
    assert table.words()[-2:] == ["violation:number_while_betting", "table.paused:violation"]
    assert '"7"' not in str([event.data for event in table.events])
    assert table.ask(CLOSE, wheel.at).ok
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="again").ok
    table.see(wheel.next_game().good_spin("9").take())
    assert table.words()[-1] == "round.outcome:9"


@pytest.mark.parametrize("bare", ["12", "7"])
def test_a_held_spin_shows_no_number_while_betting_is_open(bare: str) -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.see(wheel.rim().no_more_bets().bare(bare).result("7", times=1).result("12").take())
    ends = [event.data for event in table.events if isinstance(event.data, AttemptHeld | AttemptRefused)]
    published = str([event.data for event in table.events])
    assert "says" not in published
    assert "named" not in published
    for end in ends:
        assert getattr(end, "seen", {}) == {}
    decided = table.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.MANAGER, number="7", reason="video")
    assert decided.error is ErrorCode.NOT_NOW


def test_a_spin_without_a_round_is_said_and_gives_nothing() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.good_spin("7").take())
    assert table.words() == ["violation:spin_without_round"]


def test_a_round_opened_in_mid_spin_does_not_take_that_spins_number() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().rim().take())
    table.ask(OPEN, wheel.at)
    table.ask(CLOSE, wheel.at)
    table.see(wheel.no_more_bets().bare("7").result("7").take())
    assert "round.outcome" not in " ".join(table.words())
    table.see(wheel.next_game().good_spin("8").take())
    assert table.words()[-1] == "round.outcome:8"


@pytest.mark.parametrize(("rule", "refused"), [("any", False), ("after_close", True), ("before_close", False)])
def test_launched_before_betting_closed(rule: str, refused: bool) -> None:
    table, wheel = server_table(launch=rule), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.see(wheel.rim().take())
    table.ask(CLOSE, wheel.at)
    table.see(wheel.no_more_bets().bare("7").result("7").take())
    assert ("attempt.refused:launched_early" in table.words()) is refused
    assert (table.words()[-1] == "round.outcome:7") is not refused


def test_voided_by_the_manager_the_running_spin_gives_nothing() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.ask(CLOSE, wheel.at)
    table.see(wheel.rim().take())
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.SERVER, reason="x").error is ErrorCode.NOT_ALLOWED
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER).error is ErrorCode.BAD_ARGUMENT
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="power cut in the hall").ok
    voided = table.events[-1].data
    assert isinstance(voided, RoundVoided)
    assert voided.by == "the-manager"
    table.ask(OPEN, wheel.at)
    table.ask(CLOSE, wheel.at)
    table.see(wheel.no_more_bets().bare("7").result("7").take())
    assert "round.outcome" not in " ".join(table.words())


def test_voiding_a_round_in_trouble_lets_the_table_go_on_but_a_wished_pause_stays() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.see(wheel.rim().no_more_bets().bare("7").result("7").take())
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="number seen").ok
    assert table.table.state.paused is None
    table.ask(OPEN, wheel.at)
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.DEALER, reason="drink spilt").ok
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="drink spilt").ok
    assert table.table.state.paused == "drink spilt"
    assert table.ask(OPEN, wheel.at).error is ErrorCode.NOT_NOW


def test_commands_at_the_wrong_time_are_refused_and_say_why() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    assert table.ask(CLOSE, wheel.at).error is ErrorCode.NOT_NOW
    assert table.ask(OPEN, wheel.at).ok
    again = table.ask(OPEN, wheel.at)
    assert again.error is ErrorCode.NOT_NOW
    assert "r1-1" in again.message
    assert table.ask(CLOSE, wheel.at, round="r1-9").error is ErrorCode.WRONG_ROUND
    assert table.ask(CLOSE, wheel.at).ok
    assert table.ask(CLOSE, wheel.at).error is ErrorCode.NOT_NOW
    assert table.ask(CommandName.GATE_OPEN, wheel.at).error is ErrorCode.NOT_NOW
    assert table.ask(CommandName.EVENTS_RESEND, wheel.at, **{"from": 99}).error is ErrorCode.BAD_ARGUMENT
    assert table.ask(CommandName.EVENTS_RESEND, wheel.at, **{"from": 1}).result == {"from": 1, "to": 2}
    correct = table.ask(CommandName.OUTCOME_CORRECT, wheel.at, Role.MANAGER, replaces=1, number="1", reason="v")
    assert correct.error is ErrorCode.BAD_ARGUMENT


def test_a_round_opened_while_the_old_result_still_shows_is_not_held_after_a_restart() -> None:
    table, wheel = server_table(), Wheel()
    table.see(wheel.betting().take())
    table.ask(OPEN, wheel.at)
    table.ask(CLOSE, wheel.at)
    table.see(wheel.rim().no_more_bets().bare("7").result("7").take())
    table.see(wheel.take())
    table.ask(OPEN, wheel.at)
    table = table.restart()
    table.start(wheel.at)
    table.see(wheel.result("7").next_game().take())
    assert "attempt.held" not in " ".join(table.words())
