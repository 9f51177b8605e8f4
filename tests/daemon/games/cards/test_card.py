from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.games.cards.card import DECK, Card, CardNotationError, composition, pair_kind

ALL_52 = {rank + suit for rank in "A23456789TJQK" for suit in "SHCD"}


def test_a_deck_is_the_52_cards_as_messages_write_them() -> None:
    assert len(DECK) == 52
    assert {str(card) for card in DECK} == ALL_52
    assert all(Card.parse(str(card)) == card for card in DECK)


@given(st.text(max_size=3) | st.text(alphabet="A23456789TJQK10SHCDshcd ", max_size=3))
def test_nothing_else_is_a_card(text: str) -> None:
    if text in ALL_52:
        assert str(Card.parse(text)) == text
    else:
        with pytest.raises(CardNotationError):
            Card.parse(text)


@pytest.mark.parametrize(("rank", "suit"), [("10", "S"), ("23", "S"), ("", "S"), ("A", ""), ("A", "SH"), ("a", "S")])
def test_no_card_is_made_of_other_ranks_or_suits(rank: str, suit: str) -> None:
    with pytest.raises(CardNotationError):
        Card(rank, suit)


def test_a_shoe_of_eight_decks_holds_416_cards() -> None:
    assert sum(composition(8).values()) == 416
    assert set(composition(8).values()) == {8}
    assert sum(composition(1).values()) == 52
    with pytest.raises(ValueError, match="at least one deck"):
        composition(0)


@pytest.mark.parametrize(
    ("two", "kind"),
    [
        ("8S 8S", "perfect"),
        ("8S 8C", "coloured"),
        ("KH KD", "coloured"),
        ("8S 8H", "mixed"),
        ("8D 8C", "mixed"),
        ("TS JS", None),
    ],
)
def test_pairs_are_told_by_rank_then_suit_then_colour(two: str, kind: str | None) -> None:
    first, second = (Card.parse(text) for text in two.split())
    assert pair_kind(first, second) == kind
