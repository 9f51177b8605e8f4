"""Plain drawings of dice seen from above, for tests of what reads them. Not what the simulator renders."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]

PLACES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
ROUNDING = 0.12
"""Radius of a die's corners, in sides."""


@dataclass(frozen=True, slots=True)
class Die:
    value: int
    x: float
    y: float
    size: float = 110.0
    turn_deg: float = 20.0
    body: int = 215
    pip: int = 30


def plate(width: int = 640, height: int = 480, level: int = 105, noise: float = 1.5) -> npt.NDArray[np.float32]:
    """An even plate with a camera's noise."""
    grain = np.random.default_rng(7).normal(level, noise, (height, width))
    return np.asarray(grain, np.float32)


def draw(dice: list[Die], ground: npt.NDArray[np.float32] | None = None) -> Grey:
    """Dice on a plate, drawn four times as large and made smaller, so that edges are as a lens gives them."""
    picture = plate() if ground is None else ground.copy()
    height, width = picture.shape
    for die in dice:
        turn = np.radians(die.turn_deg)
        across = np.array([np.cos(turn), np.sin(turn)]) * die.size
        down = np.array([-np.sin(turn), np.cos(turn)]) * die.size
        body = np.zeros((height * 4, width * 4), np.uint8)
        # A square with rounded corners is what four discs span.
        inner = 0.5 - ROUNDING
        for_hull = [
            (die.x, die.y)
            + a * inner * across
            + b * inner * down
            + die.size * ROUNDING * np.array([np.cos(t), np.sin(t)])
            for a in (-1, 1)
            for b in (-1, 1)
            for t in np.linspace(0, 2 * np.pi, 24)
        ]
        outline = np.rint(np.array(for_hull) * 4 + 1.5).astype(np.int32)
        cv2.fillConvexPoly(body, cv2.convexHull(outline), 255)
        _blend(picture, body, die.body)
        pips = np.zeros((height * 4, width * 4), np.uint8)
        for a, b in PLACES[die.value]:
            x, y = ((die.x, die.y) + 0.25 * (a * across + b * down)) * 4 + 1.5
            cv2.circle(pips, (round(x), round(y)), round(die.size * 0.095 * 4), 255, -1)
        _blend(picture, pips, die.pip)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.9), 0, 255).astype(np.uint8)


def _blend(picture: npt.NDArray[np.float32], mask: Grey, level: int) -> None:
    height, width = picture.shape
    part = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    picture[:] = picture * (1 - part) + level * part
