"""Niu Niu (001, 002, 003): a head card, then five cards each to banker and three players."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from dealer_daemon.games.cards.card import FACES, Card, texts
from dealer_daemon.games.cards.procedure import (
    CardDue,
    DealtSettings,
    Early,
    Facts,
    History,
    PlannedProcedure,
    Procedure,
    card_at,
    cards_of,
    hand_positions,
    text_at,
)

GAME_NAME = "niu-niu"

SEATS = ("banker", "p1", "p2", "p3")

RANK_WORDS = ("no_bull", *(f"bull_{n}" for n in range(1, 10)), "bull_bull", "five_faces")
"""Lowest first."""

_SUIT_ORDER = "DCHS"


class Settings(DealtSettings, frozen=True, kw_only=True):
    """``order``: ``deal`` reads hands as dealt by the head card (002), ``open`` banker, p1, p2, p3 (003)."""

    order: Literal["deal", "open"] = "deal"


def dealt_order(head: Card) -> tuple[str, ...]:
    """Who is dealt first, by the head card: A 5 9 K banker; 2 6 T p1; 3 7 J p2; 4 8 Q p3."""
    start = (head.number - 1) % 4
    return SEATS[start:] + SEATS[:start]


def best_split(cards: list[Card]) -> tuple[list[Card], list[Card]] | None:
    """Three cards that sum to a multiple of ten and the other two; None where there are none.

    Every such split of a hand gives the same bull (the whole sum's last digit); the first in dealt order is taken.
    """
    for chosen in combinations(range(5), 3):
        if sum(cards[i].points for i in chosen) % 10 == 0:
            return [cards[i] for i in chosen], [cards[i] for i in range(5) if i not in chosen]
    return None


def rank_word(cards: list[Card]) -> str:
    """The rank of five cards, one of ``RANK_WORDS``."""
    if all(card.rank in FACES for card in cards):
        return "five_faces"
    split = best_split(cards)
    if split is None:
        return "no_bull"
    bull = sum(card.points for card in split[1]) % 10
    return f"bull_{bull}" if bull else "bull_bull"


def highest(cards: list[Card]) -> Card:
    """The card that decides between equal ranks: K high to A low, then spades, hearts, clubs, diamonds."""
    return max(cards, key=_card_order)


def _card_order(card: Card) -> tuple[int, int]:
    return card.number, _SUIT_ORDER.index(card.suit)


def _strength(cards: list[Card]) -> tuple[int, tuple[int, int]]:
    return RANK_WORDS.index(rank_word(cards)), _card_order(highest(cards))


class NiuNiu(PlannedProcedure):
    """Positions ``head``, then ``banker.1`` … ``p3.5``."""

    game = GAME_NAME

    def __init__(self, settings: Settings) -> None:
        self._early = Early(settings.early)
        self._as_dealt = settings.order == "deal"

    def plan(self, history: History) -> list[CardDue]:
        plan = [CardDue("head", Early.ALLOW)]
        head = card_at(history, "head")
        if head is not None:
            for seat in dealt_order(head) if self._as_dealt else SEATS:
                plan += hand_positions(seat, 5, self._early)
        return plan

    def seen(self, history: History) -> Facts:
        head = card_at(history, "head")
        return {
            "head": text_at(history, "head"),
            "order": list(dealt_order(head)) if head else None,
            "hands": {seat: _hand(cards_of(history, seat)) for seat in SEATS},
        }

    def _facts(self, history: History) -> Facts:
        banker = _strength(cards_of(history, "banker"))
        winners = {p: "player" if _strength(cards_of(history, p)) > banker else "banker" for p in SEATS[1:]}
        return {**self.seen(history), "winners": winners}


def _hand(cards: list[Card]) -> Facts:
    """A seat's facts; ``rank`` and what follows from it are None before there are five cards."""
    whole = len(cards) == 5
    split = best_split(cards) if whole else None
    return {
        "cards": texts(cards),
        "rank": rank_word(cards) if whole else None,
        "three": texts(split[0]) if split else None,
        "two": texts(split[1]) if split else None,
        "highest": str(highest(cards)) if whole else None,
    }


def make(settings: Settings) -> Procedure:
    """The procedure of one niu niu table."""
    return NiuNiu(settings)
