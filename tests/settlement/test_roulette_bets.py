"""Every roulette bet of the books is decided from a published outcome alone (``roulette_bets.csv``).

Each row is expanded to its spots (all the splits, all the corners, ...). A first settlement reads only the facts of
the published message. A second knows nothing of facts: it lays the cloth out as a grid and the wheel as a circle.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.games.roulette import number_facts
from dealer_daemon.mqtt.envelope import encode_event

ROWS = list(csv.DictReader(Path(__file__).with_name("roulette_bets.csv").read_text(encoding="utf-8").splitlines()))
Facts = dict[str, Any]
Spot = tuple[str, Callable[[Facts], bool], Callable[[int], bool]]
"""Its name, whether it wins by the facts, and whether it wins by the cloth."""

# The second settlement's own picture of the cloth: twelve streets of three, 0 above them; and the wheel, typed anew.
STREETS = [(row, row + 1, row + 2) for row in range(1, 37, 3)]
CIRCLE = [
    "0",
    "32",
    "15",
    "19",
    "4",
    "21",
    "2",
    "25",
    "17",
    "34",
    "6",
    "27",
    "13",
    "36",
    "11",
    "30",
    "8",
    "23",
    "10",
    "5",
    "24",
    "16",
    "33",
    "1",
    "20",
    "14",
    "31",
    "9",
    "22",
    "18",
    "29",
    "7",
    "28",
    "12",
    "35",
    "3",
    "26",
]
REDS = {"1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"}


def message(number: int, server: list[Facts] | None = None) -> Facts:
    """A published outcome, as a consumer gets it."""
    data = RoundOutcome(
        game="roulette",
        facts=number_facts(str(number)),
        attempts=1,
        evidence=[],
        source="device",
        server=server or [],
    )
    event = Event(table="r1", sequence=1, subject="r1-1", wall_ns=0, mono_ns=0, boot="b", data=data)
    body: Facts = json.loads(encode_event("s", event))
    return body


def of(name: str, numbers: set[int]) -> Spot:
    """A spot that covers numbers."""
    texts = {str(number) for number in numbers}
    return name, lambda facts: facts["number"] in texts, lambda number: number in numbers


def splits() -> Iterator[set[int]]:
    yield from ({0, n} for n in (1, 2, 3))
    for street in STREETS:
        yield from ({street[0], street[1]}, {street[1], street[2]})
    for above, below in itertools.pairwise(STREETS):
        yield from ({a, b} for a, b in zip(above, below, strict=True))


def corners() -> Iterator[set[int]]:
    for above, below in itertools.pairwise(STREETS):
        yield from ({above[i], above[i + 1], below[i], below[i + 1]} for i in (0, 1))


def neighbours(reach: range) -> Iterator[Spot]:
    """The number and its neighbours: by ``pocket_index`` of the facts, against the circle typed here."""
    for middle, text in enumerate(CIRCLE):
        for n in reach:
            covered = {CIRCLE[(middle + step) % 37] for step in range(-n, n + 1)}

            def by_facts(facts: Facts, middle: int = middle, n: int = n) -> bool:
                away = (facts["pocket_index"] - middle) % 37
                return min(away, 37 - away) <= n

            yield f"{text}±{n}", by_facts, lambda number, covered=covered: str(number) in covered


FRENCH = {
    "zero game": "0/3 12/15 32/35 26",
    "voisins du zero": "4/7 12/15 18/21 19/22 32/35 0/2/3 25/26/28/29",
    "orphelins": "6/9 14/17 17/20 31/34 1",
    "tiers": "5/8 10/11 13/16 23/24 27/30 33/36",
}
CHIPS = {"zero game": 4, "voisins du zero": 9, "orphelins": 5, "tiers": 6}
EVEN: dict[str, tuple[str, Any, Callable[[int], bool]]] = {
    "red": ("color", "red", lambda n: str(n) in REDS),
    "black": ("color", "black", lambda n: n != 0 and str(n) not in REDS),
    "odd": ("parity", "odd", lambda n: n % 2 == 1),
    "even": ("parity", "even", lambda n: n != 0 and n % 2 == 0),
    "low": ("range", "low", lambda n: n in range(1, 19)),
    "high": ("range", "high", lambda n: n in range(19, 37)),
}


def spots(row: dict[str, str]) -> list[Spot]:
    """All spots of a row."""
    bet = row["bet_en"]
    if bet in EVEN:
        key, value, by_cloth = EVEN[bet]
        return [(bet, lambda facts: facts[key] == value, by_cloth)]
    if bet.startswith("straight up"):
        return [of(str(n), {n}) for n in range(37)]
    if bet == "split":
        return [of("/".join(map(str, sorted(pair))), pair) for pair in splits()]
    if bet == "street":
        return [of(f"street {street[0]}", set(street)) for street in STREETS]
    if bet == "corner":
        return [of("/".join(map(str, sorted(four))), four) for four in corners()]
    if bet == "six line":
        pairs = itertools.pairwise(STREETS)
        return [of(f"line {above[0]}", {*above, *below}) for above, below in pairs]
    if bet.startswith("trio"):
        return [of(bet, {int(n) for n in bet.removeprefix("trio ").split("-")})]
    if bet == "first four":
        return [of(bet, {0, 1, 2, 3})]
    if bet.startswith("column"):
        column = int(bet[-1])
        return [(bet, lambda facts: facts["column"] == column, lambda n: n in {s[column - 1] for s in STREETS})]
    if bet.startswith("dozen"):
        first = int(bet.split()[1].split("-")[0])
        return [(bet, lambda f: f["dozen"] == first // 12 + 1, lambda n: n in range(first, first + 12))]
    if bet in FRENCH:
        return [of(part, set(map(int, part.split("/")))) for part in FRENCH[bet].split()]
    if bet == "neighbours":
        return list(neighbours(range(1, 6) if "1 to 5" in row["when_it_wins"] else range(2, 3)))
    raise AssertionError(f"the test does not know the bet {bet!r}: a row was added")


@pytest.mark.parametrize("row", ROWS, ids=[f"{r['book']}-{r['game']}-{r['bet_en']}".replace(" ", "-") for r in ROWS])
def test_the_facts_decide_every_spot_as_the_cloth_does(row: dict[str, str]) -> None:
    found = spots(row)
    if row["bet_en"] not in FRENCH:
        assert len(found) == int(row["spots"])
    outcomes = [message(number) for number in range(37)]
    for name, by_facts, by_cloth in found:
        for number, outcome in enumerate(outcomes):
            assert by_facts(outcome["data"]["facts"]) == by_cloth(number), (name, number)


def test_the_book_lists_every_bet_once() -> None:
    assert len(ROWS) == 23 + 25 + 25 + 25
    assert len({(row["book"], row["game"], row["bet_en"], row["payouts"]) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("bet", FRENCH)
def test_french_bets_lay_their_chips_on_spots_that_exist(bet: str) -> None:
    known = {frozenset(pair) for pair in splits()} | {frozenset(four) for four in corners()} | {frozenset({0, 2, 3})}
    parts = [frozenset(map(int, part.split("/"))) for part in FRENCH[bet].split()]
    assert all(len(part) == 1 or part in known for part in parts)
    doubled = {frozenset({0, 2, 3}), frozenset({25, 26, 28, 29})}
    assert sum(2 if part in doubled else 1 for part in parts) == CHIPS[bet]


def test_the_example_of_the_book_18_and_its_neighbours() -> None:
    """003 prints 7 9 22 18 29 for 18 and two neighbours."""
    (by_facts,) = [spot for name, spot, _ in neighbours(range(2, 3)) if name == "18±2"]
    assert {n for n in range(37) if by_facts(number_facts(str(n)))} == {7, 9, 22, 18, 29}


def test_lucky_numbers_come_back_with_the_outcome() -> None:
    """The fortune wheel's multipliers are the server's: one message holds all that settles the round."""
    body = message(17, [{"lucky": {"17": 299}}])["data"]
    assert body["server"][0]["lucky"][body["facts"]["number"]] == 299


def test_the_house_edge_of_every_even_bet_is_one_in_thirty_seven() -> None:
    for bet in EVEN:
        (spot,) = spots({"bet_en": bet})
        wins = sum(spot[1](number_facts(str(n))) for n in range(37))
        assert Fraction(wins * 2, 37) - 1 == Fraction(-1, 37)
