"""The rotor: its speed as a line of ramps, and its angle, exact from them. Pure."""

from __future__ import annotations

from hw_sim.roulette.physics import RAD_S_PER_RPM

CLOCKWISE = 1
COUNTER_CLOCKWISE = -1


class Rotor:
    """Speed is signed rpm, clockwise positive, linear between knots and constant after the last."""

    def __init__(self, at_s: float, rpm: float) -> None:
        self._knots: list[tuple[float, float]] = [(at_s, rpm)]
        self._angle = 0.0
        self._was = CLOCKWISE if rpm >= 0 else COUNTER_CLOCKWISE

    def ramp(self, from_s: float, to_rpm: float, length_s: float) -> float:
        """Goes to ``to_rpm`` within ``length_s`` of ``from_s``; later plans are dropped. Returns the ramp's end."""
        here = self.rpm(from_s)
        self._knots = [knot for knot in self._knots if knot[0] < from_s]
        self._knots += [(from_s, here), (from_s + length_s, to_rpm)]
        return from_s + length_s

    def rpm(self, at_s: float) -> float:
        """Signed speed at a moment not before the last ``forget``."""
        before = self._knots[0]
        for knot in self._knots[1:]:
            if at_s < knot[0]:
                return before[1] + (knot[1] - before[1]) * (at_s - before[0]) / (knot[0] - before[0])
            before = knot
        return before[1]

    def direction(self, at_s: float) -> int:
        """``CLOCKWISE`` or ``COUNTER_CLOCKWISE``; at rest the way it last turned."""
        now = self.rpm(at_s)
        if now:
            return CLOCKWISE if now > 0 else COUNTER_CLOCKWISE
        turned = [rpm for knot_s, rpm in self._knots if knot_s <= at_s and rpm]
        return self._was if not turned else CLOCKWISE if turned[-1] > 0 else COUNTER_CLOCKWISE

    def angle(self, at_s: float) -> float:
        """Clockwise angle in rad, counted from the beginning."""
        angle = self._angle
        before = self._knots[0]
        for knot in [*self._knots[1:], (at_s, self.rpm(at_s))]:
            end_s = min(knot[0], at_s)
            if end_s > before[0]:
                angle += (before[1] + self.rpm(end_s)) / 2 * RAD_S_PER_RPM * (end_s - before[0])
                before = (end_s, self.rpm(end_s))
        return angle

    def forget(self, before_s: float) -> None:
        """Drops what lies before a moment; its angle and direction are kept."""
        self._was, self._angle = self.direction(before_s), self.angle(before_s)
        here = self.rpm(before_s)
        self._knots = [(before_s, here)] + [knot for knot in self._knots if knot[0] > before_s]
