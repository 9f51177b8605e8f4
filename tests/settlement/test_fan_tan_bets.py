"""Every fan-tan bet of the book is decided from a published outcome alone (``fan_tan_bets.csv``).

Each row is expanded to its spots (all the pairs, all the triples). A first settlement reads only the facts of the
published message. A second counts a real heap of beans off in fours, and reads the book's sentences.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.games.fan_tan import layout_facts
from dealer_daemon.mqtt.envelope import encode_event

ROWS = list(csv.DictReader(Path(__file__).with_name("fan_tan_bets.csv").read_text(encoding="utf-8").splitlines()))
Facts = dict[str, Any]
Result = Literal["win", "push", "lose"]
Spot = tuple[str, Callable[[Facts], Result], Callable[[int], Result]]
"""Its name, its result by the facts, and by the number of beans under the bowl."""
NUMBERS = (1, 2, 3, 4)


def message(beans: int) -> Facts:
    """A published outcome, as a consumer gets it."""
    facts = layout_facts(beans, -(-beans // 4), (beans - 1) % 4 + 1)
    data = RoundOutcome(game="fan-tan", facts=facts, attempts=1, evidence=[], source="device", server=[])
    event = Event(table="f1", sequence=1, subject="f1-1", wall_ns=0, mono_ns=0, boot="b", data=data)
    body: Facts = json.loads(encode_event("s", event))
    return body


def left_over(beans: int) -> int:
    """The dealer takes four away for as long as more than four lie there."""
    while beans > 4:
        beans -= 4
    return beans


def spot(name: str, wins: set[int], pushes: set[int] = frozenset()) -> Spot:  # type: ignore[assignment]
    def by_facts(facts: Facts) -> Result:
        return "win" if facts["remainder"] in wins else "push" if facts["remainder"] in pushes else "lose"

    def by_beans(beans: int) -> Result:
        last = left_over(beans)
        if last in wins:
            return "win"
        return "push" if last in pushes else "lose"

    return name, by_facts, by_beans


def spots(row: dict[str, str]) -> list[Spot]:
    """All spots of a row, named as the book names them."""
    match row["bet_zh"]:
        case "单":
            return [("单", lambda f: "win" if f["parity"] == "odd" else "lose", spot("", {1, 3})[2])]
        case "双":
            return [("双", lambda f: "win" if f["parity"] == "even" else "lose", spot("", {2, 4})[2])]
        case "番":
            return [spot(f"{n}番", {n}) for n in NUMBERS]
        case "念":
            return [spot(f"{a}念{b}", {a}, {b}) for a, b in itertools.permutations(NUMBERS, 2)]
        case "角":
            return [spot(f"角{a}-{b}", {a, b}) for a, b in itertools.combinations(NUMBERS, 2)]
        case "通":
            return [
                spot(f"{a}{b}{loses}通", {a, b}, set(NUMBERS) - {a, b, loses})
                for a, b in itertools.combinations(NUMBERS, 2)
                for loses in NUMBERS
                if loses not in (a, b)
            ]
        case "三门":
            return [spot("".join(map(str, three)), set(three)) for three in itertools.combinations(NUMBERS, 3)]
    raise AssertionError(f"the test does not know the bet {row['bet_zh']!r}: a row was added")


@pytest.mark.parametrize("row", ROWS, ids=[row["bet_en"].replace(" ", "-") for row in ROWS])
def test_the_facts_decide_every_spot_as_the_beans_do(row: dict[str, str]) -> None:
    found = spots(row)
    assert len(found) == int(row["spots"])
    assert row["facts_needed"] == "remainder"
    outcomes = {beans: message(beans)["data"]["facts"] for beans in range(1, 201)}
    for name, by_facts, by_beans in found:
        for beans, facts in outcomes.items():
            assert by_facts(facts) == by_beans(beans), (name, beans)


def test_the_book_lists_seven_bets() -> None:
    assert [row["bet_zh"] for row in ROWS] == ["单", "双", "番", "念", "角", "通", "三门"]


@pytest.mark.parametrize(
    ("bet", "name", "results"),
    [
        ("番", "1番", "win lose lose lose"),
        ("念", "1念2", "win push lose lose"),
        ("角", "角1-2", "win win lose lose"),
        ("通", "123通", "win win lose push"),
        ("三门", "123", "win win win lose"),
    ],
)
def test_the_examples_of_the_book(bet: str, name: str, results: str) -> None:
    (row,) = [row for row in ROWS if row["bet_zh"] == bet]
    (by_facts,) = [by_facts for found, by_facts, _ in spots(row) if found == name]
    assert [by_facts(layout_facts(n, 1, n)) for n in NUMBERS] == results.split()
