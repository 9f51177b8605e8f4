"""What is said to be seen in 80 of 100 cases is."""

from __future__ import annotations

import numpy as np
import pytest

from dealer_calibration.statistics.games import PLANS, roulette
from dealer_calibration.statistics.health import weigh
from dealer_calibration.statistics.power import draws_needed, smallest_bias
from dealer_calibration.statistics.question import Question
from support.wheel_health import biased, biased_pockets, wheel_draws

EVERY = [pytest.param(q, len(p.questions), id=f"{p.game}-{q.name}") for p in PLANS.values() for q in p.questions]
FEW = [each for each in EVERY if each.id in {"roulette-sector", "sic-bo-kept", "rainbow-wheel-colors"}]


def found(question: Question, questions: int, tables: int, seed: int) -> float:
    """The part of biased tables that are found at the number of draws that is called enough."""
    random = np.random.default_rng(seed)
    draws = draws_needed(question, questions)
    called = 0
    for _ in range(tables):
        p_value, _ = weigh([question], [biased(question, random, draws, question.aim)], draws)
        called += bool(p_value[0] * questions <= 0.01)
    return called / tables


@pytest.mark.parametrize(("question", "questions"), FEW)
def test_the_bias_that_is_aimed_at_is_found(question: Question, questions: int) -> None:
    assert 0.75 <= found(question, questions, 60, seed=21) <= 1


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("question", "questions"), EVERY)
def test_every_bias_that_is_aimed_at_is_found(question: Question, questions: int) -> None:
    part = found(question, questions, 400, seed=22)
    print(f"{question.name}: {part:.3f}")
    assert 0.78 <= part <= 0.995


@pytest.mark.parametrize(("question", "questions"), EVERY)
def test_enough_is_where_the_aim_begins_to_be_seen(question: Question, questions: int) -> None:
    needed = draws_needed(question, questions)
    enough, short = (smallest_bias(question, draws, questions) for draws in (needed, needed - 1))
    assert enough is not None
    assert enough <= question.aim
    assert short is None or short > question.aim
    double = smallest_bias(question, 2 * needed, questions)
    assert double is not None
    assert double < enough
    assert smallest_bias(question, 0, questions) is None
    assert smallest_bias(question, 3, questions) is None


def test_an_aim_that_nothing_reaches_is_said() -> None:
    with pytest.raises(ValueError, match="no number of draws"):
        draws_needed(Question("coin", "", ("a", "b"), ((0.5, 0.5),), 1e-9), 1)


@pytest.mark.parametrize(
    ("pockets", "bias", "question"),
    [([11], 0.2, 0), (range(30, 39), 0.1, 2)],
    ids=["one-pocket-a-fifth-more-often", "a-tilted-quarter-a-tenth-more-often"],
)
def test_whole_wheels_with_a_bias_are_called_at_the_stated_sample_size(
    pockets: list[int], bias: float, question: int
) -> None:
    random = np.random.default_rng(31)
    rounds = draws_needed(roulette.QUESTIONS[question], len(roulette.QUESTIONS))
    called = 0
    for _ in range(20):
        drawn = biased_pockets(random, rounds, [pocket % 37 for pocket in pockets], bias)
        _, together = weigh(roulette.QUESTIONS, wheel_draws(drawn, np.arange(rounds) % 2), rounds)
        called += together <= 0.01
    assert called >= 12  # 16 are expected; a chance below 1 in 100 that fewer are
