"""Somebody at the bench who passes cards through a reader when told, instead of dealing. Pure."""

from __future__ import annotations

from typing import Literal, get_args

from hw_sim.device import UnknownWord
from hw_sim.scripted import Script, Wait
from hw_sim.shoe.cards import Card, full_set
from hw_sim.shoe.dealer import Dealer
from hw_sim.shoe.faults import CardFault

Pile = Literal["sorted", "shuffled"]
WORDS: dict[str, str] = {
    "sorted": "every card passes once, ace to king of spades, hearts, clubs, diamonds, deck after deck",
    "shuffled": "every card passes once, in any order",
}
BURNT_AT_ONCE = 10
"""A shoe takes the cards that pass for burnt ones: after each first card at most so many."""


class BenchDealer(Dealer):
    """Told ``sorted`` or ``shuffled``, passes every card of the shoe once: by suit and rank, deck after deck, or in any
    order. A card of ``options.dirty`` is not read at its first pass; one of ``options.lost`` is not in the pile."""

    _pile: Pile | None = None

    def tell_bench(self, word: str) -> None:
        """Which pile passes next. Raises ``UnknownWord``."""
        piles: dict[str, Pile] = {each: each for each in get_args(Pile)}
        if word not in piles:
            raise UnknownWord(f"who works at the bench does not know {word!r}; there are: {', '.join(piles)}")
        self._pile = piles[word]
        self.wake()

    def _first_script(self) -> Script:
        return self._bench()

    def _bench(self) -> Script:
        while True:
            yield from self._ever(lambda: self._pile is not None)
            pile, self._pile = self._pile, None
            cards = full_set(self.options.all_decks())
            if pile == "shuffled":
                self._rng.shuffle(cards)
            self.shoe += 1
            self.reader.new_shoe(self.now_s)
            for lost in self.options.lost:
                cards.remove(next(card for card in cards if card.text == lost))
            for place, card in enumerate(cards):
                yield from self._pass(card, place)

    def _pass(self, card: Card, place: int) -> Wait:
        yield from self._for(*self.options.card_s)
        if card.text in self.options.dirty:
            self.reader.unread(self.now_s, card, CardFault.UNREADABLE)
            yield from self._for(*self.options.rescan_s)
            self.reader.put_right(self.now_s)
            yield from self._for(0.5, 1.0)
        self.reader.burn(self.now_s, card, place % BURNT_AT_ONCE == 0)
