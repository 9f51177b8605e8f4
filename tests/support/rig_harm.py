"""What goes wrong with dice and cameras beyond what shakes have: slight tilts, crumbs, hairs, light on one pip, dirt,
a nudged camera, JPEG, a lens that distorts. Each makes a picture whose true values are known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from dealer_drivers.dice.faces import Bgr
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Die, Pose, Scene, about, die_at, seen, upright

Harm = Callable[[Rig, random.Random], tuple[Bgr, Scene]]


def good(rig: Rig, rng: random.Random) -> Scene:
    """Three flat dice, of values whose pips are easily mistaken more often than others."""
    values = [rng.choice((1, 2, 3, 3, 4, 5, 5, 6)) for _ in range(3)]
    return throw(rig, Pose.TOUCHING if rng.random() < 0.25 else Pose.FLAT, rng, values)


def picture(scene: Scene, rig: Rig, rng: random.Random) -> Bgr:
    """One picture of it."""
    return render(scene, rig, 0, rng.randrange(1 << 30))


def tilted(rig: Rig, rng: random.Random, degrees: float) -> tuple[Bgr, Scene]:
    """One die with an edge or a corner lifted, as by a crumb or a rim below it."""
    scene = throw(rig, Pose.FLAT, rng)
    number = rng.randrange(3)
    flat = scene.dice[number]
    turn = np.array(flat.turn).reshape(3, 3)
    yaw = rng.uniform(0, 2 * math.pi)
    if rng.random() < 0.6:  # one of its own edges stays down
        across = next(axis for axis in turn.T if abs(axis[2]) < 0.5)
        yaw = math.atan2(across[1], across[0]) + rng.randrange(4) * math.pi / 2
    lean = about((math.cos(yaw), math.sin(yaw), 0.0), math.radians(degrees))
    die = die_at(flat.kind, flat.edge_mm, flat.x_mm, flat.y_mm, lean @ turn)
    changed = replace(scene, dice=tuple(die if n == number else other for n, other in enumerate(scene.dice)))
    return picture(changed, rig, rng), changed


def on_a_crumb(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """One die flat, but lifted by an eighth to a half of its edge: something lies under it."""
    scene = throw(rig, Pose.FLAT, rng)
    number = rng.randrange(3)
    lifted = replace(scene.dice[number], z_mm=scene.dice[number].z_mm + rig.die_mm * rng.uniform(0.125, 0.5))
    changed = replace(scene, dice=tuple(lifted if n == number else die for n, die in enumerate(scene.dice)))
    return picture(changed, rig, rng), changed


def glued(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """Two dice side to side with no gap at all, a shadow over both."""
    for _ in range(400):
        scene = throw(rig, Pose.FLAT, rng)
        one, third = scene.dice[0], scene.dice[2]
        turn = np.array(one.turn).reshape(3, 3)
        side = next(axis for axis in turn.T if abs(axis[2]) < 0.5) * rng.choice((-1, 1))
        x, y = one.x_mm + side[0] * rig.die_mm, one.y_mm + side[1] * rig.die_mm
        value = rng.randint(1, 6)
        yaw = math.atan2(side[1], side[0]) + rng.randrange(4) * math.pi / 2
        two = die_at(one.kind, one.edge_mm, float(x), float(y), about((0, 0, 1), yaw) @ upright(one.kind, value))
        away = math.hypot(third.x_mm - x, third.y_mm - y)
        if away > 1.5 * rig.die_mm and _in(two, rig):
            changed = replace(scene, dice=(one, two, third))
            made = picture(changed, rig, rng).astype(np.float32)
            middle = seen(one, rig)
            columns, rows = np.meshgrid(np.arange(rig.width_px), np.arange(rig.height_px))
            far = np.hypot(columns - middle.x_px, rows - middle.y_px) / (rng.uniform(1.0, 1.8) * rig.die_px)
            dark = 1 - rng.uniform(0.05, 0.4) * np.exp(-(far ** rng.choice((2, 4, 12))))
            return np.asarray(np.clip(made * dark[:, :, None], 0, 255), np.uint8), changed
    raise AssertionError("no room for two dice side to side")


def _in(die: Die, rig: Rig) -> bool:
    corners = seen(die, rig).corners_px
    return bool((corners > 8).all() and (corners < np.array([rig.width_px, rig.height_px]) - 9).all()) and (
        math.hypot(die.x_mm, die.y_mm) < rig.plate_mm - 0.75 * rig.die_mm
    )


def light_on_a_pip(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """A lamp mirrored on one pip: hard or soft, from half to twice the pip's size."""
    scene = good(rig, rng)
    x, y = _pip(scene, rig, rng)
    size = rig.pip_px * rng.uniform(0.5, 2.0)
    columns, rows = np.meshgrid(np.arange(rig.width_px), np.arange(rig.height_px))
    out = np.hypot(columns - x - rng.uniform(-3, 3), (rows - y - rng.uniform(-3, 3)) * rng.uniform(0.8, 1.25)) / size
    light = rng.uniform(80, 300) * (np.exp(-(out**2)) if rng.random() < 0.5 else 1 / (1 + out**8))
    made = picture(scene, rig, rng).astype(np.float32) + light[:, :, None]
    return np.asarray(np.clip(made, 0, 255), np.uint8), scene


