"""Pictures: from the bytes of a file to grey pixels, within bounds that no file can break."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dealer_drivers.codes.symbology import Doubt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Grey = npt.NDArray[np.uint8]
    """Height by width, 0 black to 255 white."""

MAX_PIXELS = 40_000_000
"""Above the largest cameras there are (8K: 33 million). OpenCV itself would give memory for a thousand million."""
MAX_BYTES = 64 * 1024 * 1024
# Read once, when OpenCV is loaded; a header that promises more pixels is refused before memory is given.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS))
# What it has to say of a damaged file is said by our own words.
os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")


def grey_of_file(data: bytes) -> Grey | Doubt:
    """The grey pixels of an image file (PNG, JPEG, WebP, BMP, TIFF ...), or why there are none. Never raises on data.

    What is transparent is white, as paper is.
    """
    import cv2
    import numpy as np

    if len(data) > MAX_BYTES:
        return Doubt.TOO_LARGE
    if not data:
        return Doubt.NO_PICTURE
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        return Doubt.TOO_LARGE if "PIXELS" in str(error) else Doubt.NO_PICTURE
    except MemoryError:
        return Doubt.TOO_LARGE
    if pixels is None:
        return Doubt.NO_PICTURE
    return grey(pixels)


def grey(pixels: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Grey | Doubt:
    """Grey from grey, BGR or BGRA pixels of 8 or 16 bits, height by width by channels."""
    import cv2
    import numpy as np

    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        return Doubt.NO_PICTURE
    if pixels.shape[0] * pixels.shape[1] > MAX_PIXELS:
        return Doubt.TOO_LARGE
    if pixels.dtype == np.uint16:
        pixels = pixels.astype(np.uint16) >> 8
    elif pixels.dtype != np.uint8:
        return Doubt.NO_PICTURE
    pixels = pixels.astype(np.uint8)
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    if channels == 1:
        return np.ascontiguousarray(pixels.reshape(pixels.shape[:2]))
    if channels == 3:
        return np.ascontiguousarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    if channels != 4:
        return Doubt.NO_PICTURE
    bare = cv2.cvtColor(np.ascontiguousarray(pixels[:, :, :3]), cv2.COLOR_BGR2GRAY).astype(np.float32)
    cover = pixels[:, :, 3].astype(np.float32) / 255
    return np.ascontiguousarray(np.rint(bare * cover + 255 * (1 - cover)), np.uint8)
