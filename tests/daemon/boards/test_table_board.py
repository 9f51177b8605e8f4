"""A table's board in the station: the same after a restart, and no more to read however long the journal is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from dealer_daemon.boards import BoardBody
from dealer_daemon.games.roulette import number_facts
from dealer_daemon.journal import Journal
from dealer_daemon.station import board as station_board
from dealer_daemon.station.board import TableBoard
from support.screen_play import table_config
from support.told import Told, baccarat_facts


def opened(folder: Path) -> Journal:
    return Journal.open(folder, boot="boot-1")


def shoe(hands: str) -> Told:
    table = Told()
    table.begin()
    for hand in hands:
        table.outcome(baccarat_facts({"B": "banker", "P": "player", "T": "tie"}[hand]))
    return table


def test_a_restart_finds_the_board_as_it_was(tmp_path: Path) -> None:
    table = shoe("BBPTPPB")
    table.correct(table.events[1], baccarat_facts("tie"))
    config = table_config("baccarat", "b1")
    journal = opened(tmp_path)
    live = TableBoard(config, journal)
    for event in table.events:
        journal.commit([event])
    before = live.body()
    journal.close()
    journal = opened(tmp_path)
    after = TableBoard(config, journal)
    assert after.body() == before
    assert before.roads is not None
    assert [bead.winner for bead in before.roads.bead_plate][:2] == ["tie", "banker"]
    journal.commit([table.outcome(baccarat_facts("player"))])
    assert after.body().sequence == before.sequence + 1
    journal.close()


def test_what_another_table_says_is_not_on_it(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    board = TableBoard(table_config("baccarat", "b2"), journal)
    for event in shoe("BP").events:
        journal.commit([event])
    assert board.body().results == []
    journal.close()


def test_news_is_given_once_and_only_where_the_board_is_another(tmp_path: Path) -> None:
    table = shoe("B")
    journal = opened(tmp_path)
    board = TableBoard(table_config("baccarat", "b1"), journal)
    first = board.news()
    assert first is not None
    assert first[0] == 0
    assert board.news() is None
    for event in table.events:
        journal.commit([event])
    news = board.news()
    assert news is not None
    assert (news[0], msgspec.json.decode(news[1], type=BoardBody)) == (2, board.body())
    journal.commit([table.void()])
    assert board.news() is None
    journal.close()


def test_a_start_reads_the_newest_results_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Told("roulette", "r1")
    first = table.outcome(number_facts("0"))
    for number in range(1, 20):
        table.void()
        table.outcome(number_facts(str(number)))
    table.correct(first, number_facts("36"))
    journal = opened(tmp_path)
    journal.commit(table.events)
    read = journal.recent("r1", ["round.outcome", "outcome.corrected"], "round.outcome", 5)
    assert [event.sequence for event in read] == [31, 33, 35, 37, 39, 40]
    assert journal.recent("r1", ["round.outcome"], "round.outcome", 500) == table.events[0:39:2]
    assert journal.recent("r2", ["round.outcome"], "round.outcome", 500) == []
    monkeypatch.setattr(station_board, "KEPT_PLAYS", 5)
    body = TableBoard(table_config("roulette", "r1"), journal).body()
    assert [one.value for one in body.results] == ["19", "18", "17", "16", "15"]
    assert {tally.plays for tally in body.tallies} == {5}
    journal.close()


def test_a_shadow_says_that_it_is_one(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    config = table_config("baccarat", "b1")
    assert not TableBoard(config, journal).body().shadow
    assert TableBoard(replace(config, shadow=True), journal).body().shadow
    journal.close()
