"""The capture's process: ``python -m dealer_drivers.camera.grab SETTINGS FD``.

It opens the camera, sets it, and puts each picture into the memory of file descriptor FD. Its standard output says
first what it opened, or why not, as a line; then one byte for each picture. A camera's driver that hangs, or a library
that aborts, takes nothing with it but this process.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable

import msgspec

from dealer_drivers.camera.capture import Capture, open_capture
from dealer_drivers.camera.messages import CameraRefused
from dealer_drivers.camera.parent import die_with_parent
from dealer_drivers.camera.settings import CameraSettings
from dealer_drivers.camera.shared import FrameWriter, Shape

ENDED = 10
"""Exit code: the camera gives no pictures any more, or suddenly others."""
REFUSED = 11
"""Exit code: it could not be opened; the line says why."""


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """The camera gives pictures, of this shape."""

    height: int
    width: int
    channels: int


Said = Opened | CameraRefused


def grab(capture: Capture, fd: int, source: str, say: Callable[[Said], None], tick: Callable[[], None]) -> int:
    """Every picture until there are no more. Answers the exit code."""
    good, pixels = capture.read()
    if not good or pixels is None or pixels.ndim not in (2, 3):
        say(CameraRefused("absent", f"{source} was opened and gave no picture: is another program using it?"))
        return REFUSED
    shape = Shape(pixels.shape[0], pixels.shape[1], 1 if pixels.ndim == 2 else pixels.shape[2])
    writer = FrameWriter(fd, shape)
    say(Opened(shape.height, shape.width, shape.channels))
    size = pixels.shape
    while good and pixels is not None and pixels.shape == size:
        writer.write(pixels, time.monotonic_ns())
        tick()
        good, pixels = capture.read()
    return ENDED


def main(settings: CameraSettings, fd: int) -> int:
    """Answers the exit code. Raises ``BrokenPipeError`` when nobody reads any more."""
    os.set_blocking(1, False)
    capture = open_capture(settings)
    if isinstance(capture, CameraRefused):
        _say(capture)
        return REFUSED
    return grab(capture, fd, settings.source, _say, _tick)


def _say(message: Said) -> None:
    os.write(1, msgspec.json.encode(message) + b"\n")


def _tick() -> None:
    # Where it does not fit the reader is busy, and finds the newest picture when it looks.
    with contextlib.suppress(BlockingIOError):
        os.write(1, b".")


if __name__ == "__main__":
    die_with_parent()
    try:
        code = main(msgspec.json.decode(sys.argv[1], type=CameraSettings), int(sys.argv[2]))
    except BrokenPipeError:
        code = 0
    os._exit(code)  # a camera's library may hang while it is taken down
