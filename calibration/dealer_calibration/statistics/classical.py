"""The text-book figures of one look: Pearson's χ², and how far the strangest stretch of neighbours stands out.

They hold for a single look at a number of rounds fixed beforehand, so no verdict rests on them: see ``evidence``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dealer_calibration.statistics.question import Floats, Ints, Question, window_sums

FEWEST_EXPECTED = 5.0
"""Cochran's rule: below this in any cell the χ² distribution is not near enough, and draws are simulated."""
SIMULATED = 9999
_SEED = 20260101
"""Fixed: the same counts give the same p-value, on any machine."""


@dataclass(frozen=True)
class Figures:
    """``statistic`` is χ² with ``freedom``, or of a scan the largest |z| (``freedom`` is then ``None``)."""

    statistic: float
    freedom: int | None
    p_value: float
    method: Literal["chi2", "simulated"]
    most: str
    """The cell or stretch that stands out most."""
    seen: int
    expected: float


def figures(question: Question, counts: Ints) -> Figures | None:
    """The figures of ``counts`` (groups, cells); ``None`` where nothing was counted."""
    if not counts.sum():
        return None
    if question.windows:
        return _scan(question, counts[0])
    chances = np.array(question.chances)
    in_group = counts.sum(axis=1)
    expected = in_group[:, None] * chances
    statistic = _pearson(counts[None], chances)[0]
    used = expected[in_group > 0]
    freedom = used.size - len(used)
    summed, hoped = counts.sum(axis=0), expected.sum(axis=0)
    most = int(np.argmax(np.abs(summed - hoped) / np.sqrt(hoped)))
    if used.min() >= FEWEST_EXPECTED:
        p_value, method = chi2_tail(float(statistic), freedom), "chi2"
    else:
        drawn = _draw([int(n) for n in in_group], chances)
        p_value, method = _rank(_pearson(drawn, chances), float(statistic)), "simulated"
    return Figures(
        float(statistic),
        freedom,
        p_value,
        "chi2" if method == "chi2" else "simulated",
        question.labels[most],
        int(summed[most]),
        float(hoped[most]),
    )


def chi2_tail(x: float, freedom: int) -> float:
    """The chance that χ² of ``freedom`` degrees (a whole number above 0) is ``x`` or more: Abramowitz and Stegun 26.4.4
    and 26.4.5, exact sums. (One function would not pay for a library of 100 MB on every table PC.)"""
    half = x / 2
    if freedom % 2:
        total, first = math.erfc(math.sqrt(half)), 0.5
    else:
        total, first = 0.0, 0.0
    for step in range(freedom // 2):
        power = first + step
        log_term = -half + (power * math.log(half) if half else (0.0 if power == 0 else -math.inf))
        total += math.exp(log_term - math.lgamma(power + 1))
    return min(total, 1.0)


def _scan(question: Question, counts: Ints) -> Figures:
    cells, n = len(question.labels), int(counts.sum())
    best, place = max(
        ((abs(z), (width, start)) for width in question.windows for start, z in enumerate(_z(counts[None], width)[0])),
        key=lambda each: each[0],
    )
    drawn = _draw([n], np.full((1, cells), 1 / cells))[:, 0, :]
    strangest = np.max([np.abs(_z(drawn, width)).max(axis=1) for width in question.windows], axis=0)
    width, start = place
    first, last = question.labels[start], question.labels[(start + width - 1) % cells]
    return Figures(
        float(best),
        None,
        _rank(strangest, float(best)),
        "simulated",
        first if width == 1 else f"{first} to {last}",
        int(window_sums(counts, width)[start]),
        n * width / cells,
    )


def _z(counts: Ints, width: int) -> Floats:
    """How many standard deviations each stretch of ``width`` is from what is expected."""
    n, share = counts.sum(axis=1, keepdims=True), width / counts.shape[1]
    z: Floats = (window_sums(counts, width) - n * share) / np.sqrt(n * share * (1 - share))
    return z


def _pearson(counts: NDArray[np.int64], chances: Floats) -> Floats:
    """χ² of each table of counts (tables, groups, cells)."""
    expected = counts.sum(axis=2, keepdims=True) * chances
    parts = np.divide((counts - expected) ** 2, expected, out=np.zeros(counts.shape), where=expected > 0)
    return np.asarray(parts.sum(axis=(1, 2)))


def _draw(in_group: list[int], chances: Floats) -> Ints:
    random = np.random.default_rng(_SEED)
    return np.stack(
        [random.multinomial(n, row, size=SIMULATED) for n, row in zip(in_group, chances, strict=True)], axis=1
    )


def _rank(drawn: Floats, seen: float) -> float:
    """The part of fair draws that is as strange, what was seen itself included: never 0 (Davison and Hinkley 1997)."""
    return float((1 + np.count_nonzero(drawn >= seen - 1e-9)) / (1 + len(drawn)))
