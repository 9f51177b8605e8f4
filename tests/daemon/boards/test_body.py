"""What displays get: the roads of known shoes through a table's events, and how often each value came."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.boards import BoardBody, Kept, board_body, keep
from dealer_daemon.boards.build import GAMES_WITH_ROADS
from dealer_daemon.boards.marks import GAMES
from dealer_daemon.games.fan_tan import remainder_facts
from dealer_daemon.games.roulette import number_facts
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.roads import ROWS, drawn
from support.told import Told, baccarat_facts, shoes


def body_of(table: Told) -> BoardBody:
    kept = Kept(game=table.game, with_shoe=table.game in GAMES_WITH_ROADS)
    return board_body(keep(kept, table.events), table.table)


def told(game: str, *facts: dict[str, Any]) -> Told:
    table = Told(game)
    for one in facts:
        table.outcome(one)
    return table


@pytest.mark.parametrize("case", shoes())
def test_a_known_shoe_through_the_tables_events(case: dict[str, Any]) -> None:
    table = Told()
    table.begin()
    table.outcome(baccarat_facts("banker"))
    table.end()
    table.begin()
    for place, hand in enumerate(case["hands"]):
        if place % 3 == 1:  # read wrong, and corrected by the video
            table.void()
            table.correct(table.outcome(baccarat_facts("tie", total=0)), baccarat_facts(**hand))
        else:
            table.outcome(baccarat_facts(**hand))
    body = body_of(table)
    roads = msgspec.to_builtins(body.roads)
    assert [(b["row"], b["col"]) for b in roads["bead_plate"]] == [tuple(bead[:2]) for bead in case["bead"]]
    keys = ("winner", "player_pair", "banker_pair", "natural", "total")
    assert [{key: b[key] for key in keys} for b in roads["bead_plate"]] == case["hands"]
    assert roads["big_road"] == case["big"]
    assert roads["columns"] == case["big_logical"]
    for name in ("big_eye", "small", "cockroach"):
        assert [one["mark"] for one in roads["derived"][name]] == case[name]
    assert roads["ask"] == case["ask"]
    assert roads["good_roads"] == case["good_roads"]
    sides = Counter(hand["winner"] for hand in case["hands"])
    assert {side: roads["counts"][side] for side in ("banker", "player", "tie")} == {
        side: sides[side] for side in ("banker", "player", "tie")
    }
    assert roads["counts"]["natural"] == sum(hand["natural"] for hand in case["hands"])


@given(st.lists(st.sampled_from("RB"), max_size=80))
def test_no_mark_is_drawn_over_another_and_a_series_hangs_together(marks: list[str]) -> None:
    places = drawn(marks)
    assert len(set(places)) == len(marks)
    assert all(0 <= row < ROWS and col >= 0 for col, row in places)
    for (col, row), (next_col, next_row), mark, following in zip(places, places[1:], marks, marks[1:], strict=False):
        if mark == following:
            assert (next_col - col, next_row - row) in ((0, 1), (1, 0))
        else:
            assert next_row == 0


def test_a_dragon_turns_at_the_bottom() -> None:
    assert drawn("RRRRRRRR") == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 5), (2, 5)]
    assert drawn("RRRRRRRRBBBBBB")[8:] == [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 4)]


def test_the_hand_number_counts_what_was_void() -> None:
    table = Told()
    table.begin()
    table.outcome(baccarat_facts("banker"))
    table.void()
    table.outcome(baccarat_facts("player", natural=True, player_pair=True))
    body = body_of(table)
    assert body.shoe is not None
    assert body.roads is not None
    assert (body.shoe.hand, body.shoe.over, body.roads.counts.hands) == (3, False, 2)
    assert (body.roads.counts.natural, body.roads.counts.player_pair, body.roads.counts.banker_pair) == (1, 1, 0)
    assert (body.sequence, body.time) == (4, "2026-01-01T00:00:04.000000Z")
    table.end()
    over = body_of(table)
    assert over.shoe is not None
    assert over.shoe.over
    assert over.roads == body.roads, "it stands until the next shoe"


def test_a_wheel_says_its_last_numbers_and_how_many_plays_its_heat_is_of() -> None:
    numbers = ["17", "0", "17", "5", "17", "5", "32"]
    body = body_of(told("roulette", *(number_facts(number) for number in numbers)))
    assert [one.value for one in body.results] == numbers[::-1]
    assert (body.results[0].colour, body.roads, body.shoe) == ("red", None, None)
    number = next(one for one in body.tallies if one.of == "number")
    assert (number.plays, len(number.shares)) == (7, 37)
    assert number.hot == ["17", "5", "32", "0"], "most often, then the one that came last"
    assert len(number.cold) == 5
    assert not set(number.cold) & set(numbers)
    assert {one.value: (one.count, one.ago) for one in number.shares if one.count} == {
        "17": (3, 2), "0": (1, 5), "5": (2, 1), "32": (1, 0)
    }  # fmt: skip
    assert [(one.value, one.count) for one in body.tallies if one.of == "parity" for one in one.shares] == [
        ("odd", 5),
        ("even", 1),
    ], "zero is neither"


def test_nothing_is_hot_before_anything_was_played() -> None:
    body = body_of(told("sic-bo"))
    assert (body.sequence, body.time, body.results) == (0, None, [])
    assert all((one.plays, one.hot, one.cold) == (0, [], []) for one in body.tallies)


def test_a_sum_is_hot_by_its_chance_and_not_by_its_count() -> None:
    throws = [(1, 1, 1), (4, 3, 3), (4, 3, 4), (6, 3, 1), (4, 5, 1), (2, 2, 4)]
    body = body_of(told("sic-bo", *(dice_facts(throw) for throw in throws)))
    sums = next(one for one in body.tallies if one.of == "sum")
    assert sums.hot[0] == "3", "once in six, of one way in 216"
    assert "10" in sums.hot
    assert {one.value: one.count for one in sums.shares}["10"] == 3
    faces = next(one for one in body.tallies if one.of == "face")
    assert sum(one.count for one in faces.shares) == 18
    assert body.results[0].dice == [2, 2, 4]
    assert next(one for one in body.tallies if one.of == "size").shares[-1].value == "triple"


def test_a_correction_takes_the_place_of_what_was_wrong_in_every_count() -> None:
    table = told("fan-tan", remainder_facts(1), remainder_facts(2))
    table.correct(table.events[0], remainder_facts(3))
    body = body_of(table)
    assert [(one.value, one.corrected, one.sequence) for one in body.results] == [("2", False, 2), ("3", True, 3)]
    shares = {one.value: one.count for one in body.tallies[0].shares}
    assert shares == {"1": 0, "2": 1, "3": 1, "4": 0}


def test_the_rarest_is_coldest_and_among_equals_what_has_been_away_longest() -> None:
    body = body_of(told("fan-tan", *(remainder_facts(left) for left in (2, 3, 1, 1, 1, 1, 1, 1))))
    assert (body.tallies[0].hot, body.tallies[0].cold) == (["1"], ["4", "2", "3"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 36), max_size=60))
def test_shares_are_of_all_plays_and_hot_is_never_cold(numbers: list[int]) -> None:
    body = body_of(told("roulette", *(number_facts(str(number)) for number in numbers)))
    for one in body.tallies:
        assert one.plays == len(numbers)
        assert sum(share.count for share in one.shares) == len(numbers) - (
            0 if one.of in ("number", "color") else numbers.count(0)
        )
        assert not set(one.hot) & set(one.cold)


@pytest.mark.parametrize("game", [*GAMES, "three-cards", "holdem", "andar-bahar", "a-game-of-later"])
def test_facts_that_are_not_known_are_shown_without_a_value(game: str) -> None:
    table = told(game, {"of": "another version"})
    table.begin()
    table.outcome({"of": "another version"})
    body = body_of(table)
    assert [one.value for one in body.results] == [None, None]
    assert body.roads is None
