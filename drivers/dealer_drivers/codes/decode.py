"""From a picture to one text, or to why there is none. Pure, but for the second reader that is handed in.

zxing-cpp reads; everything else can only confirm it or contradict it. Nothing is ever chosen between two different
texts: a picture that reads as two things is refused, by whichever preparation and whichever reader that was seen.
Bars must be read in several ways, because one is not enough for them (``devices.md`` §3: ITF 26 wrong of 931).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from dealer_drivers.codes.preparations import View, views
from dealer_drivers.codes.symbology import Doubt, Symbology, doubt_of

if TYPE_CHECKING:
    from dealer_drivers.codes.picture import Grey

Witness = Callable[["Grey", Symbology], "frozenset[str] | None"]
"""A second reader: the texts it sees, or ``None`` where it cannot say."""

UNCHECKED = frozenset({Symbology.CODE39, Symbology.ITF})
"""Their texts carry no check of their own."""
_FULL_ASCII = frozenset({"]A4", "]A5", "]A7"})
"""Code 39 in which pairs stand for one character: zbar gives the pairs, so it cannot be compared."""


def ways_needed(symbology: Symbology) -> int:
    """In how many ways, of five views and the second reader, the text must be seen.

    Measured on 244 photographs and on 1,220 that were made of them, softer, noisier and smaller: with one way bars
    gave no wrong text either, so this is a margin; two ways cost them no more than enlarging gains.
    """
    if symbology.is_matrix:
        return 1
    return 3 if symbology in UNCHECKED else 2


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, as printed: control characters as they are. ``aim`` is the AIM identifier, ``]C0``; ``ways`` in how
    many ways it was read."""

    text: str
    aim: str
    ways: int


@dataclass(frozen=True, slots=True)
class NotRead:
    """No text, and why. ``seen``: the texts that were seen, for a technician; none of them may be used."""

    reasons: tuple[Doubt, ...]
    seen: tuple[str, ...] = ()


def decode(
    picture: Grey,
    symbology: Symbology,
    *,
    second: Witness | None = None,
    length: int | None = None,
    quick: bool = False,
) -> Decoded | NotRead:
    """The one text in ``picture``. ``length``: how many characters the table's codes have, where that is known.

    ``quick``: matrix codes, of which one sight is enough, are looked for in the picture as it is and nowhere else. For
    cameras: the next picture comes at once, and five views of every empty one would keep a processor busy all day.
    """
    ways: dict[str, int] = {}
    aims: dict[str, str] = {}
    for view in islice(views(picture), 1 if quick and symbology.is_matrix else None):
        found = _read(view, symbology)
        aims |= found
        if len(found) > 1:
            return NotRead((Doubt.TWO_CODES,), tuple(sorted(found)))
        for text in found:
            ways[text] = ways.get(text, 0) + 1
        if found and symbology.is_matrix:
            break
    if not ways:
        return NotRead((Doubt.NO_CODE,))
    if len(ways) > 1:
        return NotRead((Doubt.READERS_DIFFER,), tuple(sorted(ways)))
    ((text, count),) = ways.items()
    doubt = doubt_of(text, symbology, length)
    if doubt is not None:
        return NotRead((doubt,), (text,))
    other = None if second is None or not _comparable(text, aims[text]) else second(picture, symbology)
    if other:
        if other != {text}:
            return NotRead((Doubt.READERS_DIFFER,), tuple(sorted({text, *other})))
        count += 1
    if count < ways_needed(symbology):
        return NotRead((Doubt.UNCONFIRMED,), (text,))
    return Decoded(text, aims[text], count)


def _comparable(text: str, aim: str) -> bool:
    """Whether the second reader would give the same characters: it guesses at alphabets beyond ASCII."""
    return text.isascii() and aim not in _FULL_ASCII


def _read(view: View, symbology: Symbology) -> dict[str, str]:
    """Text to AIM identifier of every code that zxing-cpp sees."""
    import zxingcpp

    formats = {
        Symbology.CODE128: zxingcpp.BarcodeFormat.Code128,
        Symbology.CODE39: zxingcpp.BarcodeFormat.Code39,
        Symbology.ITF: zxingcpp.BarcodeFormat.ITF,
        Symbology.EAN13: zxingcpp.BarcodeFormat.EAN13,
        Symbology.EAN8: zxingcpp.BarcodeFormat.EAN8,
        Symbology.UPCA: zxingcpp.BarcodeFormat.UPCA,
        Symbology.DATAMATRIX: zxingcpp.BarcodeFormat.DataMatrix,
        Symbology.QRCODE: zxingcpp.BarcodeFormat.QRCode,
    }
    binarizers = zxingcpp.Binarizer
    found = zxingcpp.read_barcodes(
        view.picture,
        formats=zxingcpp.BarcodeFormats(formats[symbology]),
        text_mode=zxingcpp.TextMode.Plain,
        binarizer=binarizers.GlobalHistogram if view.one_threshold else binarizers.LocalAverage,
    )
    return {each.text: each.symbology_identifier for each in found}
