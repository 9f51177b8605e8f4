"""Round pips of a calibrated kind anywhere in a picture, by their contrast to what is around them.

Looks at the picture alone: no plate, no outline, no die. A pip is a disc of about the calibrated radius and colour
inside a ring of the body's colour; centre, radius and roundness are measured on rays to a fraction of a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr, Pip
from dealer_drivers.dice.profile import VALUES, Colour, Profile

Floats: TypeAlias = npt.NDArray[np.float64]
Many: TypeAlias = npt.NDArray[np.float32]

RAYS = 24
STEP_PX = 0.5
REACH = 1.85
"""How far rays go, in radii: less than to the next pip's edge."""
FOUND = 0.33
"""Contrast of a candidate, as part of the calibrated."""
CONTRAST = (0.55, 1.5)
RADIUS = 0.22
ELONGATION = 0.16
"""(Long - short) / mean axis. A face at 30 degrees shows 0.13, at 40 degrees 0.23."""
GOOD_RAYS = 0.85
ODD_CONTRAST = 0.35
"""What is nearly as round and as large as a pip and has that contrast must be explained too."""
EXPOSURE = (0.6, 1.5)
RING_OFF = 0.22
"""How far the ring's colour may be from the body's, as part of its brightness, once exposure is taken out."""
MOST = 60
SAME = 70.0
"""Colours nearer than that in every channel are searched as one."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A pip, or what might be one. ``good``: round, of the right size and contrast, with body all around.
    ``values``: faces whose pips look like that. ``ring``: colour around it."""

    pip: Pip
    good: bool
    values: frozenset[int]
    ring: Colour
    on_body: bool
    stretch: complex
    """How much longer than wide, as a part of its size, and along which way: twice that angle."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Pips of one radius and colour, on one body."""

    radius: float
    body: Floats
    pip: Floats
    along: Floats
    """Times a colour difference: the contrast as part of the calibrated."""
    dark: bool
    values: frozenset[int]


def _kinds(profile: Profile) -> list[_Kind]:
    made: list[_Kind] = []
    for known in profile.bodies:
        body = np.array(known)
        groups: list[list[int]] = []
        for value in VALUES:
            look = profile.look(value)
            for group in groups:
                other = profile.look(group[0])
                near = np.abs(np.array(look.pip_bgr) - np.array(other.pip_bgr)).max() < SAME
                if near and abs(look.pip_radius_px / other.pip_radius_px - 1) < 0.2 and look.dark == other.dark:
                    group.append(value)
                    break
            else:
                groups.append([value])
        for group in groups:
            looks = [profile.look(value) for value in group]
            pip = np.mean([look.pip_bgr for look in looks], axis=0)
            differs = pip - body
            radius = float(np.mean([look.pip_radius_px for look in looks]))
            along = differs / max(float(differs @ differs), 1.0)
            made.append(_Kind(radius, body, pip, along, looks[0].dark, frozenset(group)))
    return made


