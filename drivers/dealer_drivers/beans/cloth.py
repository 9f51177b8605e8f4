"""What is cloth, what is bean, and what is neither, pixel by pixel: light that changes is taken out first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.beans.layout import Bgr, Floats, Mask, least_of
from dealer_drivers.beans.profile import BeansProfile

SMALL_BEAN_PX = 4.5
"""The bare cloth is looked for in a picture so small that a bean is as wide as this."""
WINDOW_BEANS = 5.0
"""Within a window so wide, bare cloth is the most frequent: clean layouts cover less than a third."""
DARKEST, BRIGHTEST = 0.35, 2.2
"""How the whole picture may be exposed, against the day of the calibration."""
SHADE, VEIL = 0.5, 1.6
"""How bright the cloth may be at one place, against the picture as a whole."""
IN_LINE = 0.25
"""Sine of the angle between the ways from cloth to bean and from cloth to darkness, below which both are one way."""
OTHER_COLOUR = 0.3
"""How far the bare cloth's colour may be off, against its own strength."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The region, with light taken out. All arrays are as large as the region."""

    beanness: Floats
    """0 where the colour is the cloth's, 1 where it is a bean's."""
    residual: Floats
    """How far the colour lies from every mixture of cloth and bean, in the distance between the two."""
    brightness: Floats
    """Against the bare cloth around, 1."""
    light: Floats
    """The bare cloth's brightness against the calibration's."""
    not_cloth: Mask
    """Where what is most frequent around is not the cloth."""
    saturated: Mask
    gain: float
    """The whole picture's brightness against the calibration's."""
    width_px: Floats
    """How wide a bean is here."""


def width_map(profile: BeansProfile) -> Floats:
    """A bean's width in pixels at each pixel of the region."""
    _, _, wide, high = profile.region
    right = (np.arange(wide, dtype=np.float32) - np.float32((wide - 1) / 2)) * np.float32(profile.size.right)
    down = (np.arange(high, dtype=np.float32) - np.float32((high - 1) / 2)) * np.float32(profile.size.down)
    return np.asarray(profile.size.middle_px + right[None, :] + down[:, None], np.float32)


def look(region: Bgr, profile: BeansProfile, width_px: Floats) -> Seen:
    """The region of one picture, uint8 with three channels."""
    cloth = np.array(profile.cloth, np.float32)
    bare = _bare(region, profile)
    strength = float(cloth @ cloth)
    light_small = bare @ cloth / np.float32(strength)
    gain = float(np.median(light_small))
    off = np.linalg.norm(bare - light_small[:, :, None] * cloth, axis=2)
    off = off / np.maximum(light_small * np.float32(strength**0.5), 6.0)
    against = light_small / max(gain, 1e-3)
    strange = (off > OTHER_COLOUR) | (against < SHADE) | (against > VEIL)
    size = (region.shape[1], region.shape[0])
    light = _enlarged(np.clip(light_small, 0.05, 8.0).astype(np.float32), size)
    not_cloth = cv2.resize(strange.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    directions = _directions(profile)
    start = directions @ cloth
    ahead, side, second, brightness = cv2.split(cv2.transform(region.astype(np.float32), directions))
    even = np.float32(1) / light
    side, second = side * even - start[1], second * even - start[2]
    return Seen(
        beanness=np.asarray(ahead * even - start[0], np.float32),
        residual=np.asarray(cv2.magnitude(side, second), np.float32),
        brightness=np.asarray(brightness * even, np.float32),
        light=light,
        not_cloth=np.asarray(not_cloth, np.uint8),
        saturated=np.asarray((least_of(region) >= 250).astype(np.uint8)),
        gain=gain,
        width_px=width_px,
    )


def _directions(profile: BeansProfile) -> Floats:
    """4 × 3: from a colour to its beanness, its residual in two directions, and its brightness.

    The residual is what lies beside the plane of cloth, bean and darkness. Where these are nearly on one line, as with
    white beans on a black cloth, it is what lies beside the line.
    """
    cloth = np.array(profile.cloth, np.float64)
    toward_bean = np.array(profile.bean, np.float64) - cloth
    span = float(np.linalg.norm(toward_bean))
    ahead = toward_bean / span
    down = cloth - ahead * float(cloth @ ahead)
    beside = np.cross(ahead, down if np.linalg.norm(down) > 1.0 else np.array([1.0, 0.0, 0.0]))
    beside /= np.linalg.norm(beside)
    second = np.cross(beside, ahead) if np.linalg.norm(down) < IN_LINE * np.linalg.norm(cloth) else np.zeros(3)
    return np.asarray(np.stack([ahead / span, beside / span, second / span, cloth / (cloth @ cloth)]), np.float32)


def _bare(region: Bgr, profile: BeansProfile) -> Floats:
    """The cloth without what lies on it, small: at each place the most middling colour of the window around."""
    scale = SMALL_BEAN_PX / profile.size.middle_px
    size = (max(8, round(region.shape[1] * scale)), max(8, round(region.shape[0] * scale)))
    small = cv2.resize(region, size, interpolation=cv2.INTER_AREA)
    window = round(WINDOW_BEANS * SMALL_BEAN_PX) | 1
    bare: npt.NDArray[Any] = cv2.medianBlur(small, window)
    return np.asarray(cv2.blur(bare.astype(np.float32), (5, 5)), np.float32)


def _enlarged(small: Floats, size: tuple[int, int]) -> Floats:
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.float32)
