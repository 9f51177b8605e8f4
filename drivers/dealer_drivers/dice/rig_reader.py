"""The reader of a calibrated rig: one frame in, dice or reasons out. Pure.

One frame takes a few milliseconds; the scene watcher asks for several different ones, and all must say the same.
"""

from __future__ import annotations

import numpy as np

from dealer_drivers.dice.faces import Bgr, Dice, Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.rig_decide import decide
from dealer_drivers.dice.rig_die_first import DieFirst, DieFirstReader
from dealer_drivers.dice.rig_frame import Plate
from dealer_drivers.dice.rig_pip_first import PipFirst, PipFirstReader

STILL_PX = 1.0
STILL_PART = 0.008
"""How far a die may seem to move between two frames: in pixels, and in edges; the larger one counts."""
STILL_DEG = 1.5
STILL_ONE_DEG = 4.0
"""A one shows its turn by the outline alone, less exactly."""


class RigReader:
    """Reads ``count`` dice with a profile. A ``StillReader`` (``camera/scene.py``)."""

    def __init__(self, profile: RigProfile, count: int = 3) -> None:
        self.profile = profile.content
        self.count = count
        self.plate = Plate(profile)
        self.die_first = DieFirstReader(self.plate)
        self.pip_first = PipFirstReader(self.profile)

    def read(self, picture: Bgr) -> Dice | Doubts:
        """The dice of one frame, rows by columns by 3."""
        looked = self.look(picture)
        return looked if isinstance(looked, Doubts) else decide(self.profile, self.count, *looked)

    def look(self, picture: Bgr) -> tuple[DieFirst, PipFirst] | Doubts:
        """What each of the two readers says by itself; ``Doubts`` where the picture cannot be used at all."""
        frame = self.plate.frame(picture)
        if isinstance(frame, Doubts):
            return frame
        return self.die_first.read(frame), self.pip_first.read(picture)

    def same(self, one: Dice, other: Dice) -> bool:
        """Whether both are of the same dice lying at the same places: faces in any order."""
        near = max(STILL_PX, STILL_PART * self.profile.die_px)
        left = list(other.faces)
        for face in one.faces:
            allowed = STILL_ONE_DEG if face.value == 1 else STILL_DEG
            for match in left:
                turn = abs((face.turn_deg - match.turn_deg + 45) % 90 - 45)
                away = float(np.hypot(face.x - match.x, face.y - match.y))
                if face.value == match.value and away <= near and turn <= allowed:
                    left.remove(match)
                    break
            else:
                return False
        return not left
