"""How a colour wheel turns: ``w' = -sgn(w)(c0 + c1|w|) + G sin(angle - phi)`` (``devices.md`` §5), and its pegs. Pure.

Angles in degrees of the wheel, growing without wraps; the pointer is a leaf of steel between pegs, which stand on the
boundaries of the segments.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

SEGMENTS = 52
SEGMENT_DEG = 360 / SEGMENTS
Kind = Literal["casino", "light"]

FAST_DEG_S = 60.0
"""Above it the pegs are only a rattle: what one takes the next gives back."""
FAST_STEP_S, SLOW_STEP_S = 0.01, 0.0025
STICK = 1.15
"""What a standing wheel holds against, over what a turning one loses."""
PEG_DEG = 1.2
"""Reach of a peg to either side."""
LONGEST_S = 400.0
RAD = math.pi / 180


@dataclass(frozen=True, slots=True)
class Dynamics:
    """One wheel: ``c0`` and ``g`` in rad/s², ``c1`` per second. ``peg_deg_s``: slower than this it does not pass a peg,
    0 for a wheel without."""

    c0: float
    c1: float
    g: float
    phi_deg: float
    peg_deg_s: float

    def slowing(self) -> tuple[float, float]:
        """The most it slows by: the constant part in degrees/s², and the part per degree/s of speed."""
        return (self.c0 + self.g) / RAD, self.c1

    def roll_back_deg(self) -> float:
        """The furthest that it rolls back from a standstill."""
        furthest = 0.0
        for begin_deg in range(0, 360, 5):
            course = Course(0.0, begin_deg + SEGMENT_DEG / 4)
            coast(self, course, 0.0)
            furthest = max(furthest, abs(course.end_deg - course.begin_deg), course.furthest_deg(1))
        return furthest

    def speed_for(self, travel_deg: float) -> float:
        """The speed, degrees/s, from which a balanced wheel of this friction makes such a way."""
        low, high = 0.0, 5000.0
        for _ in range(40):
            middle = (low + high) / 2
            w = middle * RAD
            way = w / self.c1 - self.c0 / self.c1**2 * math.log1p(self.c1 * w / self.c0)
            low, high = (middle, high) if way / RAD < travel_deg else (low, middle)
        return low


def draw_dynamics(kind: Kind, rng: Random) -> Dynamics:
    """A wheel of some kind."""
    phi_deg = rng.uniform(0, 360)
    if kind == "light":
        return Dynamics(0.17, 0.02, 0.57, phi_deg, rng.uniform(8, 12))
    return Dynamics(
        rng.uniform(0.15, 0.45), rng.uniform(0.005, 0.05), rng.uniform(0, 0.03), phi_deg, rng.uniform(8, 14)
    )


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand on the turning wheel: from ``from_deg`` of way on (or below ``below_deg_s``), so many degrees/s² along its
    way for ``seconds``; a stop ends when the wheel stands."""

    push_deg_s2: float
    seconds: float
    from_deg: float = 0.0
    below_deg_s: float = math.inf
    back: bool = False
    """It goes on when the wheel stands, and turns it back."""


class Course:
    """Where the wheel is at which moment, from ``begin_s`` on; after its end it stands."""

    def __init__(self, begin_s: float, deg: float) -> None:
        self._times = [begin_s]
        self._degs = [deg]

    @property
    def begin_s(self) -> float:
        """Its first moment."""
        return self._times[0]

    @property
    def begin_deg(self) -> float:
        """Where the wheel was then."""
        return self._degs[0]

    @property
    def end_s(self) -> float:
        """When the wheel came to rest."""
        return self._times[-1]

    @property
    def end_deg(self) -> float:
        """Where."""
        return self._degs[-1]

    def settled_s(self, within_deg: float) -> float:
        """Since when it has been so near to its end."""
        end_deg = self.end_deg
        for index in range(len(self._degs) - 1, 0, -1):
            if abs(self._degs[index] - end_deg) > within_deg:
                return self._times[index]
        return self.begin_s

    def add(self, at_s: float, deg: float) -> None:
        """The next point."""
        self._times.append(at_s)
        self._degs.append(deg)

    def at(self, at_s: float) -> float:
        """The angle at a moment."""
        times = self._times
        if at_s >= times[-1]:
            return self._degs[-1]
        if at_s <= times[0]:
            return self._degs[0]
        index = bisect_right(times, at_s)
        from_s, to_s = times[index - 1], times[index]
        from_deg, to_deg = self._degs[index - 1], self._degs[index]
        return from_deg + (to_deg - from_deg) * (at_s - from_s) / (to_s - from_s)

    def furthest_deg(self, sign: int) -> float:
        """The most that it was away from its begin, in one direction."""
        first = self._degs[0]
        return max(sign * (deg - first) for deg in self._degs)


