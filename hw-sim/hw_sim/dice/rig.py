"""The rig: plate, ridge, lamps and the camera above. Millimetres from the middle of the plate, z up; pixels of the
picture. Right-handed: x to the right of the picture, y to its top."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hw_sim.dice.kinds import KINDS, Colour, DieKind

Floats: TypeAlias = npt.NDArray[np.float32]

PLATES: tuple[Colour, ...] = ((66, 88, 44), (86, 52, 34), (58, 56, 54), (44, 34, 84))
"""Green, blue, charcoal, wine: for light dice."""
PALE_PLATES: tuple[Colour, ...] = ((186, 192, 194), (150, 184, 198), (176, 182, 160))
"""Grey, sand, pale green: for dark and for glassy dice."""


@dataclass(frozen=True, slots=True)
class Rig:
    """One table's machine and camera, as it was built and calibrated. The same rig gives the same plate."""

    kind: DieKind = KINDS["asian"]
    """The dice that belong to it."""
    die_mm: float = 16.0
    width_px: int = 640
    height_px: int = 480
    camera_mm: float = 260.0
    """From the plate to the camera."""
    focal_px: float = 1430.0
    middle_px: tuple[float, float] = (320.0, 240.0)
    """Where the axis of the lens meets the picture."""
    tilt_deg: tuple[float, float] = (0.0, 0.0)
    """The camera's error about the picture's x and y axes."""
    plate_mm: float = 46.0
    """Radius of the plate."""
    ridge_mm: float = 5.5
    """Height of the ridge round it, at most half a die."""
    plate: Colour = PLATES[0]
    housing: Colour = (40, 40, 42)
    grain: float = 4.0
    """Texture of the plate, grey levels."""
    lamp: tuple[float, float, float] = (0.35, 0.45, 0.82)
    """Whence the stronger light comes."""
    lamp_share: float = 0.3
    """How much of the light it gives; the rest comes evenly from above."""
    reflections: float = 14.0
    """Lamps mirrored by the dome, grey levels at their brightest."""
    vignetting: float = 0.12
    """Light lost in the corners of the picture."""
    softness_px: float = 0.8
    noise: float = 2.2
    """Sensor noise, grey levels."""
    drift: float = 0.01
    """Exposure from one picture to the next, one standard deviation as a part."""
    fps: float = 20.0
    exposure_s: float = 1 / 100
    seed: int = 0

    @property
    def die_px(self) -> float:
        """Edge of the top face of a die that lies flat in the middle."""
        return self.focal_px * self.die_mm / (self.camera_mm - self.die_mm)

    @property
    def pitch_px(self) -> float:
        """From one place of the 3 × 3 grid of pips to the next, on such a face."""
        return self.kind.pitch * self.die_px

    @property
    def pip_px(self) -> float:
        """Radius of a pip (other than a large one) on such a face."""
        return self.kind.pip_radius * self.die_px

    @property
    def plate_px(self) -> float:
        """Radius of the plate in the picture."""
        return self.focal_px * self.plate_mm / self.camera_mm


def rig_of(seed: int, kind: str | None = None) -> Rig:
    """A rig by chance: every seed another machine. Dice of ``kind`` (a key of ``KINDS``), or of any."""
    rng = Random(f"rig/{seed}")
    base = KINDS[kind or rng.choice(sorted(KINDS))]
    made = replace(
        base,
        corner=base.corner * rng.uniform(0.8, 1.2),
        pitch=rng.uniform(0.245, 0.272),
        pip_radius=base.pip_radius * rng.uniform(0.97, 1.08),
        gloss=base.gloss * rng.uniform(0.6, 1.2),
        mirrored=rng.random() < 0.5,
        turned=(rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.5),
    )
    die_mm = rng.choice((16.0, 16.0, 18.0, 19.0, 25.0))
    camera_mm = die_mm * rng.uniform(14.0, 18.0)
    die_px = rng.uniform(91.0, 96.0)
    azimuth = rng.uniform(0, 2 * math.pi)
    height = rng.uniform(0.7, 0.92)
    side = math.sqrt(1 - height * height)
    return Rig(
        kind=made,
        die_mm=die_mm,
        camera_mm=camera_mm,
        focal_px=die_px * (camera_mm - die_mm) / die_mm,
        middle_px=(320 + rng.uniform(-6, 6), 240 + rng.uniform(-5, 5)),
        tilt_deg=(rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)),
        plate_mm=die_mm * rng.uniform(2.85, 3.0),
        ridge_mm=die_mm * rng.uniform(0.3, 0.45),
        plate=rng.choice(PALE_PLATES if base.name in ("black", "red") else PLATES),
        grain=rng.uniform(2.0, 6.0),
        lamp=(side * math.cos(azimuth), side * math.sin(azimuth), height),
        lamp_share=rng.uniform(0.15, 0.4),
        reflections=rng.uniform(6.0, 20.0),
        vignetting=rng.uniform(0.04, 0.2),
        softness_px=rng.uniform(0.6, 1.1),
        noise=rng.uniform(1.5, 3.5),
        drift=rng.uniform(0.003, 0.015),
        seed=seed,
    )


def camera_turn(rig: Rig) -> npt.NDArray[np.float64]:
    """From the camera's axes (right, up, backwards along the lens) to the world's."""
    a, b = (math.radians(angle) for angle in rig.tilt_deg)
    about_x = np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
    about_y = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    turn: npt.NDArray[np.float64] = about_x @ about_y
    return turn


def project(rig: Rig, points_mm: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Pixels (x, y) of world points, N by 3."""
    seen = (np.atleast_2d(np.asarray(points_mm, np.float64)) - (0.0, 0.0, rig.camera_mm)) @ camera_turn(rig)
    depth = -seen[:, 2]
    x = rig.middle_px[0] + rig.focal_px * seen[:, 0] / depth
    y = rig.middle_px[1] - rig.focal_px * seen[:, 1] / depth
    return np.stack([x, y], axis=1)


@lru_cache(maxsize=4)
def rays(rig: Rig) -> Floats:
    """Unit direction of what each pixel sees, 3 by rows by columns."""
    columns, rows = np.meshgrid(np.arange(rig.width_px), np.arange(rig.height_px))
    across = np.stack(
        [
            (columns - rig.middle_px[0]) / rig.focal_px,
            (rig.middle_px[1] - rows) / rig.focal_px,
            -np.ones(columns.shape),
        ]
    )
    along = np.tensordot(camera_turn(rig), across, axes=1)
    return np.asarray(along / np.linalg.norm(along, axis=0), np.float32)


def on_plane(rig: Rig, x_px: float, y_px: float, z_mm: float = 0.0) -> tuple[float, float]:
    """Where a pixel's ray meets a plane at this height, millimetres."""
    across = np.array([(x_px - rig.middle_px[0]) / rig.focal_px, (rig.middle_px[1] - y_px) / rig.focal_px, -1.0])
    along = camera_turn(rig) @ across
    t = (z_mm - rig.camera_mm) / along[2]
    return float(along[0] * t), float(along[1] * t)
