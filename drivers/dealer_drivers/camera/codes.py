"""Looking for cards' codes in every picture of a window. Pure, but for the second reader."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dealer_drivers.camera.messages import Sight
from dealer_drivers.camera.settings import CodesTask
from dealer_drivers.codes.decode import Decoded, Witness, decode
from dealer_drivers.codes.symbology import Doubt

if TYPE_CHECKING:
    from dealer_drivers.codes.picture import Grey


class Looker:
    """From pictures to what is worth saying."""

    def __init__(self, task: CodesTask, second: Witness | None) -> None:
        self._task = task
        self._second = second
        self._frame = 0
        self._told_nothing = True

    def look(self, pixels: Grey) -> Sight | None:
        """A sight, unless there was no code in the last picture either."""
        self._frame += 1
        digest = hashlib.sha256(pixels.tobytes()).hexdigest()
        task = self._task
        answer = decode(pixels, task.symbology, second=self._second, length=task.length, quick=True)
        if isinstance(answer, Decoded):
            self._told_nothing = False
            return Sight(self._frame, digest, answer.text, answer.aim)
        nothing = answer.reasons == (Doubt.NO_CODE,)
        said, self._told_nothing = self._told_nothing, nothing
        return None if nothing and said else Sight(self._frame, digest, doubts=tuple(map(str, answer.reasons)))
