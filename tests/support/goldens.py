"""Pictures of pages kept small enough that fonts hardly matter, and large enough that a broken layout shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np

UPDATE = "UPDATE_GOLDENS"
"""Set in the environment, the pictures become the new ones. Look at them before you keep them."""
CELLS = (64, 40)
"""Columns and rows of one picture."""
A_ROW = 8
MEAN_OFF = 4.0
"""Of 255, over a whole picture: letters of another font are less, a missing card is more."""
CELL_OFF = 70.0
"""Of 255, in any place of three by three cells."""

Image = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def small(png: bytes) -> Image:
    """A page in cells."""
    whole = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    return np.asarray(cv2.resize(whole, CELLS, interpolation=cv2.INTER_AREA), np.uint8)


def off(one: Image, other: Image) -> tuple[float, float]:
    """How far two are apart: on the average, and where it is worst."""
    diff = cv2.absdiff(one, other).astype(np.float32)
    return float(diff.mean()), float(cv2.blur(diff, (3, 3)).max())


def compared(pictures: Mapping[str, Image], kept: Path) -> dict[str, tuple[float, float]]:
    """Those that are not as in the file ``kept``, which holds them in the order of their names, and how far off."""
    names = sorted(pictures)
    if os.environ.get(UPDATE):
        cv2.imwrite(str(kept), _sheet([pictures[name] for name in names]))
    sheet = cv2.imread(str(kept), cv2.IMREAD_COLOR)
    assert sheet is not None, f"{kept} is not there: look at the pages, then run with {UPDATE}=1"
    width, height = CELLS
    assert sheet.shape[:2] == (height * -(-len(names) // A_ROW), width * A_ROW), f"other scenes: run with {UPDATE}=1"
    found = {}
    for index, name in enumerate(names):
        top, left = height * (index // A_ROW), width * (index % A_ROW)
        mean, worst = off(pictures[name], np.asarray(sheet[top : top + height, left : left + width], np.uint8))
        if mean > MEAN_OFF or worst > CELL_OFF:
            found[name] = (mean, worst)
    return found


def _sheet(pictures: list[Image]) -> Image:
    blank = np.zeros_like(pictures[0])
    filled = pictures + [blank] * (-len(pictures) % A_ROW)
    rows = [np.hstack(filled[start : start + A_ROW]) for start in range(0, len(filled), A_ROW)]
    return np.vstack(rows)
