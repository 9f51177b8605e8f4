"""Photographs of codes through the reading of card windows: no wrong text, and no fewer than one reader alone."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zxingcpp

from dealer_calibration.card_pictures import CardPictures
from dealer_drivers.codes.picture import grey_of_file
from dealer_drivers.codes.symbology import Doubt, Symbology

FORMATS = {
    Symbology.CODE128: ("Code128", zxingcpp.BarcodeFormat.Code128),
    Symbology.CODE39: ("Code39", zxingcpp.BarcodeFormat.Code39),
    Symbology.ITF: ("ITF", zxingcpp.BarcodeFormat.ITF),
    Symbology.EAN13: ("EAN13", zxingcpp.BarcodeFormat.EAN13),
    Symbology.EAN8: ("EAN8", zxingcpp.BarcodeFormat.EAN8),
    Symbology.UPCA: ("UPCA", zxingcpp.BarcodeFormat.UPCA),
    Symbology.DATAMATRIX: ("DataMatrix", zxingcpp.BarcodeFormat.DataMatrix),
    Symbology.QRCODE: ("QRCode", zxingcpp.BarcodeFormat.QRCode),
}


@pytest.fixture(scope="module")
def labels(real_data: Path) -> list[tuple[Path, str, str]]:
    """Picture, symbology (``NONE``: no code in view), text."""
    folder = real_data / "barcodes"
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = [(folder / row["file"], row["symbology"], row["text"]) for row in csv.DictReader(file)]
    assert len(rows) > 200
    return rows


def one_reader(path: Path, symbology: Symbology) -> list[str]:
    """What zxing-cpp by itself reads, as it comes."""
    picture = grey_of_file(path.read_bytes())
    if isinstance(picture, Doubt):
        return []
    found = zxingcpp.read_barcodes(
        np.asarray(picture),
        formats=zxingcpp.BarcodeFormats(FORMATS[symbology][1]),
        text_mode=zxingcpp.TextMode.Plain,
    )
    return [each.text for each in found]


def tally(labels: list[tuple[Path, str, str]], symbology: Symbology, pictures: CardPictures) -> Iterator[str]:
    name = FORMATS[symbology][0]
    for path, kind, text in labels:
        if kind == name:
            read = pictures.judge(path).text
            yield "right" if read == text else "not read" if read is None else f"WRONG {path.name}: {read!r}"
            yield from ["alone"] if one_reader(path, symbology)[:1] == [text] else []
        else:
            read = pictures.judge(path).text
            if read is None:
                continue
            # A UPC-A is an EAN-13 that begins with 0: the same bars, the same text.
            if (symbology, kind) != (Symbology.EAN13, "UPCA") or read != text:
                yield f"WRONG {path.name} ({kind}): {read!r}"


@pytest.mark.parametrize("second", [True, False], ids=["two readers", "one reader"])
@pytest.mark.parametrize("symbology", Symbology)
def test_no_wrong_text_and_as_many_as_one_reader_alone(
    labels: list[tuple[Path, str, str]], symbology: Symbology, second: bool
) -> None:
    with CardPictures(symbology, second=second) as pictures:
        assert not pictures.note
        found = Counter(tally(labels, symbology, pictures))
    total = found["right"] + found["not read"]
    print(f"{symbology}: {found['right']} of {total} right, {found['alone']} by zxing-cpp alone")
    assert total == sum(kind == FORMATS[symbology][0] for _, kind, _ in labels)
    assert not [what for what in found if what.startswith("WRONG")]
    assert found["right"] >= found["alone"] > 0
