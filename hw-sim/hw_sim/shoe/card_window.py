"""A card window as its camera sees it: printed cards that slide in, lie for a moment and slide out.

Pictures are a function of time and seed; ``mjpeg.py`` serves them. The codes are drawn by zint (through zxing-cpp's
writer), which shares no code with the readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Grey = npt.NDArray[np.uint8]

Symbology = Literal["code128", "code39", "itf", "datamatrix", "qrcode"]
WIDTH, HEIGHT = 640, 480
CARD_WIDTH, CARD_HEIGHT = 260, 170
"""The strip of the card that shows in the window, in pixels."""
CODE_WIDTH, CODE_HEIGHT = 200, 90
FELT, PAPER = 70, 235
SLIDE_S = 0.25
"""From the edge to the middle, and from there to the other edge: a card pulled by hand."""
EXPOSURE_S = 1 / 125
DRIFT_PX_S = 12.0
"""A card that lies is still pushed a little."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One card through the window. ``lane`` -1 to 1: above or below the middle; ``smudged``: its code is spoilt."""

    code: str
    start_s: float
    rest_s: float = 0.6
    lane: float = 0.0
    smudged: bool = False
    number: int | None = None
    """By which a card lies as crooked as it does; ``None``: its place among the passes."""

    @property
    def end_s(self) -> float:
        """When it is out of sight."""
        return self.start_s + 2 * SLIDE_S + self.rest_s


def one_by_one(codes: Sequence[str], *, rest_s: float = 0.6, gap_s: float = 0.5, start_s: float = 0.5) -> list[Pass]:
    """The codes as passes with an empty window between them."""
    passes = []
    for code in codes:
        passes.append(Pass(code, start_s, rest_s))
        start_s = passes[-1].end_s + gap_s
    return passes


class CardWindow:
    """The window. The same arguments and moment give the same picture."""

    def __init__(
        self,
        passes: Sequence[Pass],
        symbology: Symbology,
        seed: int,
        *,
        noise: float = 6.0,
        softness_px: float = 0.9,
        turn_deg: float = 4.0,
    ) -> None:
        self.passes = tuple(passes)
        self._symbology: Symbology = symbology
        self._seed = seed
        self._noise = noise
        self._softness_px = softness_px
        self._turn_deg = turn_deg

    @property
    def end_s(self) -> float:
        """When the last card is out of sight."""
        return max((each.end_s for each in self.passes), default=0.0)

    def picture(self, at_s: float) -> Grey:
        """The picture at this moment, grey, ``HEIGHT`` by ``WIDTH``."""
        import cv2
        import numpy as np

        scene = np.full((HEIGHT, WIDTH), FELT, np.uint8)
        for number, each in enumerate(self.passes):
            if each.start_s <= at_s < each.end_s:
                self._lay(scene, number, each, at_s - each.start_s)
        soft = cv2.GaussianBlur(scene, (0, 0), self._softness_px).astype(np.float32)
        chance = np.random.default_rng([self._seed, round(at_s * 1_000_000)])
        grain = chance.normal(0, self._noise, scene.shape).astype(np.float32)
        return np.asarray(np.clip(soft + grain, 0, 255), np.uint8)

    def _lay(self, scene: Grey, number: int, each: Pass, since_s: float) -> None:
        """Draws one card where it is, smeared by its speed."""
        import cv2
        import numpy as np

        middle, edge = WIDTH / 2, -CARD_WIDTH / 2 - 20
        out_s = since_s - SLIDE_S - each.rest_s
        if since_s < SLIDE_S:
            x, speed = edge + (middle - edge) * since_s / SLIDE_S, (middle - edge) / SLIDE_S
        elif out_s < 0:
            x, speed = middle + DRIFT_PX_S * (since_s - SLIDE_S), DRIFT_PX_S
        else:
            x, speed = middle + (middle - edge) * out_s / SLIDE_S, (middle - edge) / SLIDE_S
        chance = np.random.default_rng([self._seed, number if each.number is None else each.number])
        turn = float(chance.uniform(-self._turn_deg, self._turn_deg))
        y = HEIGHT / 2 + each.lane * HEIGHT / 4
        place = cv2.getRotationMatrix2D((CARD_WIDTH / 2, CARD_HEIGHT / 2), turn, 1.0)
        place[0, 2] += x - CARD_WIDTH / 2
        place[1, 2] += y - CARD_HEIGHT / 2
        card: npt.NDArray[Any] = _card(each.code, self._symbology, each.smudged).astype(np.float32)
        size = (WIDTH, HEIGHT)
        drawn: npt.NDArray[Any] = cv2.warpAffine(card, place, size)
        cover: npt.NDArray[Any] = cv2.warpAffine(np.ones_like(card), place, size)
        smear = round(speed * EXPOSURE_S)
        if smear > 1:
            line = np.full((1, smear), 1 / smear, np.float32)
            drawn, cover = cv2.filter2D(drawn, -1, line), cv2.filter2D(cover, -1, line)
        scene[:] = np.clip(scene * (1 - cover) + drawn, 0, 255).astype(np.uint8)


@lru_cache(maxsize=512)
def _card(code: str, symbology: Symbology, smudged: bool) -> Grey:
    """The strip of a card with its code, as large as the strip allows without parts of a pixel."""
    import cv2
    import numpy as np
    import zxingcpp

    formats = {
        "code128": zxingcpp.BarcodeFormat.Code128,
        "code39": zxingcpp.BarcodeFormat.Code39,
        "itf": zxingcpp.BarcodeFormat.ITF,
        "datamatrix": zxingcpp.BarcodeFormat.DataMatrix,
        "qrcode": zxingcpp.BarcodeFormat.QRCode,
    }
    small = np.array(zxingcpp.create_barcode(code, formats[symbology]).to_image(scale=1), np.uint8)
    height, width = small.shape
    if symbology in ("datamatrix", "qrcode"):
        scale = (CARD_HEIGHT - 40) // height
        drawn = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_NEAREST)
    else:
        scale = max(1, CODE_WIDTH // width)
        bars = cv2.resize(small, None, fx=scale, fy=1, interpolation=cv2.INTER_NEAREST)
        drawn = cv2.resize(bars, (bars.shape[1], CODE_HEIGHT), interpolation=cv2.INTER_NEAREST)
    if smudged:
        drawn = np.full_like(drawn, 128)
    card = np.full((CARD_HEIGHT, CARD_WIDTH), PAPER, np.uint8)
    high, wide = drawn.shape
    top, left = (CARD_HEIGHT - high) // 2, (CARD_WIDTH - wide) // 2
    card[top : top + high, left : left + wide] = np.minimum(drawn, PAPER)
    return card
