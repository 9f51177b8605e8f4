"""Texts that come with their identifier apart, as HID-POS reports and cameras give them."""

from __future__ import annotations

from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable
from dealer_drivers.shoe.card_text import REMEMBERED, CardText, TextRules
from dealer_drivers.shoe.codebook import RANK_SUIT

T0 = Instant(0, 0)


def test_identifier_given_apart() -> None:
    cards = CardText(TextRules(RANK_SUIT, aim_ids=("]C",)))
    read = cards.read(b"8S", T0, b"evidence", aim="]C0")
    assert read == CardRead(at=T0, raw=b"evidence", card="8S", code="8S")
    refused = cards.read(b"8S", T0, b"", aim="]I0")
    assert isinstance(refused, CardUnreadable)
    assert refused.reason == CardTrouble.SYMBOLOGY
    assert "Interleaved 2 of 5" in refused.detail


def test_no_read_in_both_forms() -> None:
    for text in (b"NR", b"]A0NR"):
        for aim in (None, "]A0", "]C0"):
            refused = CardText(TextRules(RANK_SUIT)).read(text, T0, b"", aim=aim)
            assert isinstance(refused, CardUnreadable)
            assert refused.reason == CardTrouble.NO_READ


def test_with_the_identifier_apart_the_text_is_the_code() -> None:
    foreign = CardText(TextRules(RANK_SUIT)).read(b"]C08S", T0, b"", aim="]Q1")
    assert isinstance(foreign, CardForeign)
    assert foreign.code == "]C08S"


def test_evidence_of_what_is_unreadable_is_bounded() -> None:
    refused = CardText(TextRules(RANK_SUIT)).read(b"NR", T0, b"x" * 1000)
    assert refused.raw == b"x" * 256
    noise = CardText(TextRules(RANK_SUIT)).read(b"\xff", T0, b"x" * 1000)
    assert noise.raw == b"x" * 256


def test_memory_for_repeats_is_bounded() -> None:
    cards = CardText(TextRules(RANK_SUIT))
    cards.read(b"8S", T0, b"")
    for number in range(REMEMBERED):
        cards.read(b"X%d" % number, T0, b"")
    again = cards.read(b"8S", T0, b"")
    assert isinstance(again, CardRead)
    assert not again.repeated
