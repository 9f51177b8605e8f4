"""Whether the encoder was knocked round on its shaft while the wheel stood. Pure.

A reference mark shows it at the next pass. Where there is none, the step itself is all that ever shows it: a wheel that
stood, stands elsewhere, and came there between two counts. No hand moves a wheel so (``devices.md`` §5: a shaft slips).
"""

from __future__ import annotations

import math

KNOCK_DEG, KNOCK_PART, KNOCK_GAP_S = 3.0, 0.9, 0.06
"""So far at least, so much of it in one step, between two counts that are no further apart: 50 degrees a second from
rest to rest."""
KNOCKED = "the encoder's count stepped while no wheel moves so, and there is no reference mark to hold it against"
UNKNOWN_DEG = math.nan


class Knocks:
    """Adds them up. ``off``: the wheel's file tells no segment any more, until the encoder was knocked back or the
    station began anew with another calibration."""

    def __init__(self, tolerance_deg: float) -> None:
        self._tolerance_deg = tolerance_deg
        self._widest_deg = 0.0
        """The widest step between two counts since the wheel was last verified at rest."""
        self._off_deg = 0.0
        """How far the encoder is off; not a number where nobody knows."""

    @property
    def off(self) -> bool:
        """See the class."""
        return not abs((self._off_deg + 180) % 360 - 180) <= self._tolerance_deg

    def step(self, deg: float, gap_s: float) -> None:
        """From one count to the next."""
        if gap_s <= KNOCK_GAP_S and abs(deg) > abs(self._widest_deg):
            self._widest_deg = deg

    def rested(self, moved_deg: float | None) -> None:
        """The wheel was verified at rest, so far from where it was before; ``None``: it had turned meanwhile."""
        widest_deg, self._widest_deg = self._widest_deg, 0.0
        if moved_deg is not None and abs(moved_deg) > KNOCK_DEG and widest_deg / moved_deg >= KNOCK_PART:
            self._off_deg += moved_deg

    def slipped(self, deg: float) -> None:
        """So far, while the wheel turned. Less may have been a hand on a light wheel: that turn alone is in doubt."""
        if abs(deg) > KNOCK_DEG:
            self._off_deg = UNKNOWN_DEG

    def jumped(self, deg: float) -> None:
        """The count is somewhere that the wheel cannot have reached. ``UNKNOWN_DEG``: it turned meanwhile."""
        self._off_deg += deg
