"""Results are paired by time alone, and the bound is the one of the binomial law."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.bounds import at_most, rounds_for
from dealer_calibration.shadow.pairing import pair

START = datetime(2026, 3, 1, tzinfo=UTC)
ROUND_S = 40


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@given(
    st.lists(st.sampled_from(["both", "ours", "theirs"]), max_size=60),
    st.floats(-60, 60),
    st.lists(st.floats(-4, 4), min_size=60, max_size=60),
)
def test_every_round_is_paired_with_itself(said: list[str], late_s: float, jitter: list[float]) -> None:
    """Rounds forty seconds apart, clocks up to a minute apart, some rounds of one system alone."""
    ours = [n for n, who in enumerate(said) if who != "theirs"]
    theirs = [n for n, who in enumerate(said) if who != "ours"]
    mine = [at(n * ROUND_S) for n in ours]
    others = [at(n * ROUND_S + late_s + jitter[n]) for n in theirs]
    found = pair(mine, others, window_s=10, offset_s=late_s)
    assert [(ours[i], theirs[j]) for i, j in found.pairs] == [(n, n) for n in ours if n in theirs]
    assert [ours[i] for i in found.only_ours] == [n for n in ours if n not in theirs]
    assert [theirs[j] for j in found.only_theirs] == [n for n in theirs if n not in ours]


@given(st.floats(-15, 15))
def test_the_offset_is_found_by_itself(late_s: float) -> None:
    mine = [at(n * ROUND_S) for n in range(20)]
    others = [at(n * ROUND_S + late_s) for n in range(20) if n not in (3, 11)]
    found = pair(mine, others, window_s=5, offset_s=None)
    assert found.offset_s == pytest.approx(late_s, abs=1e-3)
    assert (len(found.pairs), found.only_ours) == (18, (3, 11))


def test_nothing_is_paired_with_nothing() -> None:
    assert pair([], [at(0)], 5, None).only_theirs == (0,)
    assert pair([at(0)], [], 5, None).only_ours == (0,)
    assert pair([at(0)], [at(30)], 5, 0.0).pairs == ()


@given(st.integers(1, 60), st.data())
def test_the_bound_is_where_so_few_become_rare(of: int, data: st.DataObject) -> None:
    seen = data.draw(st.integers(0, of - 1))
    bound = at_most(seen, of)
    assert seen / of < bound < 1
    for share, above in ((bound - 1e-6, True), (bound + 1e-6, False)):
        exact = Fraction(share)
        chance = sum(comb(of, k) * exact**k * (1 - exact) ** (of - k) for k in range(seen + 1))
        assert (chance > Fraction(5, 100)) is above


def test_known_bounds() -> None:
    assert at_most(0, 0) == at_most(3, 3) == 1.0
    assert at_most(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert at_most(0, 30_000) == pytest.approx(9.985e-5, rel=1e-3)
    assert rounds_for(1e-4) == 29_956
    assert at_most(0, 29_956) <= 1e-4 < at_most(0, 29_955)
    with pytest.raises(ValueError, match="5 of 4"):
        at_most(5, 4)
    with pytest.raises(ValueError, match="no share"):
        rounds_for(1.0)
