"""From a scene to the camera's picture: every die is traced pixel by pixel as a box with round edges.

A scene at rest is drawn once; each further picture of it costs its noise only.
"""

from __future__ import annotations

import math
from functools import lru_cache
from random import Random
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.dice.kinds import DieKind, value_of
from hw_sim.dice.over import draw_over
from hw_sim.dice.plate import blank, lens
from hw_sim.dice.rig import Floats, Rig, project, rays
from hw_sim.dice.scene import Die, Matrix, Scene

Bgr: TypeAlias = npt.NDArray[np.uint8]
Deep: TypeAlias = npt.NDArray[np.int16]
"""A picture without noise, in grey levels."""

STEPS, SECANTS, NEAR_MM, FLATTEST = 6, 4, 0.002, np.float32(0.02)
"""Newton's steps to the surface of a die, and those back from one too far; where they end; the flattest angle at
which a ray may meet it."""
SUB_EXPOSURES = 3
CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], np.float64)
BANKS, BANK_EDGE = 4, 41
"""Sheets of noise, and by how much they are larger than the picture."""


def render(scene: Scene, rig: Rig, frame_index: int, seed: int) -> Bgr:
    """Picture number ``frame_index`` of the scene, rows by columns by 3. The same arguments give the same picture."""
    if scene.frozen:
        frame_index = 0
    return picture_at(scene, rig, frame_index / rig.fps, f"{seed}/{frame_index}")


def picture_at(scene: Scene, rig: Rig, at_s: float, chance: str) -> Bgr:
    """The picture at a moment of the scene; ``chance`` gives noise and exposure."""
    settled = at_s >= scene.rest_s
    return _sensor(_clean(scene, rig, math.inf if settled else at_s), scene, rig, chance)


@lru_cache(maxsize=16)
def _clean(scene: Scene, rig: Rig, at_s: float) -> Deep:
    """The picture before the sensor; smeared by what moves."""
    count = SUB_EXPOSURES if _smear_px(scene, rig, at_s) > 1 else 1
    times = [at_s + rig.exposure_s * part / count for part in range(count)]
    drawn = _drawn(scene, rig, times[0])
    for time_s in times[1:]:
        drawn += _drawn(scene, rig, time_s)
    return _through_lens(drawn / np.float32(count), scene, rig)


def _smear_px(scene: Scene, rig: Rig, at_s: float) -> float:
    """How far any corner of a die moves while the picture is taken."""
    end_s = at_s + rig.exposure_s
    moving = (die for die in scene.dice if die.moves(at_s, end_s))
    ways = (project(rig, die.corners_mm(end_s)) - project(rig, die.corners_mm(at_s)) for die in moving)
    return max((float(np.linalg.norm(way, axis=1).max()) for way in ways), default=0.0)


def _sensor(clean: Deep, scene: Scene, rig: Rig, chance: str) -> Bgr:
    rng = Random(chance)
    sheet = _noise(rig.width_px, rig.height_px)[rng.randrange(BANKS)]
    x, y = rng.randrange(BANK_EDGE), rng.randrange(BANK_EDGE)
    gain = scene.exposure * (1 + rig.drift * rng.gauss(0, 1))
    noise = sheet[y : y + rig.height_px, x : x + rig.width_px]
    return np.asarray(
        cv2.addWeighted(clean, gain, noise, rig.noise * rng.uniform(0.97, 1.03) / 64, 0, dtype=cv2.CV_8U), np.uint8
    )


@lru_cache(maxsize=2)
def _noise(width: int, height: int) -> list[Deep]:
    """Sheets of noise with standard deviation 64."""
    rng = np.random.default_rng(20)
    shape = (height + BANK_EDGE, width + BANK_EDGE, 3)
    return [(rng.standard_normal(shape, np.float32) * 64).astype(np.int16) for _ in range(BANKS)]


