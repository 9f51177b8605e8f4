"""The text-book figures, against tables, integrals and drawn counts."""

from __future__ import annotations

import numpy as np
import pytest

from dealer_calibration.statistics.classical import chi2_tail, figures
from dealer_calibration.statistics.games import roulette, sic_bo
from dealer_calibration.statistics.question import Question

POCKET, POCKETS, SECTOR = roulette.QUESTIONS[:3]
SUMS = sic_bo.QUESTIONS[1]
COIN = Question("coin", "", ("heads", "tails"), ((0.5, 0.5),), 0.1)


@pytest.mark.parametrize(
    ("freedom", "critical", "chance"),
    [
        (1, 3.841, 0.05), (1, 6.635, 0.01), (1, 10.828, 0.001), (2, 9.210, 0.01), (5, 11.070, 0.05), (5, 20.515, 0.001),
        (10, 23.209, 0.01), (15, 24.996, 0.05), (30, 50.892, 0.01), (36, 58.619, 0.01), (36, 67.985, 0.001),
        (51, 68.669, 0.05),
    ],
)  # fmt: skip
def test_chi2_is_that_of_the_printed_tables(freedom: int, critical: float, chance: float) -> None:
    assert chi2_tail(critical, freedom) == pytest.approx(chance, rel=2e-3)


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 36, 51])
def test_chi2_begins_at_one_and_falls(freedom: int) -> None:
    values = [chi2_tail(x, freedom) for x in np.linspace(0, 4 * freedom + 40, 200)]
    assert values[0] == pytest.approx(1)
    assert max(np.diff(values)) < 1e-12
    assert 0 < values[-1] < 1e-6


def test_a_coin_by_hand() -> None:
    found = figures(COIN, np.array([[60, 40]]))
    assert found is not None
    assert (found.statistic, found.freedom, found.method) == (4.0, 1, "chi2")
    assert found.p_value == pytest.approx(0.0455, abs=1e-4)
    assert (found.most, found.seen, found.expected) == ("heads", 60, 50.0)


def test_small_counts_are_simulated_and_agree_with_the_exact_chance() -> None:
    found = figures(COIN, np.array([[8, 0]]))
    assert found is not None
    assert found.method == "simulated"
    assert found.p_value == pytest.approx(2 / 2**8, rel=0.25)
    assert figures(COIN, np.array([[8, 0]])) == found


def test_simulation_and_chi2_agree_where_both_hold() -> None:
    counts = np.random.default_rng(5).multinomial(37 * 40, [1 / 37] * 37)
    found = figures(POCKETS, counts[None])
    few = figures(Question("pockets", "", POCKETS.labels, POCKETS.chances, 0.1), counts[None] // 10)
    assert found is not None
    assert few is not None
    assert (found.method, few.method) == ("chi2", "simulated")
    assert few.p_value == pytest.approx(chi2_tail(few.statistic, 36), abs=0.05)


def test_cells_of_a_group_without_draws_do_not_count() -> None:
    places = sic_bo.QUESTIONS[3]
    counts = np.zeros((3, 6), dtype=np.int64)
    counts[1] = 20, 20, 20, 20, 20, 26
    found = figures(places, counts)
    assert found is not None
    assert (found.freedom, found.method) == (5, "chi2")
    assert found.statistic == pytest.approx(5 * (1 / 21) ** 2 * 21 + 5**2 / 21)
    assert figures(places, np.zeros((3, 6), dtype=np.int64)) is None


def test_the_strangest_stretch_is_named_across_the_beginning_of_the_circle() -> None:
    counts = np.full(37, 100)
    counts[[33, 34, 35, 36, 0, 1, 2, 3, 4]] += 25
    found = figures(SECTOR, counts[None])
    assert found is not None
    assert found.most == "12 to 4"  # in the wheel's order: 12 35 3 26 0 32 15 19 4
    assert found.seen == 9 * 125


def test_p_values_of_fair_scans_are_even() -> None:
    random = np.random.default_rng(6)
    found = [figures(SECTOR, random.multinomial(500, [1 / 37] * 37)[None]) for _ in range(40)]
    p_values = sorted(each.p_value for each in found if each is not None)
    # Kolmogorov's distance: 0.25 for 40 at 1 %.
    assert max(abs(p - (rank + 0.5) / 40) for rank, p in enumerate(p_values)) < 0.25


def test_sums_are_expected_by_their_own_shares() -> None:
    counts = np.array([216 * chance * 10 for chance in SUMS.chances[0]]).round().astype(np.int64)
    found = figures(SUMS, counts[None])
    assert found is not None
    assert found.statistic == pytest.approx(0)
    assert found.p_value == pytest.approx(1)
