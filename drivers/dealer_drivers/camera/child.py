"""The reader's process: ``python -m dealer_drivers.camera.child SETTINGS``, with a socket as standard input and output.

It starts the capture's process (``grab.py``), looks at the newest picture in the memory that both share, and says what
it sees as messages (``messages.py``). It ends when the camera gives no picture for two seconds, when the stream ends,
or when nobody reads any more.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from dealer_drivers.camera.grab import ENDED, REFUSED
from dealer_drivers.camera.living import GAP_S
from dealer_drivers.camera.messages import Ask, Beat, CameraRefused, Gap, Message, Ready, encode
from dealer_drivers.camera.parent import die_with_parent
from dealer_drivers.camera.settings import CameraSettings, CodesTask
from dealer_drivers.camera.shared import Frame, Shape
from dealer_drivers.camera.source import Pictures
from dealer_drivers.camera.work import CodesWork, SceneWork, Work, WorkImpossible
from dealer_drivers.instant import NS_PER_S

__all__ = ["ENDED", "REFUSED", "main", "watch"]

NO_PICTURE_S = 2.0
"""The slowest camera in use gives ten pictures a second."""
BEAT_S = 0.5


class Source(Protocol):
    """What gives pictures (``source.py``)."""

    def take(self, timeout_s: float) -> Frame | None: ...


def main(settings: CameraSettings, say: Callable[[Message], None], asks: Callable[[], Iterator[Ask]]) -> int:
    """Answers the exit code. Raises ``ConnectionError`` when nobody listens."""
    try:
        work: Work = CodesWork(settings.task) if isinstance(settings.task, CodesTask) else SceneWork(settings)
    except WorkImpossible as error:
        say(CameraRefused("missing" if error.key is None else "option", str(error), error.key or ""))
        return REFUSED
    pictures = Pictures(settings)
    try:
        opened = pictures.wait_open()
        if isinstance(opened, CameraRefused):
            say(opened)
            return REFUSED
        return watch(pictures, opened, settings, work, say, asks)
    finally:
        pictures.close()
        work.close()


def watch(
    pictures: Source,
    shape: Shape,
    settings: CameraSettings,
    work: Work,
    say: Callable[[Message], None],
    asks: Callable[[], Iterator[Ask]],
) -> int:
    """Looks at the newest picture, again and again."""
    frame = pictures.take(NO_PICTURE_S)
    if frame is None:
        say(CameraRefused("absent", f"{settings.source} was opened and gave no picture within {NO_PICTURE_S:g} s"))
        return REFUSED
    refused = work.shape(shape)
    if refused is not None:
        say(CameraRefused("option", str(refused), refused.key or ""))
        return REFUSED
    say(Ready(f"{shape.width} x {shape.height} pixels, {work.describe()}"))
    looked = fresh = fresh_ns = 0
    before = b""
    beat_at = time.monotonic() + BEAT_S
    while frame is not None:
        look_at = time.monotonic() + work.pace_s
        looked += 1
        now = bytes(frame.pixels.data) if frame.pixels.flags.c_contiguous else frame.pixels.tobytes()
        if now != before:
            # By when pictures were taken: those that came while nobody looked, or were not looked at, are a gap too.
            gap_s = (frame.taken_ns - fresh_ns) / NS_PER_S
            if gap_s >= GAP_S and before:
                say(Gap(round(gap_s, 2)))
            fresh_ns = frame.taken_ns
            fresh += 1
        before = now
        for ask in asks():
            work.ask(ask, time.monotonic_ns())
        for message in work.look(frame, time.monotonic_ns):
            say(message)
        if time.monotonic() >= beat_at:
            beat_at = time.monotonic() + BEAT_S
            say(Beat(looked, fresh))
            fresh = 0
        time.sleep(max(0.0, look_at - time.monotonic()))
        try:
            frame = pictures.take(NO_PICTURE_S)
        except EOFError:
            return ENDED
    return ENDED


class Asks:
    """Questions that arrive on a descriptor which never waits."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._held = b""
        os.set_blocking(fd, False)

    def __call__(self) -> Iterator[Ask]:
        """Those that are there. Raises ``ConnectionError`` when the station is gone."""
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionError("the station is gone")
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            yield msgspec.json.decode(line, type=Ask)


def _say(message: Message) -> None:
    os.set_blocking(1, True)
    line = memoryview(encode(message))
    while line:
        line = line[os.write(1, line) :]


if __name__ == "__main__":
    die_with_parent()
    try:
        # Two descriptors of one socket share whether they wait: questions have one of their own.
        code = main(msgspec.json.decode(sys.argv[1], type=CameraSettings), _say, Asks(int(sys.argv[2])))
    except ConnectionError:
        code = 0
    os._exit(code)  # a library may hang while it is taken down
