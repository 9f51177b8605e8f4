"""From the wheel's true angle to the counts of its encoder, and the latch of its reference mark. Pure."""

from __future__ import annotations

import math
from random import Random

from hw_sim.wheel.physics import RAD

WARP_DEG = (1.5, 3.8)
"""Out of true by so much at most, as seen on real wheels (``devices.md`` §5)."""
CORRECTIONS = 72
NOISE_COUNTS = 0.25
"""What the place of an edge wavers by: a standing encoder dithers between two counts now and then."""


class Encoder:
    """An encoder on the wheel's shaft. ``sign`` is -1 where its counts fall while the wheel's angle grows."""

    def __init__(self, rng: Random, per_turn: int, *, warped: bool = True) -> None:
        self.per_turn = per_turn
        self.sign = rng.choice((1, -1))
        peak = rng.uniform(*WARP_DEG) if warped else 0.0
        part = rng.uniform(0.1, 0.3)
        self._warp = (peak * (1 - part), rng.uniform(0, 360), peak * part, rng.uniform(0, 360))
        self.zero_deg = rng.uniform(-1800, 1800)
        """Where its own zero is, in turns far from the wheel's: so counts begin near a wrap."""
        self.slip_deg = 0.0
        self._mark_deg = rng.uniform(0, 360)
        self.mark_works = True
        self.passes = 0
        self.latch_deg: float | None = None
        """The encoder's own unrounded angle at the newest pass of the mark, ``None`` before the first."""
        self._seen_deg: float | None = None

    def angle(self, wheel_deg: float) -> float:
        """Its own angle, unrounded, in degrees that never wrap."""
        a, p, b, q = self._warp
        warp = a * math.sin((wheel_deg + p) * RAD) + b * math.sin((2 * wheel_deg + q) * RAD)
        return self.sign * (wheel_deg + warp + self.slip_deg) - self.zero_deg

    def count(self, wheel_deg: float, rng: Random) -> int:
        """The count, which has no bounds here."""
        return math.floor(self.angle(wheel_deg) / 360 * self.per_turn + rng.gauss(0.5, NOISE_COUNTS))

    def counts(self, angle_deg: float) -> int:
        """An own angle in counts."""
        return math.floor(angle_deg / 360 * self.per_turn + 0.5)

    def watch(self, wheel_deg: float) -> None:
        """The wheel is here now: the mark may have passed since the last look."""
        before, self._seen_deg = self._seen_deg, wheel_deg
        if before is None:
            return
        old = math.floor((before - self._mark_deg) / 360)
        new = math.floor((wheel_deg - self._mark_deg) / 360)
        if new != old and self.mark_works:
            self.passes += abs(new - old)
            self.latch_deg = self.angle(self._mark_deg + 360 * (new if new > old else new + 1))

    def pass_mark(self) -> None:
        """The mark went by before anybody looked."""
        self.passes += 1
        self.latch_deg = self.angle(self._mark_deg)

    def mark_angle(self) -> float:
        """Its own angle at the mark, 0 up to 360, as a technician measures it."""
        return self.angle(self._mark_deg) % 360

    def corrections(self, home_deg: float = 0.0) -> list[float]:
        """What to add to its angle, at equal steps of it from ``home_deg`` on: as a technician measures it."""
        found = []
        for index in range(CORRECTIONS):
            own = home_deg + index * 360 / CORRECTIONS
            wheel = self.sign * (own + self.zero_deg)
            for _ in range(30):
                wheel += self.sign * (own - self.angle(wheel))
            found.append(self.sign * wheel - self.zero_deg - own)
        return found

    def lose(self, counts: int) -> None:
        """Counts that were never counted."""
        self.slip_deg += self.sign * counts * 360 / self.per_turn
