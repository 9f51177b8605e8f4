"""The roads of whole shoes, against hand-made and random cases, and what must hold of any shoe."""

from __future__ import annotations

import json
import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.games import load_game
from dealer_daemon.roads import Board, Hand, board, hand_of
from dealer_daemon.roads.big import ROWS
from dealer_daemon.roads.hand import Series

DATA = Path(os.environ.get("DEALER_REAL_DATA", "")) / "roads" / "dev.json"
HANDS = st.builds(
    Hand, st.sampled_from(["banker", "player", "tie"]), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 9)
)


def cases() -> list[Any]:
    if not os.environ.get("DEALER_REAL_DATA") or not DATA.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="no cases: set DEALER_REAL_DATA"))]
    return [pytest.param(case, id=case["name"]) for case in json.loads(DATA.read_text(encoding="utf-8"))]


def made(case: dict[str, Any]) -> Board:
    return board([Hand(**hand) for hand in case["hands"]])


@pytest.mark.parametrize("case", cases())
def test_a_known_shoe(case: dict[str, Any]) -> None:
    found = made(case)
    plate = [(bead.row, bead.col, *astuple(bead.hand)) for bead in found.beads]
    assert plate == [tuple(bead) for bead in case["bead"]]
    assert [
        {
            "col": cell.col,
            "row": cell.row,
            "winner": cell.side,
            "ties": cell.ties,
            "ties_before": cell.ties_before,
            "player_pair": cell.player_pair,
            "banker_pair": cell.banker_pair,
        }
        for cell in found.big
    ] == case["big"]
    assert [column.length for column in found.columns] == case["big_logical"]
    assert {name: found.derived[name] for name in ("big_eye", "small", "cockroach")} == {
        name: case[name] for name in ("big_eye", "small", "cockroach")
    }
    assert found.ask == case["ask"]
    assert found.good == case["good_roads"]


@given(st.lists(HANDS, max_size=80))
def test_what_holds_of_any_shoe(hands: list[Hand]) -> None:
    found = board(hands)
    results = [hand.winner for hand in hands if hand.winner != "tie"]
    ties = len(hands) - len(results)
    places = [(cell.col, cell.row) for cell in found.big]
    assert len(set(places)) == len(places)
    assert all(0 <= row < ROWS for _, row in places)
    assert [cell.side for cell in found.big] == (results or [None] * bool(ties))
    assert sum(cell.ties + cell.ties_before for cell in found.big) == ties
    assert sum(column.length for column in found.columns) == len(results)
    assert all(one.side != other.side for one, other in zip(found.columns, found.columns[1:], strict=False))


@given(st.lists(HANDS, max_size=60), st.sampled_from(["banker", "player"]))
def test_what_was_asked_is_what_comes(hands: list[Hand], side: Any) -> None:
    before = board(hands)
    after = board([*hands, Hand(side, False, False, False, 5)])
    for name, marks in after.derived.items():
        assert marks[: len(before.derived[name])] == before.derived[name]
        added = marks[len(before.derived[name]) :]
        assert added == [before.ask[side][name]] * (before.ask[side][name] is not None)


@given(st.lists(HANDS, max_size=60))
def test_ties_change_nothing_but_their_own_marks(hands: list[Hand]) -> None:
    found, without = board(hands), board([hand for hand in hands if hand.winner != "tie"])
    assert (found.columns, found.derived, found.ask, found.good) == (
        without.columns,
        without.derived,
        without.ask,
        without.good,
    )
    if without.big:
        assert [(cell.col, cell.row) for cell in found.big] == [(cell.col, cell.row) for cell in without.big]


def test_a_dragons_tail_is_one_column() -> None:
    found = board([Hand("banker", False, False, False, 7)] * 9)
    assert [(cell.col, cell.row) for cell in found.big][-4:] == [(0, 5), (1, 5), (2, 5), (3, 5)]
    assert found.columns == [Series("banker", 9)]
    assert found.good == ["长庄"]


def test_the_hand_of_an_outcome() -> None:
    baccarat: Any = load_game("baccarat")
    cards = {"player.1": "8S", "player.2": "8H", "banker.1": "KD", "banker.2": "9C"}
    facts = baccarat.stated(_settings(), {"cards": cards})
    assert hand_of(facts) == Hand("banker", True, False, True, 9)


def _settings() -> Any:
    from dealer_daemon.config import parse_config

    text = """
[station]
site = "s"
state_dir = "state"
[tables.b1]
game = "baccarat"
[[tables.b1.devices]]
name = "shoe"
driver = "angel-eye"
port = "/dev/dealer/shoe"
"""
    return parse_config(text, Path("/nowhere/station.toml")).tables["b1"].settings
