"""Ways to look at one picture. Each is honest: it brightens, sharpens or enlarges what is there, and draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dealer_drivers.codes.picture import Grey

LARGEST = 3_000_000
"""Pixels of a prepared picture. Enlarging helps bars of one or two pixels, which large pictures seldom have."""
SMALLEST_SIDE = 8
"""Pixels. The smallest code of all, a Data Matrix, has ten squares a side."""


@dataclass(frozen=True, slots=True)
class View:
    """Pixels to search; ``one_threshold``: tell black from white by one level for a whole line of sight, and not by
    each place's neighbourhood."""

    picture: Grey
    one_threshold: bool = False


def views(picture: Grey) -> Iterator[View]:
    """The picture as it is; then, each made only when it is asked for: twice as large (where it is small), that by one
    threshold, that sharpened, and the picture with its contrast evened out."""
    import cv2

    height, width = picture.shape
    if min(height, width) < SMALLEST_SIDE:
        return
    yield View(picture)
    larger = picture
    if 4 * height * width <= LARGEST:
        larger = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC).astype("uint8", copy=False)
        yield View(larger)
    yield View(larger, one_threshold=True)
    soft = cv2.GaussianBlur(larger, (0, 0), 2.0)
    yield View(cv2.addWeighted(larger, 2.0, soft, -1.0, 0).astype("uint8", copy=False))
    yield View(cv2.createCLAHE(clipLimit=2.0, tileGridSize=(8, 8)).apply(picture).astype("uint8", copy=False))
