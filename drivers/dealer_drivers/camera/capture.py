"""OpenCV's capture: opening, and settings that are read back (``devices.md`` §7)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from dealer_drivers.camera.messages import CameraRefused
from dealer_drivers.camera.settings import CameraSettings

OPEN_MS = 3_000
"""A camera on the table's own network answers within some hundred."""
READ_MS = 2_000
V4L_MANUAL = 1.0
"""V4L2's exposure_auto: 1 manual, 3 aperture priority."""


class Capture(Protocol):
    """What is used of ``cv2.VideoCapture``."""

    def isOpened(self) -> bool: ...  # noqa: N802
    def read(self) -> tuple[bool, Any]: ...
    def get(self, propId: int, /) -> float: ...  # noqa: N803
    def set(self, propId: int, value: float, /) -> bool: ...  # noqa: N803
    def release(self) -> None: ...


def open_capture(settings: CameraSettings) -> Capture | CameraRefused:
    """The open camera, set as asked, or why not."""
    import cv2

    if settings.is_stream:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_MS]
        stream = cv2.VideoCapture(settings.source, cv2.CAP_FFMPEG, limits)
        if stream.isOpened():
            return stream
        return CameraRefused(
            "absent", f"{settings.source} gives no pictures: is the camera powered and cabled, is the address right?"
        )
    path = Path(settings.source)
    if not path.exists():
        return CameraRefused("absent", f"camera {path} is not there: is it plugged in and powered?")
    if not os.access(path, os.R_OK | os.W_OK):
        return CameraRefused(
            "forbidden", f"camera {path} may not be opened by this user: add the station's user to the group video"
        )
    camera = cv2.VideoCapture(settings.source, cv2.CAP_V4L2)
    if not camera.isOpened():
        return CameraRefused(
            "busy", f"camera {path} cannot be opened: is it a camera, and does no other program hold it?"
        )
    refusal = apply_settings(camera, settings)
    if refusal is None:
        return camera
    camera.release()
    return refusal


def apply_settings(camera: Capture, settings: CameraSettings) -> CameraRefused | None:
    """Sets what is asked for and reads it back: a camera may say yes and keep its own value."""
    for key, prop, value in _wanted(settings):
        camera.set(prop, value)
        kept = camera.get(prop)
        if abs(kept - value) > 0.5:
            reason = f"{value:g} was asked and the camera has {kept:g}: write a value that this camera can keep"
            return CameraRefused("option", reason, key)
    return None


def _wanted(settings: CameraSettings) -> Iterator[tuple[str, int, float]]:
    import cv2

    if settings.width is not None:
        yield "width", cv2.CAP_PROP_FRAME_WIDTH, settings.width
    if settings.height is not None:
        yield "height", cv2.CAP_PROP_FRAME_HEIGHT, settings.height
    if settings.exposure is not None:
        yield "exposure", cv2.CAP_PROP_AUTO_EXPOSURE, V4L_MANUAL
        yield "exposure", cv2.CAP_PROP_EXPOSURE, settings.exposure
    if settings.focus is not None:
        yield "focus", cv2.CAP_PROP_AUTOFOCUS, 0.0
        yield "focus", cv2.CAP_PROP_FOCUS, settings.focus
