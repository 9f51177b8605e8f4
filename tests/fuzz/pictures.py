"""Picture files with damage in them, through what technicians judge pictures with."""

from __future__ import annotations

from functools import cached_property
from random import Random

import cv2
import numpy as np

from dealer_calibration.card_pictures import CardPictures
from dealer_calibration.dice_pictures import DicePictures, still_look
from dealer_drivers.codes.picture import grey_of_file
from dealer_drivers.codes.symbology import Symbology
from fuzz.folder import folder
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import damaged

FORMS = (".png", ".jpg", ".webp", ".bmp", ".tiff", ".pgm")


class Decoding:
    """Bytes of a picture file to pixels."""

    name, share = "picture/decode", 4.0

    @cached_property
    def good(self) -> list[bytes]:
        plate = np.full((48, 64, 3), 90, np.uint8)
        cv2.circle(plate, (30, 20), 9, (220, 220, 220), -1)
        pictures = (plate, plate[:, :, 0], np.dstack([plate, plate[:, :, 0]]), plate.astype(np.uint16) * 200)
        made = []
        for pixels in pictures:
            for form in FORMS:
                try:
                    good, written = cv2.imencode(form, pixels)
                except cv2.error:  # not every form has every sort of pixels
                    continue
                if good:
                    made.append(written.tobytes())
        return made

    def draw(self, rng: Random) -> Case:
        return text(damaged(rng.choice(self.good), rng, self.good))

    def play(self, case: Case) -> int:
        pixels = grey_of_file(data(case))
        if isinstance(pixels, np.ndarray) and (pixels.ndim != 2 or pixels.dtype != np.uint8):
            raise Wrong(f"{pixels.shape} of {pixels.dtype}")
        return 1


class Judging(Decoding):
    """The same, judged as dice and as a card's code."""

    name, share = "picture/judge", 0.15

    @cached_property
    def dice(self) -> DicePictures:
        return DicePictures(still_look(3))

    def play(self, case: Case) -> int:
        file = folder() / "fuzzed.png"
        file.write_bytes(data(case))
        self.dice.judge(file).as_json()
        with CardPictures(Symbology.DATAMATRIX, second=False) as cards:
            cards.judge(file).as_json()
        return 1


def kinds() -> list[Kind]:
    """Both."""
    return [Decoding(), Judging()]
