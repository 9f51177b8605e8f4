"""A reader that counts bright things: stands in for dice and beans where the camera's processes are tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.camera.scene import ReaderError


@dataclass(frozen=True)
class Nothing:
    reasons: tuple[str, ...] = ("wrong_count",)
    detail: str = "nothing lies there"


class CountReader:
    summary = "bright things"

    def fits(self, width: int, height: int) -> str | None:
        return None if width >= 100 else f"{width} x {height} is too small"

    def read(self, picture: npt.NDArray[np.uint8]) -> int | Nothing:
        bright = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) > 180).astype(np.uint8)
        count = cv2.connectedComponents(cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)))[0] - 1
        return count or Nothing()

    def same(self, one: int, other: int) -> bool:
        return one == other

    def encode(self, value: int) -> dict[str, Any]:
        return {"things": value}


def make(**options: Any) -> CountReader:
    if options.get("profile") == "broken":
        raise ReaderError("profile", "the file broken is torn: make it again")
    return CountReader()
