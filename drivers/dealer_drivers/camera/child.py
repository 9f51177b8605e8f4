"""The camera's process: ``python -m dealer_drivers.camera.child SETTINGS``, with a socket as its standard output.

It says what it sees as messages (``messages.py``) and ends when the camera gives no picture for two seconds, when the
stream ends, or when nobody reads any more.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from dealer_drivers.camera.capture import Newest, open_capture
from dealer_drivers.camera.messages import Beat, CameraRefused, Message, Ready, Sight, encode
from dealer_drivers.camera.settings import CameraSettings
from dealer_drivers.codes.decode import Decoded, Witness, decode
from dealer_drivers.codes.picture import grey
from dealer_drivers.codes.second_reader import NAMES, SecondReader, SecondReaderMissing
from dealer_drivers.codes.symbology import Doubt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dealer_drivers.codes.picture import Grey

NO_PICTURE_S = 2.0
"""The slowest camera in use gives ten pictures a second."""
BEAT_S = 0.5
LOOK_S = 1 / 15
"""From one look to the next, at least: a card lies in the window for some tenths of a second, and looking at every
picture of a fast camera would cost a processor."""
ENDED = 10
"""Exit code: no picture came in time, or the stream ended."""
REFUSED = 11
"""Exit code: it could not be opened; the line before says why."""


def main(settings: CameraSettings, say: Callable[[Message], None]) -> int:
    """Answers the exit code. Raises ``ConnectionError`` when nobody listens."""
    second = SecondReader() if settings.second_reader and settings.symbology in NAMES else None
    if second is not None:
        try:
            second.start()
        except SecondReaderMissing as error:
            say(CameraRefused("missing", f"{error}: `second_reader = false`"))
            return REFUSED
    try:
        capture = open_capture(settings)
        if isinstance(capture, CameraRefused):
            say(capture)
            return REFUSED
        return watch(Newest(capture), settings, None if second is None else second.read, say)
    finally:
        if second is not None:
            second.close()


def watch(newest: Newest, settings: CameraSettings, second: Witness | None, say: Callable[[Message], None]) -> int:
    """Looks at the newest picture, again and again."""
    looker = Looker(settings, second)
    first = newest.take(NO_PICTURE_S)
    if first is None:
        say(CameraRefused("absent", f"{settings.source} was opened and gave no picture within {NO_PICTURE_S:g} s"))
        return REFUSED
    height, width = first.shape[:2]
    readers = "zxing-cpp alone" if second is None else "zxing-cpp and zbar"
    say(Ready(f"{width} x {height} pixels, {settings.symbology} by {readers}"))
    picture: npt.NDArray[np.uint8] | None = first
    beat_at = time.monotonic() + BEAT_S
    while picture is not None:
        look_at = time.monotonic() + LOOK_S
        pixels = grey(picture)
        if not isinstance(pixels, Doubt):
            sight = looker.look(pixels)
            if sight is not None:
                say(sight)
        if time.monotonic() >= beat_at:
            beat_at = time.monotonic() + BEAT_S
            say(looker.beat())
        time.sleep(max(0.0, look_at - time.monotonic()))
        picture = newest.take(NO_PICTURE_S)
    return ENDED


class Looker:
    """From pictures to what is worth saying. Pure, but for the second reader."""

    def __init__(self, settings: CameraSettings, second: Witness | None) -> None:
        self._settings = settings
        self._second = second
        self._frame = 0
        self._fresh = 0
        self._last = ""
        self._told_nothing = True

    def look(self, pixels: Grey) -> Sight | None:
        """A sight, unless there was no code in the last picture either."""
        self._frame += 1
        digest = hashlib.sha256(pixels.tobytes()).hexdigest()
        self._fresh += digest != self._last
        self._last = digest
        settings = self._settings
        answer = decode(pixels, settings.symbology, second=self._second, length=settings.length, quick=True)
        if isinstance(answer, Decoded):
            self._told_nothing = False
            return Sight(self._frame, digest, answer.text, answer.aim)
        nothing = answer.reasons == (Doubt.NO_CODE,)
        said, self._told_nothing = self._told_nothing, nothing
        return None if nothing and said else Sight(self._frame, digest, doubts=tuple(map(str, answer.reasons)))

    def beat(self) -> Beat:
        """How many pictures so far, and how many of those since the last beat were new."""
        fresh, self._fresh = self._fresh, 0
        return Beat(self._frame, fresh)


def _say(message: Message) -> None:
    line = memoryview(encode(message))
    while line:
        line = line[os.write(1, line) :]


if __name__ == "__main__":
    try:
        code = main(msgspec.json.decode(sys.argv[1], type=CameraSettings), _say)
    except ConnectionError:
        code = 0
    os._exit(code)  # the thread may hang in a read for ever
