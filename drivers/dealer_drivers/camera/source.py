"""The capture's process as the reader sees it: started, waited for, and its newest picture taken."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time

import msgspec

from dealer_drivers.camera.grab import Said
from dealer_drivers.camera.messages import CameraRefused
from dealer_drivers.camera.settings import CameraSettings
from dealer_drivers.camera.shared import Frame, FrameReader, Shape

COMMAND = (sys.executable, "-m", "dealer_drivers.camera.grab")
OPEN_S = 12.0
"""Loading the library, opening, the camera's own start, its first picture."""
_TICKS = 65_536


class Pictures:
    """See the module. ``command`` is another program in tests."""

    def __init__(self, settings: CameraSettings, command: tuple[str, ...] = COMMAND) -> None:
        self._file = os.memfd_create("pictures")
        arguments = (*command, msgspec.json.encode(settings).decode(), str(self._file))
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._file,),
        )
        assert self._process.stdout is not None
        self._ticks = self._process.stdout.fileno()
        os.set_blocking(self._ticks, False)
        self._frames: FrameReader | None = None
        self._count = 0

    def fileno(self) -> int:
        """Becomes readable when a picture came, or the process ended."""
        return self._ticks

    def wait_open(self, timeout_s: float = OPEN_S) -> Shape | CameraRefused:
        """What the camera gives, or why it cannot be used."""
        line = b""
        until = time.monotonic() + timeout_s
        while b"\n" not in line:
            left_s = until - time.monotonic()
            if left_s <= 0 or not select.select([self._ticks], [], [], left_s)[0]:
                return CameraRefused("absent", f"the camera gave no picture within {timeout_s:g} s: is it powered?")
            data = os.read(self._ticks, 4096)
            if not data:
                return CameraRefused("crashed", "the capture's process ended before it said what it opened")
            line += data
        said: Said = msgspec.json.decode(line.split(b"\n", 1)[0], type=Said)
        if isinstance(said, CameraRefused):
            return said
        shape = Shape(said.height, said.width, said.channels)
        self._frames = FrameReader(self._file, shape)
        return shape

    def take(self, timeout_s: float) -> Frame | None:
        """The newest picture that was not taken yet, waiting for it; ``None`` when none came in time.

        Raises ``EOFError`` when the camera ended.
        """
        assert self._frames is not None
        until = time.monotonic() + timeout_s
        while True:
            frame = self._frames.newest()
            if frame is not None and frame.count > self._count:
                self._count = frame.count
                return frame
            left_s = until - time.monotonic()
            if left_s <= 0 or not select.select([self._ticks], [], [], left_s)[0]:
                return None
            with contextlib.suppress(BlockingIOError):
                if not os.read(self._ticks, _TICKS):
                    raise EOFError("the camera gives no pictures any more")

    def close(self) -> None:
        """End the process and give everything back."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        if self._frames is not None:
            self._frames.close()
        os.close(self._file)
