"""Shoes: when one begins and ends, which hand it is, and what may still come out of it (``games.md`` §1, §3, §10)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import (
    AttemptHeld,
    BettingClosed,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    ShoeBegan,
    ShoeCutCard,
    ShoeEnded,
    TablePaused,
    Violation,
)
from dealer_daemon.games.cards.card import DECK
from support.card_tables import NATURAL, CardTable, bare, words

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CHANGE, VOID, PAUSE = CommandName.SHOE_CHANGE, CommandName.ROUND_VOID, CommandName.TABLE_PAUSE
HAND = bare(NATURAL)


def hand(table: CardTable, cards: str = HAND) -> RoundOutcome:
    table.bets_closed()
    table.deal(cards)
    return table.outcome


@SOURCES
def test_every_card_event_of_a_round_names_shoe_and_hand(source: str) -> None:
    table = CardTable(source=source)
    for number in (1, 2, 3):
        outcome = hand(table)
        assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-1", number, False)
        for kind in (RoundOpened, BettingClosed):
            assert (table.last(kind).shoe_id, table.last(kind).hand_in_shoe) == ("t1-shoe-1", number)
    table.manager(CHANGE)
    assert words(event.data for event in table.events[-2:]) == ["shoe.ended:video", "shoe.started"]
    assert table.last(ShoeEnded).hand_in_shoe == 3
    assert hand(table).shoe_id == "t1-shoe-2"
    assert table.outcome.hand_in_shoe == 1
    table.restart()
    assert hand(table).hand_in_shoe == 2


# -- the cut card ----------------------------------------------------------------------------------------------


@SOURCES
def test_the_cut_card_in_a_hand_makes_it_the_last_of_the_shoe(source: str) -> None:
    table = CardTable(source=source)
    hand(table)
    table.bets_closed()
    table.deal("8S 5C")
    table.cut()
    table.cut()
    assert [(cut.shoe_id, cut.hand_in_shoe) for cut in table.of(ShoeCutCard)] == [("t1-shoe-1", 2)]
    table.restart()
    table.deal("AD 3H")
    assert (table.outcome.hand_in_shoe, table.outcome.last_hand) == (2, True)
    assert table.words()[-2:] == ["round.outcome", "shoe.ended:cut_card"]
    outcome = hand(table)
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-2", 1, False)


@SOURCES
@pytest.mark.parametrize("dealt", [0, 1])
def test_seen_between_hands_exactly_one_more_is_dealt(source: str, dealt: int) -> None:
    table = CardTable(source=source)
    if dealt:
        hand(table)
    table.cut()
    assert table.last(ShoeCutCard).hand_in_shoe == dealt
    outcome = hand(table)
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-1", dealt + 1, True)
    assert table.words()[-1] == "shoe.ended:cut_card"
    assert hand(table).shoe_id == "t1-shoe-2"


@SOURCES
def test_seen_before_the_first_card_of_a_new_shoe_its_first_hand_is_its_last(source: str) -> None:
    """Wherever the cut card lies in a shoe, the hand that follows it is the last (``games.md`` §1, §3)."""
    table = CardTable(source=source)
    table.cut()
    hand(table)
    table.cut()
    assert words(table.of(ShoeEnded)) == ["shoe.ended:cut_card"]
    assert [(cut.shoe_id, cut.hand_in_shoe) for cut in table.of(ShoeCutCard)] == [("t1-shoe-1", 0), ("t1-shoe-2", 0)]
    table.restart()
    outcome = hand(table)
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-2", 1, True)
    outcome = hand(table)
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-3", 1, False)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize(("burn", "burns"), [({"burn": 2}, ["2S", "3S"]), ({"burn_by_first": True}, ["AS", "3S"])])
def test_seen_before_or_between_the_burn_cards_of_a_new_shoe(
    burn: dict[str, Any], burns: list[str], before: int
) -> None:
    table = CardTable(source="server", shoe=burn)
    table.deal(" ".join(burns[:before]))
    table.cut()
    table.deal(" ".join(burns[before:]))
    outcome = hand(table)
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-1", 1, True)
    assert table.last(ShoeEnded).shoe_id == "t1-shoe-1"
    assert not table.of(Violation)


def test_a_cut_card_that_lies_before_the_scanner_is_seen_once() -> None:
    """The last hand ends while the cut card is still read again and again: the next shoe has its own."""
    table = CardTable()
    table.cut()
    table.cut(repeated=True)
    hand(table)
    table.cut(repeated=True)
    assert len(table.of(ShoeCutCard)) == 1
    assert hand(table).last_hand is False


def test_a_new_shoe_says_its_start_and_then_its_cut_card_is_its_own() -> None:
    table = CardTable(places=True)
    table.cut()
    table.deal(NATURAL)
    table.result("player")
    table.shoe_started()
    table.stand_by()
    table.cut()
    table.deal(NATURAL)
    table.result("player")
    assert (table.outcome.shoe_id, table.outcome.hand_in_shoe, table.outcome.last_hand) == ("t1-shoe-2", 1, True)


def test_the_old_cut_card_taken_out_before_the_new_shoe_starts_says_nothing_of_it() -> None:
    table = CardTable(places=True)
    table.cut()
    table.deal(NATURAL)
    table.result("player")
    table.cut()
    table.shoe_started()
    assert words(table.of(ShoeEnded)) == ["shoe.ended:cut_card", "shoe.ended:shoe_restarted"]
    table.deal(NATURAL)
    table.result("player")
    assert (table.outcome.hand_in_shoe, table.outcome.last_hand) == (1, False)


def test_a_cut_card_begins_no_shoe_that_must_be_verified() -> None:
    table = CardTable(source="server", shoe={"require_verified": True})
    table.cut()
    assert not table.of(ShoeBegan)
    table.verify()
    table.manager(CHANGE)
    table.cut()
    assert hand(table).last_hand is True


def test_a_last_hand_that_is_void_ends_the_shoe_if_it_took_cards() -> None:
    table = CardTable(source="server")
    hand(table)
    table.cut()
    table.open()
    table.manager(VOID)
    assert not table.of(ShoeEnded), "no card of it was dealt: there is still one hand"
    table.bets_closed()
    table.deal("8S")
    table.manager(VOID)
    assert table.words()[-2:] == ["round.voided:video", "shoe.ended:cut_card"]


def test_cut_card_and_start_are_a_new_shoe_once() -> None:
    table = CardTable(places=True)
    table.shoe_started()
    table.deal(NATURAL)
    table.result("player")
    table.shoe_started()
    table.cut()
    table.shoe_started()
    assert table.words()[-1] == "shoe.ended:shoe_restarted"
    table.shoe_started()
    table.stand_by()
    assert len(table.of(ShoeEnded)) == 1
    table.deal(NATURAL)
    table.result("player")
    assert (table.outcome.shoe_id, table.outcome.hand_in_shoe) == ("t1-shoe-2", 1)


def test_cut_card_last_hand_and_start_are_a_new_shoe_once() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S")
    table.cut()
    assert not table.of(ShoeEnded), "a hand is in play"
    table.deal("B1 5C P2 AD B2 3H")
    table.result("player")
    table.shoe_started()
    table.shoe_started()
    table.deal(NATURAL)
    table.result("player")
    assert words(table.of(ShoeEnded)) == ["shoe.ended:cut_card"]
    assert len(table.of(ShoeBegan)) == 2


def test_a_shoe_switched_on_again_in_mid_hand_waits_for_a_person() -> None:
    """It counts its places anew: the next cards could pass for others, and its own result would agree."""
    table = CardTable(places=True)
    table.deal("P1 AH")
    table.shoe_started()
    table.shoe_started()
    table.deal("P1 AH B1 QC P2 3H B2 8S")
    table.result("banker")
    assert words(table.of(AttemptHeld)) == ["attempt.held:shoe_restarted"]
    assert len(table.of(TablePaused)) == 1
    assert not table.of(RoundOutcome)


def test_what_comes_after_that_begins_no_hand_until_the_person_decided() -> None:
    """Its Player 1 may be the next card of the same hand, and that hand's cards are counted once."""
    table = CardTable(places=True)
    table.deal("P1 AH B1 KD")
    table.shoe_started()
    table.resume()
    table.restart()
    table.deal("P1 9S B1 QC")
    assert words(table.of(Violation)) == ["violation:card_while_held"] * 2
    cards = {"player.1": "AH", "banker.1": "KD", "player.2": "9S", "banker.2": "QC"}
    table.manager(CommandName.ATTEMPT_DECIDE, cards={**cards, "player.3": "2S", "banker.3": "3D"})
    assert len(table.of(RoundOpened)) == len(table.of(RoundOutcome)) == 1
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == dict.fromkeys(("AH", "KD", "9S", "QC", "2S", "3D"), 1)


