"""What is printed on the cards, and the code book that says so to a station.

The book is the documented TOML: ``codebook``, ``kind``, ``deck_set``, ``decks``, ``cards`` as rows of code, card, deck
and serial (a rank-suit book: code and card), ``others`` as rows of code and what it is.
"""

from __future__ import annotations

import json
from random import Random
from typing import Literal

from hw_sim.shoe.cards import Card, full_set

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without 0, 1, I, L and O, which people mix up."""
LENGTH = 8

CodeKind = Literal["rank-suit", "rank-suit-book", "unit"]


class Codes:
    """``rank-suit``: the code is the card, ``8S``, and the cut card has none; ``rank-suit-book``: a code for each of
    the 52; ``unit``: a code for each physical card. The same set has the same codes in every run. ``exchanged``: two
    cards that the book has in each other's place."""

    def __init__(self, kind: CodeKind, deck_set: str, decks: int, exchanged: tuple[str, str] | None = None) -> None:
        self.kind = kind
        one, other = exchanged or ("", "")
        self._named = {one: other, other: one} if exchanged else {}
        self._deck_set = deck_set
        self._decks = decks
        draw = Random(f"codes of {deck_set}")
        fresh = iter(_distinct(draw, 52 * decks + 4))
        cards = full_set(decks if kind == "unit" else 1)
        self._codes = {self._key(card): card.text if kind == "rank-suit" else next(fresh) for card in cards}
        self._cards = cards
        self.cut = None if kind == "rank-suit" else next(fresh)
        self.joker, self.advert, self._foreign = next(fresh), next(fresh), next(fresh)

    def _key(self, card: Card) -> tuple[str, int]:
        return (card.text, card.serial if self.kind == "unit" else 0)

    def code(self, card: Card) -> str:
        """What is printed on the card."""
        return self._codes[self._key(card)]

    def foreign(self, rng: Random) -> str:
        """A code that no card of this set has: another set's, a joker's or an advertising card's."""
        return rng.choice((self._foreign, self.joker, self.advert))

    def book(self) -> str | None:
        """The code book's text; ``None`` for the built-in one."""
        if self.kind == "rank-suit":
            return None
        unit = self.kind == "unit"
        lines = ["codebook = 1", f"kind = {_text('unit-coded' if unit else 'rank-suit')}"]
        lines.append(f"deck_set = {_text(self._deck_set)}")
        if unit:
            lines.append(f"decks = {self._decks}")
        lines.append("cards = [")
        for card in self._cards:
            row = [
                self.code(card),
                self._named.get(card.text, card.text),
                *((str(card.deck), str(card.serial)) if unit else ()),
            ]
            lines.append(f"  [{', '.join(map(_text, row))}],")
        lines += ["]", "others = ["]
        others = {self.cut: "cut", self.joker: "joker", self.advert: "advert"}
        lines += [f"  [{_text(code)}, {_text(what)}]," for code, what in others.items() if code is not None]
        return "\n".join([*lines, "]", ""])


def _distinct(draw: Random, count: int) -> list[str]:
    codes: dict[str, None] = {}
    while len(codes) < count:
        codes["".join(draw.choices(LETTERS, k=LENGTH))] = None
    return list(codes)


def _text(text: str) -> str:
    # A JSON text of plain ASCII is a TOML text.
    return json.dumps(text)
