"""Picture files within bounds that no file can break."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dealer_drivers.codes.picture import MAX_BYTES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bgr = npt.NDArray[np.uint8]
    """Rows by columns by blue, green, red."""


def bytes_of(file: Path) -> bytes:
    """The file's bytes, at most one more than a picture may have. Raises ``OSError``."""
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def picture_of_file(data: bytes) -> Bgr | None:
    """The pixels of an image file (PNG, JPEG, WebP, BMP, TIFF ...), or ``None``. Never raises on data."""
    import cv2
    import numpy as np

    if not data or len(data) > MAX_BYTES:
        return None
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except (cv2.error, MemoryError):
        # More pixels than any camera has, or a damaged file.
        return None
    return None if pixels is None or 0 in pixels.shape else np.asarray(pixels, np.uint8)