def test_a_hand_that_is_held_for_another_reason_waits_for_it_too() -> None:
    table = CardTable(places=True)
    table.deal("P1 AH P2 9S")
    table.shoe_started()
    assert words(table.of(AttemptHeld)) == ["attempt.held:card_skipped", "attempt.held:shoe_restarted"]
    table.resume()
    table.deal("P1 QC")
    assert len(table.of(RoundOpened)) == 1
    table.manager(CommandName.ATTEMPT_DECIDE, position="banker.1", card="KD")
    assert table.words()[-1] == "card.drawn:player.2:9S", "the card that waited was not forgotten"


# -- verified deck sets ----------------------------------------------------------------------------------------


@SOURCES
def test_a_shoe_starts_only_from_a_verified_set(source: str) -> None:
    table = CardTable(source=source, shoe={"require_verified": True})
    table.cut()
    if source == "server":
        refused = table.ask(CommandName.ROUND_OPEN)
        assert refused.error is ErrorCode.NOT_NOW
        assert "deck.verify" in refused.message
    else:
        table.deal("8S")
        assert table.words()[-2:] == ["violation:shoe_not_verified", "table.paused:violation"]
        table.resume()
        table.unread()
        assert table.last(Violation).reason == "shoe_not_verified"
        table.resume()
    assert not table.of(RoundOpened)
    assert not table.of(ShoeBegan)
    assert table.ask(CHANGE, Role.MANAGER, reason="new cards").error is ErrorCode.NOT_NOW
    assert table.ask(CHANGE, Role.MANAGER, reason="new", verified=True).error is ErrorCode.NOT_NOW, "a word is no proof"
    assert table.ask(CHANGE, Role.MANAGER, reason="new", deck_set=7).error is ErrorCode.BAD_ARGUMENT
    assert table.ask(CHANGE, Role.MANAGER, reason="new", deck_set="blue-3").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(CHANGE, Role.MANAGER).error is ErrorCode.BAD_ARGUMENT
    table.verify()
    table.manager(CHANGE)
    began = table.last(ShoeBegan)
    assert (began.decks, began.deck_set, began.verified, began.by) == (8, "set-1", True, "the-manager")
    assert hand(table).hand_in_shoe == 1


