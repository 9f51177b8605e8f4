"""What the books' settlement knows of cards; written from the books, apart from the station's own."""

from __future__ import annotations

from settlement.result import LOSE, Result, win

NUMBER = {rank: n for n, rank in enumerate("A23456789TJQK", 1)}


def won_if(holds: bool, odds: str | None) -> Result:
    return win(odds) if holds else LOSE


def points(cards: list[str]) -> int:
    """The last digit of the sum, ace 1, ten and faces 0."""
    return sum(min(NUMBER[card[0]], 10) for card in cards) % 10


def pair_name(hand: list[str]) -> str:
    """完美, 同色 or 混色; empty where the first two are no pair."""
    (rank, suit), (other_rank, other_suit) = hand[0], hand[1]
    if rank != other_rank:
        return ""
    return "完美" if suit == other_suit else "同色" if {suit, other_suit} in ({"S", "C"}, {"H", "D"}) else "混色"
