"""How a card is written: rank ``A 2..9 T J Q K``, then suit ``S H C D`` (``games.md`` §3). ``TD``: ten of diamonds."""

from __future__ import annotations

import re

RANKS = "A23456789TJQK"
SUITS = "SHCD"
CARDS_IN_DECK = 52

DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck, by suit and then by rank."""

_CARD = rf"(?:[{RANKS}][{SUITS}])"
_ORDER = re.compile(rf"{_CARD}(?:[ ,;:_/-]?{_CARD})+|(?i:{_CARD}(?:[ ,;:_/-]?{_CARD}){{2,}})")


def reads_as_order(text: str) -> bool:
    """Whether the text holds cards in a row: two, or three in small letters, as a set may be called ``2c-3d``."""
    return _ORDER.search(text) is not None
