"""The health of each wheel and each set of dice: every question of its game, and one verdict that never stops a table.

The verdict of a table rests on the mean of its questions' e-values, a question's own on its share of the same
threshold. So a table whose wheel is fair is called "look at it" with a chance of at most 1 %, and "call the
technician" of at most 0.1 %, over all its questions and however often somebody looks (``evidence``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from dealer_calibration.statistics.classical import Figures, figures
from dealer_calibration.statistics.evidence import log_e_values, log_mean, look_rounds
from dealer_calibration.statistics.games import PLANS
from dealer_calibration.statistics.outcomes import Series
from dealer_calibration.statistics.plan import Plan
from dealer_calibration.statistics.power import ALPHA, draws_needed, smallest_bias
from dealer_calibration.statistics.question import Draws, Floats, Ints, Question, counts_at

ALPHA_CALL = 0.001


class Health(StrEnum):
    """From best known to worst."""

    NOTHING_UNUSUAL = "nothing_unusual"
    NOT_ENOUGH_DATA = "not_enough_data"
    LOOK_AT_IT = "look_at_it"
    CALL_TECHNICIAN = "call_technician"


@dataclass(frozen=True)
class Answer:
    """One question, answered."""

    question: Question
    draws: int
    needed: int
    """Draws from which on ``question.aim`` would be seen with 80 % power; below it silence means nothing."""
    smallest_bias: float | None
    """Relative: 0.2 is a fifth more often. Seen with 80 % power at these ``draws``; ``None`` where none would be."""
    p_value: float
    """For any number of looks, and for all questions of the table together."""
    health: Health
    figures: Figures | None
    counts: Ints
    """Groups, cells."""


@dataclass(frozen=True)
class TableHealth:
    """One wheel or set of dice of a table."""

    table: str
    game: str
    wheel: str | None
    rounds: int
    first: datetime
    last: datetime
    first_sequence: int
    p_value: float
    health: Health
    answers: tuple[Answer, ...]
    left_out: tuple[str, ...]


def examine(everything: Sequence[Series]) -> list[TableHealth]:
    """The health of every table with a wheel or dice; card and bean tables have none. Raises ``BadExportError``."""
    found = []
    for series in everything:
        plan = PLANS.get(series.game)
        if plan is not None:
            found += [_examine_one(plan, part, wheel) for wheel, part in _by_wheel(plan, series)]
    return found


def weigh(questions: Sequence[Question], drawn: Sequence[Draws], rounds: int) -> tuple[Floats, float]:
    """The p-value of each question and of all together, for any number of looks at ``rounds`` and before."""
    at = look_rounds(rounds)
    logs = np.stack([log_e_values(question, draws, at) for question, draws in zip(questions, drawn, strict=True)])
    each = np.minimum(1.0, len(questions) * np.exp(-logs.max(axis=1)))
    return each, min(1.0, math.exp(-float(log_mean(logs, axis=0).max())))


def _by_wheel(plan: Plan, series: Series) -> list[tuple[str | None, Series]]:
    parts: dict[str | None, list[int]] = {}
    for index, outcome in enumerate(series.outcomes):
        parts.setdefault(plan.split(outcome), []).append(index)
    return [
        (wheel, Series(series.table, series.game, tuple(series.outcomes[index] for index in indices)))
        for wheel, indices in parts.items()
    ]


def _examine_one(plan: Plan, series: Series, wheel: str | None) -> TableHealth:
    rounds = len(series.outcomes)
    drawn = plan.draws(series)
    p_values, together = weigh(plan.questions, drawn, rounds)
    answers = tuple(
        _answer(question, draws, float(p_value), rounds, len(plan.questions))
        for question, draws, p_value in zip(plan.questions, drawn, p_values, strict=True)
    )
    unseen = tuple(f"{each.question.name}: no outcome says it" for each in answers if not each.draws)
    return TableHealth(
        table=series.table,
        game=series.game,
        wheel=wheel,
        rounds=rounds,
        first=series.outcomes[0].time,
        last=series.outcomes[-1].time,
        first_sequence=series.outcomes[0].sequence,
        p_value=together,
        health=judge(together, enough=answers[0].draws >= answers[0].needed),
        answers=answers,
        left_out=plan.left_out + unseen,
    )


def _answer(question: Question, draws: Draws, p_value: float, rounds: int, questions: int) -> Answer:
    counts = counts_at(question, draws, np.array([rounds]))[0]
    needed = draws_needed(question, questions)
    return Answer(
        question=question,
        draws=len(draws),
        needed=needed,
        smallest_bias=smallest_bias(question, len(draws), questions),
        p_value=p_value,
        health=judge(p_value, enough=len(draws) >= needed),
        figures=figures(question, counts),
        counts=counts,
    )


def judge(p_value: float, *, enough: bool) -> Health:
    """The verdict. Strong evidence counts at any number of rounds; its absence says something only with ``enough``."""
    if p_value <= ALPHA_CALL:
        return Health.CALL_TECHNICIAN
    if p_value <= ALPHA:
        return Health.LOOK_AT_IT
    return Health.NOTHING_UNUSUAL if enough else Health.NOT_ENOUGH_DATA
