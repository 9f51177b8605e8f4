"""A code as the drawing that is printed: an SVG of black squares or bars, sized in millimetres.

Made from the encoder's own modules, one unit of the drawing each, so that nothing is rounded before the printer.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dealer_drivers.codes.symbology import Symbology

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Modules = npt.NDArray[np.uint8]

PRINTED = (Symbology.CODE128, Symbology.DATAMATRIX)
"""What new decks are printed with (``devices.md`` §3)."""
WIDEST_MM = 57.0
"""What a card of 63 mm has room for, the code's quiet zones included."""
BAR_MM = 0.38
"""The narrowest bar (15 mil), where the code is short enough."""
NARROWEST_BAR_MM = 0.19
"""7.5 mil: below this an office printer's bars run together."""
BARS_HIGH_MM = 15.0
SQUARE_MM = 0.8


class CodeTooLongError(ValueError):
    """The code does not fit on a card in this symbology."""


def draw_code(code: str, symbology: Symbology) -> str:
    """The SVG element of ``code``, quiet zones included. Raises ``CodeTooLongError``."""
    modules = _modules(code, symbology)
    if not symbology.is_matrix:
        modules = modules[:1]
    high, wide = modules.shape
    unit_mm = SQUARE_MM if symbology.is_matrix else min(BAR_MM, WIDEST_MM / wide)
    if wide > WIDEST_MM / (SQUARE_MM if symbology.is_matrix else NARROWEST_BAR_MM):
        raise CodeTooLongError(f"code {code} is too long to be printed on a card as {symbology}")
    high_mm = high * unit_mm if symbology.is_matrix else BARS_HIGH_MM
    return (
        f'<svg viewBox="0 0 {wide} {high}" style="width:{wide * unit_mm:.2f}mm;height:{high_mm:.2f}mm" '
        f'preserveAspectRatio="none" shape-rendering="crispEdges"><path d="{_path(modules)}"/></svg>'
    )


def _modules(code: str, symbology: Symbology) -> Modules:
    import numpy as np
    import zxingcpp

    formats = {
        Symbology.CODE128: zxingcpp.BarcodeFormat.Code128,
        Symbology.DATAMATRIX: zxingcpp.BarcodeFormat.DataMatrix,
    }
    try:
        drawn = zxingcpp.create_barcode(code, formats[symbology])
    except ValueError as error:
        raise CodeTooLongError(f"code {code} cannot be printed as {symbology}: {error}") from error
    return np.array(drawn.to_image(scale=1), np.uint8)


def _path(modules: Modules) -> str:
    """Every run of black modules in every row, as a rectangle."""
    parts = []
    for y, row in enumerate(modules):
        x = 0
        for black, run in groupby(value < 128 for value in row.tolist()):
            length = len(list(run))
            if black:
                parts.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return "".join(parts)
