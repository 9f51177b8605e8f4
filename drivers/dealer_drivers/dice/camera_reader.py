"""A calibrated rig's reader as the camera's process calls it (``camera/scene.py``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from dealer_drivers.camera.scene import ReaderError
from dealer_drivers.dice.faces import Dice, Doubts
from dealer_drivers.dice.profile import ProfileError, RigProfile, load_profile
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.readings.dice import Face


class DiceSceneReader:
    """Reads ``count`` dice of the rig of ``profile``."""

    def __init__(self, profile: RigProfile, count: int) -> None:
        cv2.setNumThreads(1)
        self._reader = RigReader(profile, count)
        self._size = (profile.content.width, profile.content.height)
        self.summary = f"{count} dice of a calibrated rig"

    def fits(self, width: int, height: int) -> str | None:
        """What is wrong with pictures of this size."""
        if (width, height) == self._size:
            return None
        was = f"{self._size[0]} x {self._size[1]}"
        return f"the camera gives {width} x {height} pixels and the profile was made with {was}: set width and height"

    def read(self, picture: npt.NDArray[np.uint8]) -> Dice | Doubts:
        """One picture."""
        bgr = picture if picture.ndim == 3 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
        return self._reader.read(bgr)

    def same(self, one: Dice, other: Dice) -> bool:
        """The same dice at the same places."""
        return self._reader.same(one, other)

    def encode(self, value: Dice) -> dict[str, Any]:
        """The faces."""
        return {"faces": msgspec.to_builtins(value.faces)}


def make(profile: str, count: int) -> DiceSceneReader:
    """Raises ``ReaderError`` for a profile that cannot be used."""
    try:
        return DiceSceneReader(load_profile(Path(profile)), count)
    except ProfileError as error:
        raise ReaderError("profile", str(error)) from error


def faces_of(value: dict[str, Any], count: int) -> tuple[Face, ...] | None:
    """The faces of a look's value; ``None`` when they cannot be: another number of dice, or no face of a die."""
    try:
        faces = msgspec.convert(value.get("faces"), tuple[Face, ...], strict=True)
    except msgspec.ValidationError:
        return None
    good = len(faces) == count and all(1 <= face.value <= 6 for face in faces)
    return faces if good else None
