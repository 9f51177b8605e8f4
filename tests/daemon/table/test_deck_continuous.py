"""A continuous shuffler at a table: level, trouble, and a change of cards (``games.md`` §10)."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName
from dealer_daemon.events import (
    DeckFailed,
    ShoeBegan,
    ShoeEnded,
    TablePaused,
)
from support.deck_tables import DeckTable

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CHANGE, VERIFY, INSERT = CommandName.SHOE_CHANGE, CommandName.DECK_VERIFY, CommandName.DECK_INSERT
ONE_SET: dict[str, Any] = {"require_verified": True}


# -- "A continuous shuffler feeds infinite blackjack; a change of cards takes all old cards out (001)." ------------


def continuous(source: str = "server") -> DeckTable:
    table = DeckTable("blackjack", source, rules="infinite-001", shoe=ONE_SET)
    table.level(0, "empty", 4)
    table.level(200, "loading", 5)
    table.shuffled(1)
    table.level(312, "feeding", 5)
    return table


def test_a_continuous_shuffler_feeds_from_one_verified_loading() -> None:
    table = continuous()
    assert table.begins() is None
    assert table.begins() is None
    assert [(began.decks, began.deck_set) for began in table.of(ShoeBegan)] == [(6, "set-1")]


def test_a_change_of_cards_ends_the_shoe_and_needs_a_verified_loading() -> None:
    table = continuous()
    table.did(CommandName.ROUND_OPEN)
    table.level(300, "emptying", 5)
    assert not table.of(ShoeEnded), "not in a round"
    table.manager(CommandName.ROUND_VOID)
    assert table.last(ShoeEnded).reason == "cards_changed"
    assert "being changed" in str(table.begins())
    table.level(0, "empty", 5)
    table.level(312, "loading", 6)
    table.shuffled(2)
    table.level(312, "feeding", 6)
    assert [change.stage for change in table.of_type("shuffler.change")][-3:] == ["emptying", "empty", "loading"]
    assert table.begins() is None
    assert len(table.of(ShoeBegan)) == 2


@pytest.mark.parametrize("emptied", [[(40, "emptying", 5)], [(3, "empty", 5)], []])
def test_a_change_that_leaves_old_cards_in_gives_no_set(emptied: list[tuple[int, str, int]]) -> None:
    table = continuous()
    assert table.begins() is None
    for said in emptied:
        table.level(*said)
    table.level(312, "loading", 6)
    table.shuffled(2)
    assert table.last(DeckFailed).reason == "deck_old_cards"
    assert table.begins() is not None
    table.level(0, "empty", 6)
    table.level(312, "loading", 7)
    table.shuffled(3)
    assert table.begins() is None


def test_a_change_that_nobody_saw_gives_no_set() -> None:
    table = continuous()
    table.link_lost()
    table.link_back()
    table.level(312, "feeding", 6)
    table.shuffled(2)
    assert table.last(DeckFailed).reason == "deck_old_cards"


@pytest.mark.parametrize("flag", ["jam", "door", "misread"])
def test_trouble_in_a_continuous_shuffler_pauses_the_table_and_ends_what_it_feeds(flag: str) -> None:
    table = continuous()
    table.did(CommandName.ROUND_OPEN)
    table.shuffler("ready", 1, flags=[flag])
    assert table.last(TablePaused).reason == "deck_set_failed"
    table.shuffler("ready", 1)
    table.resume()
    table.manager(CommandName.ROUND_VOID)
    assert "failed" in str(table.begins())
    table.shuffled(2)
    assert table.last(ShoeEnded).reason == "reshuffled"
    assert table.begins() is None
