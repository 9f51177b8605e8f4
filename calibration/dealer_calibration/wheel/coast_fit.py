"""Friction, imbalance and the encoder's unevenness of a wheel, from a few free spins. Pure.

The law is ``x'' = -s (c0 + c1 |x'|) + G sin(...)`` (``devices.md`` §5, dynamics) for the true angle ``x``, which is the
encoder's angle and a small periodic correction. Multiplied with a smooth window and summed over it (the weak form) no
count has to be differentiated, and all unknowns but two small products stand in the equations as plain factors. The
unevenness grows with the square of the speed, gravity does not depend on it: so fast and slow parts of a run tell the
two apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dealer_calibration.wheel.watch import Run

HARMONICS = 3
"""Of the unevenness: a shaft out of true gives the first and second."""
WINDOW_S, HOP_S = 0.8, 0.1
LET_GO_DEG = 360.0
"""A hand that spins the wheel has let go after so far a way."""
SLOWEST_DEG_S = 60.0
"""Below it single pegs show."""
COUNT_DEG, JITTER_S = 0.05, 0.0015
"""How well a count's angle and its moment are known."""
FEWEST_WINDOWS = 60
ROUNDS = 4

Floats = npt.NDArray[np.float64]


class TooLittle(ValueError):  # noqa: N818
    """The runs do not hold enough of a free coast. The text says what to do."""


@dataclass(frozen=True, slots=True)
class CoastFit:
    """``slowing_deg_s2`` and ``slowing_per_s`` are friction's constant part and the part that grows with speed;
    ``pull`` is gravity's, as factors of cosine and sine of the true encoder angle, degrees/s²; ``uneven`` are the
    correction's factors (sine, cosine) of each harmonic, degrees. ``spread``: how far single runs' friction is from
    it, as a part, at most."""

    slowing_deg_s2: float
    slowing_per_s: float
    pull: tuple[float, float]
    uneven: tuple[tuple[float, float], ...]
    spread: float
    runs: int
    windows: int

    @property
    def imbalance_deg_s2(self) -> float:
        """Gravity's pull at most."""
        return math.hypot(*self.pull)

    def correction(self, encoder_deg: float) -> float:
        """What to add to the encoder's angle, in degrees; its mean over a turn is 0."""
        angle = math.radians(encoder_deg)
        return sum(a * math.sin(k * angle) + b * math.cos(k * angle) for k, (a, b) in enumerate(self.uneven, start=1))

    @property
    def uneven_deg(self) -> float:
        """The most that the encoder is out of true by."""
        return max(abs(self.correction(deg)) for deg in range(360))


@dataclass(frozen=True, slots=True)
class _Window:
    """One window's sums. ``free``: what does not hang on the unknowns."""

    run: int
    sign: int
    t: Floats
    deg: Floats
    weight: Floats
    slope: Floats
    bend: Floats
    noise: float


def fit_coast(runs: Sequence[Run]) -> CoastFit:
    """The wheel that made these runs. Raises ``TooLittle``."""
    windows = [window for number, run in enumerate(runs) if run.whole for window in _windows(number, run)]
    if len(windows) < FEWEST_WINDOWS:
        raise TooLittle(
            f"the free part of the spins gives {len(windows)} looks at the wheel and {FEWEST_WINDOWS} are needed: spin "
            "it harder, let it run out untouched"
        )
    solution = _solve(windows)
    c0, c1 = solution[:2]
    if c0 <= 0:
        raise TooLittle("by these spins the wheel has no friction: let it run out untouched, down to a stand")
    used = sorted({window.run for window in windows})
    spread = 0.0
    for number in used:
        own = [window for window in windows if window.run == number]
        speed = float(np.mean([_speed(window) for window in own]))
        spread = max(spread, abs(_friction(own, solution, speed) / (c0 + c1 * speed) - 1))
    uneven = tuple((solution[4 + 2 * k], solution[5 + 2 * k]) for k in range(HARMONICS))
    return CoastFit(c0, c1, (solution[2], solution[3]), uneven, spread, len(used), len(windows))


