"""The empty rig: plate, ridge, housing; and what dome and lens add to every picture of it."""

from __future__ import annotations

import math
from functools import lru_cache
from random import Random

import cv2
import numpy as np

from hw_sim.dice.rig import Floats, Rig, project, rays


@lru_cache(maxsize=4)
def blank(rig: Rig) -> Floats:
    """The rig without dice, lens and sensor, rows by columns by 3. Do not change it."""
    rng = np.random.default_rng([rig.seed, 1])
    shape = (rig.height_px, rig.width_px)
    fine = rng.standard_normal(shape, np.float32)
    middling = _cloud(rng, shape, 6)
    broad = _cloud(rng, shape, 60)
    texture = rig.grain * (0.55 * cv2.GaussianBlur(fine, (0, 0), 0.9) * 2.5 + 0.5 * middling + 0.8 * broad)
    along = rays(rig)
    t = -rig.camera_mm / along[2]
    away = np.hypot(along[0] * t, along[1] * t)
    picture = np.empty((*shape, 3), np.float32)
    picture[:] = rig.plate
    picture += texture[:, :, None]
    lift = np.clip((away - rig.plate_mm) / (rig.ridge_mm * 0.6), 0, 1)  # 0 plate, 1 top of the ridge
    bevel = (lift > 0) & (lift < 1)
    slope = (along[0] * rig.lamp[0] + along[1] * rig.lamp[1]) * t / np.maximum(away, 1)
    shade = np.where(bevel, 0.72 - 0.5 * rig.lamp_share * slope, 1.0).astype(np.float32)
    picture *= shade[:, :, None]
    housing = np.clip((away - rig.plate_mm - rig.ridge_mm * 0.6) / 0.3, 0, 1).astype(np.float32)[:, :, None]
    outside = np.array(rig.housing, np.float32) + 0.5 * texture[:, :, None]
    return np.asarray(np.maximum(picture + housing * (outside - picture), 0), np.float32)


def _cloud(rng: np.random.Generator, shape: tuple[int, int], grain_px: int) -> Floats:
    small = rng.standard_normal((shape[0] // grain_px + 3, shape[1] // grain_px + 3), np.float32)
    return np.asarray(cv2.resize(small, shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)


@lru_cache(maxsize=4)
def lens(rig: Rig) -> tuple[Floats, Floats]:
    """Light that the dome mirrors (to be added) and what is lost towards the corners (a factor), each three deep."""
    rng = Random(f"dome/{rig.seed}")
    shape = (rig.height_px, rig.width_px)
    light = np.zeros(shape, np.float32)
    middle = project(rig, (0, 0, 0))[0]
    for _ in range(rng.randrange(2, 5)):  # lamps
        at = rng.uniform(0, 2 * math.pi)
        far = rng.uniform(0.35, 0.95) * rig.plate_px
        spot = np.zeros(shape, np.float32)
        place = (round(middle[0] + far * math.cos(at)), round(middle[1] - far * math.sin(at)))
        size = (rng.randrange(8, 22), rng.randrange(5, 14))
        cv2.ellipse(spot, place, size, math.degrees(-at) + 90, 0, 360, rng.uniform(0.4, 1.0), -1)
        light += cv2.GaussianBlur(spot, (0, 0), rng.uniform(4, 9))
    ring = np.zeros(shape, np.float32)
    radius, begin = rng.uniform(0.3, 0.8) * rig.plate_px, rng.uniform(0, 360)
    place = (round(middle[0]), round(middle[1]))
    cv2.ellipse(ring, place, (round(radius), round(radius)), begin, 0, rng.uniform(90, 330), 0.5, rng.randrange(3, 8))
    light += cv2.GaussianBlur(ring, (0, 0), 3)
    columns, rows = np.meshgrid(np.arange(rig.width_px), np.arange(rig.height_px))
    out = ((columns - rig.middle_px[0]) ** 2 + (rows - rig.middle_px[1]) ** 2) / (rig.width_px / 2) ** 2
    falloff = (1 - rig.vignetting * out / 1.5).astype(np.float32)
    return np.asarray(cv2.merge([light * rig.reflections] * 3), np.float32), np.asarray(cv2.merge([falloff] * 3))
