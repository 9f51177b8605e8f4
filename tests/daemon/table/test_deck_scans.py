"""A deck set verified by hand: every card passes over the reader once (``games.md`` §10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import (
    DeckFailed,
    DeckScanRefused,
    DeckVerified,
    RoundOpened,
    ShoeBegan,
    ShoeEnded,
    Violation,
)
from dealer_daemon.games.cards.card import DECK
from dealer_drivers.driver import DeviceAction
from support.card_tables import CardTable
from support.deck_tables import DeckTable

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CHANGE, VERIFY, INSERT = CommandName.SHOE_CHANGE, CommandName.DECK_VERIFY, CommandName.DECK_INSERT
ONE_SET: dict[str, Any] = {"require_verified": True}


# -- a full manual scan, the other way in ----------------------------------------------------------------------------


@SOURCES
def test_a_full_scan_verifies_a_set_and_is_no_hand(source: str) -> None:
    table = CardTable(source=source, shoe=ONE_SET)
    started = table.did(VERIFY, Role.DEALER)
    assert started == {"deck_set": "set-1", "cards": 416}
    order = [str(card) for card in DECK for _ in range(8)]
    table.deal(" ".join(order[:-1]))
    assert table.words()[-1] == "deck.scan_started"
    if source == "server":
        assert "being scanned" in table.ask(CommandName.ROUND_OPEN).message
    assert "being scanned" in table.ask(CHANGE, Role.MANAGER, reason="x").message
    table.deal(order[-1])
    verified = table.last(DeckVerified)
    assert (verified.how, verified.cards, verified.by, verified.evidence) == ("scan", 416, "the-dealer", [])
    assert not table.of(RoundOpened)
    assert not table.evidence, "the order in which they passed is kept nowhere"
    table.bets_closed()
    table.deal("8S 5C AD 3H")
    began = table.last(ShoeBegan)
    assert (began.deck_set, began.verified, began.verified_by) == ("set-1", True, "scan")
    assert table.outcome.facts["winner"] == "player"


def scanned(table: CardTable, cards: list[str], **args: Any) -> DeckFailed:
    """A scan of these that its dealer ends."""
    table.did(VERIFY, Role.DEALER, **args)
    table.deal(" ".join(cards), gap_s=0.2)
    ended = table.did(VERIFY, Role.DEALER, action="end")
    assert ended["verified"] is False
    failed = table.last(DeckFailed)
    assert failed.reason == "deck_not_exact"
    return failed  # type: ignore[no-any-return]


def test_a_scan_says_which_cards_are_missing_and_doubled() -> None:
    table = CardTable("three-cards", shoe={**ONE_SET, "decks": 1})
    whole = list(map(str, DECK))
    failed = scanned(table, whole[:-2])
    assert (sorted(failed.missing), failed.doubled, failed.foreign) == (sorted(whole[-2:]), [], [])
    failed = scanned(table, ["8S", "8S", "8S"])
    assert (failed.doubled, len(failed.missing)) == (["8S", "8S"], 51)
    refused = table.of(DeckScanRefused)
    assert [(one.reason, one.scanned) for one in refused] == [("deck_card_doubled", 1)] * 2
    table.did(VERIFY, Role.MANAGER)
    table.deal(" ".join(["8S", *whole[:-1]]), gap_s=0.2)
    assert table.last(DeckFailed).missing == whole[-1:], "it is over when as many came as the set has"
    assert table.state.decks.scan is None


def test_a_scan_says_which_codes_are_foreign() -> None:
    table = CardTable("three-cards", shoe={**ONE_SET, "decks": 1})
    table.did(VERIFY, Role.DEALER)
    table.foreign("JOKER7")
    assert table.last(DeckScanRefused).reason == "foreign_card"
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    failed = table.last(DeckFailed)
    assert (failed.missing, failed.doubled, failed.foreign) == ([], [], ["JOKER7"])
    assert table.state.paused is None


def test_a_card_that_could_not_be_told_is_scanned_again_and_counts_once() -> None:
    table = CardTable("three-cards", shoe={**ONE_SET, "decks": 1})
    table.did(VERIFY, Role.DEALER)
    for card in map(str, DECK):
        table.unread()
        table.deal(card)
        table.deal(card, gap_s=0.3, repeated=True)
    assert table.last(DeckVerified).cards == 52
    assert {one.reason for one in table.of(DeckScanRefused)} == {"no_read"}


def test_the_same_physical_card_twice_is_no_other_card() -> None:
    table = CardTable(shoe={**ONE_SET, "decks": 2})
    pieces = [(str(card), f"{deck}/{number}") for deck in (1, 2) for number, card in enumerate(DECK)]
    table.did(VERIFY, Role.DEALER)
    for card, unit in [*pieces[:-1], pieces[0]]:
        table.deal(card, unit=unit, gap_s=0.2)
    failed = table.last(DeckFailed)
    assert (failed.doubled, failed.missing) == ([str(DECK[0])], [str(DECK[51])])


def test_who_scans_when_and_what() -> None:
    table = DeckTable()
    assert table.ask(VERIFY, Role.SERVER).error is ErrorCode.NOT_ALLOWED
    assert table.ask(VERIFY, Role.DEALER).error is ErrorCode.BAD_ARGUMENT, "which of two"
    assert table.ask(VERIFY, Role.DEALER, deck_set="green").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(VERIFY, Role.DEALER, deck_set="red", action="stop").error is ErrorCode.BAD_ARGUMENT
    for action in ("end", "cancel"):
        assert table.ask(VERIFY, Role.DEALER, action=action).error is ErrorCode.NOT_NOW
    table.shuffled(1, "red")
    table.shuffler("idle", 1)
    table.deal("8S")
    assert "is open" in table.ask(VERIFY, Role.DEALER, deck_set="blue").message
    table.deal("5C AD 3H")
    assert table.did(VERIFY, Role.DEALER)["deck_set"] == "blue", "the other is in play"
    assert "already" in table.ask(VERIFY, Role.DEALER, deck_set="red").message
    assert table.ask(INSERT, Role.DEALER, deck_set="blue").error is ErrorCode.NOT_NOW
    table.did(VERIFY, Role.DEALER, action="cancel")
    assert table.last(DeckFailed).reason == "deck_scan_cancelled"
    table.did(VERIFY, Role.DEALER, deck_set="red")
    assert table.last(ShoeEnded).reason == "scanned", "the cards of the shoe in play pass"


def test_a_scan_does_not_outlive_the_process() -> None:
    table = CardTable(shoe=ONE_SET)
    table.did(VERIFY, Role.DEALER)
    table.deal("8S 5C")
    table.restart()
    assert table.last(DeckFailed).reason == "deck_scan_interrupted"
    table.deal("8S")
    assert table.last(Violation).reason == "deck_set_failed"


def test_a_scan_is_the_way_in_when_the_shuffler_is_gone() -> None:
    table = DeckTable(shoe={**ONE_SET, "decks": 1})
    table.shuffler("shuffling", 1, flags=["jam"])
    assert "take it out" in table.ask(VERIFY, Role.DEALER).message, "it has the set"
    table.link_lost()
    table.did(VERIFY, Role.DEALER)
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    assert table.begins() is None, "switched off, it reports nothing"
    table.link_back()
    table.shuffler("idle", 2)
    assert table.status("set-1") == "in_play", "it was outside, and is"


def test_no_shoe_of_a_scanned_set_while_the_empty_shuffler_reports_a_jam() -> None:
    table = DeckTable(shoe={**ONE_SET, "decks": 1})
    table.shuffler("idle", 1, flags=["jam"])
    table.did(VERIFY, Role.DEALER)
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    assert table.begins() == "shuffler_jam", "it reports it still"
    table.link_lost()
    assert table.begins() is None


@pytest.mark.parametrize("state", ["shuffling", "ready", "mismatch"])
@pytest.mark.parametrize("named", [True, False])
def test_a_set_that_the_shuffler_has_is_not_scanned(state: str, named: bool) -> None:
    table = DeckTable(shoe={**ONE_SET, "decks": 1})
    name = "set-1" if named else None
    table.shuffler("shuffling", 5, name)
    table.shuffler(state, 5, name, **({"missing": 1} if state == "mismatch" else {}))
    assert "take it out" in table.ask(VERIFY, Role.DEALER, deck_set="set-1").message
    table.shuffler("idle", 5)
    table.did(VERIFY, Role.DEALER)
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    assert table.status("set-1") == "verified"


@pytest.mark.parametrize("ends", ["shuffling", "ready", "mismatch"])
def test_a_set_that_goes_into_the_shuffler_during_its_scan_is_not_verified_by_that(ends: str) -> None:
    table = DeckTable(source="server", shoe={"require_verified": True, "deck_sets": ["red", "blue"], "decks": 1})
    table.did(VERIFY, Role.DEALER, deck_set="red")
    cards = list(map(str, DECK))
    table.deal(" ".join(cards[:30]), gap_s=0.2)
    table.shuffler("shuffling", 5, "red")
    if ends != "shuffling":
        table.shuffler(ends, 5, "red", **({"missing": 1} if ends == "mismatch" else {}))
    assert "being scanned" in str(table.begins()) or ends == "mismatch"
    table.deal(" ".join(cards[30:]), gap_s=0.2)
    assert table.last(DeckFailed).reason == "deck_scan_interrupted"
    assert table.state.decks.scan is None
    assert not table.of(RoundOpened), "the cards that pass are no hand"
    table.shuffler("idle", 5)
    assert table.begins() is not None
    assert table.status("red") == "failed"


@pytest.mark.parametrize(("said", "reason"), [("mismatch", "deck_count_off"), ("ready", "deck_unwatched")])
@pytest.mark.parametrize("job", [5, 6])
def test_what_the_shuffler_says_of_a_scanned_set_that_it_names(said: str, reason: str, job: int) -> None:
    """It was switched off with the set in it, and says when it is back that it has the set still."""
    table = DeckTable(source="server", shoe={"require_verified": True, "deck_sets": ["red", "blue"], "decks": 1})
    table.shuffler("shuffling", 5, "red")
    table.link_lost()
    table.did(VERIFY, Role.DEALER, deck_set="red")
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    assert table.status("red") == "verified"
    table.link_back()
    table.shuffler(said, job, "red", **({"missing": 1} if said == "mismatch" else {}))
    if (said, job) == ("ready", 6):
        assert table.last(DeckVerified).how == "shuffler", "another shuffle, which it vouches for"
    else:
        assert (table.status("red"), table.last(DeckFailed).reason) == ("failed", reason)


def test_which_cards_came_twice_is_told_at_the_end_and_in_no_order() -> None:
    table = CardTable("three-cards", shoe={**ONE_SET, "decks": 1})
    table.did(VERIFY, Role.DEALER)
    passed = ["KD", "2S", "9H", "AS"]
    table.unread()
    table.deal(" ".join(card for card in passed for _ in range(2)), gap_s=0.2)
    said = {(one.reason, one.detail) for one in table.of(DeckScanRefused)}
    assert len(said) == 2, "every card twice says the same"
    assert not any(card in detail for _, detail in said for card in passed)
    table.did(VERIFY, Role.DEALER, action="end")
    assert table.last(DeckFailed).doubled == sorted(passed)


def test_readers_look_for_cards_while_a_set_is_scanned() -> None:
    can = frozenset({DeviceAction.SCAN_ON, DeviceAction.SCAN_OFF})
    table = CardTable(source="server", shoe={**ONE_SET, "decks": 1}, actions=can)
    table.did(VERIFY, Role.DEALER)
    assert table.asked[-1] is DeviceAction.SCAN_ON
    table.deal(" ".join(map(str, DECK)), gap_s=0.2)
    assert table.asked[-1] is DeviceAction.SCAN_OFF


# -- a card that was read before the scan ----------------------------------------------------------------------------


@pytest.mark.parametrize("unsure", [True, False])
def test_a_scan_that_begins_with_the_card_read_last_asks_for_it_again(unsure: bool) -> None:
    """It may lie there still, and be none of this set; a scanner with a trigger did not look until the scan began."""
    table = CardTable("three-cards", shoe={"require_verified": False})
    whole = list(map(str, DECK))
    table.deal(whole[0])
    table.manager(CommandName.ROUND_VOID)
    table.clear_rest()
    table.did(VERIFY, Role.DEALER)
    for _ in range(3):
        reading = table.card(whole[0], table._next(0.3), repeated=True)
        table.see(replace(reading, unsure=unsure))
        unsure = False
    refused = table.of(DeckScanRefused)
    assert [(one.reason, one.scanned) for one in refused] == [("deck_card_read_before", 0)]
    table.deal(" ".join(whole))
    assert table.last(DeckVerified).cards == 52


def test_in_the_middle_of_a_scan_the_newest_card_lies_there_still() -> None:
    table = CardTable("three-cards", shoe={**ONE_SET, "decks": 1})
    table.did(VERIFY, Role.DEALER)
    table.deal("8S")
    table.deal("8S", gap_s=0.3, repeated=True)
    assert not table.of(DeckScanRefused)
    table.lost()
    table.back(asked=True)
    table.see(replace(table.card("8S", table._next(), repeated=True), unsure=True))
    assert [one.reason for one in table.of(DeckScanRefused)] == ["deck_card_read_before"]


def test_a_card_that_is_known_by_itself_counts_at_once() -> None:
    table = CardTable("three-cards", shoe={"require_verified": False})
    pieces = [(str(card), f"1/{number}") for number, card in enumerate(DECK)]
    table.deal(pieces[0][0], unit=pieces[0][1])
    table.manager(CommandName.ROUND_VOID)
    table.clear_rest()
    table.did(VERIFY, Role.DEALER)
    for card, unit in pieces:
        for _ in range(2):
            table.deal(card, unit=unit, gap_s=0.3, repeated=True)
    assert table.last(DeckVerified).cards == 52
    assert not table.of(DeckScanRefused)
