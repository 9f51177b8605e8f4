"""The evidence is exactly what a fair gambler may own: looking again and again costs nothing."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_calibration.statistics.evidence import STRENGTHS, log_e_values, look_rounds
from dealer_calibration.statistics.games import PLANS
from dealer_calibration.statistics.health import weigh
from dealer_calibration.statistics.question import Draws, Question
from support.wheel_health import fair_draws

QUESTIONS = [question for plan in PLANS.values() for question in plan.questions]
SMALL = [
    Question("shape", "", ("a", "b", "c"), ((0.5, 0.3, 0.2),), 0.1),
    Question("window", "", ("a", "b", "c", "d"), ((0.25,) * 4,), 0.1, windows=(1,)),
    Question("windows", "", ("a", "b", "c", "d"), ((0.25,) * 4,), 0.1, windows=(1, 2)),
]


def draws_of(cells: tuple[int, ...] | list[int], groups: list[int] | None = None) -> Draws:
    count = len(cells)
    return Draws(np.arange(count), np.array(groups or [0] * count), np.array(cells, dtype=np.int64))


def e_value(question: Question, draws: Draws) -> float:
    return float(np.exp(log_e_values(question, draws, np.array([len(draws)]))[0]))


@pytest.mark.parametrize("question", SMALL, ids=lambda question: question.name)
def test_fair_draws_expect_exactly_one_over_every_sequence(question: Question) -> None:
    row = question.chances[0]
    expected = sum(
        math.prod(row[cell] for cell in cells) * e_value(question, draws_of(cells))
        for cells in product(range(len(row)), repeat=5)
    )
    assert expected == pytest.approx(1, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(QUESTIONS), st.data())
def test_whatever_was_drawn_the_next_fair_draw_is_not_expected_to_pay(question: Question, data: st.DataObject) -> None:
    cells = st.integers(0, len(question.labels) - 1)
    groups = st.integers(0, len(question.chances) - 1)
    history = data.draw(st.lists(st.tuples(groups, cells), max_size=60))
    group = data.draw(groups)
    before = [cell for _, cell in history], [each for each, _ in history]
    now = e_value(question, draws_of(*before)) if history else 1.0
    after = sum(
        chance * e_value(question, draws_of([*before[0], cell], [*before[1], group]))
        for cell, chance in enumerate(question.chances[group])
    )
    assert after == pytest.approx(now, rel=1e-9)


def test_two_cells_are_the_integral_that_they_stand_for() -> None:
    coin = Question("coin", "", ("heads", "tails"), ((0.5, 0.5),), 0.1)
    heads, tails = 70, 30
    p = (np.arange(400_000) + 0.5) / 400_000
    expected = 0.0
    for strength in STRENGTHS:
        half = max(1 / strength**2 - 1, 1) / 2
        log_density = (half - 1) * np.log(p * (1 - p)) + math.lgamma(2 * half) - 2 * math.lgamma(half)
        ratio = heads * np.log(2 * p) + tails * np.log(2 * (1 - p))
        expected += float(np.exp(log_density + ratio).mean()) / len(STRENGTHS)
    assert e_value(coin, draws_of([0] * heads + [1] * tails)) == pytest.approx(expected, rel=1e-4)


def test_a_later_look_sees_what_an_earlier_one_saw() -> None:
    drawn = np.random.default_rng(1).integers(37, size=950)
    question = QUESTIONS[0]
    early, late = look_rounds(620), look_rounds(950)
    assert set(early[:-1]) <= set(late)
    first = log_e_values(question, draws_of(list(drawn[:620])), early)
    second = log_e_values(question, draws_of(list(drawn)), late)
    assert second[: len(early) - 1] == pytest.approx(first[:-1], abs=1e-9)
    assert (early[-1], late[-1]) == (620, 950)


def test_evidence_once_seen_does_not_go_away() -> None:
    """A wheel that was bad and then is fair for a while is still to be looked at: a new beginning is a person's."""
    random = np.random.default_rng(2)
    bad, fair = [*random.integers(37, size=85), *[5] * 15], [*random.integers(37, size=20_000)]
    question = QUESTIONS[0]
    then, _ = weigh([question], [draws_of(bad)], 100)
    later, _ = weigh([question], [draws_of([*bad, *fair])], 20_100)
    assert e_value(question, draws_of([*bad, *fair])) < 10
    assert then[0] < 1e-3
    assert later[0] <= then[0] + 1e-12


def alarms(game: str, tables: int, rounds: int, seed: int) -> tuple[int, int, int]:
    """Fair tables that were called "look at it" at any look, "call the technician" at any look, and either by any of
    their questions alone."""
    random = np.random.default_rng(seed)
    questions = PLANS[game].questions
    look = call = alone = 0
    for _ in range(tables):
        each, together = weigh(questions, fair_draws(game, random, rounds), rounds)
        look += together <= 0.01
        call += together <= 0.001
        alone += bool(each.min() <= 0.01)
        assert together <= each.min() + 1e-12
    return look, call, alone


def most_allowed(tables: int, rate: float) -> int:
    """The smallest count that a true ``rate`` exceeds with a chance below 1 in 1,000."""
    term, tail, count = (1 - rate) ** tables, 1.0, 0
    while True:
        tail -= term
        if tail < 1e-3:
            return count
        count += 1
        term *= (tables - count + 1) / count * rate / (1 - rate)


@pytest.mark.parametrize("game", PLANS)
def test_fair_tables_looked_at_every_hundred_rounds_are_left_alone(game: str) -> None:
    tables = 150
    look, call, alone = alarms(game, tables, 2000, seed=11)
    assert look <= most_allowed(tables, 0.01)
    assert alone <= most_allowed(tables, 0.01)
    assert call <= most_allowed(tables, 0.001)


def test_the_usual_test_at_every_look_would_not_hold() -> None:
    """What all this is for: χ² at 1 % every hundred rounds calls far more fair wheels bad than 1 %."""
    random = np.random.default_rng(3)
    critical = 58.62  # χ² with 36 degrees of freedom, 1 %
    called = 0
    for _ in range(200):
        counts = np.zeros(37)
        for look in range(1, 31):
            counts += random.multinomial(100, [1 / 37] * 37)
            if ((counts - look * 100 / 37) ** 2).sum() / (look * 100 / 37) > critical:
                called += 1
                break
    assert called / 200 > 0.03


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", PLANS)
def test_a_thousand_fair_months_of_each_game_are_left_alone(game: str) -> None:
    tables = 1000
    look, call, alone = alarms(game, tables, 30 * 24 * 60, seed=12)
    print(f"{game}: {tables} months: look {look}, call {call}, by a question alone {alone}")
    assert look <= most_allowed(tables, 0.01)
    assert alone <= most_allowed(tables, 0.01)
    assert call <= most_allowed(tables, 0.001)
