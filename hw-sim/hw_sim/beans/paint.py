"""Draws a scene as the camera of a rig sees it. The same rig, scene and grain give the same picture.

Beans are lit ellipsoids with a soft shadow, seen through a pinhole camera that hangs a little aslant.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hw_sim.beans.layout import Bean, Layout
from hw_sim.beans.scene import Colour, Hand, Rig, Scene

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Pixels = npt.NDArray[np.uint8]

CAMERA_MM = 900.0
"""The camera hangs so high."""
LIFT = 0.55
"""A bean is so high, in its half width: its shadow reaches so far."""
SHADOW = 0.42
GRAINS = 4
"""Sheets of noise, which are slid over each other picture by picture."""
SLIDE_PX = 48


def paint(rig: Rig, scene: Scene, grain: int) -> Pixels:
    """The picture, height by width by blue, green, red. ``grain`` chooses the noise."""
    import numpy as np

    canvas = _still(rig, scene) * np.float32(scene.gain)
    height, width = canvas.shape[:2]
    noise = _noise(rig.seed, height, width)
    chance = np.random.default_rng([rig.seed, grain])
    layer = noise[int(chance.integers(GRAINS))]
    dy, dx = (int(n) for n in chance.integers(SLIDE_PX, size=2))
    # Shot noise: brighter pixels have more of it.
    loud = canvas * np.float32(rig.noise / 300) + np.float32(rig.noise * 0.6)
    canvas += loud * layer[dy : dy + height, dx : dx + width]
    np.clip(canvas, 0, 255, out=canvas)
    return canvas.astype(np.uint8)


@lru_cache(maxsize=4)
def _noise(seed: int, height: int, width: int) -> Floats:
    import numpy as np

    chance = np.random.default_rng([seed, 77])
    return chance.standard_normal((GRAINS, height + SLIDE_PX, width + SLIDE_PX, 3), np.float32)


@lru_cache(maxsize=4)
def _laid(rig: Rig, layout: Layout, shift_mm: tuple[float, float], shade: float) -> Floats:
    """The cloth with the beans on it."""
    import numpy as np

    canvas = _cloth(rig).copy()
    light = _light(rig)
    canvas *= light[:, :, None]
    dx, dy = shift_mm
    shadow = np.ones(canvas.shape[:2], np.float32)
    for bean in layout.beans:
        _shade(rig, shadow, bean, dx, dy)
    canvas *= shadow[:, :, None]
    for bean in layout.beans:
        _draw_bean(rig, canvas, light, bean, dx, dy)
    if shade:
        canvas *= _soft_shadow(rig, shade)[:, :, None]
    return canvas


@lru_cache(maxsize=4)
def _still(rig: Rig, scene: Scene) -> Floats:
    """Everything but exposure and noise, float32 grey levels."""
    import cv2
    import numpy as np

    canvas = _laid(rig, scene.layout, scene.shift_mm, scene.shade).copy()
    if scene.bowl is not None:
        _draw_bowl(rig, canvas, scene)
    if scene.stick is not None:
        stick = scene.stick
        ends = (_point(rig, stick.x0, stick.y0), _point(rig, stick.x1, stick.y1))
        _draw_rod(canvas, *ends, stick.thick_mm * rig.px_per_mm, stick.colour)
    if scene.hand is not None:
        _draw_hand(rig, canvas, scene.hand)
    for glare in scene.glares:
        x, y = _point(rig, glare.x, glare.y)
        rows, columns = np.mgrid[0 : canvas.shape[0], 0 : canvas.shape[1]].astype(np.float32)
        away = ((columns - x) ** 2 + (rows - y) ** 2) / (glare.radius_mm * rig.px_per_mm) ** 2
        canvas += (glare.strength * np.exp(-away)).astype(np.float32)[:, :, None]
    soft = math.hypot(rig.softness_px, scene.blur_px)
    canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), soft), np.float32)
    return _smeared(canvas, *scene.smear_px)


def _smeared(canvas: Floats, dx: float, dy: float) -> Floats:
    import cv2
    import numpy as np

    reach = math.hypot(dx, dy)
    if reach < 1:
        return canvas
    size = 2 * math.ceil(reach / 2) + 1
    kernel = np.zeros((size, size), np.float32)
    middle = size // 2
    start = (round(middle - dx / 2), round(middle - dy / 2))
    cv2.line(kernel, start, (round(middle + dx / 2), round(middle + dy / 2)), 1.0)
    return np.asarray(cv2.filter2D(canvas, -1, kernel / kernel.sum()), np.float32)


@lru_cache(maxsize=8)
def _cloth(rig: Rig) -> Floats:
    """The bare cloth: its colour with a weave and a slow unevenness."""
    import cv2
    import numpy as np

    chance = np.random.default_rng([rig.seed, 1])
    shape = (rig.height_px, rig.width_px)
    weave = cv2.GaussianBlur(chance.standard_normal(shape, np.float32), (0, 0), 0.9) * 0.10
    slow = cv2.resize(chance.standard_normal((7, 9), np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC) * 0.02
    return np.asarray((1 + weave + slow)[:, :, None] * np.array(rig.cloth, np.float32), np.float32)


@lru_cache(maxsize=8)
def _light(rig: Rig) -> Floats:
    """How much light falls where: darker towards the corners and away from the lamp."""
    import numpy as np

    rows, columns = np.mgrid[0 : rig.height_px, 0 : rig.width_px].astype(np.float32)
    x, y = columns / rig.width_px - 0.5, rows / rig.height_px - 0.5
    corner = 1 - rig.falloff * 2 * (x * x + y * y)
    return np.asarray(corner * (1 + 0.2 * (rig.light[0] * x + rig.light[1] * y)), np.float32)


@lru_cache(maxsize=64)
def _soft_shadow(rig: Rig, depth: float) -> Floats:
    """Somebody stands in the light of one side."""
    import numpy as np

    columns = np.arange(rig.width_px, dtype=np.float32)[None, :] / rig.width_px
    edge = 1 / (1 + np.exp((columns - 0.35) * 14))
    return np.asarray(np.repeat(1 - depth * edge, rig.height_px, 0), np.float32)


@lru_cache(maxsize=8)
def _camera(rig: Rig) -> Any:
    """3 × 3 from cloth millimetres to pixels."""
    import numpy as np

    a, b, c = (math.radians(angle) for angle in (rig.tilt_deg, rig.lean_deg, rig.turn_deg))
    turn = np.array([[math.cos(c), -math.sin(c), 0], [math.sin(c), math.cos(c), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
    lean = np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    pose = turn @ tilt @ lean
    focus = rig.px_per_mm * CAMERA_MM
    lens = np.array([[focus, 0, rig.width_px / 2], [0, focus, rig.height_px / 2], [0, 0, 1]])
    plane = np.stack([pose[:, 0], pose[:, 1], np.array([0, 0, CAMERA_MM])], axis=1)
    return lens @ plane


def _point(rig: Rig, x: float, y: float) -> tuple[float, float]:
    camera = _camera(rig)
    u, v, w = camera @ (x, y, 1.0)
    return float(u / w), float(v / w)


def _patch(
    rig: Rig, bean: Bean, x: float, y: float, grow: float, shape: tuple[int, ...]
) -> tuple[slice, slice, Floats, Floats] | None:
    """Rows and columns around a bean, and for each pixel where it lies on it: across 1 is its rim."""
    import numpy as np

    u, v = _point(rig, x, y)
    ux, vx = _point(rig, x + 1, y)
    uy, vy = _point(rig, x, y + 1)
    cos, sin = math.cos(bean.turn), math.sin(bean.turn)
    place = np.array([[ux - u, uy - u], [vx - v, vy - v]])
    axes = place @ np.array([[cos, -sin], [sin, cos]]) @ np.diag([bean.long_mm, bean.short_mm])
    back = np.linalg.inv(axes)
    reach = grow * bean.long_mm * rig.px_per_mm * 1.15 + 2
    top, bottom = max(0, math.floor(v - reach)), min(shape[0], math.ceil(v + reach) + 1)
    left, right = max(0, math.floor(u - reach)), min(shape[1], math.ceil(u + reach) + 1)
    if top >= bottom or left >= right:
        return None
    rows = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(v)
    columns = np.arange(left, right, dtype=np.float32)[None, :] - np.float32(u)
    p = np.float32(back[0, 0]) * columns + np.float32(back[0, 1]) * rows
    q = np.float32(back[1, 0]) * columns + np.float32(back[1, 1]) * rows
    return slice(top, bottom), slice(left, right), p, q


def _shade(rig: Rig, shadow: Floats, bean: Bean, dx: float, dy: float) -> None:
    """Darkens the cloth on the side away from the light."""
    import numpy as np

    throw = LIFT * bean.short_mm
    x, y = bean.x + dx - rig.light[0] * throw, bean.y + dy - rig.light[1] * throw
    patch = _patch(rig, bean, x, y, 1.8, shadow.shape)
    if patch is not None:
        rows, columns, p, q = patch
        dark = 1 - SHADOW / (1 + np.exp((np.sqrt(p * p + q * q) - 1.05) * 9))
        shadow[rows, columns] = np.minimum(shadow[rows, columns], dark)


def _draw_bean(rig: Rig, canvas: Floats, light: Floats, bean: Bean, dx: float, dy: float) -> None:
    import numpy as np

    patch = _patch(rig, bean, bean.x + dx, bean.y + dy, 1.2, canvas.shape)
    if patch is None:
        return
    rows, columns, p, q = patch
    away = np.sqrt(p * p + q * q)
    rim_px = bean.short_mm * rig.px_per_mm
    cover = np.clip((1 - away) * rim_px + 0.5, 0, 1)[:, :, None]
    height = np.sqrt(np.clip(1 - away * away, 0, 1))
    cos, sin = math.cos(bean.turn), math.sin(bean.turn)
    toward_x = rig.light[0] * cos + rig.light[1] * sin
    toward_y = -rig.light[0] * sin + rig.light[1] * cos
    up = math.sqrt(max(0.05, 1 - rig.light[0] ** 2 - rig.light[1] ** 2))
    lit = 0.62 + 0.38 * np.clip(p * toward_x + q * toward_y + height * up, 0, 1)
    shine = np.clip(p * toward_x + q * toward_y + height * up, 0, 1) ** 20 * 25
    body = lit[:, :, None] * np.array(rig.bean, np.float32) * np.float32(bean.tone) + shine[:, :, None]
    body = body * light[rows, columns][:, :, None]
    canvas[rows, columns] = canvas[rows, columns] * (1 - cover) + body * cover


def _draw_bowl(rig: Rig, canvas: Floats, scene: Scene) -> None:
    import numpy as np

    bowl = scene.bowl
    assert bowl is not None
    x, y = _point(rig, bowl.x, bowl.y)
    rows, columns = np.mgrid[0 : canvas.shape[0], 0 : canvas.shape[1]].astype(np.float32)
    away = np.hypot(columns - x, rows - y) / (bowl.radius_mm * rig.px_per_mm)
    cover = np.clip((1 - away) * 40, 0, 1)[:, :, None]
    rings = 0.75 + 0.2 * np.cos(away * 9) + 0.25 * np.clip((x - columns + y - rows) / (200 * rig.px_per_mm), -1, 1)
    canvas[:] = canvas * (1 - cover) + cover * rings[:, :, None] * np.array(bowl.colour, np.float32)


def _draw_rod(
    canvas: Floats, one: tuple[float, float], other: tuple[float, float], thick_px: float, colour: Colour
) -> None:
    """A round rod with rounded ends, and its shadow beside it."""
    import numpy as np

    reach = thick_px * 1.8 + 2
    left, right = (round(f(one[0], other[0]) + side * reach) for f, side in ((min, -1), (max, 1)))
    top, bottom = (round(f(one[1], other[1]) + side * reach) for f, side in ((min, -1), (max, 1)))
    left, top = max(0, left), max(0, top)
    part = canvas[top : max(top, bottom), left : max(left, right)]
    if part.size == 0:
        return
    rows, columns = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]].astype(np.float32)
    lx, ly = other[0] - one[0], other[1] - one[1]
    length = max(1e-3, math.hypot(lx, ly))
    for offset, shadow in ((thick_px * 0.7, True), (0.0, False)):
        px, py = columns - np.float32(one[0] + offset), rows - np.float32(one[1] + offset)
        along = np.clip((px * np.float32(lx) + py * np.float32(ly)) / np.float32(length**2), 0, 1)
        away = np.hypot(px - along * np.float32(lx), py - along * np.float32(ly)) / np.float32(thick_px / 2)
        if shadow:
            part *= (1 - 0.35 / (1 + np.exp(np.clip((away - 1.1) * 5, -30, 30))))[:, :, None].astype(np.float32)
            continue
        cover = np.clip((1 - away) * (thick_px / 2) + 0.5, 0, 1)[:, :, None].astype(np.float32)
        curve = (0.55 + 0.45 * np.sqrt(np.clip(1 - away * away, 0, 1)))[:, :, None].astype(np.float32)
        part[:] = part * (1 - cover) + cover * curve * np.array(colour, np.float32)


def _draw_hand(rig: Rig, canvas: Floats, hand: Hand) -> None:
    """Four fingers, a thumb, a palm and a sleeve that goes out of the picture."""
    scale = rig.px_per_mm
    tip = _point(rig, hand.x, hand.y)
    cos, sin = math.cos(hand.heading), math.sin(hand.heading)

    def at(along: float, side: float) -> tuple[float, float]:
        return tip[0] + scale * (along * cos - side * sin), tip[1] + scale * (along * sin + side * cos)

    sleeve = at(170, 0), at(900, 0)
    palm = at(95, -12), at(120, 0)
    _draw_rod(canvas, *sleeve, 80 * scale, hand.sleeve)
    _draw_rod(canvas, *palm, 78 * scale, hand.skin)
    for side, start in ((-30.0, 22.0), (-10.0, 6.0), (10.0, 0.0), (29.0, 12.0)):
        _draw_rod(canvas, at(start + 8, side * 0.8), at(85, side), 17 * scale, hand.skin)
    _draw_rod(canvas, at(55, 50), at(105, 30), 19 * scale, hand.skin)
