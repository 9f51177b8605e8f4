"""The ball: from the throw along the rim, down to a deflector and into a pocket. Pure, in rad and seconds.

On the rim ``w' = -(a + b*w**2)``. Two parameter sets fit real wheels: (a 0.60-0.80 rad/s², b 0) and
(a 0, b 0.0105-0.0157 /rad) (``devices.md`` §1, physics).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

TURN = 2 * math.pi
RAD_S_PER_RPM = TURN / 60

# fmt: off
WHEEL_ORDER = tuple(str(number) for number in (
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10,
    5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26,
))
# fmt: on
"""Pockets of a single-zero wheel, clockwise from 0 (``games.md`` §5)."""
POCKET = TURN / len(WHEEL_ORDER)

SENSORS = 3
"""Rim sensors, 120 degrees apart: three hits a lap (``devices.md`` §1, inferred). The ball is thrown at number 3."""


def rpm_of(rad_s: float) -> float:
    """Revolutions a minute of an angular speed."""
    return rad_s / RAD_S_PER_RPM


def rad_s_of(rpm: float) -> float:
    """Angular speed of revolutions a minute."""
    return rpm * RAD_S_PER_RPM


@dataclass(frozen=True, slots=True)
class Drag:
    """The law ``w' = -(a + b*w**2)`` in closed form. ``a`` in rad/s², ``b`` in 1/rad; both 0 is a free run."""

    a: float
    b: float

    def speed_after_s(self, w0: float, t_s: float) -> float:
        """Speed ``t_s`` after it was ``w0``, never under zero."""
        if self.b == 0:
            return max(0.0, w0 - self.a * t_s)
        if self.a == 0:
            return w0 / (1 + self.b * w0 * t_s)
        k = math.sqrt(self.b / self.a)
        phase = math.atan(w0 * k) - math.sqrt(self.a * self.b) * t_s
        return math.tan(phase) / k if phase > 0 else 0.0

    def speed_after_angle(self, w0: float, angle: float) -> float:
        """Speed after ``angle`` rad of travel; a negative angle asks for the speed it came from."""
        if self.b == 0:
            return math.sqrt(max(0.0, w0 * w0 - 2 * self.a * angle))
        left = (self.a + self.b * w0 * w0) * math.exp(-2 * self.b * angle) - self.a
        return math.sqrt(max(0.0, left / self.b))

    def seconds(self, w0: float, w1: float) -> float:
        """Time from speed ``w0`` down to ``w1``. Raises ``ZeroDivisionError`` on a free run."""
        if self.b == 0:
            return (w0 - w1) / self.a
        if self.a == 0:
            return (1 / w1 - 1 / w0) / self.b
        k = math.sqrt(self.b / self.a)
        return (math.atan(w0 * k) - math.atan(w1 * k)) / math.sqrt(self.a * self.b)

    def angle(self, w0: float, w1: float) -> float:
        """Travel from speed ``w0`` down to ``w1``. Raises ``ZeroDivisionError`` on a free run."""
        if self.b == 0:
            return (w0 * w0 - w1 * w1) / (2 * self.a)
        return math.log((self.a + self.b * w0 * w0) / (self.a + self.b * w1 * w1)) / (2 * self.b)


FREE = Drag(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the ball's way under one law, from ``start_s`` at speed ``w0`` after ``start_angle`` of travel."""

    drag: Drag
    start_s: float
    start_angle: float
    w0: float
    w1: float
    length_s: float
    length_angle: float

    def speed(self, at_s: float) -> float:
        """Speed at a moment within the stretch."""
        return self.drag.speed_after_s(self.w0, at_s - self.start_s)

    def travel(self, at_s: float) -> float:
        """Travel from the throw to a moment within the stretch."""
        if self.drag == FREE:
            return self.start_angle + self.w0 * (at_s - self.start_s)
        return self.start_angle + self.drag.angle(self.w0, self.speed(at_s))

    def when(self, travel: float) -> float:
        """The moment at which a travel within the stretch is reached."""
        if self.drag == FREE:
            return self.start_s + (travel - self.start_angle) / self.w0
        w = self.drag.speed_after_angle(self.w0, travel - self.start_angle)
        return self.start_s + self.drag.seconds(self.w0, w)


class Course:
    """The ball's way as stretches, one after another. Travel is unsigned: which way round is the throw's matter."""

    def __init__(self, start_s: float, w0: float) -> None:
        self._stretches: list[Stretch] = []
        self.end_s = start_s
        self.end_angle = 0.0
        self._w = w0

    def slow_to(self, drag: Drag, w1: float) -> Course:
        """Goes on under ``drag`` until the speed is ``w1``."""
        self._add(drag, w1, drag.seconds(self._w, w1), drag.angle(self._w, w1))
        return self

    def run_free(self, length_s: float) -> Course:
        """Goes on at the same speed."""
        self._add(FREE, self._w, length_s, self._w * length_s)
        return self

    def _add(self, drag: Drag, w1: float, length_s: float, length_angle: float) -> None:
        self._stretches.append(Stretch(drag, self.end_s, self.end_angle, self._w, w1, length_s, length_angle))
        self.end_s += length_s
        self.end_angle += length_angle
        self._w = w1

    def _at(self, at_s: float) -> Stretch:
        for stretch in reversed(self._stretches):
            if at_s >= stretch.start_s:
                return stretch
        return self._stretches[0]

    def speed(self, at_s: float) -> float:
        """Speed at a moment; at the end's speed from the end on."""
        return self._w if at_s >= self.end_s else self._at(at_s).speed(at_s)

    def travel(self, at_s: float) -> float:
        """Travel since the throw; does not grow past the end."""
        return self.end_angle if at_s >= self.end_s else self._at(at_s).travel(at_s)

    def when(self, travel: float) -> float:
        """The first moment at which so much was travelled; ``math.inf`` when it never is."""
        for stretch in self._stretches:
            if travel <= stretch.start_angle + stretch.length_angle:
                return stretch.when(travel)
        return math.inf

    def slower_than(self, w: float) -> float:
        """The first moment at which the speed is ``w`` or less; ``math.inf`` when it never is."""
        for stretch in self._stretches:
            if stretch.w0 <= w:
                return stretch.start_s
            if stretch.w1 <= w:
                return stretch.start_s + stretch.drag.seconds(stretch.w0, w)
        return math.inf


def full_laps(travel: float) -> int:
    """Full laps in a travel, exact from the angle."""
    return math.floor(travel / TURN + 1e-9)


def sensor_hits(course: Course, until_s: float) -> Iterator[tuple[float, int]]:
    """Every pass of the ball before a rim sensor: (moment, sensor 1-3), up to ``until_s``."""
    hit = 1
    while (at_s := course.when(hit * TURN / SENSORS)) <= until_s:
        yield at_s, (hit - 1) % SENSORS + 1
        hit += 1


def pocket_under(ball_angle: float, rotor_angle: float) -> int:
    """Index in ``WHEEL_ORDER`` of the pocket under the ball; both angles clockwise, pocket 0 at the rotor's angle."""
    return round((ball_angle - rotor_angle) / POCKET) % len(WHEEL_ORDER)
