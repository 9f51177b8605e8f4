"""Physical cards: whole sets, shuffles that a seed repeats, and what the dealer may do to a shoe."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hw_sim.shoe.cards import RANKS, SUITS, Stock, full_set, is_card


def drawn(stock: Stock) -> list[str]:
    return [stock.draw().text for _ in range(len(stock))]


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_a_set_has_each_card_once_a_deck_and_each_piece_once(decks: int) -> None:
    cards = full_set(decks)
    assert Counter(card.text for card in cards) == {rank + suit: decks for rank in RANKS for suit in SUITS}
    assert sorted(card.serial for card in cards) == list(range(1, 52 * decks + 1))
    assert Counter(card.deck for card in cards) == dict.fromkeys(range(1, decks + 1), 52)


def test_what_is_a_card() -> None:
    assert [text for text in ("8S", "TD", "10D", "1S", "8X", "8", "") if is_card(text)] == ["8S", "TD"]


def test_a_seed_repeats_its_shuffle_and_another_one_does_not() -> None:
    one, again, other = (drawn(Stock(Random(seed), 8, 14)) for seed in (1, 1, 2))
    assert one == again != other
    assert sorted(one) == sorted(other)


def test_the_cut_card_is_due_so_many_from_the_end() -> None:
    stock = Stock(Random(1), 1, 14)
    dealt = 0
    while not stock.cut_due():
        stock.draw()
        dealt += 1
    assert dealt == 52 - 14
    stock.cut_shown = True
    assert not stock.cut_due()


def test_cards_on_top_are_pieces_of_the_set() -> None:
    stock = Stock(Random(1), 2, 14, ("8S", "8S", "KD"))
    first = [stock.draw() for _ in range(3)]
    assert [card.text for card in first] == ["8S", "8S", "KD"]
    assert len({card.serial for card in first}) == 3
    assert Counter([*drawn(stock), "8S", "8S", "KD"]) == Counter(card.text for card in full_set(2))


def test_an_equal_card_of_another_deck_is_brought_until_there_is_none() -> None:
    stock = Stock(Random(1), 2, 14)
    card = stock.draw()
    assert stock.holds(card.text)
    assert stock.bring_equal(card)
    other = stock.draw()
    assert (other.text, other.serial != card.serial) == (card.text, True)
    assert not stock.holds(card.text)
    assert not stock.bring_equal(card)