def _through_lens(drawn: Floats, scene: Scene, rig: Rig) -> Deep:
    """Reflections of the dome, softness, light lost towards the corners."""
    reflections, falloff = lens(rig)
    seen = cv2.add(drawn, reflections)
    soft = math.hypot(rig.softness_px, scene.defocus_px)
    seen = cv2.GaussianBlur(seen, (0, 0), soft, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.multiply(seen, falloff), np.float32).astype(np.int16)


def _drawn(scene: Scene, rig: Rig, at_s: float) -> Floats:
    """The scene without lens and sensor."""
    picture = _shaded(blank(rig), scene, rig, at_s)
    for die in sorted(scene.dice, key=lambda each: each.z_mm):
        turn, centre = die.placed(at_s)
        if die.z_mm > die.edge_mm:
            _shade_below(picture, rig, die, at_s)
        draw_die(picture, rig, die.kind, die.edge_mm, turn, centre)
    for thing in scene.over:
        draw_over(picture, thing)
    return picture


def _shaded(plate: Floats, scene: Scene, rig: Rig, at_s: float) -> Floats:
    """A copy of the plate with the shadows of all dice on it."""
    if not scene.dice:
        return plate.copy()
    half = (rig.height_px // 2, rig.width_px // 2)
    contact, cast = np.zeros(half, np.uint8), np.zeros(half, np.uint8)
    for die in scene.dice:
        corners = die.corners_mm(at_s)
        low = corners[np.argsort(corners[:, 2])[:4]]
        near = 4 if low[:, 2].min() < 1 else 2
        for mask, along, count in ((contact, (0.0, 0.0, 1.0), near), (cast, rig.lamp, 8)):
            ground = corners if count == 8 else low
            fallen = ground - np.outer(ground[:, 2] / along[2], along)
            hull = cv2.convexHull((project(rig, fallen) * 8).astype(np.int32))
            cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, 4)
    dark = cv2.addWeighted(
        cv2.GaussianBlur(contact, (0, 0), 4.0), 0.4, cv2.GaussianBlur(cast, (0, 0), 2.5), 0.75 * rig.lamp_share, 0
    )
    light = cv2.resize(cv2.merge([255 - dark] * 3), (rig.width_px, rig.height_px), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.multiply(plate, light, scale=1 / 255, dtype=cv2.CV_32F), np.float32)


def _shade_below(picture: Floats, rig: Rig, die: Die, at_s: float) -> None:
    """A die that lies on others darkens what is under its edges."""
    corners = die.corners_mm(at_s)
    low = corners[np.argsort(corners[:, 2])[:4]]
    hull = cv2.convexHull(project(rig, low).astype(np.float32)).astype(np.int32)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, hull, 255)
    light = 1 - 0.4 * cv2.GaussianBlur(mask, (0, 0), 6.0).astype(np.float32) / 255
    picture *= light[:, :, None]


