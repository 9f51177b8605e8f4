"""From facts to draws: counted by hand, against the daemon's own rules and against formulas of the tests' own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any

import numpy as np
import pytest

from dealer_calibration.statistics.games import PLANS, rainbow_wheel, roulette, sic_bo
from dealer_calibration.statistics.outcomes import BadExportError, Outcome, Series
from dealer_calibration.statistics.question import Draws, counts_at
from dealer_daemon.games.roulette import WHEEL_ORDER
from dealer_daemon.validation.turn_map import COUNTS
from support.wheel_health import (
    dice_draws,
    rainbow_draws,
    roulette_facts,
    segment_facts,
    throw_facts,
    wheel_draws,
)


def series(game: str, facts: Sequence[dict[str, Any]]) -> Series:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return Series("t1", game, tuple(Outcome(number, moment, each) for number, each in enumerate(facts, 1)))


def same(found: Draws, expected: Draws) -> bool:
    return all(
        np.array_equal(mine, other)
        for mine, other in zip(
            (found.round, found.group, found.cell), (expected.round, expected.group, expected.cell), strict=True
        )
    )


def cells(draws: Draws) -> list[int]:
    return draws.cell.tolist()


def test_wheels_are_the_daemons() -> None:
    assert roulette.WHEEL_ORDER == WHEEL_ORDER
    assert COUNTS == rainbow_wheel.COLORS


@pytest.mark.parametrize("game", PLANS)
def test_chances_and_shares_add_up(game: str) -> None:
    for question in PLANS[game].questions:
        assert len(question.shares) == len(question.chances)
        assert sum(question.shares) == pytest.approx(1)
        for row in question.chances:
            assert len(row) == len(question.labels)
            assert sum(row) == pytest.approx(1)
        if question.windows:
            assert len(set(question.chances[0])) == 1


def test_dice_chances_are_those_of_all_pairs_of_throws() -> None:
    throws = list(product(range(1, 7), repeat=3))
    sums, equal, kept = (sic_bo.QUESTIONS[index] for index in (1, 2, 4))
    for value, chance in zip(sums.labels, sums.chances[0], strict=True):
        assert chance == pytest.approx(sum(sum(throw) == int(value) for throw in throws) / 216)
    assert equal.chances[0] == pytest.approx((6 / 216, 90 / 216, 120 / 216))
    both = np.array(list(product(throws, throws)))
    drawn = dice_draws(both.reshape(-1, 3))[4]
    # Every other step goes from the first to the second throw of a pair.
    groups, values = drawn.group[::2], drawn.cell[::2]
    for group, row in enumerate(kept.chances):
        shown = Counter(values[groups == group].tolist())
        assert [shown[cell] / (groups == group).sum() for cell in range(4)] == pytest.approx(list(row))
        assert (groups == group).mean() == pytest.approx(kept.shares[group])


def test_a_few_spins_by_hand() -> None:
    # Pockets 0 (zero), 1 (32 red), 2 (15 black), 2 again, 36 (26 black), 3 (19 red).
    ways = ["clockwise", "counter_clockwise", None, "clockwise", "counter_clockwise", "clockwise"]
    pockets = [0, 1, 2, 2, 36, 3]
    facts = [roulette_facts(pocket, way) for pocket, way in zip(pockets, ways, strict=True)]
    drawn = roulette.PLAN.draws(series("roulette", facts))
    assert [cells(each) for each in drawn] == [
        pockets,
        pockets,
        pockets,
        [0, 2, 3],
        [1, 36],
        [1, 1, 0, 34, 4],
        [1, 0, 0, 1],
    ]
    assert drawn[3].round.tolist() == [0, 3, 5]
    assert drawn[6].round.tolist() == [2, 3, 4, 5]


def test_many_results_of_each_game_give_the_same_draws_as_the_formulas() -> None:
    random = np.random.default_rng(7)
    pockets, clockwise = random.integers(37, size=400), random.integers(2, size=400)
    throws, places = random.integers(1, 7, size=(400, 3)), random.integers(52, size=400)
    names = ["counter_clockwise", "clockwise"]
    for game, facts, expected in [
        (
            "roulette",
            [roulette_facts(int(p), names[way]) for p, way in zip(pockets, clockwise, strict=True)],
            wheel_draws(pockets, clockwise),
        ),
        ("sic-bo", [throw_facts(list(throw)) for throw in throws], dice_draws(throws)),
        ("rainbow-wheel", [segment_facts(int(place)) for place in places], rainbow_draws(places)),
    ]:
        found = PLANS[game].draws(series(game, facts))
        assert len(found) == len(PLANS[game].questions)
        assert all(same(mine, other) for mine, other in zip(found, expected, strict=True)), game


def test_dice_that_a_person_stated_have_no_places() -> None:
    facts = [throw_facts([3, 1, 1]), throw_facts([1, 2, 1]) | {"by_position": None}]
    drawn = sic_bo.PLAN.draws(series("sic-bo", facts))
    assert cells(drawn[3]) == [2, 0, 0]
    assert cells(drawn[0]) == [0, 0, 2, 0, 0, 1]
    assert cells(drawn[4]) == [2]


def test_a_colour_without_a_segment_counts_as_a_colour_alone() -> None:
    facts = [segment_facts(0), segment_facts(None, "red"), segment_facts(5), segment_facts(30)]
    drawn = rainbow_wheel.PLAN.draws(series("rainbow-wheel", facts))
    assert cells(drawn[0]) == [0, 5, 30]
    assert len(drawn[1]) == 4
    assert cells(drawn[4]) == [25]
    assert drawn[4].round.tolist() == [3]
    assert cells(drawn[5]) == [1]


@pytest.mark.parametrize(
    ("game", "facts", "said"),
    [
        ("roulette", {"number": "7"}, "missing required field"),
        ("roulette", roulette_facts(4) | {"pocket_index": 5}, "does not lie at pocket 5"),
        ("roulette", roulette_facts(4) | {"pocket_index": -33}, "does not lie at pocket -33"),
        ("roulette", roulette_facts(4) | {"number": "00"}, "'00' does not lie"),
        ("sic-bo", throw_facts([1, 2, 3]) | {"dice": [1, 2]}, "dice"),
        ("sic-bo", throw_facts([1, 2, 3]) | {"dice": [0, 2, 3]}, "dice"),
        ("sic-bo", throw_facts([1, 2, 3]) | {"by_position": [1, 2, 2]}, "are not those by position"),
        ("rainbow-wheel", segment_facts(4) | {"segment": 52}, "segment 52"),
        ("rainbow-wheel", segment_facts(4) | {"color": "black"}, "'black'"),
    ],
)
def test_what_is_no_outcome_is_named_and_nothing_is_counted(game: str, facts: dict[str, Any], said: str) -> None:
    with pytest.raises(BadExportError, match=said) as raised:
        PLANS[game].draws(series(game, [facts]))
    assert "event 1 of table t1" in str(raised.value)
    assert "--since" in str(raised.value)


def test_counts_at_looks_are_those_before_them() -> None:
    question = roulette.QUESTIONS[0]
    drawn = Draws(np.array([0, 0, 3, 4, 9]), np.zeros(5, dtype=np.int64), np.array([1, 2, 1, 36, 0]))
    counts = counts_at(question, drawn, np.array([0, 1, 4, 5, 9]))
    assert counts.sum(axis=(1, 2)).tolist() == [0, 2, 3, 4, 4]
    assert counts[2, 0, 1] == 2
