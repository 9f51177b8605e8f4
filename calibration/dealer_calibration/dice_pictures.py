"""Files of pictures, one after the other, through the reading of dice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np

from dealer_calibration.picture_files import bytes_of, picture_of_file
from dealer_drivers.dice.faces import Bgr, Dice, Doubts
from dealer_drivers.dice.profile import load_profile
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.dice.still_decide import decide_still
from dealer_drivers.readings.dice import Doubt

Look: TypeAlias = Callable[[Bgr], Dice | Doubts]
"""Decides one picture. Stills and calibrated rigs have their own."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One picture. ``values`` ascending, empty exactly when it is refused; ``reasons`` are words of ``Doubt``."""

    file: Path
    values: tuple[int, ...]
    reasons: tuple[str, ...]
    detail: str
    """What was in the way, for a technician; empty when accepted."""
    ms: float

    @property
    def accepted(self) -> bool:
        """Whether the values may be used."""
        return bool(self.values)

    @property
    def verdict(self) -> str:
        """``accepted`` or ``refused``."""
        return "accepted" if self.accepted else "refused"

    def as_json(self) -> dict[str, Any]:
        """The line that other programs read."""
        return {
            "file": str(self.file),
            "verdict": self.verdict,
            "values": list(self.values),
            "reasons": list(self.reasons),
            "ms": round(self.ms, 2),
        }


def still_look(count: int) -> Look:
    """Looks at single pictures of any camera, without anything known of the table: strict."""
    # What is drawn once for all pictures is no part of the first one's time.
    decide_still(np.indices((128, 128)).sum(axis=0).astype(np.uint8), count)
    return lambda picture: decide_still(picture, count)


def rig_look(profile: Path, count: int) -> Look:
    """Looks at frames of the rig that the profile is of. Raises ``ProfileError`` when it cannot be used."""
    return RigReader(load_profile(profile), count).read


class DicePictures:
    """Judges pictures by one look."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def judge(self, file: Path) -> Judged:
        """One file. Raises ``OSError`` when it cannot be read; whatever its bytes are, they are judged."""
        data = bytes_of(file)
        # The figures that people compare are of one core.
        cv2.setNumThreads(1)
        began = time.perf_counter()
        picture = picture_of_file(data)
        answer = Doubts((Doubt.CAMERA_FAULT,), "the file holds no picture") if picture is None else self._look(picture)
        ms = (time.perf_counter() - began) * 1000
        if isinstance(answer, Dice):
            return Judged(file, answer.values, (), "", ms)
        return Judged(file, (), tuple(map(str, answer.reasons)), answer.detail, ms)
