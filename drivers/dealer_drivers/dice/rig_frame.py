"""A picture of a rig against its empty plate: brightness evened out, and what differs from the plate.

Light drifts over hours, so a picture is first brought to the brightness the plate was calibrated at, by the median
ratio of the two over the plate itself (dice cover a small part of it). A drift beyond tolerance refuses the picture:
a changed camera setting changes more than a factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr, Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.readings.dice import Doubt

Mask: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]

STEP = 5
"""Every which pixel is looked at for the brightness."""
COLOUR_DRIFT = 0.12
"""By which part the three channels may drift apart."""
BLACK = 6.0
"""Grey levels below which nothing was taken."""
SHADE = 0.5
"""What is evenly darker than the plate, but not by more, is a shadow on it and no body."""
CLIPPED = 253.0
COVERED = 0.6
"""More of the plate hidden than that is no matter of dice."""


@dataclass(frozen=True, slots=True)
class Frame:
    """``even``: the picture at the plate's brightness, lightly smoothed. ``change``: its largest difference to the
    plate in any channel. ``body``: 255 where that is more than half of what a die makes. At half the picture's size:
    ``small``, the same as ``even``; ``any``, 255 where it differs from the plate by more than noise; ``clipped``,
    255 where the picture itself is saturated. ``gain``: brightness as a multiple of the plate's."""

    picture: Bgr
    even: Bgr
    change: Mask
    body: Mask
    small: Bgr
    any: Mask
    clipped: Mask
    gain: tuple[float, float, float]


class Plate:
    """The empty plate, prepared once for all pictures of a rig."""

    def __init__(self, profile: RigProfile) -> None:
        content = profile.content
        self.profile = content
        self.region = profile.region()
        self.smooth = np.asarray(cv2.blur(profile.plate, (3, 3)), np.uint8)
        grid = np.zeros_like(self.region)
        grid[::STEP, ::STEP] = 1
        self.at = np.nonzero((self.region > 0) & (grid > 0))
        self.samples = self.smooth[self.at].astype(np.float64)
        self.noise_level = int(np.clip(round(5 * content.noise + 6), 10, 40))
        self.small_noise = int(np.clip(round(3 * content.noise + 6), 9, 30))
        self.small = halved(self.smooth)
        self.small_region = cv2.resize(self.region, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_NEAREST)
        self.looked_at = max(cv2.countNonZero(self.small_region), 1)
        wide = profile.plate.astype(np.float32)
        contrast = np.min([np.abs(wide - np.array(body, np.float32)).max(axis=2) for body in content.bodies], axis=0)
        self.shaded = bool((self.smooth.max(axis=2) * SHADE > 0.8 * np.minimum(contrast * 0.5, 255)).mean() > 0.2)
        self.half = np.asarray(np.clip(cv2.blur(0.5 * contrast, (9, 9)), self.noise_level, 255), np.uint8)

    def frame(self, picture: Bgr) -> Frame | Doubts:
        """The picture made ready, or why nothing can be told from it."""
        content = self.profile
        if picture.shape != (content.height, content.width, 3) or picture.dtype != np.uint8:
            seen = f"{picture.shape[1]} × {picture.shape[0]}" if picture.ndim == 3 else f"of shape {picture.shape}"
            return Doubts(
                (Doubt.CAMERA_FAULT,),
                f"the picture is {seen}, the rig was calibrated at {content.width} × {content.height}",
            )
        smooth = np.asarray(cv2.blur(picture, (3, 3)), np.uint8)
        samples = smooth[self.at].astype(np.float64)
        doubt, gain = self._gain(samples)
        if doubt is not None:
            return doubt
        steps = np.arange(256, dtype=np.float64)[:, None] / gain[None, :]
        table = np.clip(np.rint(steps), 0, 255).astype(np.uint8).reshape(256, 1, 3)
        even = cv2.LUT(smooth, table)
        change = cv2.bitwise_and(_largest(cv2.absdiff(even, self.smooth)), self.region)
        body = np.asarray(cv2.compare(change, self.half, cv2.CMP_GT), np.uint8)
        if self.shaded:
            without_shade(body, np.asarray(even, np.uint8), self.smooth, content.noise)
        small = halved(np.asarray(even, np.uint8))
        off = cv2.bitwise_and(_largest(cv2.absdiff(small, self.small)), self.small_region)
        noisy = cv2.threshold(off, self.small_noise, 255, cv2.THRESH_BINARY)[1]
        hidden = cv2.countNonZero(noisy) / self.looked_at
        if hidden > COVERED:
            return Doubts((Doubt.OCCLUDED,), f"{hidden:.0%} of the plate looks different than when it was empty")
        blue, green, red = cv2.split(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_NEAREST))
        clipped = cv2.threshold(cv2.min(cv2.min(blue, green), red), CLIPPED - 1, 255, cv2.THRESH_BINARY)[1]
        return Frame(
            picture,
            np.asarray(even, np.uint8),
            np.asarray(change, np.uint8),
            body,
            small,
            np.asarray(noisy, np.uint8),
            np.asarray(clipped, np.uint8),
            (float(gain[0]), float(gain[1]), float(gain[2])),
        )

    def _gain(self, samples: Floats) -> tuple[Doubts | None, Floats]:
        """By how much the picture is brighter than the plate was, each channel."""
        whole = np.ones(3)
        if float(np.percentile(samples.max(axis=1), 90)) < BLACK:
            return Doubts((Doubt.CAMERA_FAULT,), "the picture is black"), whole
        if float(samples.std(axis=0).max()) < 0.6:
            return Doubts((Doubt.CAMERA_FAULT,), "the picture is of one colour"), whole
        bright = self.samples.mean(axis=0)
        level = float(bright.max())
        gain = np.ones(3)
        use = bright > max(12.0, 0.15 * level)
        if not use.any():
            return Doubts((Doubt.TOO_DARK,), "the calibrated plate is black: its brightness tells nothing"), whole
        ratios = samples[:, use] / np.maximum(self.samples[:, use], 1.0)
        gain[use] = np.median(ratios, axis=0)
        gain[~use] = float(gain[use].mean())
        allowed, mean = self.profile.tolerances.exposure, float(gain[use].mean())
        if mean < 1 - allowed:
            return Doubts((Doubt.TOO_DARK,), f"the plate is {mean:.2f} times as bright as calibrated"), gain
        if mean > 1 + allowed:
            return Doubts((Doubt.GLARE,), f"overexposed: the plate is {mean:.2f} times as bright as calibrated"), gain
        if float(np.ptp(gain[use])) > COLOUR_DRIFT:
            return Doubts((Doubt.CAMERA_FAULT,), "the colours of the plate are not those calibrated"), gain
        return None, gain


def without_shade(mask: Mask, even: Bgr, plate: Bgr, noise: float) -> None:
    """Takes out of the mask, in place, what only is darker than the plate, in all channels by the same part."""
    at = np.flatnonzero(mask)
    seen = even.reshape(-1, 3)[at].astype(np.float32)
    ground = plate.reshape(-1, 3)[at].astype(np.float32)
    ones = np.ones(3, np.float32)
    light = (seen @ ones) / np.maximum(ground @ ones, 1)
    off = np.abs(seen - light[:, None] * ground)
    grey = np.maximum(np.maximum(off[:, 0], off[:, 1]), off[:, 2]) < 4 * noise + 6
    mask.reshape(-1)[at[grey & (light < 1.02) & (light > SHADE)]] = 0


def halved(picture: Bgr) -> Bgr:
    """At half its size."""
    return np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _largest(picture: cv2.typing.MatLike) -> Mask:
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