def _windows(number: int, run: Run) -> list[_Window]:
    t, deg = np.array(run.t_s), np.array(run.encoder_deg)
    sign = 1 if deg[-1] > deg[0] else -1
    away = sign * (deg - deg[0])
    begin = int(np.argmax(away >= LET_GO_DEG))
    if away[begin] < LET_GO_DEG:
        return []
    found = []
    from_s = t[begin]
    while from_s + WINDOW_S <= t[-1]:
        first, last = np.searchsorted(t, (from_s, from_s + WINDOW_S))
        if last - first >= 8:
            speed = sign * (deg[last - 1] - deg[first]) / (t[last - 1] - t[first])
            if speed < SLOWEST_DEG_S:
                break
            found.append(_window(number, sign, t[first:last], deg[first:last], from_s, float(speed)))
        from_s += HOP_S
    return found


def _window(number: int, sign: int, t: Floats, deg: Floats, from_s: float, speed: float) -> _Window:
    u = (t - from_s) / WINDOW_S
    # u³(1-u)³ and its first two derivatives in time: all of them are 0 at both ends.
    w = (u * (1 - u)) ** 3
    slope = 3 * (u * (1 - u)) ** 2 * (1 - 2 * u) / WINDOW_S
    bend = (6 * u * (1 - u) * (1 - 5 * u + 5 * u * u)) / WINDOW_S**2
    step = np.gradient(t)
    noise = math.hypot(COUNT_DEG, JITTER_S * speed) * float(np.sqrt(np.sum((bend * step) ** 2)))
    return _Window(number, sign, t, deg, w * step, slope * step, bend * step, noise)


def _speed(window: _Window) -> float:
    return float(abs(window.deg[-1] - window.deg[0]) / (window.t[-1] - window.t[0]))


def _solve(windows: Sequence[_Window]) -> list[float]:
    """c0, c1, pull (cosine, sine), and each harmonic's sine and cosine."""
    solution = [0.0] * (4 + 2 * HARMONICS)
    for _ in range(ROUNDS):
        rows, values = [], []
        for window in windows:
            row, value = _equation(window, solution[4:])
            rows.append(np.array(row) / window.noise)
            values.append(value / window.noise)
        found, *_ = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)
        solution = [float(value) for value in found]
        if solution[1] < 0:  # noise: no wheel slows less the faster it is
            found, *_ = np.linalg.lstsq(np.delete(np.array(rows), 1, axis=1), np.array(values), rcond=None)
            solution = [float(found[0]), 0.0, *(float(value) for value in found[1:])]
    return solution


def _equation(window: _Window, uneven: Sequence[float]) -> tuple[list[float], float]:
    """Factors of the unknowns, and what they add up to."""
    angle = np.radians(window.deg)
    waves = [wave(k * angle) for k in range(1, HARMONICS + 1) for wave in (np.sin, np.cos)]
    true = window.deg + sum((factor * wave for factor, wave in zip(uneven, waves, strict=True)), np.zeros_like(angle))
    # A straight line has no part in it; taken off so that sums of large numbers do not swamp it.
    flat = window.deg - np.polyval(np.polyfit(window.t - window.t[0], window.deg, 1), window.t - window.t[0])
    row = [
        -window.sign * float(np.sum(window.weight)),
        float(np.sum((true - true.mean()) * window.slope)),
        float(np.sum(np.cos(np.radians(true)) * window.weight)),
        float(np.sum(np.sin(np.radians(true)) * window.weight)),
        *(-float(np.sum(wave * window.bend)) for wave in waves),
    ]
    return row, float(np.sum(flat * window.bend))


def _friction(windows: Sequence[_Window], solution: Sequence[float], speed: float) -> float:
    """Of these windows alone, at a speed, everything else as solved."""
    top = bottom = 0.0
    for window in windows:
        row, value = _equation(window, solution[4:])
        rest = value - sum(factor * known for factor, known in zip(row[2:], solution[2:], strict=True))
        # At this speed friction is one number; what it is at others goes by the solution.
        rest -= row[1] * solution[1]
        top += rest * row[0] / window.noise**2
        bottom += row[0] ** 2 / window.noise**2
    return top / bottom + solution[1] * speed
