"""What a card window's camera makes of each picture, drawn on it: for turning the lens, the lamp and the camera until
every picture is read. Pure, but for the second reader that is handed in."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np

from dealer_calibration.cameras.figures import Bgr, Figures, figures_of
from dealer_calibration.cameras.words_on import GREEN, RED, WHITE, YELLOW, Tint, banner, said_of
from dealer_drivers.codes.decode import Decoded, Witness, decode
from dealer_drivers.codes.symbology import Doubt
from dealer_drivers.shoe.barcode_camera import BarcodeCameraOptions
from dealer_drivers.shoe.codebook import KnownCard

LAST = 50
"""Pictures that the share is of: five seconds at the pace of the live view."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture with what was read on it. ``code``: the one code, ``None`` where there is none or it is refused;
    ``card``: which card that is, ``None`` where the code book has no such code. ``read_share``: the part of the newest
    ``of`` pictures whose code was read."""

    picture: Bgr
    code: str | None
    card: str | None
    reasons: tuple[str, ...]
    read_share: float
    of: int
    figures: Figures

    def as_json(self) -> dict[str, object]:
        """For the page, and for ``--json``."""
        return {
            "code": self.code,
            "card": self.card,
            "reasons": list(self.reasons),
            "read_share": round(self.read_share, 2),
            "of": self.of,
            **self.figures.as_json(),
        }


class Window:
    """Pictures of the window in order; each is read as the station would read it, a card that moves or not."""

    def __init__(self, options: BarcodeCameraOptions, second: Witness | None) -> None:
        self._options = options
        self._book = options.load_book()
        self._second = second
        self._read: deque[bool] = deque(maxlen=LAST)

    def drawn(self, picture: Bgr) -> Shown:
        """The next picture."""
        grey, options = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), self._options
        answer = decode(grey, options.symbology, second=self._second, length=options.code_length, quick=True)
        code = answer.text if isinstance(answer, Decoded) else None
        known = None if code is None else self._book.lookup(code)
        card = known.card if isinstance(known, KnownCard) else None
        reasons = () if isinstance(answer, Decoded) else tuple(map(str, answer.reasons))
        self._read.append(code is not None)
        share, figures = sum(self._read) / len(self._read), figures_of(picture)
        said: tuple[str, Tint]
        if code is None:
            said = (", ".join(reasons), YELLOW if reasons == (str(Doubt.NO_CODE),) else RED)
        else:
            said = (card or f"{ascii(code)[1:-1]}: no card of this code book", RED if card is None else GREEN)
        read = (f"read in {sum(self._read)} of {len(self._read)} pictures", WHITE)
        canvas = banner(picture.copy(), [said, read, (said_of(figures), WHITE)])
        return Shown(canvas, code, card, reasons, share, len(self._read), figures)
