"""Every sic bo bet of the books is decided from a published outcome alone (``dice_bets.csv``).

Each row is expanded to its spots (all doubles, all combinations, ...), and each spot is settled for all 216 throws:
once from the facts of the published message, and once from the raw dice by a settlement that knows nothing of facts,
and whose odds are typed from the books.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.mqtt.envelope import encode_event

ROWS = list(csv.DictReader(Path(__file__).with_name("dice_bets.csv").read_text(encoding="utf-8").splitlines()))
THROWS = list(itertools.product(range(1, 7), repeat=3))
Facts = dict[str, Any]
Throw = tuple[int, int, int]
Spot = tuple[str, Callable[[Facts], int], Callable[[Throw], int]]
"""Its name, and what one chip wins by the facts and by the dice; 0 is a lost one."""

# The second settlement's odds, from the books' own pages; a row of a table is the odds of sums 4 to 17.
SUMS = {
    "001": [50, 18, 14, 12, 8, 6, 6, 6, 6, 8, 12, 14, 18, 50],
    "002": [60, 30, 18, 12, 8, 6, 6, 6, 6, 8, 12, 18, 30, 60],
    "003": [50, 18, 14, 12, 8, 6, 6, 6, 6, 8, 12, 14, 18, 50],
}
TRIPLE = {"001": 150, "002": 180, "003": 150}
ANY_TRIPLE = {"001": 24, "002": 30, "003": 24}
DOUBLE = {"001": 8, "002": 10, "003": 8}
# Fortune sic bo: what a sum pays when it is not the round's lucky number, of sums 3 to 18 (002).
FORTUNE = [149, 49, 24, 14, 9, 6, 5, 4, 4, 5, 6, 9, 14, 24, 49, 149]


def message(throw: Throw, server: list[Facts] | None = None) -> Facts:
    """A published outcome, as a consumer gets it."""
    data = RoundOutcome(
        game="sic-bo", facts=dice_facts(throw), attempts=1, evidence=[], source="device", server=server or []
    )
    event = Event(table="s1", sequence=1, subject="s1-1", wall_ns=0, mono_ns=0, boot="b", data=data)
    body: Facts = json.loads(encode_event("s", event))
    return body


OUTCOMES = [(throw, message(throw)["data"]["facts"]) for throw in THROWS]


def odds(row: dict[str, str]) -> int:
    """The one price of a bet; of a fortune bet the lower end, which it pays without luck."""
    return int(row["payouts"].removeprefix("1:").split("-")[0])


def even(row: dict[str, str]) -> Spot:
    bet = row["bet_en"]
    key = "size" if bet in ("big", "small") else "parity"

    def by_dice(throw: Throw) -> int:
        a, b, c = throw
        if a == b == c:
            return 0
        low = a + b + c in range(4, 11)
        odd = (a + b + c) % 2 == 1
        return int({"small": low, "big": not low, "odd": odd, "even": not odd}[bet])

    return bet, lambda facts: odds(row) * (facts[key] == bet), by_dice


def total(row: dict[str, str]) -> Spot:
    sum_ = int(row["bet_en"].removeprefix("sum "))
    price = FORTUNE[sum_ - 3] if row["game"] == "sic-bo-fortune" else SUMS[row["book"]][sum_ - 4]
    return row["bet_en"], lambda facts: odds(row) * (facts["sum"] == sum_), lambda throw: price * (sum(throw) == sum_)


def chosen(row: dict[str, str]) -> list[Spot]:
    """Bets on one of the six values."""
    bet, book = row["bet_en"], row["book"]
    spots: list[Spot] = []
    for value in range(1, 7):
        if bet == "chosen triple":
            spots.append(
                (
                    f"triple {value}",
                    lambda facts, value=value: odds(row) * (facts["triple_value"] == value),
                    lambda throw, value=value: TRIPLE[book] * (throw == (value, value, value)),
                )
            )
        elif bet == "chosen double":
            spots.append(
                (
                    f"double {value}",
                    lambda facts, value=value: odds(row) * (value in facts["pairs"]),
                    lambda throw, value=value: DOUBLE[book] * (throw.count(value) >= 2),
                )
            )
        else:
            prices = [0, *(int(part.split()[0].removeprefix("1:")) for part in row["payouts"].split(", "))]
            spots.append(
                (
                    f"single {value}",
                    lambda facts, value=value, prices=prices: prices[facts["counts"][str(value)]],
                    lambda throw, value=value: throw.count(value),
                )
            )
    return spots


def spots(row: dict[str, str]) -> list[Spot]:
    """All spots of a row."""
    bet = row["bet_en"]
    if bet in ("big", "small", "odd", "even"):
        return [even(row)]
    if bet.startswith("sum "):
        return [total(row)]
    if bet in ("chosen triple", "chosen double", "single value"):
        return chosen(row)
    if bet == "any triple":
        price = ANY_TRIPLE[row["book"]]
        return [(bet, lambda facts: odds(row) * facts["triple"], lambda throw: price * (len(set(throw)) == 1))]
    if bet == "two-dice combination":
        return [
            (
                f"{a}+{b}",
                lambda facts, a=a, b=b: odds(row) * ([a, b] in facts["combinations"]),
                lambda throw, a=a, b=b: 5 * (a in throw and b in throw),
            )
            for a, b in itertools.combinations(range(1, 7), 2)
        ]
    if bet == "three of four":
        return [
            (
                str(four),
                lambda facts, four=four: odds(row) * (list(four) in facts["four_groups"]),
                lambda throw, four=four: 7 * (sum(value in throw for value in four) == 3),
            )
            for four in itertools.combinations(range(1, 7), 4)
        ]
    raise AssertionError(f"the test does not know the bet {bet!r}: a row was added")


@pytest.mark.parametrize("row", ROWS, ids=[f"{r['book']}-{r['game']}-{r['bet_en']}".replace(" ", "-") for r in ROWS])
def test_the_facts_settle_every_spot_as_the_dice_do(row: dict[str, str]) -> None:
    found = spots(row)
    assert len(found) == int(row["spots"])
    for name, by_facts, by_dice in found:
        wins = 0
        for throw, facts in OUTCOMES:
            paid = by_facts(facts)
            assert paid == by_dice(throw), (name, throw)
            wins += paid > 0
        assert 0 < wins < len(THROWS), name


def test_the_books_list_every_bet_once() -> None:
    assert len(ROWS) == 24 + 23 + 16 + 23
    assert len({(row["book"], row["game"], row["bet_en"]) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", [row for row in ROWS if row["game"] == "sic-bo"], ids=lambda row: row["book"])
def test_no_spot_gives_the_player_an_edge(row: dict[str, str]) -> None:
    """A price or a rule that was mistyped shows here."""
    for name, by_facts, _ in spots(row):
        chips = sum((1 + paid) if paid else 0 for paid in (by_facts(facts) for _, facts in OUTCOMES))
        assert Fraction(1, 2) < Fraction(chips, len(THROWS)) < 1, name


def test_the_house_edge_of_big_and_small_is_that_of_the_triples() -> None:
    for bet in ("big", "small", "odd", "even"):
        (row,) = [row for row in ROWS if row["book"] == "001" and row["bet_en"] == bet]
        wins = sum(spots(row)[0][1](facts) for _, facts in OUTCOMES)
        assert 2 * Fraction(wins, 216) - 1 == Fraction(-6, 216)


def test_lucky_numbers_come_back_with_the_outcome() -> None:
    """The fortune game's multipliers are the server's: one message holds all that settles the round."""
    body = message((1, 2, 4), [{"lucky": {"7": 99}}])["data"]
    assert body["server"][0]["lucky"][str(body["facts"]["sum"])] == 99
