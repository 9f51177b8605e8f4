"""A card window as a reader: what passes is printed cards before a camera, and the camera says nothing else.

What a window cannot show is a card of which no code is in sight: such a pass is a ``skipped_card``, and the dealer,
who sees that the screen took none, passes the card again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from hw_sim.shoe.card_window import CardWindow, Pass, Symbology
from hw_sim.shoe.cards import Card
from hw_sim.shoe.codes import Codes
from hw_sim.shoe.faults import CardFault, Expect
from hw_sim.shoe.reader import Reader
from hw_sim.shoe.scanner import EXPECT

if TYPE_CHECKING:
    from hw_sim.mjpeg import Paint

AGAIN_S = 0.65
"""From a card's leaving to its coming back by mistake: out of sight, and soon enough to be the same pass."""
APART = 0.9
"""Lanes of two cards that are shown at once."""


class WindowReader(Reader):
    """The window. ``seed`` is of the pictures' own noise; ``book_name`` as a scanner's."""

    driver = "barcode-camera"
    model = "card-window"
    redraws = True

    def __init__(
        self, rng: Random, codes: Codes, *, symbology: Symbology, seed: int, rest_s: tuple[float, float], book_name: str
    ) -> None:
        self._rng = rng
        self._codes = codes
        self._symbology: Symbology = symbology
        self._seed = seed
        self._rest_s = rest_s
        self._book_name = book_name
        self._passes: list[Pass] = []
        self._number = 0
        self._foreign: str | None = None
        self.tells_units = codes.kind == "unit"

    def picture(self, now_s: float) -> Paint:
        """What the camera sees now, to be drawn later."""
        self._passes = [each for each in self._passes if each.end_s > now_s]
        return partial(CardWindow(self._passes, self._symbology, self._seed).picture, now_s)

    def expects(self, fault: CardFault) -> Expect:
        return EXPECT.get(fault, Expect.ACCEPT)

    def files(self) -> Mapping[str, str]:
        book = self._codes.book()
        return {} if book is None else {self._book_name: book}

    def next_s(self) -> float:
        return math.inf

    def due(self, now_s: float) -> bytes:  # noqa: ARG002
        return b""

    def _pass(self, start_s: float, code: str, *, lane: float = 0.0, smudged: bool = False) -> Pass:
        self._number += 1
        rest_s = self._rng.uniform(*self._rest_s)
        each = Pass(code, start_s, rest_s, lane=lane, smudged=smudged, number=self._number)
        self._passes.append(each)
        return each

    def card(self, now_s: float, position: str, card: Card, fault: CardFault | None = None) -> None:  # noqa: ARG002
        self._foreign = None
        code = self._codes.code(card)
        each = self._pass(now_s, code, smudged=fault is CardFault.SKIPPED_CARD)
        if fault is CardFault.DOUBLE_SCAN:
            self._pass(each.end_s + AGAIN_S, code)

    def unread(self, now_s: float, card: Card, fault: CardFault) -> None:
        if fault in (CardFault.FOREIGN, CardFault.FOREIGN_AGAIN):
            self._foreign = self._foreign or self._codes.foreign(self._rng)
            self._pass(now_s, self._foreign)
            return
        # Two cards at once: each could be the one.
        self._pass(now_s, self._codes.code(card), lane=-APART)
        self._pass(now_s, self._codes.foreign(self._rng), lane=APART)

    def extra(self, now_s: float, card: Card) -> None:
        self.card(now_s, "", card)

    def cut_card(self, now_s: float) -> None:
        if self._codes.cut is not None:
            self._pass(now_s, self._codes.cut)

    def restart(self, now_s: float) -> None:  # noqa: ARG002
        self._foreign = None
