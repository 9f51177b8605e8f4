"""A continuous shuffler at a table: level, trouble, and a change of cards (``games.md`` §10)."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    DeckFailed,
    ShoeBegan,
    ShoeEnded,
    TablePaused,
)
from dealer_daemon.games.cards.card import DECK
from dealer_drivers.shuffler.frames import Reenumerated, encode
from hw_sim.shuffler import lines
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


@pytest.mark.parametrize(
    ("sent", "reason"),
    [(encode(Reenumerated(1)), "deck_tampered"), (lines.order(["8S", "KD", "2C"]), "deck_order_known")],
)
def test_what_a_continuous_shuffler_feeds_is_out_when_it_was_tampered_with(sent: bytes, reason: str) -> None:
    table = continuous()
    assert table.begins() is None
    table.bytes_of_shuffler(sent)
    assert table.last(DeckFailed).reason == reason
    assert len(table.of(TablePaused)) == 1
    table.resume()
    assert "failed" in str(table.begins())


# -- a change that never ends ---------------------------------------------------------------------------------------


def scan(table: DeckTable, deck_set: str) -> None:
    table.did(VERIFY, Role.DEALER, deck_set=deck_set)
    table.deal(" ".join(str(card) for card in DECK for _ in range(table.cards // 52)), gap_s=0.2)


@pytest.mark.parametrize("restarted", [True, False])
def test_a_scan_is_the_way_on_when_the_shuffler_dies_in_a_change(restarted: bool) -> None:
    table = continuous()
    assert table.begins() is None
    table.level(300, "emptying", 5)
    table.link_lost()
    assert "being changed" in str(table.begins())
    if restarted:
        table.restart()
        table.link_lost()
    scan(table, "set-1")
    assert table.begins() is None
    table.link_back()
    table.level(300, "emptying", 5)
    assert "being changed" in str(table.begins()), "it goes on where it is heard again"


def test_a_manager_who_names_the_set_ends_a_change() -> None:
    table = DeckTable("blackjack", "server", rules="infinite-001", shoe=ONE_SET)
    scan(table, "set-1")
    table.level(300, "emptying", 5)
    assert "being changed" in str(table.begins())
    assert "being changed" in table.ask(CHANGE, Role.MANAGER, reason="x").message
    table.manager(CHANGE, deck_set="set-1")
    assert table.last(ShoeBegan).verified_by == "scan"
    assert table.begins() is None


def test_the_level_of_a_shuffler_that_does_not_feed_the_game_is_nothing_to_it() -> None:
    table = DeckTable(shoe={**ONE_SET, "decks": 1})
    table.level(100, "emptying", 1)
    table.level(0, "empty", 1)
    assert not table.of_type("shuffler.change")
    table.shuffled(1)
    assert table.begins() is None