def test_a_burn_card_from_no_verified_shoe() -> None:
    table = CardTable(places=True, shoe={"require_verified": True})
    table.deal("F1 3S")
    assert table.words()[-2:] == ["violation:shoe_not_verified", "table.paused:violation"]
    assert "3S" not in table.published()


# -- who changes it --------------------------------------------------------------------------------------------


def test_the_server_changes_the_shoe_of_a_private_table_once_enough_hands_were_dealt() -> None:
    table = CardTable(source="server", shoe={"early_change_after": 3})
    for _ in range(2):
        hand(table)
    assert table.ask(CHANGE, reason="the host asks").error is ErrorCode.NOT_NOW
    hand(table)
    table.open()
    assert table.ask(CHANGE, reason="the host asks").error is ErrorCode.NOT_NOW
    table.manager(VOID)
    table.did(CHANGE, reason="the host asks")
    assert table.last(ShoeEnded).reason == "the host asks"
    assert table.last(ShoeBegan).by == "the-server"


def test_elsewhere_only_a_manager_does() -> None:
    table = CardTable(source="server")
    hand(table)
    assert table.ask(CHANGE, reason="x").error is ErrorCode.NOT_ALLOWED
    assert table.ask(CHANGE, Role.DEALER, reason="x").error is ErrorCode.NOT_ALLOWED
    assert table.manager(CHANGE) == {"shoe_id": "t1-shoe-2"}


