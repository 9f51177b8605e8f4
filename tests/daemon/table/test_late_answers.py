"""A word sent before its question is no answer to it: a broker keeps commands, and buttons are pressed twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import AttemptHeld, RoundOutcome, RoundVoided
from dealer_daemon.table.answers import was_before
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.instant import Instant
from support.card_tables import CardTable
from support.deck_tables import DeckTable
from support.tables import Driven
from support.wheel import Wheel

CONFIRM, REFUSE, DECIDE = CommandName.ATTEMPT_CONFIRM, CommandName.ATTEMPT_REFUSE, CommandName.ATTEMPT_DECIDE
CORRECT, VOID = CommandName.CARD_CORRECT, CommandName.ROUND_VOID


class Late:
    """Whose commands were sent some time ago, where one says so."""

    ago_s: float | None = 0.0
    at: Any

    def sent_ns(self) -> int | None:
        return None if self.ago_s is None else int(self.at.plus_s(-self.ago_s).wall_ns)


class LateTable(Late, CardTable):
    pass


class LateDecks(Late, DeckTable):
    pass


def held_twice() -> LateTable:
    """A hand that was held, decided, and is held again a second ago: neither card may be guessed."""
    table = LateTable("baccarat", "server")
    table.bets_closed()
    table.deal("8S")
    for _ in range(2):
        table.restart()
        table.deal("8S")
        assert isinstance(table.events[-1].data, AttemptHeld)
        if len(table.of(AttemptHeld)) == 1:
            table.wait(5)
            table.manager(DECIDE, position="banker.1", card="8S")
    table.wait(1)
    return table


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("name", "args"),
    [
        (REFUSE, {}),
        (DECIDE, {"position": "player.2", "card": "8S"}),
        (CORRECT, {"position": "player.1", "card": "9S"}),
    ],
)
def test_what_was_said_of_an_earlier_hold_lets_no_later_one_go_on(
    name: CommandName, args: dict[str, str], named: bool
) -> None:
    table = held_twice()
    table.ago_s = 1.5
    current = table.state.round
    assert current is not None
    args |= {"round": current.id} if named else {}
    late = table.ask(name, Role.MANAGER, reason="pressed twice", **args)
    assert late.error is ErrorCode.NOT_NOW
    assert "look at it" in late.message
    table.ago_s = 0.5
    assert table.ask(name, Role.MANAGER, reason="by the video", **args).ok


def test_a_client_without_a_time_is_taken_at_its_word() -> None:
    table = held_twice()
    table.ago_s = None
    assert table.ask(REFUSE, Role.MANAGER).ok


@pytest.mark.parametrize(
    ("name", "args"), [(VOID, {}), (CORRECT, {"position": "dragon.1", "card": "9S"}), (REFUSE, {})]
)
def test_what_was_said_before_a_round_was_opened_is_of_another(name: CommandName, args: dict[str, str]) -> None:
    table = LateTable("dragon-tiger", "server")
    table.bets_closed()
    table.deal("8S")
    table.ago_s = 10.0
    before = len(table.events)
    late = table.ask(name, Role.MANAGER, reason="kept by the broker", **args)
    assert late.error is ErrorCode.NOT_NOW
    assert len(table.events) == before
    current = table.state.round
    assert current is not None
    assert table.ask(name, Role.MANAGER, reason="it names it", round=current.id, **args).ok


def test_a_station_that_runs_faster_than_its_people_compares_no_times() -> None:
    table = held_twice()
    table.table.setup = replace(table.setup, clock_speed=8.0)
    table.ago_s = 600.0
    assert table.ask(REFUSE, Role.MANAGER).ok


def test_servers_are_not_asked_for_their_clocks() -> None:
    table = LateTable("dragon-tiger", "server")
    table.ago_s = 60.0
    table.bets_closed()
    table.deal("8S 5C")
    assert table.of(RoundOutcome)


def test_a_void_ends_no_violation_that_came_after_it() -> None:
    table = LateTable("dragon-tiger", "server")
    table.bets_closed()
    table.wait(5)
    table.outside("9S")
    assert table.state.paused == "violation"
    current = table.state.round
    assert current is not None
    table.ago_s = 3.0
    table.manager(VOID, round=current.id)
    assert table.of(RoundVoided)
    assert table.state.paused == "violation"


# -- a wheel's result that waits for its dealer -------------------------------------------------------------------


class LateWheel(Driven):
    """Commands say when they were sent."""

    def say(self, name: CommandName, wheel: Wheel, ago_s: float, role: Role = Role.DEALER, **args: Any) -> Reply:
        sent_ns = wheel.at.plus_s(-ago_s).wall_ns
        command = Command(
            id=f"late-{next(self._ids)}", name=name, client="test", role=role, by="d", args=args, sent_ns=sent_ns
        )
        decision = self.table.command(command, wheel.at, self.event_at)
        self._keep(decision)
        assert decision.command is not None
        return decision.command.reply


def test_a_dealer_confirms_the_result_that_he_saw_and_no_later_one() -> None:
    table, wheel = LateWheel(spin=SpinRules(unobserved="confirm")), Wheel()
    table.start(wheel.at)
    table.see(wheel.betting().rim().no_more_bets().bare("7").result("7").take())
    first = table.table.state.round
    assert first is not None
    assert (first.phase, first.seen["number"]) == ("unconfirmed", "7")
    began = wheel.at
    table.see(wheel.next_game().good_spin("9").take())
    current = table.table.state.round
    assert current is not None
    assert (current.phase, current.seen["number"]) == ("unconfirmed", "9")
    late_s = wheel.at.since_s(began)
    assert table.say(CONFIRM, wheel, late_s).error is ErrorCode.NOT_NOW
    assert table.say(CONFIRM, wheel, late_s, round=current.id).error is ErrorCode.NOT_NOW
    assert table.say(REFUSE, wheel, late_s).error is ErrorCode.NOT_NOW
    assert not [event for event in table.events if isinstance(event.data, RoundOutcome)]
    assert table.say(CONFIRM, wheel, 0).ok


# -- which set lies in a shuffler ---------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["gap", "restart", "emptied", "shuffled"])
def test_what_was_said_of_a_shuffler_is_not_of_what_lies_in_it_since(change: str) -> None:
    table = LateDecks()
    table.shuffler("shuffling", 1)
    table.wait(20)
    match change:
        case "gap":
            table.link_lost()
            table.link_back()
            table.shuffler("shuffling", 1)
        case "restart":
            table.restart()
        case "emptied":
            table.shuffler("idle", 1)
        case "shuffled":
            table.shuffler("idle", 1)
            table.wait(9)
            table.shuffler("shuffling", 2)
    table.ago_s = 3.0
    late = table.ask(CommandName.DECK_INSERT, Role.DEALER, deck_set="blue")
    assert late.error is ErrorCode.NOT_NOW
    assert "say it again" in late.message
    table.ago_s = 0.0
    assert table.ask(CommandName.DECK_INSERT, Role.DEALER, deck_set="blue").ok


def test_a_machine_that_stays_empty_may_be_told_of_at_any_time() -> None:
    table = LateDecks()
    for _ in range(5):
        table.shuffler("idle", 1)
        table.wait(2)
    table.ago_s = 3.0
    assert table.ask(CommandName.DECK_INSERT, Role.DEALER, deck_set="blue").ok


HOUR_NS = 3600 * 1_000_000_000


def put(at: Instant, hours: float) -> Instant:
    """The same moment by a wall clock that is so far off."""
    return Instant(at.mono_ns, at.wall_ns + int(hours * HOUR_NS))


def said(table: Driven, name: CommandName, at: Instant, sent_ns: int, role: Role, **args: Any) -> Reply:
    command = Command(id=f"c{sent_ns}", name=name, client="pit", role=role, by="somebody", args=args, sent_ns=sent_ns)
    decision = table.table.command(command, at, table.event_at)
    table._keep(decision)
    assert decision.command is not None
    return decision.command.reply


@pytest.mark.parametrize("after_s", [3.0, 3600.0])
def test_a_clock_that_was_ahead_when_the_table_asked_locks_nobody_out(after_s: float) -> None:
    """A computer that keeps local time starts eight hours ahead, and is put right a moment later."""
    table, wheel = Driven(spin=SpinRules(unobserved="confirm")), Wheel()
    wheel.at = put(wheel.at, 8)
    table.start(wheel.at)
    table.see(wheel.betting().rim().no_more_bets().bare("7").result("7").take())
    right = put(wheel.at, -8).plus_s(after_s)
    old = said(table, CONFIRM, right, right.plus_s(-60).wall_ns, Role.DEALER)
    assert (old.ok, old.error) == (False, ErrorCode.NOT_NOW)
    assert said(table, CONFIRM, right, right.plus_s(-1).wall_ns, Role.DEALER).ok
    outcomes = [event.data for event in table.events if isinstance(event.data, RoundOutcome)]
    assert [outcome.facts["number"] for outcome in outcomes] == ["7"]


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_only_where_the_clock_was_put_back_is_a_word_of_now_an_answer(sent_ms: int, asked_ms: int, now_ms: int) -> None:
    base_ns = 2_000_000 * 1_000_000
    sent_ns, asked_ns, now_ns = (base_ns + ms * 1_000_000 for ms in (sent_ms, asked_ms, now_ms))
    before = was_before(sent_ns, asked_ns, Instant(0, now_ns))
    if asked_ns <= now_ns:
        assert before is (sent_ns < asked_ns)
    else:
        assert before is (abs(sent_ns - now_ns) > 10_000_000_000)
