"""Evidence against fair chances that may be looked at after every round, for ever.

A p-value holds for one look at a number of rounds fixed beforehand; who looks every morning sees a fair wheel below
1 % sooner or later. An e-value does not have that fault. It is what a gambler would own who began with 1 and bet on the
outcomes at fair odds: while all is fair nobody expects to win, and the chance that such a stake *ever* reaches 100 is
at most 1 % (Ville's inequality, 1939; Ramdas, Grünwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid
inference", Statistical Science 2023). So 1 / (the most it ever was) is a p-value for any number of looks.

The bets are mixtures (Robbins 1970): the chances are taken as Dirichlet distributed about the fair ones, with relative
deviations of ``STRENGTHS``, in equal parts. Their e-value is a ratio of gamma functions of the counts: exact at any
number of rounds, no smallest count is needed. A mean of e-values is one again, over the windows of a scan as well as
over the questions of a table.
"""

from __future__ import annotations

import numpy as np

from dealer_calibration.statistics.question import Draws, Floats, Ints, Question, counts_at, window_sums

STRENGTHS = (0.05, 0.1, 0.2, 0.5, 2.0)
"""Standard deviations of a cell's chance, relative to its fair one. Between two of them little is lost, and the price
of five is a factor of 5 in the evidence. The last is for what is simply broken, which shows within dozens of rounds."""
STEP = 100
"""Rounds between two looks at the evidence. Fixed, so that a later look sees what an earlier one saw."""


def look_rounds(rounds: int) -> Ints:
    """After how many rounds the evidence is taken: every ``STEP``, and at the end."""
    return np.unique(np.append(np.arange(0, rounds, STEP), rounds))


def concentration(chance: float, strength: float) -> float:
    """The Dirichlet concentration at which a cell of ``chance`` varies by ``strength``, relative to it. At least 1:
    a likely cell cannot vary so much."""
    return max((1 - chance) / (chance * strength**2) - 1, 1.0)


def log_e_values(question: Question, draws: Draws, rounds: Ints) -> Floats:
    """The natural logarithm of the question's e-value after so many rounds each."""
    counts = counts_at(question, draws, rounds)
    if question.windows:
        return _scan(counts[:, 0, :], question.windows)
    by_strength = [_shape(counts, question.chances, strength) for strength in STRENGTHS]
    return log_mean(np.stack(by_strength), axis=0)


def log_mean(logs: Floats, axis: int | tuple[int, ...]) -> Floats:
    """The logarithm of the mean of ``exp(logs)``, without overflow."""
    top = logs.max(axis=axis, keepdims=True)
    mean: Floats = np.log(np.exp(logs - top).mean(axis=axis)) + np.squeeze(top, axis=axis)
    return mean


def _shape(counts: Ints, chances: tuple[tuple[float, ...], ...], strength: float) -> Floats:
    """Any deviation: groups are separate bets, one after the other, so their logarithms add."""
    total = np.zeros(len(counts))
    for group, row in enumerate(chances):
        known = counts[:, group, :]
        # The likeliest cell varies by `strength`, the rarer ones by more.
        scale = concentration(max(row), strength)
        for cell, chance in enumerate(row):
            total += _rising(scale * chance, known[:, cell]) - known[:, cell] * np.log(chance)
        total -= _rising(scale, known.sum(axis=1))
    return total


def _scan(counts: Ints, windows: tuple[int, ...]) -> Floats:
    """One stretch of neighbours against all others, over all places and widths in equal parts."""
    cells = counts.shape[1]
    all_of = counts.sum(axis=1, keepdims=True)
    bets = []
    for width in windows:
        inside = window_sums(counts, width)
        share = width / cells
        for strength in STRENGTHS:
            scale = concentration(share, strength)
            bets.append(
                _rising(scale * share, inside)
                + _rising(scale * (1 - share), all_of - inside)
                - _rising(scale, all_of)
                - inside * np.log(share)
                - (all_of - inside) * np.log1p(-share)
            )
    return log_mean(np.stack(bets), axis=(0, 2))


def _rising(start: float, steps: Ints) -> Floats:
    """log(start · (start + 1) · … ) of so many factors: log Γ(start + steps) − log Γ(start)."""
    table = np.zeros(int(steps.max(initial=0)) + 1)
    np.cumsum(np.log(start + np.arange(len(table) - 1)), out=table[1:])
    return table[steps]
