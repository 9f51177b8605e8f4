"""A calibrated cloth's reader as the camera's process calls it (``camera/scene.py``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import msgspec

from dealer_drivers.beans.layout import MOST_BEANS, BeansCount, BeansDoubts, Bgr
from dealer_drivers.beans.profile import BadProfile, BeansProfile, parse_profile
from dealer_drivers.beans.reader import BeansReader
from dealer_drivers.camera.scene import ReaderError


class CountSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A look's value."""

    beans: int
    groups: int
    remainder: int

    @property
    def possible(self) -> bool:
        """Whether 1 to 200 beans in groups of four give this."""
        whole = (self.groups - 1) * 4 + self.remainder
        return 1 <= self.remainder <= 4 and self.groups >= 1 and self.beans == whole <= MOST_BEANS


class BeansSceneReader:
    """Reads the cloth of ``profile``."""

    summary = "fan-tan beans of a calibrated cloth"

    def __init__(self, profile: BeansProfile) -> None:
        cv2.setNumThreads(1)
        self._reader = BeansReader(profile)
        self._size = (profile.width, profile.height)

    def fits(self, width: int, height: int) -> str | None:
        """What is wrong with pictures of this size."""
        if (width, height) == self._size:
            return None
        was = f"{self._size[0]} x {self._size[1]}"
        return f"the camera gives {width} x {height} pixels and the profile was made with {was}: set width and height"

    def read(self, picture: Bgr) -> BeansCount | BeansDoubts:
        """One picture."""
        return self._reader.read(picture)

    def same(self, one: BeansCount, other: BeansCount) -> bool:
        """The same beans at the same places."""
        return self._reader.same(one, other)

    def encode(self, value: BeansCount) -> dict[str, Any]:
        """The counts."""
        return self._reader.encode(value)


def find_profile(path: str) -> BeansProfile:
    """The profile in the file. Raises ``BadProfile`` that names it."""
    try:
        return parse_profile(Path(path).read_bytes())
    except OSError as error:
        raise BadProfile(f"{path}: cannot be read: {error.strerror}") from error
    except BadProfile as error:
        raise BadProfile(f"{path}: {error}") from error


def make(profile: str) -> BeansSceneReader:
    """Raises ``ReaderError`` for a profile that cannot be used."""
    try:
        return BeansSceneReader(find_profile(profile))
    except BadProfile as error:
        raise ReaderError("profile", str(error)) from error


def count_of(value: dict[str, Any]) -> CountSaid | None:
    """The counts of a look's value; ``None`` when they cannot be."""
    try:
        said = msgspec.convert(value, CountSaid, strict=True)
    except msgspec.ValidationError:
        return None
    return said if said.possible else None