# -- what came out ---------------------------------------------------------------------------------------------


@SOURCES
def test_copies_are_counted_over_the_shoe_and_begin_again_with_the_next(source: str) -> None:
    table = CardTable(source=source, shoe={"decks": 1})
    hand(table)
    table.bets_closed()
    table.deal("9D")
    table.deal("AD")
    assert table.last(TablePaused).reason == "integrity"
    table.manager(VOID)
    assert table.state.paused == "integrity", "voiding the round does not make the deck whole"
    table.manager(CHANGE)
    table.resume()
    table.clear_rest()
    assert hand(table).shoe_id == "t1-shoe-2"


@SOURCES
def test_a_game_of_one_deck_has_a_new_one_each_round(source: str) -> None:
    table = CardTable("koi", source)
    for number in (1, 2, 3):
        outcome = hand(table, "8S 5C AD 3H KD 2C")
        assert (outcome.shoe_id, outcome.hand_in_shoe) == (f"t1-shoe-{number}", 1)
        assert table.words()[-1] == "shoe.ended:one_round"
    table.bets_closed()
    table.deal("8S")
    table.manager(VOID)
    assert table.words("shoe.ended", "card.drawn")[-1] == "shoe.ended:one_round"


def test_a_whole_shoe_goes_through_and_its_count_is_kept_to_the_card() -> None:
    table = CardTable("dragon-tiger", shoe={"decks": 2})
    cards = [str(card) for card in DECK] * 2
    random.Random(7).shuffle(cards)
    for index in range(0, 104, 2):
        table.deal(f"{cards[index]} {cards[index + 1]}")
    assert len(table.of(RoundOutcome)) == 52
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == dict.fromkeys(map(str, DECK), 2)
    table.deal("8S")
    assert table.last(TablePaused).reason == "integrity"


def emptied(source: str) -> CardTable:
    """One deck, one card burnt: the 52nd card is the 26th dragon, and there is no tiger."""
    table = CardTable("dragon-tiger", source, shoe={"decks": 1, "burn": 1})
    for card in map(str, DECK):
        if table.state.shoe is not None and table.state.round is None:
            table.bets_closed()
        table.deal(card)
    return table


@SOURCES
def test_a_shoe_that_runs_empty_in_a_round_pauses_and_the_round_goes_on_from_a_new_one(source: str) -> None:
    table = emptied(source)
    assert len(table.of(RoundOutcome)) == 25
    assert table.words()[-2:] == ["card.drawn:dragon.1:KD", "table.paused:shoe_empty"]
    table.resume()
    assert table.state.paused == "shoe_empty", "there is still no card"
    assert table.ask(CHANGE, reason="x").error is ErrorCode.NOT_NOW
    table.manager(CHANGE)
    table.resume()
    assert table.state.paused is None
    table.deal("2C")
    assert table.words()[-1] == "card.drawn:burn:2C", "the new shoe's"
    assert table.events[-1].subject is None
    table.deal("KD")
    outcome = table.outcome
    assert (outcome.facts["dragon"], outcome.facts["tiger"]) == ("KD", "KD")
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-1", 26, True)
    outcome = hand(table, "8S 5C")
    assert (outcome.shoe_id, outcome.hand_in_shoe, outcome.last_hand) == ("t1-shoe-2", 1, False)


