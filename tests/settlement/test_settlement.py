"""Acceptance of every card outcome: all card bets of the books are decided by the facts alone (``games.md``)."""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from settlement import by_cards, by_facts
from settlement.dealing import play
from settlement.result import Result

_BETS = Path(__file__).with_name("bets.csv")

_ROUNDS = {
    "blackjack-classic": 400,
    "blackjack-infinite": 4000,
    "blackjack-free-bet": 700,
    "blackjack-switch": 250,
    "holdem": 4000,
    "koi": 8000,
    "andar-bahar": 8000,
    "niu-niu": 1000,
}
_OTHERWISE = 2000


@cache
def bets() -> dict[tuple[str, str], list[dict[str, str]]]:
    tables = defaultdict(list)
    with _BETS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tables[row["book"], row["game"]].append(row)
    return dict(tables)


def printed_odds(row: dict[str, str]) -> set[Fraction]:
    """Every price in the payouts column of a bet whose wins pay one of a few printed prices."""
    pays = row["payouts"].split("loses")[0]
    ladder = re.search(r"= (?:1:)?([\d/]+)", pays)
    if ladder:
        return {Fraction(price) for price in ladder[1].split("/")}
    figures = {Fraction(price) for price in re.findall(r"(?:1:|cards )([\d.]+)(?![:\d])", pays)}
    return figures | ({Fraction(1, 2)} if pays.endswith("6 half") else set())


@pytest.mark.parametrize(("book", "game"), bets(), ids=lambda value: value)
def test_every_bet_is_decided_by_the_facts_as_by_the_cards(book: str, game: str) -> None:
    rows = bets()[book, game]
    rng = random.Random(f"{book} {game}")
    seen: dict[str, set[Result]] = defaultdict(set)
    for _ in range(_ROUNDS.get(game, _OTHERWISE)):
        played = play(book, game, rng)
        by_book = by_cards.settle_round(played)
        for row in rows:
            result = by_facts.settle(row, played.facts, played.server)
            assert result == by_book[row["bet_zh"]], (row["bet_zh"], played)
            seen[row["bet_zh"]].add(result)
    for row in rows:
        results = seen[row["bet_zh"]]
        words = {result.word for result in results}
        assert "win" in words, f"{row['bet_zh']} never won: the rounds are too few to say anything"
        assert words & {"lose", "push", "none"}, f"{row['bet_zh']} never failed"
        if not row["bet_en"].startswith(("base bet", "free ", "bet behind", "natural 21", "seven-card win")) and (
            "fortune" not in game
        ):
            paid = {result.net for result in results if result.word == "win" and result.net is not None}
            assert paid == printed_odds(row), row["bet_zh"]


def test_all_card_bets_of_the_books_are_here() -> None:
    assert sum(map(len, bets().values())) == 287
    assert {row["decided_by_facts"] for rows in bets().values() for row in rows} <= {
        "yes",
        "with server data",
        "book unclear",
    }
