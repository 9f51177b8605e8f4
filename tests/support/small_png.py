"""A picture as evidence has it."""

from __future__ import annotations

import hashlib

import cv2
import numpy as np

from dealer_daemon.evidence import Evidence


def small_png(width: int = 160, height: int = 120) -> Evidence:
    """Grey, with a square in it."""
    pixels = np.full((height, width), 90, np.uint8)
    pixels[40:80, 60:100] = 230
    body = cv2.imencode(".png", pixels)[1].tobytes()
    return Evidence("sha256:" + hashlib.sha256(body).hexdigest(), body, "image/png")
