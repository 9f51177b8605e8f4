"""A deck set in a shuffler's care: whatever is said beside it, and after its shoe began (``games.md`` §10)."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import DeckFailed, DeckVerified, ShoeBegan, ShoeEnded, ShufflerTamper, TablePaused
from dealer_drivers.shuffler.frames import Reenumerated, encode
from hw_sim.shuffler import lines
from support.deck_tables import SHUFFLER, DeckTable

INSERT = CommandName.DECK_INSERT
ORDER = lines.order(["8S", "KD", "2C"])
Said = list[tuple[str, int, dict[str, Any]]]
DISTURBED = pytest.mark.parametrize(
    "said",
    [
        [("ready", 1, {"flags": ["jam"]})],
        [("ready", 1, {"flags": ["misread"]})],
        [("mismatch", 1, {"missing": 1})],
        [("idle", 2, {})],
        [("idle", 2, {"flags": ["door"]})],
        [("shuffling", 1, {})],
        [("shuffling", 2, {})],
    ],
)


def say(table: DeckTable, said: Said, named: str | None) -> None:
    for state, job, more in said:
        table.shuffler(state, job, None if state == "idle" else named, **more)


# -- deck.insert of the other set ----------------------------------------------------------------------------------


@DISTURBED
@pytest.mark.parametrize("restarted", [True, False])
def test_a_word_of_the_other_set_takes_no_set_out_of_a_machine_that_names_it(said: Said, restarted: bool) -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    refused = table.ask(INSERT, Role.DEALER, deck_set="blue")
    assert (refused.error, table.status("red")) == (ErrorCode.NOT_NOW, "verified")
    assert "red lies in it" in refused.message
    if restarted:
        table.restart()
    say(table, said, "red")
    assert table.status("red") != "verified"
    table.shuffler("idle", said[-1][1])
    assert table.begins() is not None


@DISTURBED
def test_a_machine_that_does_not_name_it_has_none_that_is_whole_after_such_a_word(said: Said) -> None:
    table = DeckTable(source="server")
    table.insert("red")
    table.shuffled(1)
    table.insert("blue")
    assert (table.status("red"), table.last(DeckFailed).reason) == ("failed", "deck_unwatched")
    say(table, said, None)
    table.shuffler("idle", said[-1][1])
    assert table.begins() is not None


def test_a_word_in_the_middle_of_a_shuffle_leaves_no_set_verified_by_it() -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "blue")
    table.shuffler("idle", 1)
    table.insert("red")
    table.shuffler("shuffling", 2)
    table.insert("blue")
    table.shuffler("ready", 2)
    assert (table.status("red"), table.status("blue")) == ("failed", "failed"), "which of them it is nobody knows"
    table.shuffler("idle", 2)
    table.shuffled(3)
    assert table.last(DeckVerified).deck_set == "blue", "the word holds for the next"


def test_a_word_while_the_link_is_down_does_not_save_what_was_in_the_machine() -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    table.link_lost()
    table.insert("blue")
    assert table.status("red") == "failed"


def test_a_verified_set_that_is_said_to_lie_in_the_machine_is_disturbed_too() -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    table.shuffler("idle", 1)
    table.insert("red")
    table.shuffler("idle", 2)
    assert table.last(DeckFailed).reason == "deck_unwatched"


@pytest.mark.parametrize("unheard", [True, False])
def test_another_set_in_the_machine_that_was_not_heard_giving_the_first_one_out(unheard: bool) -> None:
    table = DeckTable()
    table.shuffled(1, "red")
    if unheard:
        table.link_lost()
        table.link_back()
    table.shuffled(2, "blue")
    assert table.status("blue") == "verified"
    assert table.status("red") == ("failed" if unheard else "verified")


# -- the set in play ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([("ready", 1, {"flags": ["jam"]})], "deck_jammed"),
        ([("ready", 1, {"flags": ["door"]}), ("idle", 2, {})], "deck_door_opened"),
        ([("idle", 2, {"flags": ["door"]})], "deck_door_opened"),
        ([("ready", 1, {"flags": ["misread"]})], "deck_misread"),
        ([("mismatch", 1, {"missing": 1})], "deck_count_off"),
        ([("shuffling", 1, {})], "deck_unwatched"),
    ],
)
@pytest.mark.parametrize("named", ["red", None])
def test_the_set_in_play_fails_while_the_machine_may_have_it(said: Said, reason: str, named: str | None) -> None:
    table = DeckTable(source="server")
    table.insert("red")
    table.shuffled(1, named)
    table.did(CommandName.ROUND_OPEN)
    say(table, said, named)
    assert (table.status("red"), table.last(DeckFailed).reason) == ("failed", reason)
    assert table.last(TablePaused).reason == "deck_set_failed"
    table.shuffler("idle", said[-1][1])
    table.resume()
    table.manager(CommandName.ROUND_VOID)
    assert "failed" in str(table.begins())


def test_the_set_in_play_that_was_given_out_is_not_touched_by_the_machine() -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    assert table.begins() is None
    table.shuffler("idle", 1)
    for state, job in (("idle", 1), ("idle", 2), ("shuffling", 3)):
        table.shuffler(state, job, "blue" if job == 3 else None, flags=["jam"])
    table.shuffler("shuffling", 3, "blue")
    table.bytes_of_shuffler(encode(Reenumerated(1)))
    table.resume()
    assert table.status("red") == "in_play"
    assert table.begins() is None


@pytest.mark.parametrize("out", [True, False])
def test_the_order_of_the_set_in_play_is_its_end_wherever_it_is(out: bool) -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    assert table.begins() is None
    if out:
        table.shuffler("idle", 1)
    table.bytes_of_shuffler(ORDER)
    assert (table.status("red"), table.last(DeckFailed).reason) == ("failed", "deck_order_known")
    table.resume()
    assert "failed" in str(table.begins())


def test_the_order_of_another_shuffle_is_nothing_to_the_set_in_play() -> None:
    table = DeckTable(source="server")
    table.shuffled(1, "red")
    table.shuffler("idle", 1)
    assert table.begins() is None
    table.shuffler("shuffling", 2, "blue")
    table.bytes_of_shuffler(ORDER)
    assert (table.status("red"), table.status("blue")) == ("in_play", "failed")


def test_a_set_in_play_that_turns_out_to_have_been_shuffled_is_that_no_more() -> None:
    """The machine fell silent after a shuffle that it named no set of: it was the one in play."""
    table = DeckTable("baccarat", "server")
    table.insert("red")
    table.shuffled(1)
    table.shuffler("idle", 1)
    assert table.begins() is None
    table.shuffled(2, "blue")
    table.shuffler("idle", 2)
    table.shuffler("shuffling", 7)
    table.link_lost()
    table.insert("red")
    assert table.last(ShoeEnded).reason == "reshuffled"
    assert table.status("red") == "unknown"
    assert table.begins() is None
    assert table.last(ShoeBegan).deck_set == "blue"


# -- an order that came before the machine said anything ------------------------------------------------------------


@pytest.mark.parametrize("restarts", [0, 1, 2])
@pytest.mark.parametrize("lost", [True, False])
def test_an_order_of_an_unknown_shuffle_is_remembered(restarts: int, lost: bool) -> None:
    table = DeckTable(source="server")
    if lost:  # what was heard before is of another shuffle
        table.shuffler("idle", 7)
        table.link_lost()
        table.link_back()
    table.bytes_of_shuffler(ORDER)
    for _ in range(restarts):
        table.restart()
    table.shuffler("ready", 1, "red")
    assert table.status("red") == "failed"
    table.shuffler("idle", 1)
    assert table.begins() is not None
    table.shuffled(2, "red")
    assert table.begins() is None


@pytest.mark.parametrize("field", ["as-kd-9h-2c-7s", "askd9h2c"])
def test_an_order_in_small_letters_where_the_set_is_named_is_one_too(field: str) -> None:
    table = DeckTable()
    table.shuffler("shuffling", 3, field)
    assert table.last(ShufflerTamper).cause == "order_offered"
    assert field not in table.published()
    table.shuffled(4, "2c-3d")
    assert "deck_set_unknown" in table.state.faults[SHUFFLER], "a name"
