"""Deck sets and shufflers at a table: the rules of ``games.md`` §10, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import (
    DeckFailed,
    DeckShuffling,
    DeckVerified,
    ShoeBegan,
    ShoeEnded,
    ShufflerTamper,
    TablePaused,
)
from dealer_daemon.games.cards.card import DECK
from dealer_drivers.shuffler.frames import Reenumerated, encode
from hw_sim.shuffler import lines
from support.deck_tables import SHUFFLER, DeckTable

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CHANGE, VERIFY, INSERT = CommandName.SHOE_CHANGE, CommandName.DECK_VERIFY, CommandName.DECK_INSERT
ONE_SET: dict[str, Any] = {"require_verified": True}


# -- "Two sets of cards may alternate: one in play, one in the shuffler (000)." ----------------------------------


@SOURCES
def test_two_sets_alternate_and_each_shoe_names_its_own(source: str) -> None:
    table = DeckTable(source=source)
    job = 10
    for number, deck_set in enumerate(["red", "blue"] * 3, 1):
        table.shuffled(job, deck_set)
        table.shuffler("idle", job)
        table.hand()
        began = table.last(ShoeBegan)
        verified = table.events[began.verification - 1].data
        assert (began.shoe_id, began.deck_set, began.verified, began.verified_by) == (
            f"t1-shoe-{number}",
            deck_set,
            True,
            "shuffler",
        )
        assert isinstance(verified, DeckVerified)
        assert (verified.deck_set, verified.how, verified.job, verified.device) == (deck_set, "shuffler", job, SHUFFLER)
        assert len(verified.evidence) == 1, "what the shuffler said"
        table.end_shoe()
        assert table.status(deck_set) == "used"
        job += 1


def test_a_machine_that_does_not_name_the_set_shuffles_the_one_that_is_not_in_play() -> None:
    table = DeckTable()
    table.insert("red")
    table.shuffled(1)
    table.shuffler("idle", 1)
    table.hand()
    table.shuffled(2)
    assert (table.status("red"), table.status("blue")) == ("in_play", "verified")
    table.shuffler("idle", 2)
    table.end_shoe()
    table.hand()
    assert table.last(ShoeBegan).deck_set == "blue"


def test_a_machine_that_never_says_that_it_is_empty() -> None:
    table = DeckTable()
    table.insert("red")
    table.shuffled(1)
    table.hand()
    table.shuffled(2)
    assert (table.status("red"), table.status("blue")) == ("in_play", "verified")
    table.end_shoe()
    table.hand()
    assert table.last(ShoeBegan).deck_set == "blue"


def test_which_of_two_sets_it_is_is_never_guessed() -> None:
    table = DeckTable()
    table.shuffled(1)
    assert table.state.faults == {SHUFFLER: ["deck_set_unnamed"]}
    assert table.begins() == "deck_set_unclear"
    table.restart()
    assert table.begins() == "deck_set_unclear", "remembered"
    table.shuffler("ready", 1)
    table.insert("blue")
    assert table.state.faults == {}
    assert (table.status("red"), table.status("blue")) == ("unknown", "verified")
    assert table.begins() is None
    assert table.last(ShoeBegan).deck_set == "blue"


def test_a_whole_set_that_waits_for_its_shoe_is_not_thought_to_be_in_the_machine_again() -> None:
    """The shoe in play is over and the table was not told: its cards are in the machine."""
    table = DeckTable()
    table.insert("red")
    table.shuffled(1)
    table.shuffler("idle", 1)
    table.hand()
    table.shuffled(2)
    table.shuffler("idle", 2)
    table.shuffler("shuffling", 3)
    assert table.state.faults == {SHUFFLER: ["deck_set_unnamed"]}
    assert table.status("blue") == "verified"
    table.insert("red")
    assert table.last(ShoeEnded).reason == "reshuffled"
    table.shuffler("ready", 3)
    assert (table.status("red"), table.status("blue")) == ("verified", "verified")


def test_a_shuffle_that_nobody_named_verifies_no_set_afterwards() -> None:
    table = DeckTable()
    table.shuffled(1, "blue")
    table.shuffler("idle", 1)
    table.shuffled(2)
    table.shuffler("idle", 2)
    assert table.begins() == "deck_set_unclear"
    table.insert("red")
    assert table.begins() is None, "blue was not in it"
    assert table.last(ShoeBegan).deck_set == "blue"
    table.end_shoe()
    table.shuffled(3)
    table.shuffler("idle", 3)
    table.insert("blue")
    assert table.begins() == "shoe_not_verified", "the word comes too late for it"
    table.shuffled(4)
    assert table.state.decks.unnamed == {SHUFFLER: 4}, "and is of no later one"


def test_two_verified_sets_are_told_apart_by_a_person() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.shuffled(2, "blue")
    assert table.begins() == "deck_set_unclear"
    table.manager(CHANGE, deck_set="blue")
    table.hand()
    assert table.last(ShoeBegan).deck_set == "blue"
    assert (table.status("red"), table.status("blue")) == ("verified", "in_play")


def test_a_set_that_the_table_does_not_have() -> None:
    table = DeckTable()
    table.shuffled(1, "green")
    assert table.state.faults == {SHUFFLER: ["deck_set_unknown"]}
    assert table.begins() == "shoe_not_verified"
    table.shuffled(2, "red")
    assert table.state.faults == {}
    refused = table.ask(INSERT, Role.DEALER, deck_set="green")
    assert refused.error is ErrorCode.BAD_ARGUMENT
    assert "red, blue" in refused.message


@pytest.mark.parametrize("names_it", [True, False])
def test_one_set_whose_cards_are_in_the_shuffler_is_in_play_no_more(names_it: bool) -> None:
    table = DeckTable(shoe=ONE_SET)
    name = "set-1" if names_it else None
    table.shuffled(1, name)
    table.shuffler("idle", 1)
    table.hand()
    table.shuffler("shuffling", 2, name)
    assert table.last(ShoeEnded).reason == "reshuffled"
    assert table.begins() == "shoe_not_verified"
    table.shuffler("ready", 2, name)
    assert table.begins() is None


def test_in_a_round_it_waits_for_the_end_of_the_round() -> None:
    table = DeckTable(shoe=ONE_SET)
    table.shuffled(1)
    table.deal("8S 5C")
    table.shuffled(2)
    assert not table.of(ShoeEnded)
    table.deal("AD 3H")
    assert [shoe.reason for shoe in table.of(ShoeEnded)] == ["reshuffled"]
    assert table.status("set-1") == "verified"


# -- "Single-deck games shuffle after every round (002 prints it for win three cards; ours for the rest)." --------


@SOURCES
@pytest.mark.parametrize("game", ["three-cards", "niu-niu"])
def test_one_deck_needs_a_verified_shuffle_each_round(game: str, source: str) -> None:
    table = DeckTable(game, source, shoe={**ONE_SET, "decks": 1})
    table.shuffled(1)
    cards = "8S 5C AD 3H 9S KD" if game == "three-cards" else "AH " + " ".join(map(str, DECK[20:40]))
    table.hand(cards)
    assert table.last(ShoeEnded).reason == "one_round"
    assert table.begins() is not None
    table.shuffler("ready", 1)
    assert table.begins() is not None, "the shuffle before it is no shuffle after it"
    table.shuffled(2)
    table.hand(cards)
    assert len({began.verification for began in table.of(ShoeBegan)}) == 2, "each shoe has its own"


# -- "A shoe may start only with a deck set the shuffler (or a full manual scan) has verified: right count, every card
#    the right number of times, no foreign card." ------------------------------------------------------------------


@SOURCES
@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ({"state": "ready", "counted": 415}, "deck_count_off"),
        ({"state": "ready", "counted": 417}, "deck_count_off"),
        ({"state": "mismatch", "missing": 1}, "deck_count_off"),
        ({"state": "mismatch", "extra": 2}, "deck_count_off"),
        ({"state": "mismatch", "missing": 1, "extra": 1}, "deck_count_off"),
        ({"state": "mismatch", "missing": 1, "foreign": 1}, "deck_foreign_card"),
        ({"state": "ready", "faces": False}, "deck_only_counted"),
        ({"state": "ready", "flags": ["misread"]}, "deck_misread"),
        ({"state": "ready", "flags": ["jam"]}, "deck_jammed"),
        ({"state": "ready", "flags": ["door"]}, "deck_door_opened"),
        ({"state": "idle"}, "deck_unfinished"),
    ],
)
def test_a_set_that_is_not_whole_is_not_verified(source: str, ends: dict[str, Any], reason: str) -> None:
    table = DeckTable(source=source)
    table.shuffler("shuffling", 5, "red")
    table.shuffler(job=5, deck_set="red", **ends)
    assert not table.of(DeckVerified)
    assert table.last(DeckFailed).reason == reason
    assert (table.status("red"), table.begins() is None) == ("failed", False)
    assert not table.of(ShoeBegan)


def test_a_machine_that_only_counts_is_enough_where_the_table_says_so() -> None:
    table = DeckTable(shoe={**ONE_SET, "counted_is_enough": True})
    table.shuffled(1, faces=False)
    assert table.begins() is None


@SOURCES
def test_a_shuffle_that_is_not_finished_gives_no_shoe(source: str) -> None:
    table = DeckTable(source=source)
    table.shuffler("shuffling", 5, "red")
    assert table.begins() is not None
    table.shuffler("ready", 5, "red")
    assert table.begins() is None


# -- "refuses a set that failed or was not verified" --------------------------------------------------------------


@SOURCES
def test_a_set_that_failed_is_out_until_it_is_verified_again(source: str) -> None:
    table = DeckTable(source=source)
    table.shuffler("shuffling", 5, "red")
    table.shuffler("mismatch", 5, "red", missing=1)
    for job in (5, 5):
        table.shuffler("ready", job, "red")
        assert table.status("red") == "failed", "the same shuffle does not get better"
    table.restart()
    table.shuffler("ready", 5, "red")
    assert table.status("red") == "failed"
    refused = table.ask(CHANGE, Role.MANAGER, reason="x", deck_set="red")
    assert refused.error is ErrorCode.NOT_NOW
    assert "out (deck_count_off)" in refused.message
    table.shuffled(6, "red")
    assert table.begins() is None


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ([("ready", 1, {"flags": ["door"]})], "deck_door_opened"),
        ([("idle", 2, {"flags": ["door"]})], "deck_door_opened"),
        ([("idle", 2, {})], "deck_unwatched"),
        ([("ready", 1, {"flags": ["jam"]})], "deck_jammed"),
        ([("mismatch", 1, {"missing": 1})], "deck_count_off"),
        ([("shuffling", 1, {})], "deck_unwatched"),
    ],
)
def test_what_happens_to_a_verified_set_in_the_machine_undoes_it(
    after: list[tuple[str, int, dict[str, Any]]], reason: str
) -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    for state, job, more in after:
        table.shuffler(state, job, "red", **more)
    assert table.last(DeckFailed).reason == reason
    table.shuffler("idle", 3)
    assert table.begins() is not None


def test_a_set_that_was_taken_out_is_not_undone_by_what_the_empty_machine_does() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.shuffler("idle", 1)
    table.shuffler("idle", 2, flags=["door"])
    table.shuffler("idle", 2)
    assert table.begins() is None


def test_a_verified_set_that_is_shuffled_again_waits_for_that() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.shuffler("shuffling", 2, "red")
    assert (table.status("red"), table.last(DeckShuffling).job) == ("shuffling", 2)
    assert table.begins() is not None


# -- "and refuses to start a shoe while the shuffler reports a jam, an open door, or a count that is off" -----------


@SOURCES
@pytest.mark.parametrize("verified", [True, False])
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"state": "idle", "flags": ["jam"]}, "shuffler_jam"),
        ({"state": "idle", "flags": ["door"]}, "shuffler_door_open"),
        ({"state": "mismatch", "missing": 1}, "shuffler_count_off"),
        ({"state": "shuffling", "flags": ["misread"]}, "shuffler_misread"),
    ],
)
def test_no_shoe_starts_while_the_shuffler_reports_it(
    source: str, said: dict[str, Any], reason: str, verified: bool
) -> None:
    """Whatever set it would be of, and at a table that asks for no verified set too."""
    table = DeckTable(source=source) if verified else DeckTable(source=source, shoe={"require_verified": False})
    if verified:
        table.shuffled(1, "red")
        table.shuffler("idle", 1)
    name = "blue" if verified else None
    table.shuffler(job=2, deck_set=None if said["state"] == "idle" else name, **said)
    assert table.state.faults[SHUFFLER] == [reason]
    why = str(table.begins())
    assert reason == why if source == "device" else "no shoe starts before that" in why
    assert table.ask(CHANGE, Role.MANAGER, reason="x").error is ErrorCode.NOT_NOW
    assert not table.of(ShoeBegan)
    table.shuffler("idle", 3)
    assert table.state.faults == {}
    assert table.begins() is None


def test_a_shoe_in_play_goes_on_while_the_shuffler_stands() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.shuffler("idle", 1)
    table.hand()
    table.shuffler("shuffling", 2, "blue", flags=["jam"])
    table.hand()
    assert table.state.paused is None
    assert len(table.of_type("round.outcome")) == 2


def test_a_set_in_a_machine_that_is_not_heard_starts_no_shoe() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.link_lost()
    assert table.begins() == "shuffler_not_heard"
    table.link_back()
    table.shuffler("ready", 1, "red")
    assert table.begins() is None, "the same shuffle, and no door was opened since"


def test_another_shuffle_while_it_was_not_heard_is_judged_by_itself() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.link_lost()
    table.link_back()
    table.shuffler("idle", 3)
    assert table.last(DeckFailed).reason == "deck_unwatched"


def test_what_was_in_an_unnamed_machine_is_not_known_after_the_link_was_lost() -> None:
    table = DeckTable()
    table.insert("red")
    table.shuffled(1)
    table.link_lost()
    table.link_back()
    table.shuffler("shuffling", 2)
    assert table.state.faults[SHUFFLER] == ["deck_set_unnamed"]


# -- a restart remembers -------------------------------------------------------------------------------------------


def test_a_restart_remembers_which_sets_are_whole_and_hears_the_machine_first() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.restart()
    assert table.state.faults == {SHUFFLER: ["shuffler_not_heard"]}
    assert table.begins() == "shuffler_not_heard"
    table.shuffler("ready", 1, "red")
    assert table.state.faults == {}
    assert table.begins() is None
    assert table.last(ShoeBegan).deck_set == "red"
    table.restart()
    table.hand()
    table.end_shoe()
    table.restart()
    assert table.status("red") == "used"
    assert table.begins() is not None


# -- tampering, and the order of cards (devices.md §6) ---------------------------------------------------------------


@pytest.mark.parametrize("in_play", [True, False])
def test_a_usb_re_enumeration_is_a_tamper_event(in_play: bool) -> None:
    table = DeckTable()
    if in_play:
        table.shuffled(1, "red")
        table.shuffler("idle", 1)
        table.hand()
    table.shuffled(2, "blue")
    table.link_lost()
    table.link_back()
    table.bytes_of_shuffler(encode(Reenumerated(1)))
    tampered = table.last(ShufflerTamper)
    assert (tampered.device, len(tampered.evidence)) == (SHUFFLER, 1)
    assert table.last(TablePaused).reason == "shuffler_tampered"
    assert table.last(DeckFailed).reason == "deck_tampered"
    assert table.status("blue") == "failed"
    table.resume()
    table.shuffler("ready", 2, "blue")
    assert table.status("blue") == "failed"
    table.shuffled(3, "blue")
    assert table.status("blue") == "failed", "it may have begun before"
    table.shuffled(4, "blue")
    assert table.status("blue") == "verified"


def test_a_shuffle_that_begins_in_an_empty_machine_after_it_is_good() -> None:
    table = DeckTable()
    table.bytes_of_shuffler(encode(Reenumerated(1)))
    table.resume()
    table.shuffler("idle", 1)
    table.shuffled(2, "red")
    assert table.status("red") == "verified"


@pytest.mark.parametrize("when", ["shuffling", "ready"])
def test_an_order_of_cards_is_recorded_nowhere_and_its_set_is_out(when: str) -> None:
    table = DeckTable()
    table.shuffler("shuffling", 1, "red")
    if when == "ready":
        table.shuffler("ready", 1, "red")
    order = lines.order(map(str, DECK))
    table.bytes_of_shuffler(order)
    table.shuffler("ready", 1, "red")
    assert table.last(DeckFailed).reason == "deck_order_known"
    assert table.state.faults == {SHUFFLER: ["shuffler_order_offered"]}
    kept = b"".join(table.evidence.values()) + table.published().encode()
    assert order[3:30].hex().encode() not in kept
    assert "".join(map(str, DECK[:3])).encode() not in kept
    assert b"KS,QS" not in kept
    table.shuffled(2, "red")
    assert table.state.faults == {}
    assert table.begins() is None


def test_a_shufflers_frames_are_no_evidence_of_a_card() -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    table.bets_closed()
    table.deal("8S")
    table.shuffler("idle", 1)
    table.shuffler("shuffling", 2, "blue")
    table.deal("5C AD")
    table.shuffler("ready", 2, "blue")
    table.deal("3H")
    for name in table.outcome.evidence:
        assert b"generic-shuffler" not in table.evidence[name]
    assert all(b"generic-shuffler" in table.evidence[name] for name in table.last(DeckVerified).evidence)
