"""The kinds of bar code that cards are printed with, and what a text of each must be (``devices.md`` §3).

Code 128, Data Matrix and QR carry a check that the reader cannot pass by chance often; Code 39 has none, ITF is any
row of bars, and one digit in ten of EAN and UPC passes by chance. Prefer Data Matrix or Code 128 for new decks.
"""

from __future__ import annotations

from enum import StrEnum


class Symbology(StrEnum):
    """One kind of bar code. A picture is only ever searched for the one that its table uses."""

    CODE128 = "code128"
    CODE39 = "code39"
    ITF = "itf"
    EAN13 = "ean13"
    EAN8 = "ean8"
    UPCA = "upca"
    DATAMATRIX = "datamatrix"
    QRCODE = "qrcode"

    @property
    def is_matrix(self) -> bool:
        """Squares with error correction, and not bars."""
        return self in (Symbology.DATAMATRIX, Symbology.QRCODE)


class Doubt(StrEnum):
    """Why a picture gives no text."""

    NO_PICTURE = "no_picture"
    """The bytes are no picture, or a damaged one."""
    TOO_LARGE = "too_large"
    """More bytes or pixels than any camera of a table gives."""
    NO_CODE = "no_code"
    """No code of the symbology was found."""
    TWO_CODES = "two_codes"
    """Codes with different texts in one picture, or one code that reads as two."""
    READERS_DIFFER = "readers_differ"
    """The two readers, or two ways of preparing the picture, give different texts."""
    UNCONFIRMED = "unconfirmed"
    """Too few ways of reading the picture gave the text: too soft, too small or too dark."""
    EMPTY = "empty"
    """A code of no characters."""
    LENGTH = "length"
    """Another number of characters than the table's codes have, or fewer than noise can pass for."""
    CHECK_DIGIT = "check_digit"
    """The text's own check digit does not fit."""
    NOT_DIGITS = "not_digits"
    """Characters that the symbology does not have, or an odd number of digits in ITF."""


SHORTEST_ITF = 4
"""Any few parallel bars are an ITF of two digits: read off QR codes and off the edges of EAN codes (measured)."""
DIGITS = {Symbology.EAN13: 13, Symbology.EAN8: 8, Symbology.UPCA: 13}
"""A UPC-A is the EAN-13 that begins with 0, and is told as that."""


def doubt_of(text: str, symbology: Symbology, length: int | None = None) -> Doubt | None:
    """What is wrong with ``text`` as one of ``symbology``, of ``length`` characters where that is known."""
    if not text:
        return Doubt.EMPTY
    if length is not None and len(text) != length:
        return Doubt.LENGTH
    if symbology is Symbology.ITF:
        if not _digits(text) or len(text) % 2:
            return Doubt.NOT_DIGITS
        return Doubt.LENGTH if len(text) < SHORTEST_ITF else None
    if symbology in DIGITS:
        if not _digits(text):
            return Doubt.NOT_DIGITS
        if len(text) != DIGITS[symbology] or (symbology is Symbology.UPCA and text[0] != "0"):
            return Doubt.LENGTH
        return None if _checked(text) else Doubt.CHECK_DIGIT
    return None


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _checked(digits: str) -> bool:
    """GS1 General Specifications, check digit: from the right, weights 1, 3, 1, 3 ..., a sum of tens."""
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(reversed(digits))) % 10 == 0