def test_a_shoe_is_not_changed_under_a_round_that_is_dealt() -> None:
    table = CardTable(source="server")
    table.bets_closed()
    table.deal("8S")
    assert table.ask(CHANGE, Role.MANAGER, reason="x").error is ErrorCode.NOT_NOW


def test_the_manager_voids_a_round_that_an_empty_shoe_cannot_end() -> None:
    table = emptied("server")
    table.manager(VOID)
    assert table.state.paused == "shoe_empty"
    table.manager(CHANGE)
    table.resume()
    table.deal("8D")
    assert hand(table, "8S 5C").facts["winner"] == "dragon"


def test_a_card_of_the_shoe_before_is_corrected_and_the_new_shoe_keeps_its_count() -> None:
    table = emptied("device")
    table.manager(CHANGE)
    table.manager(CommandName.CARD_CORRECT, position="dragon.1", card="QD")
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {}


def test_a_correction_is_counted_too() -> None:
    table = CardTable(shoe={"decks": 1})
    table.deal("8S 5C")
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="8D")
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8D": 1, "5C": 1}
    taken = table.ask(CommandName.CARD_CORRECT, Role.MANAGER, position="player.1", card="5C", reason="v")
    assert taken.error is not None
    table.deal("8S")
    assert table.words()[-1] == "card.drawn:player.2:8S"


# -- a shoe that is changed in the middle of a hand: each card is counted in the shoe that it came out of -------


def changed_in_mid_hand(first: str, then: str) -> CardTable:
    """A hand of which ``first`` came out of one shoe and ``then`` of the next."""
    table = CardTable()
    table.deal(first)
    table.manager(PAUSE)
    table.manager(CHANGE)
    table.resume()
    table.deal(then)
    return table


def drawn(table: CardTable) -> dict[str, int]:
    assert table.state.shoe is not None
    return table.state.shoe.drawn


def test_a_card_of_the_shoe_before_that_equals_one_of_the_new_shoe_is_corrected_where_it_was() -> None:
    table = changed_in_mid_hand("8S 5C", "8S")
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="8D")
    assert drawn(table) == {"8S": 1}
    table.manager(CommandName.CARD_CORRECT, position="player.2", card="8C")
    assert drawn(table) == {"8C": 1}
    table.restart()
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="8S")
    assert drawn(table) == {"8C": 1}


def test_a_card_of_the_shoe_before_may_be_one_that_the_new_shoe_has_given_in_full() -> None:
    table = CardTable(shoe={"decks": 1})
    table.deal("8S 5C")
    table.manager(PAUSE)
    table.manager(CHANGE)
    table.resume()
    table.deal("AD")
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="AD")
    assert drawn(table) == {"AD": 1}
    refused = table.ask(CommandName.CARD_CORRECT, Role.MANAGER, position="player.2", card="9H", reason="video")
    assert refused.ok


def test_after_the_outcome_only_the_new_shoes_cards_are_counted_anew() -> None:
    table = changed_in_mid_hand("8S 5C", "8S 3H")
    assert drawn(table) == {"8S": 1, "3H": 1}
    sequence = table.state.outcome.sequence  # type: ignore[union-attr]
    cards = {"player.1": "8D", "banker.1": "5C", "player.2": "8S", "banker.2": "4C"}
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards=cards)
    assert drawn(table) == {"8S": 1, "4C": 1}
    corrected = table.last(OutcomeCorrected)
    assert corrected.shoe_id == "t1-shoe-1"
    assert corrected.dealt_from == {"banker.2": "t1-shoe-2", "player.2": "t1-shoe-2"}
    again = cards | {"banker.1": "5H", "player.2": "8H"}
    table.manager(CommandName.OUTCOME_CORRECT, replaces=table.state.sequence, cards=again)
    assert drawn(table) == {"8H": 1, "4C": 1}
