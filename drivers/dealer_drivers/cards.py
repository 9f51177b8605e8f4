"""How a card is written: rank ``A 2..9 T J Q K``, then suit ``S H C D`` (``games.md`` §3). ``TD``: ten of diamonds."""

from __future__ import annotations

RANKS = "A23456789TJQK"
SUITS = "SHCD"
CARDS_IN_DECK = 52

DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck, by suit and then by rank."""