class SpotFinder:
    """Holds what is worked out from the profile once."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.kinds = _kinds(profile)
        self.scale = 2 if min(kind.radius for kind in self.kinds) >= 6 else 1

    def find(self, picture: Bgr) -> list[Spot]:
        """Every spot, each once."""
        small = picture
        if self.scale == 2:
            small = np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        spots: list[Spot] = []
        for kind in self.kinds:
            places = self._candidates(small, kind)
            if len(places):
                spots += _measured(picture, kind, places)
        return _once(spots)

    def _candidates(self, small: Bgr, kind: _Kind) -> Floats:
        """Centres where a disc stands out from around, n by (x, y), the strongest first."""
        shown = np.asarray(cv2.transform(small.astype(np.float32), kind.along[None, :].astype(np.float32)), np.float32)
        radius = kind.radius / self.scale
        inner = max(3, int(1.35 * radius) | 1)
        outer = max(5, int(3.5 * radius) | 1)
        stands = cv2.boxFilter(shown, -1, (inner, inner)) - cv2.boxFilter(shown, -1, (outer, outer))
        apart = max(3, int(1.2 * radius) | 1)
        peaks = (stands >= cv2.dilate(stands, np.ones((apart, apart), np.uint8))) & (stands > FOUND)
        rows, columns = np.nonzero(peaks)
        order = np.argsort(-stands[rows, columns])[:MOST]
        at = np.stack([columns[order], rows[order]], axis=1).astype(np.float64)
        return (at + 0.5) * self.scale - 0.5


def _rays(picture: Bgr, kind: _Kind, at: Floats) -> Many:
    """Colours on rays from each place: n, rays, steps, 3."""
    angles = np.arange(RAYS) * (2 * np.pi / RAYS)
    out = np.arange(0, REACH * kind.radius, STEP_PX)
    x = at[:, 0, None, None] + np.cos(angles)[None, :, None] * out
    y = at[:, 1, None, None] + np.sin(angles)[None, :, None] * out
    shape = (len(at) * RAYS, len(out))
    taken = cv2.remap(
        picture,
        x.reshape(shape).astype(np.float32),
        y.reshape(shape).astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
    )
    return taken.reshape(len(at), RAYS, len(out), 3).astype(np.float32)


def _measured(picture: Bgr, kind: _Kind, places: Floats) -> list[Spot]:
    angles = np.arange(RAYS) * (2 * np.pi / RAYS)
    at, rim, crossed = places, np.zeros((0, RAYS)), np.zeros((0, RAYS), bool)
    for _ in range(2):
        colours = _rays(picture, kind, at)
        shown = colours @ kind.along.astype(np.float32)
        core = shown[:, :, : max(2, int(0.5 * kind.radius / STEP_PX))].mean(axis=(1, 2))
        band = slice(int(1.38 * kind.radius / STEP_PX), int(1.7 * kind.radius / STEP_PX) + 1)
        around = np.median(shown[:, :, band].reshape(len(at), -1), axis=1)
        level = ((core + around) / 2)[:, None, None]
        below = shown < level
        crossed = below.any(axis=2) & ~below[:, :, 0]
        first = np.maximum(np.argmax(below, axis=2), 1)
        high = np.take_along_axis(shown, first[:, :, None] - 1, axis=2)[:, :, 0]
        low = np.take_along_axis(shown, first[:, :, None], axis=2)[:, :, 0]
        part = (high - level[:, :, 0]) / np.maximum(high - low, 1e-6)
        rim = np.where(crossed, (first - 1 + np.clip(part, 0, 1)) * STEP_PX, kind.radius)
        limited = np.clip(rim, 0.3 * kind.radius, 1.8 * kind.radius)
        move = np.stack([limited @ np.cos(angles), limited @ np.sin(angles)], axis=1) * (2 / RAYS)
        at = at + move
    radius = rim.mean(axis=1)
    stretch = (rim @ np.exp(2j * angles)) * (4 / RAYS) / np.maximum(radius, 1e-6)
    elongation = np.abs(stretch)
    wobble = np.abs(rim - radius[:, None]) < 0.25 * kind.radius
    good_rays = (crossed & wobble).mean(axis=1)
    contrast = core - around
    rings = np.median(colours[:, ::2, band].reshape(len(at), -1, 3), axis=1)
    discs = colours[:, :, : max(2, int(0.6 * kind.radius / STEP_PX))].mean(axis=(1, 2))
    light = rings @ kind.body / float(kind.body @ kind.body)
    off = np.abs(rings - light[:, None] * kind.body).max(axis=1) / max(float(kind.body.max()), 60.0)
    on_body = (light > EXPOSURE[0]) & (light < EXPOSURE[1]) & (off < RING_OFF)
    reach = float(np.abs(kind.pip - kind.body).max())
    wrong = np.abs(discs - light[:, None] * kind.pip).max(axis=1) / reach
    right = (contrast > CONTRAST[0]) & (contrast < CONTRAST[1]) & (np.abs(radius / kind.radius - 1) < RADIUS)
    good = right & (good_rays >= GOOD_RAYS) & (elongation < ELONGATION) & on_body & (wrong < 0.5)
    odd = (
        (contrast > ODD_CONTRAST) & (np.abs(radius / kind.radius - 1) < 0.35) & (good_rays > 0.8) & (elongation < 0.24)
    )
    spots = []
    for n in np.flatnonzero(good | odd):
        strength = float(contrast[n] * reach)
        roundness = float(np.clip(1 - elongation[n], 0, 1))
        pip = Pip(float(at[n, 0]), float(at[n, 1]), float(radius[n]), kind.dark, strength, roundness)
        ring = (float(rings[n, 0]), float(rings[n, 1]), float(rings[n, 2]))
        spots.append(Spot(pip, bool(good[n]), kind.values, ring, bool(on_body[n]), complex(stretch[n])))
    return spots


def _once(spots: list[Spot]) -> list[Spot]:
    """Of several at one place the good one; of several good ones the roundest, for all values that they fit."""
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda one: (not one.good, -one.pip.roundness)):
        apart = (np.hypot(spot.pip.x - other.pip.x, spot.pip.y - other.pip.y) for other in kept)
        if all(gap > 0.8 * spot.pip.radius_px for gap in apart):
            kept.append(spot)
    return kept
