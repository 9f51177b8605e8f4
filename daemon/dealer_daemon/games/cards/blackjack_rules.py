"""Blackjack by book (``games.md`` §4): what each table's rules are, and what a hand is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import msgspec

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import CardSettings
from dealer_daemon.games.cards.three_ranks import rank_three

RulesName: TypeAlias = Literal["classic-001", "classic-003", "infinite-001", "free-bet-001", "switch-001"]


class Settings(CardSettings, frozen=True, kw_only=True):
    """``rules``: kind of table and book. ``seats``: how many the table has. There are no gates: a round waits for
    ``card.expect``, whoever opened it."""

    rules: RulesName = "classic-001"
    seats: Annotated[int, msgspec.Meta(ge=1, le=9)] = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One column of the table in ``games.md`` §4. The defaults are classic 001."""

    decks: int = 8
    composition: Literal["shoe", "round"] = "shoe"
    community: bool = False
    """One start shared by all, then one line of cards (infinite)."""
    hole: bool = False
    """Dealer's second card lies face down from the first deal; either way it is read after the decisions."""
    hands_per_seat: int = 1
    split_by_rank: bool = False
    """Split a real pair only; else equal value, where T J Q K are equal."""
    never_split: frozenset[str] = frozenset()
    """Ranks whose pairs stay together, where pairs go by rank."""
    splits: int = 1
    """For each hand of the first deal, its split hands together."""
    split_aces_one_card: bool = True
    double_after_split: bool = False
    free_double: bool = False
    """Hard 9, 10 or 11 without an ace may double for nothing."""
    most_cards: int | None = 8
    dealer_most_cards: int | None = 8
    hits_soft_17: bool = False
    stops_when_decided: bool = False
    """No card to the dealer after the second when every hand is bust or a blackjack."""


RULES: dict[RulesName, Rules] = {
    "classic-001": Rules(),
    "classic-003": Rules(hole=True, most_cards=None, dealer_most_cards=None, stops_when_decided=True),
    "infinite-001": Rules(decks=6, composition="round", community=True, hole=True, dealer_most_cards=None),
    "free-bet-001": Rules(
        split_by_rank=True,
        never_split=frozenset("TJQK5"),
        splits=3,
        split_aces_one_card=False,
        double_after_split=True,
        free_double=True,
        hits_soft_17=True,
    ),
    "switch-001": Rules(hands_per_seat=2, hits_soft_17=True),
}


def total(cards: Iterable[Card]) -> tuple[int, bool]:
    """The hand's total and whether it is soft: an ace counts 11 as long as that does not bust the hand."""
    points, ace = 0, False
    for card in cards:
        points += card.points
        ace = ace or card.rank == "A"
    return (points + 10, True) if ace and points <= 11 else (points, False)


def dealer_draws(rules: Rules, cards: Sequence[Card]) -> bool:
    """Whether the dealer takes another card to these two or more."""
    if rules.dealer_most_cards is not None and len(cards) >= rules.dealer_most_cards:
        return False
    points, soft = total(cards)
    return points < 17 or (points == 17 and soft and rules.hits_soft_17)


def may_split_cards(rules: Rules, first: Card, second: Card) -> bool:
    """Whether two cards are a pair that this table splits."""
    if rules.split_by_rank:
        return first.rank == second.rank and first.rank not in rules.never_split
    return first.points == second.points


def three_class(cards: Sequence[Card]) -> str | None:
    """21+3 of a seat's first two cards and the dealer's first: ``suited_trips`` (one card three times),
    ``straight_flush``, ``trips``, ``straight``, ``flush`` or None."""
    word = rank_three(cards).word
    if word == "trips" and len({card.suit for card in cards}) == 1:
        return "suited_trips"
    return None if word in ("high", "pair") else word


def match_class(cards: Sequence[Card]) -> str | None:
    """Super match of the first two cards of both hands of a seat: ``four``, ``two_pair``, ``three``, ``pair``, None."""
    shape = sorted(Counter(card.rank for card in cards).values(), reverse=True)
    return {(4,): "four", (2, 2): "two_pair", (3, 1): "three", (2, 1, 1): "pair"}.get(tuple(shape))
