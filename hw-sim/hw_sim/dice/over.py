"""What should not be there: a hand, a cable, a glaring light. Drawn over everything else."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.dice.rig import Floats
from hw_sim.dice.scene import Cable, Glare, Hand

SKINS = ((120, 150, 200), (96, 126, 178), (70, 96, 140), (150, 180, 224))


def draw_over(picture: Floats, thing: Hand | Cable | Glare) -> None:
    """Draws one of them."""
    match thing:
        case Hand():
            _hand(picture, thing)
        case Cable():
            _cable(picture, thing)
        case Glare():
            _glare(picture, thing)


def _lay(picture: Floats, mask: npt.NDArray[np.uint8], colour: npt.ArrayLike, round_px: float, light: float) -> None:
    """Lays a rounded thing of this outline over the picture, with its shadow."""
    shadow = cv2.GaussianBlur(np.roll(mask, (6, 5), axis=(0, 1)), (0, 0), 7).astype(np.float32) / 255
    picture *= 1 - 0.4 * shadow[:, :, None]
    thick = cv2.GaussianBlur(mask, (0, 0), round_px).astype(np.float32) / 255
    slope = cv2.Sobel(thick, cv2.CV_32F, 1, 1, ksize=3) * round_px
    cover = cv2.GaussianBlur(mask, (0, 0), 1.2).astype(np.float32)[:, :, None] / 255
    shade = np.clip(0.45 + 0.65 * thick + light * slope, 0.2, 1.3)[:, :, None]
    picture += cover * (np.asarray(colour, np.float32) * shade - picture)


def _hand(picture: Floats, hand: Hand) -> None:
    """Forearm, palm and fingers, open to the place it reaches for."""
    rng = np.random.default_rng([hand.seed, 2])
    away = math.radians(hand.from_deg)
    arm = np.array([math.cos(away), -math.sin(away)])
    across = np.array([-arm[1], arm[0]])
    palm = np.array([hand.x_px, hand.y_px]) + arm * 70
    mask = np.zeros(picture.shape[:2], np.uint8)

    def limb(begin: npt.NDArray[np.float64], end: npt.NDArray[np.float64], width: float) -> None:
        points = [tuple(int(part) for part in point) for point in (begin, end)]
        cv2.line(mask, points[0], points[1], 255, max(1, int(width)), cv2.LINE_AA)

    limb(palm, palm + arm * 900, rng.uniform(75, 110))
    limb(palm - across * 22, palm + across * 22, 80)
    for place in (-1.5, -0.5, 0.5, 1.5):
        knuckle = palm - arm * 25 + across * place * 24
        tip = knuckle - arm * rng.uniform(55, 95) + across * place * rng.uniform(2, 14)
        limb(knuckle, tip, rng.uniform(22, 30))
    thumb = palm + across * 45
    limb(thumb, thumb - arm * 55 + across * 30, 28)
    skin = np.array(SKINS[int(rng.integers(len(SKINS)))]) * rng.uniform(0.85, 1.1)
    _lay(picture, mask, skin, 11, 0.4)


def _cable(picture: Floats, cable: Cable) -> None:
    """A smooth line through the points."""
    points = np.array(cable.points_px)
    inner = np.linspace(0, len(points) - 1, 60)
    smooth = np.stack([np.interp(inner, np.arange(len(points)), points[:, axis]) for axis in (0, 1)], axis=1)
    smooth = cv2.GaussianBlur(smooth, (1, 31), sigmaX=1, sigmaY=6, borderType=cv2.BORDER_REPLICATE)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.polylines(mask, [(smooth * 8).astype(np.int32)], False, 255, round(cable.width_px), cv2.LINE_AA, 3)
    _lay(picture, mask, (cable.grey, cable.grey, cable.grey), max(1.5, cable.width_px / 4), 0.6)


def _glare(picture: Floats, glare: Glare) -> None:
    """Light far over white in the middle, with a soft edge."""
    rows, columns = np.indices(picture.shape[:2], np.float32)
    out = np.hypot(columns - glare.x_px, rows - glare.y_px) / glare.radius_px
    picture += (600 / (1 + out**6) + 40 * np.exp(-(out**2) / 4))[:, :, None].astype(np.float32)