def draw_die(picture: Floats, rig: Rig, kind: DieKind, edge_mm: float, turn: Matrix, centre: Matrix) -> None:
    """Draws one die over the picture: ``turn`` from its own axes to the world's, ``centre`` in millimetres."""
    camera = np.array([0.0, 0.0, rig.camera_mm])
    away = float(np.linalg.norm(camera - centre))
    outline = project(rig, centre + (CORNERS * edge_mm / 2) @ turn.T)
    x0, y0 = (max(0, math.floor(at) - 1) for at in outline.min(axis=0))
    x1, y1 = (math.ceil(at) + 2 for at in outline.max(axis=0))
    x1, y1 = min(rig.width_px, x1), min(rig.height_px, y1)
    if x0 >= x1 or y0 >= y1:
        return
    pixel = np.float32((away - edge_mm / 2) / rig.focal_px)
    own = turn.T.astype(np.float32)
    along = own @ rays(rig)[:, y0:y1, x0:x1].reshape(3, -1)
    start = (own @ (camera - centre).astype(np.float32))[:, None]
    box = np.float32(edge_mm / 2)
    flat = np.float32(edge_mm * (0.5 - kind.corner))
    # Half a pixel smaller, so that a ray that misses it by half a pixel is half covered.
    round_ = np.float32(max(0.02, edge_mm * kind.corner - float(pixel) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):  # a ray along a face meets it nowhere
        one, two = (-box - pixel - start) / along, (box + pixel - start) / along
    near, far = _largest(np.minimum(one, two)), -_largest(-np.maximum(one, two))
    hit = np.flatnonzero(near < far)
    if not len(hit):
        return
    # `take` with an axis: brackets take four times as long.
    along, t = along.take(hit, axis=1), near[hit]
    t, closest = _meet(start, along, t, flat, round_)
    cover = np.clip(1 - closest / pixel, 0, 1)
    kept = np.flatnonzero(cover > 0)
    along, cover, hit = along.take(kept, axis=1), cover[kept], hit[kept]
    at = start + along * t[kept]
    under = picture[y0:y1, x0:x1].reshape(-1, 3)
    below = under.take(hit, axis=0)
    colour = _colour(rig, kind, edge_mm, turn, centre, at, along, flat, float(pixel), below)
    under[hit] = below + cover[:, None] * (colour - below)
    picture[y0:y1, x0:x1] = under.reshape(y1 - y0, x1 - x0, 3)


def _meet(start: Floats, along: Floats, t: Floats, flat: np.float32, round_: np.float32) -> tuple[Floats, Floats]:
    """How far along each ray it meets the box, beginning outside at ``t``; and how near it comes to it at all.

    The distance to a convex body is convex along a ray, so Newton's steps never go through the surface, also where a
    ray grazes a side; a ray whose step leads away again misses, and is nearest in between.
    """
    gap, slope = _distance(start + along * t, along, flat)
    gap -= round_
    closest, t = gap.copy(), t.copy()
    going = np.arange(len(t))
    for _ in range(STEPS):
        kept = np.flatnonzero((gap > NEAR_MM) & (slope < 0))
        if not len(kept):
            break
        going, gap, slope = going[kept], gap[kept], slope[kept]
        ways, from_t, from_slope = along.take(going, axis=1), t[going], slope
        to_t = np.asarray(from_t + gap / np.maximum(-slope, FLATTEST), np.float32)
        gap, slope = _distance(start + ways * to_t, ways, flat)
        gap -= round_
        for _ in range(SECANTS):
            past = np.flatnonzero((gap > NEAR_MM) & (slope > 0))
            if not len(past):
                break
            part = from_slope[past] / (from_slope[past] - slope[past])
            to_t[past] = from_t[past] + (to_t[past] - from_t[past]) * part
            near_gap, slope[past] = _distance(
                start + ways.take(past, axis=1) * to_t[past], ways.take(past, axis=1), flat
            )
            gap[past] = near_gap - round_
        t[going] = to_t
        closest[going] = np.minimum(closest[going], gap)
    return t, closest


def _distance(at: Floats, along: Floats, flat: np.float32) -> tuple[Floats, Floats]:
    """From points to a sharp box of half edge ``flat``; and how that changes along their rays."""
    outside = np.maximum(np.abs(at) - flat, 0)
    away = np.sqrt(np.einsum("ij,ij->j", outside, outside))
    slope = np.einsum("ij,ij->j", np.copysign(outside, at), along) / np.maximum(away, np.float32(1e-6))
    return away, slope


def _largest(parts: Floats) -> Floats:
    """The largest of each three; numpy's own reduction over so short an axis takes ten times as long."""
    return np.asarray(np.maximum(np.maximum(parts[0], parts[1]), parts[2]), np.float32)


def _colour(
    rig: Rig,
    kind: DieKind,
    edge_mm: float,
    turn: Matrix,
    centre: Matrix,
    at: Floats,
    along: Floats,
    flat: np.float32,
    pixel_mm: float,
    under: Floats,
) -> Floats:
    """Colours, N by 3, of points on a die's surface (3 by N, the die's own axes)."""
    beyond = np.sign(at) * np.maximum(np.abs(at) - flat, 1e-6)
    normal = beyond / np.sqrt(np.einsum("ij,ij->j", beyond, beyond))
    world = turn.astype(np.float32)
    lamp = world.T @ np.array(rig.lamp, np.float32)
    up, height = world[2] @ normal, world[2] @ at + np.float32(centre[2])
    facing = np.maximum(lamp @ normal, 0)
    light = (1 - rig.lamp_share) * (0.62 + 0.38 * up) + rig.lamp_share * facing / rig.lamp[2]
    light *= 0.6 + 0.4 * np.clip(height / edge_mm, 0, 1)
    between = lamp[:, None] - along
    between /= np.sqrt(np.einsum("ij,ij->j", between, between))
    shine = np.maximum(np.einsum("ij,ij->j", normal, between), 0)
    for _ in range(5):  # to the power of 32; numpy's own takes ten times as long
        shine *= shine
    shine *= np.float32(kind.gloss * 100)
    colour = np.empty((at.shape[1], 3), np.float32)
    colour[:] = kind.body
    if kind.glassy:
        colour += kind.glassy * (under - colour)
    largest = _largest(np.abs(at))
    for number in range(3):
        for sign in (-1, 1):
            chosen = np.flatnonzero(at[number] * sign == largest)
            if len(chosen):
                points, rays_ = at.take(chosen, axis=1) / edge_mm, along.take(chosen, axis=1)
                colour[chosen] = _face(kind, number, sign, points, rays_, lamp, pixel_mm / edge_mm, colour[chosen])
    colour *= light[:, None]
    return np.asarray(colour + shine[:, None], np.float32)


def _face(
    kind: DieKind, axis: int, sign: int, at: Floats, along: Floats, lamp: Floats, pixel: float, colour: Floats
) -> Floats:
    """One face's pips over its colour; lengths are parts of the edge."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    if kind.glassy:  # the face below shines through, moved by the slanting ray
        depth = -sign / np.maximum(np.abs(along[axis]), 0.3) / 1.5
        far_u, far_v = at[u] - sign * depth * along[u], at[v] - sign * depth * along[v]
        other = value_of(kind, axis, -sign)
        ghost = _spots(kind, other, far_u, far_v, 0.06)[0] * np.float32(0.45 * kind.glassy)
        colour = colour + ghost[:, None] * (np.array(kind.colour(other), np.float32) - colour)
    value = value_of(kind, axis, sign)
    slant = pixel / float(np.clip(np.abs(along[axis]).mean(), 0.3, 1))
    mask, in_u, in_v = _spots(kind, value, at[u], at[v], slant)
    # A pip is a dish: its far side from the lamp is the brighter one.
    dish = 1 - 0.35 * (in_u * lamp[u] + in_v * lamp[v]) / kind.radius(value)
    pip = np.array(kind.colour(value), np.float32) * dish[:, None].astype(np.float32)
    return np.asarray(colour + mask[:, None] * (pip - colour), np.float32)


def _spots(kind: DieKind, value: int, u: Floats, v: Floats, soft: float) -> tuple[Floats, Floats, Floats]:
    """How far inside a pip each point is (0 to 1), and where in it, from the pip's middle."""
    mask, in_u, in_v = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    radius = kind.radius(value)
    for pip_u, pip_v in kind.places(value):
        du, dv = u - np.float32(pip_u), v - np.float32(pip_v)
        this = np.clip((radius - np.hypot(du, dv)) / soft + 0.5, 0, 1).astype(np.float32)
        inside = this > 0
        mask, in_u, in_v = np.maximum(mask, this), np.where(inside, du, in_u), np.where(inside, dv, in_v)
    return mask, in_u, in_v
