"""A shuffler that does not count its shuffles, and a person's word that may be of a shuffle that is over."""

from __future__ import annotations

from typing import Any

import pytest

from hw_sim.shuffler import lines
from support.deck_tables import SHUFFLER, DeckTable

ONE_SET = {"require_verified": True, "decks": 8}


def out_and_in_again(table: DeckTable, state: str, **said: Any) -> None:
    """A set is shuffled, found whole and taken out; then cards are in the machine again, and its number is the same."""
    table.shuffled(7)
    table.shuffler("idle", 7)
    table.shuffler(state, 7, **said)


@pytest.mark.parametrize(
    ("state", "said", "reason"),
    [
        ("shuffling", {}, "deck_unwatched"),
        ("ready", {}, "deck_unwatched"),
        ("mismatch", {"missing": 1}, "deck_count_off"),
    ],
)
def test_a_whole_set_that_may_be_in_the_machine_again_is_out(state: str, said: dict[str, Any], reason: str) -> None:
    table = DeckTable(shoe=ONE_SET)
    out_and_in_again(table, state, **said)
    assert table.status("set-1") == "failed"
    assert table.state.decks.sets["set-1"].reason == reason
    table.shuffler("idle", 7)
    assert table.begins() == "deck_set_failed"


def test_a_shuffle_without_a_number_of_its_own_says_why_it_verifies_nothing() -> None:
    table = DeckTable(shoe=ONE_SET)
    table.shuffled(7)
    table.shuffler("idle", 7)
    assert table.begins() is None
    table.end_shoe()
    table.shuffled(7)
    assert table.status("set-1") == "used"
    assert table.state.faults[SHUFFLER] == ["shuffler_job_repeated"]
    table.shuffled(8)
    assert table.state.faults.get(SHUFFLER, []) == []
    assert table.begins() is None


def test_another_set_that_the_machine_names_takes_nothing_from_the_one_outside() -> None:
    table = DeckTable()
    table.shuffled(7, "red")
    table.shuffler("idle", 7, "red")
    table.shuffler("shuffling", 7, "blue")
    assert table.status("red") == "verified"
    assert table.state.faults[SHUFFLER] == ["shuffler_job_repeated"]


@pytest.mark.parametrize("how", ["restart", "link"])
def test_what_a_person_said_is_of_no_shuffle_that_nobody_saw_begin(how: str) -> None:
    """Red was said to go in; while nobody listened it may have come out again, and the blue one gone in."""
    table = DeckTable()
    table.shuffler("idle", 3)
    table.insert("red")
    if how == "restart":
        table.restart()
    else:
        table.link_lost()
        table.link_back()
    table.shuffled(9)
    assert table.status("red") == "unknown"
    assert table.state.faults[SHUFFLER] == ["deck_set_unnamed"]
    table.insert("blue")
    assert (table.status("red"), table.status("blue")) == ("unknown", "verified")


@pytest.mark.parametrize("how", ["restart", "link"])
def test_what_a_person_said_holds_where_the_machine_did_nothing_meanwhile(how: str) -> None:
    table = DeckTable()
    table.shuffler("idle", 3)
    table.insert("red")
    if how == "restart":
        table.restart()
    else:
        table.link_lost()
        table.link_back()
    table.shuffler("idle", 3)
    table.shuffled(4)
    assert table.status("red") == "verified"


def test_what_a_person_says_while_nobody_hears_the_machine_is_asked_again() -> None:
    table = DeckTable()
    table.shuffler("idle", 3)
    table.link_lost()
    table.insert("red")
    table.link_back()
    table.shuffled(9)  # red, or what came after it
    assert table.status("red") == "unknown"
    assert table.state.faults[SHUFFLER] == ["deck_set_unnamed"]


def test_an_empty_machine_repeats_no_job() -> None:
    table = DeckTable(shoe=ONE_SET)
    table.shuffled(7)
    table.shuffler("idle", 7)
    table.shuffler("idle", 7, flags=["door"])
    assert table.status("set-1") == "verified"
    assert table.state.faults[SHUFFLER] == ["shuffler_door_open"]


def test_a_shuffle_whose_order_was_told_repeats_no_job() -> None:
    table = DeckTable()
    table.shuffler("shuffling", 5)
    table.bytes_of_shuffler(lines.order(["8S", "KD", "2C"]))
    table.shuffler("ready", 5)
    assert table.state.faults[SHUFFLER] == ["deck_set_unnamed", "shuffler_order_offered"]
