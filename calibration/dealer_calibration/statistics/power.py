"""What a number of rounds can show: the smallest bias that would be seen in 80 of 100 cases.

After *n* draws the Dirichlet mixture of ``evidence`` is near to exp(−d/2 · log(1 + r) + X²/2 · r/(1 + r)), with *d*
degrees of freedom, Pearson's X², and r = n / (concentration + 1). A cell of chance *p* that comes up 1 + δ times as
often gives X² the noncentrality n δ² p / (1 − p). The smallest δ is the one at which this, less some of its standard
deviation, reaches the threshold. Tests compare it with drawn rounds.
"""

from __future__ import annotations

import math

from dealer_calibration.statistics.evidence import STRENGTHS, concentration
from dealer_calibration.statistics.question import Question

ALPHA = 0.01
"""The threshold that the figures are for: "look at it"."""
_POWER_SD = 1.0364
"""The 85 % point of the normal distribution: where cells are rare, drawn rounds have some points less power than this
formula says, elsewhere more."""
MOST_BIAS = 5.0
"""Above this the formula is not to be relied on, and nobody asks."""
_MOST = 1 << 40


def smallest_bias(question: Question, draws: int, questions: int) -> float | None:
    """The relative bias of the watched cell that 80 % of tables of so many ``draws`` would show, at 1 % shared by so
    many ``questions``; ``None`` where no bias would."""
    if draws < 1:
        return None
    if question.windows:
        share = min(question.windows) / len(question.labels)
        parts = [(1.0, share, 1)]
        ways = len(question.labels) * len(question.windows)
    else:
        parts = [
            (part, row[cell], len(row) - 1)
            for part, row, cell in zip(question.shares, question.chances, question.watched, strict=True)
        ]
        ways = 1
    needed = math.log(questions * ways * len(STRENGTHS) / ALPHA)
    found = [_bias(parts, draws, needed, strength) for strength in STRENGTHS]
    # A cell cannot come up more often than always.
    most = min(MOST_BIAS, max(1 / chance - 1 for _, chance, _ in parts))
    best = min(found)
    return best if best <= most else None


def draws_needed(question: Question, questions: int) -> int:
    """The draws at which the question's ``aim`` is the smallest bias. Raises ``ValueError`` where nothing is enough."""

    def enough(draws: int) -> bool:
        bias = smallest_bias(question, draws, questions)
        return bias is not None and bias <= question.aim

    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise ValueError(f"{question.name}: no number of draws shows a bias of {question.aim:g}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _bias(parts: list[tuple[float, float, int]], draws: int, needed: float, strength: float) -> float:
    """Bisects δ. Each part: its share of the draws, the chance of its watched cell, its degrees of freedom."""
    terms = []
    for part, chance, freedom in parts:
        n = part * draws
        r = n / (concentration(chance, strength) + 1)
        terms.append((freedom, r / (1 + r), math.log1p(r), n * chance / (1 - chance)))

    def seen(bias: float) -> bool:
        mean = sum(rho * (d + bias**2 * per) / 2 - d / 2 * cost for d, rho, cost, per in terms)
        variance = sum(rho**2 / 4 * 2 * (d + 2 * bias**2 * per) for d, rho, _, per in terms)
        return mean - _POWER_SD * math.sqrt(variance) >= needed

    low, high = 0.0, 1.0
    while not seen(high):
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high
