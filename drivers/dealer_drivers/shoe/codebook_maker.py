"""Makes unit-coded code books for new decks, to be printed as Code 128 or Data Matrix (``devices.md`` §3).

A code is the deck set's prefix, drawn characters and a check character, all of one length. Any two codes of
a book differ in at least three places: one misread character is always noticed, two never make another card.
Codes say nothing about their card or its place in the deck.
"""

from __future__ import annotations

import random

from dealer_drivers.cards import DECK
from dealer_drivers.readings.shoe import CardUnit, ForeignKind
from dealer_drivers.shoe.check_character import ALPHABET, check_character
from dealer_drivers.shoe.codebook import BookKind, CodeBook, Foreign, KnownCard, KnownCut
from dealer_drivers.shoe.codebook_check import MAX_DECKS

DRAWN = 5
"""Drawn characters: 31^5 codes, of which a set of eight decks uses one in 68,000."""
DISTANCE = 3
MAX_PREFIX = 6
MOST_OTHERS = 99
"""Cut cards, jokers or advertising cards of a set, of each kind. An assumption of ours: no set has a tenth of it."""


def make_codebook(
    *, decks: int, deck_set: str, prefix: str, seed: str, cut_cards: int = 1, jokers: int = 0, adverts: int = 0
) -> CodeBook:
    """A new book. The same arguments give the same book; sets with different prefixes never share a code.

    Raises ``ValueError`` for arguments that cannot be.
    """
    if not 1 <= decks <= MAX_DECKS:
        raise ValueError(f"decks must be 1 to {MAX_DECKS}, not {decks}")
    if len(prefix) > MAX_PREFIX or not all(character in ALPHABET for character in prefix):
        raise ValueError(f"prefix {prefix!r} must be at most {MAX_PREFIX} characters of {ALPHABET}")
    if not deck_set or not deck_set.isprintable():
        raise ValueError("deck_set must name the deck set")
    if min(cut_cards, jokers, adverts) < 0:
        raise ValueError("there cannot be fewer than no cards")
    if max(cut_cards, jokers, adverts) > MOST_OTHERS:
        raise ValueError(f"a set has at most {MOST_OTHERS} cut cards, jokers and advertising cards each")
    others = [KnownCut()] * cut_cards + [Foreign(ForeignKind.JOKER)] * jokers + [Foreign(ForeignKind.ADVERT)] * adverts
    codes = iter(_codes(len(DECK) * decks + len(others), prefix, random.Random(seed)))
    digits = len(str(len(DECK) * decks))
    cards = {}
    for deck in range(decks):
        for place, card in enumerate(DECK, len(DECK) * deck + 1):
            cards[next(codes)] = KnownCard(card, CardUnit(deck_set, str(deck + 1), f"{place:0{digits}d}"))
    return CodeBook(
        kind=BookKind.UNIT_CODED,
        deck_set=deck_set,
        decks=decks,
        cards=cards,
        others={next(codes): other for other in others},
        checked=True,
    )


def _codes(count: int, prefix: str, draw: random.Random) -> list[str]:
    codes: list[str] = []
    while len(codes) < count:
        body = prefix + "".join(draw.choices(ALPHABET, k=DRAWN))
        code = body + check_character(body)
        if all(_differences(code, other) >= DISTANCE for other in codes):
            codes.append(code)
    return codes


def _differences(code: str, other: str) -> int:
    return sum(one != two for one, two in zip(code, other, strict=True))
