"""Values of two systems are equal where they mean the same, and only there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.shadow.values import NoFact, comparable, fact_at, names


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("number", "7", "07"),
        ("number", "0", " 0 "),
        ("color", "red", "RED"),
        ("dice", [1, 2, 5], "5-2-1"),
        ("dice", [1, 1, 6], "1,6,1"),
        ("player.cards", ["TS", "8H"], "10s 8h"),
        ("triple", False, "no"),
        ("triple", True, "TRUE"),
        ("sum", 11, "11"),
    ],
)
def test_the_same_in_other_words(name: str, ours: Any, theirs: str) -> None:
    assert comparable(name, ours) == comparable(name, theirs)


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("number", "1", "11"),
        ("number", "17", "1 7"),
        ("number", "0", ""),
        ("dice", [1, 2, 5], "1 2 2"),
        ("dice", [1, 2, 5], "1 2"),
        ("player.cards", ["TS", "8H"], "8H TS"),
        ("player.cards", ["TS"], "10H"),
        ("winner", "player", "banker"),
        ("triple", False, "0"),
    ],
)
def test_what_means_something_else_differs(name: str, ours: Any, theirs: str) -> None:
    assert comparable(name, ours) != comparable(name, theirs)


@given(st.lists(st.integers(1, 6), min_size=3, max_size=3), st.randoms())
def test_dice_in_any_order(dice: list[int], random: Any) -> None:
    shuffled = random.sample(dice, 3)
    assert comparable("dice", dice) == comparable("dice", " ".join(map(str, shuffled)))


@given(st.integers(0, 36), st.integers(0, 36))
def test_numbers_are_equal_exactly_when_they_are(one: int, other: int) -> None:
    assert (comparable("number", str(one)) == comparable("number", f"{other:02}")) is (one == other)


def test_a_fact_is_found_by_its_dotted_name() -> None:
    facts = {"player": {"cards": ["8S"], "total": 8}, "winner": "player"}
    assert names(facts) == ["player.cards", "player.total", "winner"]
    assert fact_at(facts, "player.total") == 8
    with pytest.raises(NoFact, match=r"player\.cards, player\.total, winner"):
        fact_at(facts, "player.number")