def a_hair(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """A hair or a thread, dark or light or of the body's colour, across a pip."""
    scene = good(rig, rng)
    x, y = _pip(scene, rig, rng)
    way = rng.uniform(0, math.pi)
    along = np.linspace(-1, 1, 60) * rig.die_px * rng.uniform(0.25, 1.2)
    bend = rng.uniform(-0.004, 0.004) * along**2
    points = np.stack(
        [x + along * math.cos(way) - bend * math.sin(way), y + along * math.sin(way) + bend * math.cos(way)], axis=1
    )
    colour = rng.choice(((25, 25, 30), (235, 235, 235), rig.kind.body, rig.kind.pip))
    made = picture(scene, rig, rng)
    over = made.copy()
    cv2.polylines(over, [np.round(points * 16).astype(np.int32)], False, colour, rng.randint(1, 9), cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(over, (0, 0), 0.8), np.uint8), scene


def a_speck(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """A speck of any colour that covers a pip in part or wholly."""
    scene = good(rig, rng)
    x, y = _pip(scene, rig, rng)
    made = picture(scene, rig, rng)
    colour = rng.choice(((40, 60, 90), (200, 210, 220), (90, 90, 90), (60, 110, 50)))
    at = (round((x + rng.uniform(-6, 6)) * 16), round((y + rng.uniform(-6, 6)) * 16))
    size = (round(rig.pip_px * rng.uniform(0.5, 1.8) * 16), round(rig.pip_px * rng.uniform(0.5, 1.8) * 16))
    cv2.ellipse(made, at, size, rng.uniform(0, 180), 0, 360, colour, -1, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(made, (0, 0), 0.8), np.uint8), scene


def _pip(scene: Scene, rig: Rig, rng: random.Random) -> tuple[float, float]:
    pips = seen(rng.choice(scene.dice), rig).pips_px
    x, y = pips[rng.randrange(len(pips))]
    return float(x), float(y)


def dirt(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """Grime that darkens parts of the plate, and specks; not on the dice."""
    scene = good(rig, rng)
    made = picture(scene, rig, rng).astype(np.float32)
    dark = np.zeros(made.shape[:2], np.float32)
    for _ in range(rng.randint(2, 25)):
        at = (rng.randrange(rig.width_px), rng.randrange(rig.height_px))
        cv2.circle(dark, at, rng.choice((1, 2, 3, 5, 9, 20, 45)), rng.uniform(0.05, 0.5), -1, cv2.LINE_AA)
    dark = cv2.GaussianBlur(dark, (0, 0), rng.uniform(0.7, 6.0)).astype(np.float32)
    for die in scene.dice:
        corners = seen(die, rig).corners_px
        cv2.fillPoly(dark, [np.round(corners).astype(np.int32)], 0.0)
    return np.asarray(made * (1 - dark[:, :, None]), np.uint8), scene


def nudged(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """The camera turned a little: the whole picture is moved by 1 to 3 pixels."""
    scene = good(rig, rng)
    way, far = rng.uniform(0, 2 * math.pi), rng.uniform(1, 3)
    move = np.array([[1, 0, far * math.cos(way)], [0, 1, far * math.sin(way)]])
    size = (rig.width_px, rig.height_px)
    made = cv2.warpAffine(picture(scene, rig, rng), move, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(made, np.uint8), scene


def packed(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """As a network camera gives it: JPEG of quality 60 to 90."""
    scene = good(rig, rng)
    return jpeg(picture(scene, rig, rng), rng.randint(60, 90)), scene


def jpeg(made: Bgr, quality: int) -> Bgr:
    """There and back."""
    data = cv2.imencode(".jpg", made, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def exposed(rig: Rig, rng: random.Random) -> tuple[Bgr, Scene]:
    """Brighter or darker by up to a fifth."""
    scene = good(rig, rng)
    made = picture(scene, rig, rng).astype(np.float32) * rng.uniform(0.8, 1.2)
    return np.asarray(np.clip(np.rint(made), 0, 255), np.uint8), scene


def distorted(made: Bgr, part: float) -> Bgr:
    """Through a lens that draws the corners in (above 0) or out by this part."""
    height, width = made.shape[:2]
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    x, y = columns - (width - 1) / 2, rows - (height - 1) / 2
    more = 1 + part * (x**2 + y**2) / ((width / 2) ** 2 + (height / 2) ** 2)
    at_x, at_y = x * more + (width - 1) / 2, y * more + (height - 1) / 2
    bent = cv2.remap(
        made, at_x.astype(np.float32), at_y.astype(np.float32), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(bent, np.uint8)


HARMS: dict[str, Harm] = {
    "on_a_crumb": on_a_crumb,
    "glued": glued,
    "light_on_a_pip": light_on_a_pip,
    "a_hair": a_hair,
    "a_speck": a_speck,
    "dirt": dirt,
    "nudged": nudged,
    "jpeg": packed,
    "exposed": exposed,
}
