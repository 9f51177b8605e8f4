"""Burn cards: how many a table takes, and what the first one of an Angel Eye shoe says of the shoe before."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode
from dealer_daemon.events import CardDrawn, RoundOutcome, ShoeEnded, Violation
from dealer_daemon.games.cards.card import DECK
from dealer_drivers.readings.shoe import CardTrouble
from support.card_tables import NATURAL, CardTable, bare, words

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CHANGE = CommandName.SHOE_CHANGE
HAND = bare(NATURAL)


def hand(table: CardTable) -> RoundOutcome:
    table.bets_closed()
    table.deal(HAND)
    return table.outcome


@SOURCES
def test_as_many_cards_are_burnt_as_the_table_sets(source: str) -> None:
    table = CardTable(source=source, shoe={"burn": 2})
    if source == "server":
        refused = table.ask(CommandName.ROUND_OPEN)
        assert refused.error is ErrorCode.NOT_NOW
        assert "burn" in refused.message
    table.unread(CardTrouble.NO_READ)
    table.deal("KD KH")
    assert table.words()[-3:] == ["shoe.started", "card.drawn:burn:KD", "card.drawn:burn:KH"]
    assert [event.subject for event in table.events[-2:]] == [None, None]
    assert len(table.last(CardDrawn).evidence) == 1
    outcome = hand(table)
    assert outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert outcome.hand_in_shoe == 1
    hand(table)
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"], "only before the first hand of a shoe"
    table.manager(CHANGE)
    table.deal("2D 2H")
    assert hand(table).facts["cards_total"] == 4
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["2D", "2H"]


@SOURCES
def test_a_card_to_be_burnt_that_cannot_be_told_is_said_and_scanned_again(source: str) -> None:
    """Else the next card is burnt for it, and the hand begins one card late, with nobody told."""
    table = CardTable(source=source, shoe={"burn_by_first": True})
    table.unread(CardTrouble.NO_READ)
    table.foreign("ADVERT")
    table.unread(CardTrouble.NO_READ, repeated=True)
    assert table.words()[-2:] == ["violation:burn_not_read", "violation:burn_not_read"]
    assert table.state.paused is None
    said = table.last(Violation)
    assert "scan the same card again" in said.detail
    assert (said.evidence, len(said.kept)) == ([], 1)
    table.deal("AS 2D")
    assert hand(table).facts["player"]["cards"] == ["8S", "AD"]
    table.manager(CHANGE)
    table.foreign("ADVERT")
    table.foreign("ADVERT")
    assert table.state.paused == "integrity", "the same foreign code again"


@SOURCES
@pytest.mark.parametrize(("first", "more"), [("AS", 1), ("3S", 3), ("9S", 9), ("TS", 10), ("KS", 10)])
def test_or_as_many_as_the_first_burn_card_says(source: str, first: str, more: int) -> None:
    table = CardTable(source=source, shoe={"burn_by_first": True})
    table.deal(first)
    for index in range(more):
        if source == "server":
            assert not table.ask(CommandName.ROUND_OPEN).ok
        table.deal(str(DECK[index + 13]))
    assert len(table.of(CardDrawn)) == more + 1
    assert hand(table).facts["player"]["cards"] == ["8S", "AD"]


@SOURCES
def test_or_as_the_shoe_says(source: str) -> None:
    table = CardTable(source=source, places=True)
    if source == "server":
        table.open()
    table.deal("F1 3S U1 KD U2 KH U2 KH U3 KC")
    assert words(table.of(CardDrawn)) == [f"card.drawn:burn:{card}" for card in ("3S", "KD", "KH", "KC")]
    assert table.words()[-2] == "card.repeated:KH:same_slot"
    assert table.state.paused is None
    if source == "server":
        table.close()
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.facts["winner"] == "player"
    assert table.outcome.hand_in_shoe == 1


@SOURCES
def test_a_first_burn_card_without_a_cut_card_is_of_a_new_shoe(source: str) -> None:
    table = CardTable(source=source, places=True)
    for first in ("AS", "AH"):
        table.deal(f"F1 {first} F1 {first} U1 KD")
        table.restart()
        table.deal("U1 KD")
        table.bets_closed()
        table.deal(NATURAL)
        if first == "AS":
            table.result("player")  # the second time the shoe's own result does not come: the burn card ends the hand
    table.deal("F1 2H")
    outcomes = table.of(RoundOutcome)
    assert [(outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) for outcome in outcomes] == [
        ("t1-shoe-1", 1, False),
        ("t1-shoe-2", 1, False),
    ]
    assert words(table.of(ShoeEnded)) == ["shoe.ended:shoe_exchanged"] * 2
    assert table.state.shoe is not None
    assert (table.state.shoe.id, table.state.shoe.drawn) == ("t1-shoe-3", {"2H": 1})
    assert table.state.paused is None


def test_the_same_first_burn_card_after_a_restart_is_no_new_shoe() -> None:
    table = CardTable(places=True)
    table.deal("F1 AS")
    table.restart()
    table.deal("F1 AS")
    assert not table.of(ShoeEnded)
    table.deal("F1 3S")
    assert words(table.of(ShoeEnded)) == ["shoe.ended:shoe_exchanged"], "a shoe has one"


def test_a_new_shoe_that_nobody_verified_ends_the_one_before() -> None:
    table = CardTable(places=True, shoe={"require_verified": True})
    table.verify()
    table.deal(f"F1 3S {NATURAL}")
    table.result("player")
    table.deal("F1 4S")
    assert table.words()[-3:] == [
        "shoe.ended:shoe_exchanged",
        "violation:shoe_not_verified",
        "table.paused:violation",
    ]
    assert "4S" not in table.published()
    table.verify()
    table.resume()
    table.deal(f"F1 4S {NATURAL}")
    table.result("player")
    assert (table.outcome.shoe_id, table.outcome.hand_in_shoe) == ("t1-shoe-2", 1)


def test_a_new_shoe_in_a_round_of_the_one_before_waits_for_a_person() -> None:
    table = CardTable(source="server", places=True)
    table.bets_closed()
    table.deal(NATURAL)
    table.result("player")
    table.open()
    table.deal("F1 4S")
    assert table.words()[-2:] == ["violation:card_not_due", "table.paused:violation"]
    assert "void the round" in table.last(Violation).detail
    assert not table.of(ShoeEnded)


def test_a_first_burn_card_leaves_a_held_hand_to_its_person() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C P1 9S F1 4S")
    assert table.state.round is not None
    assert table.state.round.phase == "held"
    assert table.last(Violation).reason == "card_while_held"


def test_a_burnt_card_passed_twice_and_one_that_came_before() -> None:
    table = CardTable(shoe={"burn": 2, "decks": 1})
    table.deal("KD", unit="1/1")
    table.deal("KD", unit="1/1")
    assert table.words()[-1] == "card.repeated:KD:same_unit"
    table.deal("KD", gap_s=0.2, repeated=True)
    table.deal("KD", unit="1/9")
    assert table.words()[-2:] == ["violation:copies_used_up", "table.paused:integrity"]
    table.resume()
    table.deal("KH", unit="1/2")
    table.deal("KD", unit="1/1")
    assert table.last(Violation).reason == "unit_seen_before"


@SOURCES
def test_a_card_burnt_in_the_middle_of_a_hand_is_a_card_too_many(source: str) -> None:
    table = CardTable(source=source, places=True)
    table.bets_closed()
    table.deal("P1 8S B1 5C U1 KD")
    assert table.words()[-2:] == ["violation:card_not_due", "table.paused:violation"]
    table.resume()
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


@SOURCES
def test_dragon_tiger_burns_before_each_hand_where_the_table_does(source: str) -> None:
    table = CardTable("dragon-tiger", source, burn=True)
    for _ in range(2):
        table.bets_closed()
        table.deal("2C KD QS")
        assert table.words()[-4] == "card.drawn:burn:2C"
        assert table.outcome.facts["dragon"] == "KD"
        assert "2C" not in str(table.outcome.facts)
        assert table.state.shoe is not None
        assert table.state.shoe.burnt == []