def push(course: Course, sign: int, speed_deg_s: float, seconds: float, back_deg: float = 0.0) -> None:
    """A hand takes the wheel from rest to a speed, perhaps pulling it back first."""
    if back_deg:
        begin_s, begin_deg = course.end_s, course.end_deg
        for step in range(1, 61):
            part = step / 60
            course.add(begin_s + 0.6 * part, begin_deg - sign * back_deg * (1 - math.cos(math.pi * part)) / 2)
    begin_s, begin_deg = course.end_s, course.end_deg
    steps = max(1, round(seconds / FAST_STEP_S))
    for step in range(1, steps + 1):
        part = step / steps
        course.add(begin_s + seconds * part, begin_deg + sign * speed_deg_s * seconds * part * part / 2)


def coast(dynamics: Dynamics, course: Course, speed_deg_s: float, hands: Sequence[Hand] = ()) -> None:
    """Lets the wheel run from the end of the course, at a signed speed, until it stands."""
    c0, c1, g = dynamics.c0 / RAD, dynamics.c1, dynamics.g / RAD
    phi, hold = dynamics.phi_deg, STICK * c0
    barrier = dynamics.peg_deg_s**2 / 2
    peg_force = barrier * math.pi / (2 * PEG_DEG)
    t, x, w = course.end_s, course.end_deg, speed_deg_s
    begin_deg, sign = x, 1 if w > 0 else -1
    end_s = t + LONGEST_S
    waiting, hand, hand_ends_s = list(hands), None, 0.0
    sin, fabs = math.sin, math.fabs
    while t < end_s:
        speed = fabs(w)
        if hand is None and waiting:
            after = waiting[0]
            if sign * (x - begin_deg) >= after.from_deg and speed <= after.below_deg_s:
                hand, hand_ends_s = waiting.pop(0), t + after.seconds
        if hand is not None and t >= hand_ends_s:
            hand = None
        slow = speed < FAST_DEG_S
        dt = SLOW_STEP_S if slow else FAST_STEP_S
        force = g * sin((x - phi) * RAD) if g else 0.0
        if slow and barrier:
            away = (x + SEGMENT_DEG / 2) % SEGMENT_DEG - SEGMENT_DEG / 2
            if -PEG_DEG < away < PEG_DEG:
                force += peg_force * sin(math.pi * away / PEG_DEG)
        if hand is not None:
            force += sign * hand.push_deg_s2
        if w == 0.0:
            if fabs(force) <= hold:
                if hand is None:
                    break
                t += dt  # held where it is
                course.add(t, x)
                continue
            a = force - c0 if force > 0 else force + c0
        else:
            a = force - (c0 + c1 * speed) if w > 0 else force + (c0 + c1 * speed)
        after_w = w + a * dt
        if w != 0.0 and w * after_w <= 0:
            if hand is not None and hand.push_deg_s2 < 0 and not hand.back:
                hand = None  # it stands: the hand lets go
            dt = -w / a
            after_w = 0.0
        x += (w + after_w) / 2 * dt
        t += dt
        w = after_w
        course.add(t, x)


def without_pegs(dynamics: Dynamics) -> Dynamics:
    """A pointer that sticks on pegs instead of sliding off."""
    return replace(dynamics, peg_deg_s=0.0)
