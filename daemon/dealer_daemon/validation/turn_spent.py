"""Whether a wheel whose attempt is over is spun again before it was verified at rest. Pure.

Such a spin has no place from which its turns could be counted. It does not count, and it must not pass in silence: the
dealer would wait for a result that never comes.
"""

from __future__ import annotations

from dealer_daemon.validation.turn_motion import Pace
from dealer_daemon.validation.turn_track import Sample

LET_GO_DEG = 180.0
"""So far from where its attempt began a wheel that slows is out of the hand that spun it."""
LET_GO_PART = 0.8
STOOD_S = 0.4
"""A wheel that is wound up first does not stand for so long where it turns about."""
FULL_TURN_DEG = 360.0
"""By itself a wheel may gain speed within a turn, by imbalance and by rolling back; it is no faster a turn later,
and rolls back less far."""
FASTER_DEG_S = 15.0


class Respun:
    """Watches the wheel from the end of an attempt on that began at ``from_deg``. ``way``: which way it runs now, 1 or
    -1, or 0 where that is open."""

    def __init__(self, from_deg: float, way: int = 0) -> None:
        self._from_deg = from_deg
        self._way = way
        self._furthest_deg: float | None = None
        """The furthest that it has come that way."""
        self._peak_deg_s = 0.0
        self._slowest: tuple[float, float] | None = None
        """Its lowest speed since the hand had let go, and where that was; ``None`` while the hand may be on it."""

    def note(self, sample: Sample, pace: Pace | None, stood_s: float) -> bool:
        """One sample, the speeds up to it and for how long it has stood. ``True``: it was spun again."""
        if pace is None:
            return False
        if (
            self._way
            and self._furthest_deg is not None
            and self._way * (self._furthest_deg - sample.deg) > FULL_TURN_DEG
        ):
            return True  # no wheel rolls back so far
        if self._furthest_deg is None or self._way * (sample.deg - self._furthest_deg) > 0:
            self._furthest_deg = sample.deg
        speed = abs(pace.now)
        if self._slowest is None:
            self._peak_deg_s = max(self._peak_deg_s, speed)
            slows = speed < LET_GO_PART * self._peak_deg_s and abs(sample.deg - self._from_deg) >= LET_GO_DEG
            if slows or stood_s >= STOOD_S:
                self._slowest = speed, sample.deg
            return False
        slowest, there_deg = self._slowest
        if speed <= slowest:
            self._slowest = speed, sample.deg
            return False
        return abs(sample.deg - there_deg) > FULL_TURN_DEG and speed > slowest + FASTER_DEG_S
