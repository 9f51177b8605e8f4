"""Words drawn on a picture. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import cv2
import numpy as np

from dealer_calibration.cameras.figures import Bgr, Figures

Tint: TypeAlias = tuple[int, int, int]
GREEN, YELLOW, RED, WHITE, BLACK = (90, 220, 60), (40, 210, 250), (60, 60, 245), (255, 255, 255), (0, 0, 0)
LETTER_PX = 9.5
"""A letter is about so wide."""


def banner(canvas: Bgr, lines: Sequence[tuple[str, Tint]]) -> Bgr:
    """Lines of text at the picture's head, on it."""
    most = int(canvas.shape[1] / LETTER_PX)
    for number, (text, colour) in enumerate(lines):
        write(canvas, text[:most], (8, 20 + 20 * number), colour)
    return canvas


def write(canvas: Bgr, text: str, at: tuple[int, int], colour: Tint) -> None:
    """A text whose lower left corner is at this place."""
    # OpenCV's own letters are ASCII.
    plain = text.encode("ascii", "replace").decode()
    for thick, tint in ((3, BLACK), (1, colour)):
        cv2.putText(canvas, plain, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, tint, thick, cv2.LINE_AA)


def said_of(figures: Figures) -> str:
    """Focus and light in one line."""
    edge = "no edge" if np.isnan(figures.edge_px) else f"edges over {figures.edge_px:.1f} px"
    return f"{edge}   level {figures.level:.0f}   white {figures.white:.1%}"
