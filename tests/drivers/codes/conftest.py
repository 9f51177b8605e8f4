"""Pictures of printed codes, drawn by zxing-cpp's writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import numpy.typing as npt
import pytest
import zxingcpp

from dealer_drivers.codes.second_reader import SecondReader
from dealer_drivers.codes.symbology import Symbology

Grey = npt.NDArray[np.uint8]
FORMATS = {
    Symbology.CODE128: zxingcpp.BarcodeFormat.Code128,
    Symbology.CODE39: zxingcpp.BarcodeFormat.Code39,
    Symbology.ITF: zxingcpp.BarcodeFormat.ITF,
    Symbology.EAN13: zxingcpp.BarcodeFormat.EAN13,
    Symbology.EAN8: zxingcpp.BarcodeFormat.EAN8,
    Symbology.UPCA: zxingcpp.BarcodeFormat.UPCA,
    Symbology.DATAMATRIX: zxingcpp.BarcodeFormat.DataMatrix,
    Symbology.QRCODE: zxingcpp.BarcodeFormat.QRCode,
}


@pytest.fixture(scope="session")
def printed() -> Callable[..., Grey]:
    def draw(text: str, symbology: Symbology, scale: int = 3) -> Grey:
        """The code on white paper with a margin, slightly soft as a camera sees it."""
        code = np.array(zxingcpp.create_barcode(text, FORMATS[symbology]).to_image(scale=scale), np.uint8)
        paper = cv2.copyMakeBorder(code, 20, 20, 20, 20, cv2.BORDER_CONSTANT, value=255)
        return cv2.GaussianBlur(paper, (0, 0), 0.8).astype(np.uint8)

    return draw


@pytest.fixture
def zbar() -> Iterator[SecondReader]:
    with SecondReader() as reader:
        yield reader
