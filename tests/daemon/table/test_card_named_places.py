"""After a gap at a shoe that names its places: what it shows by itself, and what a person is asked.

``docs/decisions/0019-cards-that-passed-unseen.md`` says how long a gap is one.
"""

from __future__ import annotations

import random

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import AttemptHeld, RoundOutcome, TablePaused, Violation
from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, History, Procedure
from dealer_daemon.table.cards.unseen import SAME_PLACE_S
from dealer_drivers.instant import Instant
from support.card_gaps import GAPS, SOURCES, look_away, stands
from support.card_tables import NATURAL, UNSEEN, CardTable

IN_HAND, _, _ = UNSEEN
RESUME = CommandName.TABLE_RESUME


@SOURCES
@GAPS
def test_a_short_cut_at_a_shoe_that_names_places_is_gone_on_from(source: str, gap: str) -> None:
    table = CardTable(source=source, places=True)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    look_away(table, gap, SAME_PLACE_S - 0.1)
    assert not table.of(TablePaused)
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


@SOURCES
@GAPS
def test_after_a_long_one_the_same_place_may_be_of_another_hand(source: str, gap: str) -> None:
    table = CardTable(source=source, places=True)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    look_away(table, gap, SAME_PLACE_S)
    assert stands(table) == IN_HAND
    table.deal("P2 KD B2 9H")
    assert not table.of(RoundOutcome)
    assert not table.ask(RESUME, Role.DEALER, reason="by the table").ok
    table.manager(CommandName.ROUND_VOID)
    table.manager(RESUME)
    table.bets_closed()
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


@pytest.mark.parametrize("gap", ["restart", "link"])
def test_a_gap_while_a_hand_is_held_is_not_asked_for_in_the_next_one(gap: str) -> None:
    """Its first card was seen, and by its place."""
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C B2 3H")
    assert table.words()[-1] == "attempt.held:card_skipped"
    look_away(table, gap, 60)
    assert stands(table) is None, "it waits for the manager already"
    table.deal("P1 9S B1 5C P2 KD B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["9S", "KD"]
    assert not table.of(TablePaused)


@SOURCES
@GAPS
def test_it_is_asked_for_once_the_held_hand_goes_on(source: str, gap: str) -> None:
    table = CardTable(source=source, places=True)
    table.bets_closed()
    table.deal("P1 8S B1 5C B2 3H")
    look_away(table, gap, 60)
    table.manager(CommandName.ATTEMPT_REFUSE)
    assert stands(table) == IN_HAND


@SOURCES
@GAPS
@pytest.mark.parametrize("late", [True, False])
def test_a_hand_that_is_complete_needs_no_card_and_no_word(source: str, gap: str, late: bool) -> None:
    """Its own result may have passed unseen, and is waited for no more. One that comes and contradicts the outcome is
    said: either that is wrong, or it is of a hand that nobody saw."""
    table = CardTable(source=source, places=True, shoe={"result_wait_s": 60})
    table.bets_closed()
    table.deal(NATURAL)
    assert not table.of(RoundOutcome)
    look_away(table, gap, SAME_PLACE_S)
    assert table.outcome.witnesses == ["cards"]
    if late:
        table.result("banker")
    assert [violation.reason for violation in table.of(Violation)] == ["shoe_result_disagrees"] * late
    assert stands(table) == ("violation" if late else None)
    assert not table.of(AttemptHeld)


@SOURCES
@GAPS
def test_after_a_short_one_its_own_result_is_waited_for_still(source: str, gap: str) -> None:
    table = CardTable(source=source, places=True, shoe={"result_wait_s": 60})
    table.bets_closed()
    table.deal(NATURAL)
    look_away(table, gap, SAME_PLACE_S - 1)
    assert not table.of(RoundOutcome)
    table.result("player")
    assert table.outcome.witnesses == ["cards", "shoe_result"]


def test_between_its_hands_and_before_their_first_card_it_asks_nothing() -> None:
    table = CardTable(places=True)
    table.deal(NATURAL)
    table.result("player")
    look_away(table, "link", 600)
    served = CardTable(source="server", places=True)
    served.bets_closed()
    look_away(served, "restart", 600)
    assert not [*table.of(TablePaused), *served.of(TablePaused)]


def test_the_gap_of_a_restart_lasts_until_the_shoe_is_heard() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C")
    table.restart(asked=True, up=False)
    assert not table.of(TablePaused)
    table.at = table.at.plus_s(SAME_PLACE_S)
    table.deal("P2 KD")
    assert stands(table) == IN_HAND
    assert table.words()[-1] == "violation:card_while_paused"


def test_a_loss_before_the_restart_counts_with_it() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C")
    table.lost()
    table.restart(asked=True)
    assert stands(table) == IN_HAND


def test_a_clock_that_was_set_back_measures_no_gap() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C")
    table.at = Instant(table.at.mono_ns, table.at.wall_ns - 10**9)
    table.restart(asked=True)
    assert stands(table) == IN_HAND


@pytest.mark.parametrize("seed", range(60))
def test_no_two_hands_are_mixed(seed: int) -> None:
    """Part of one hand, a gap, and from some card on another one."""
    rng = random.Random(seed)
    cards = [card for card in DECK for _ in range(8)]
    rng.shuffle(cards)
    table = CardTable(source=rng.choice(["device", "server"]), places=True)
    table.bets_closed()
    one, other = hand_of(cards, table.procedure), hand_of(cards, table.procedure)
    seen, missed = rng.randrange(1, len(one)), rng.randrange(1, len(other))
    deal_named(table, one[:seen])
    look_away(table, rng.choice(["restart", "link"]), len(one) - seen + missed + rng.random())
    deal_named(table, other[missed:])
    facts = table.procedure.facts(other)
    pairs = (facts["player"]["pair"] is not None, facts["banker"]["pair"] is not None)
    table.result(facts["winner"], *pairs)
    table.wait(60)
    assert not table.of(RoundOutcome)


def hand_of(cards: list[Card], procedure: Procedure) -> History:
    history: History = ()
    while isinstance(wanted := procedure.due(history), CardDue):
        history = (*history, CardStep(wanted.position, cards.pop()))
    return history


def deal_named(table: CardTable, history: History) -> None:
    for step in history:
        assert isinstance(step, CardStep)
        side, _, number = step.position.partition(".")
        table.deal(f"{side[0].upper()}{number} {step.card}")
