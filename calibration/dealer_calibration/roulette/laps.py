"""Laps: what the wheel counts against what a person counts, and the curve of tables that estimate them. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dealer_daemon.validation.spin_rules import LapCurve, estimate_laps

FEWEST_TO_COUNT = 10
FEWEST_FOR_CURVE = 20
"""Of fewer spins the largest error seen says little of the next: see ``miss_bound``."""
FEWEST_STRENGTHS = 6
"""Times in the rim that differ: a curve through fewer is a guess between them."""
LEAST_RANGE_S = 1.0
KNOTS = 6
SIGMAS = 3.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """The wheel's laps against a person's, over ``spins``; ``mean_off`` is the wheel's count less the person's."""

    spins: int
    exact: int
    off_by_one: int
    worse: int
    mean_off: float

    @property
    def steady_offset(self) -> int | None:
        """A whole number that the wheel is off by in every spin: what it calls a lap is another; else ``None``."""
        whole = round(self.mean_off)
        return whole if whole and abs(self.mean_off - whole) < 1e-9 else None

    @property
    def undercounts(self) -> bool:
        """It counts too few on the whole: hits are missed."""
        return self.mean_off <= -0.5


FACTORS = (2, 3, 4)
"""Half-laps, and hits of each sensor, are counted as laps by mistake."""
FEWEST_FOR_FACTOR = 3
FEWEST_LAPS_FOR_FACTOR = 3
"""In fewer laps twice as many is hardly more than one more."""


def factor(counted: Sequence[tuple[int, int]]) -> int:
    """How many times as many laps the person counted as the wheel, in every spin: 2 twice as many, -2 half as many; 0
    where there is no such rule. From pairs (the wheel's laps, the person's); less than a whole lap of whom counts fewer
    may be over."""
    if len(counted) < FEWEST_FOR_FACTOR or any(min(pair) < FEWEST_LAPS_FOR_FACTOR for pair in counted):
        return 0
    for times in FACTORS:
        if all(wheel * times <= hand < (wheel + 1) * times for wheel, hand in counted):
            return times
        if all(hand * times <= wheel < (hand + 1) * times for wheel, hand in counted):
            return -times
    return 0


def agreement(counted: Sequence[tuple[int, int]]) -> Agreement:
    """From pairs (the wheel's laps, the person's). There must be one."""
    offs = [wheel - hand for wheel, hand in counted]
    exact, near = sum(off == 0 for off in offs), sum(abs(off) == 1 for off in offs)
    return Agreement(len(offs), exact, near, len(offs) - exact - near, sum(offs) / len(offs))


LAUNCH_RAD_S, SLOW_RAD_S = 16.0, 4.2
"""``devices.md`` §1: the fastest launch, and no more bets (40 rpm)."""


def miscounted(seen: Sequence[tuple[float, int]]) -> str:
    """``many`` or ``few`` where a person counted more, or fewer, laps than a ball can make; else empty. From pairs
    (seconds in the rim, laps). A ball that stays a second longer was thrown so much harder that it makes as many laps
    more as it does a second when thrown, whatever the wheel brakes it by. Half as many as there were may pass: a curve
    of them asks for too many laps, and never for too few."""
    times = np.array([seconds for seconds, _ in seen])
    if len(set(times)) < FEWEST_STRENGTHS or np.ptp(times) < LEAST_RANGE_S:
        return ""
    more_a_second = float(np.polyfit(times, np.array([float(laps) for _, laps in seen]), 1)[0])
    if more_a_second > LAUNCH_RAD_S / math.tau:
        return "many"
    return "few" if more_a_second < SLOW_RAD_S / math.tau else ""


def miss_bound(spins: int) -> float:
    """Where none of so many spins was wrong: the part that may be, with 95 % confidence (0.05 = (1 - p)^n)."""
    return 1 - math.exp(math.log(0.05) / spins)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A curve of laps with the error that it bears. ``worst_laps``: the largest error of a spin that the curve was not
    made with; ``spread_laps``: their root mean square."""

    curve: LapCurve
    spins: int
    worst_laps: float
    spread_laps: float


class NoCurve(ValueError):  # noqa: N818
    """The spins give no curve. The text says why and what to do."""


def fit_curve(seen: Sequence[tuple[float, int]]) -> Fitted:
    """The curve through pairs (seconds in the rim, laps counted by a person). Raises ``NoCurve``."""
    if len(seen) < FEWEST_FOR_CURVE:
        raise NoCurve(
            f"{len(seen)} spins are too few for a curve: {FEWEST_FOR_CURVE} are needed, of different strength"
        )
    pairs = sorted(seen)
    times = [seconds for seconds, _ in pairs]
    if times[-1] - times[0] < LEAST_RANGE_S or len(set(times)) < FEWEST_STRENGTHS:
        raise NoCurve("all spins were of one strength: throw the ball weaker and harder, too")
    knots = [times[0] + (times[-1] - times[0]) * part / (KNOTS - 1) for part in range(KNOTS)]
    errors = []
    for left_out, (seconds, laps) in enumerate(pairs):
        others = pairs[:left_out] + pairs[left_out + 1 :]
        errors.append(_value(_polynomial(others), seconds) - laps)
    laps_at = [_value(_polynomial(pairs), seconds) for seconds in knots]
    if any(b < a for a, b in itertools.pairwise(laps_at)):
        raise NoCurve("laps do not rise with the seconds in the rim: look for spins that were counted wrongly")
    worst = max(map(abs, errors))
    spread = math.sqrt(sum(error**2 for error in errors) / len(errors))
    margin = max(worst, SIGMAS * spread)
    points = [(round(seconds, 3), round(laps, 2)) for seconds, laps in zip(knots, laps_at, strict=True)]
    curve = LapCurve(points=points, margin_laps=math.ceil(margin * 100) / 100)
    if estimate_laps(curve, points[0][0]) is None:
        raise NoCurve("the curve has no length")
    return Fitted(curve, len(pairs), worst, spread)


def _polynomial(pairs: Sequence[tuple[float, int]]) -> tuple[float, ...]:
    """Least squares of the second degree: a ball that slows evenly makes laps by the square of its time."""
    times = np.array([seconds for seconds, _ in pairs])
    laps = np.array([float(count) for _, count in pairs])
    return tuple(float(factor) for factor in np.polyfit(times, laps, 2))


def _value(polynomial: Sequence[float], seconds: float) -> float:
    return float(np.polyval(np.array(polynomial), seconds))
