"""The roulette bench's pure parts on cases that a simulated wheel does not bring."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.roulette.findings import lap_findings
from dealer_calibration.roulette.laps import NoCurve, agreement, factor, fit_curve, miss_bound
from dealer_calibration.roulette.parameters import ParameterTap, compare_parameters
from dealer_calibration.roulette.pockets import ORDER, check_pockets
from dealer_calibration.roulette.watch import RouletteWatch, cadence
from dealer_daemon.validation.spin_rules import SpinRules, estimate_laps
from dealer_drivers.readings.roulette import WheelPhase, WheelStatus
from support.turns import at


def frames(times: list[float]) -> RouletteWatch:
    watch = RouletteWatch()
    for second in times:
        watch.feed(
            WheelStatus(
                at=at(second), raw=b"", phase=WheelPhase.BETTING, spin=1, number_shown=None, rotor_rpm=12.0, rotor=None
            )
        )
    return watch


def test_frames_that_a_stalled_reader_gets_at_once_are_not_late() -> None:
    steady = [n * 0.5 for n in range(20)]
    stalled = [*steady[:10], *(9.0 + n * 0.01 for n in range(9)), 9.5, 10.0]
    lost = [*steady[:10], 9.0, 9.5, 10.0]
    assert [cadence(frames(times)).late for times in (steady, stalled, lost)] == [0, 0, 1]  # type: ignore[union-attr]
    assert cadence(frames([0.0, 0.5])) is None


@given(shift=st.integers(1, 36), spins=st.lists(st.sampled_from(ORDER), min_size=4, max_size=30))
def test_a_shift_is_found_whatever_pockets_came(shift: int, spins: list[str]) -> None:
    found = check_pockets([(lay, ORDER[(ORDER.index(lay) + shift) % 37]) for lay in spins])
    assert (found.rule, found.shift % 37) == ("shifted", shift)


@given(spins=st.lists(st.sampled_from(ORDER), min_size=1, max_size=200))
def test_a_wheel_that_is_right_is_right(spins: list[str]) -> None:
    found = check_pockets([(lay, lay) for lay in spins])
    assert (found.wrong, found.rule) == ((), "")
    assert set(found.never) == set(ORDER) - set(spins)


def test_pockets_that_nobody_looked_at_are_not_wrong() -> None:
    assert check_pockets([(None, "7"), ("7", "7")]).wrong == ()


@given(
    laps=st.lists(st.tuples(st.floats(3, 20), st.integers(-1, 1)), min_size=25, max_size=60),
    slope=st.floats(0.3, 2),
)
def test_the_curve_bears_every_spin_that_it_was_made_of(laps: list[tuple[float, int]], slope: float) -> None:
    seen = [(seconds, round(4 + slope * seconds) + off) for seconds, off in laps]
    try:
        fitted = fit_curve(seen)
    except NoCurve:
        return
    assert SpinRules(laps="estimated", estimate=fitted.curve).problems() == []
    for seconds, counted in seen:
        estimated = estimate_laps(fitted.curve, seconds)
        if estimated is not None:
            assert abs(estimated - counted) <= fitted.curve.margin_laps + 0.35, "six knots stand for the curve"


def test_spins_that_give_no_curve_are_refused() -> None:
    with pytest.raises(NoCurve, match="too few"):
        fit_curve([(5.0, 8)] * 19)
    with pytest.raises(NoCurve, match="one strength"):
        fit_curve([(5.0 + n / 100, 8) for n in range(30)])
    with pytest.raises(NoCurve, match="do not rise"):
        fit_curve([(3.0 + n / 3, 20 - n // 3) for n in range(30)])


def test_agreement_and_its_bound() -> None:
    found = agreement([(8, 9)] * 12)
    assert (found.exact, found.off_by_one, found.steady_offset, found.undercounts) == (0, 12, -1, True)
    assert agreement([(9, 9), (9, 10), (9, 8)]).undercounts is False
    assert miss_bound(30) == pytest.approx(0.095, abs=0.001)


LAPS = st.integers(3, 20)


@given(wheel=st.lists(LAPS, min_size=3, max_size=12), times=st.integers(2, 4), data=st.data())
def test_laps_that_one_of_the_two_counts_by_a_factor_are_told(
    wheel: list[int], times: int, data: st.DataObject
) -> None:
    over = st.integers(0, times - 1)
    pairs = [(laps, laps * times + data.draw(over)) for laps in wheel]
    assert factor(pairs) == times
    assert factor([(many, few) for few, many in pairs]) == -times
    (found,) = lap_findings(pairs, offset=0, laps="counted")
    assert (found.code, found.ok) == ("laps_by_factor", False)
    assert f"you counted {times} times as many laps as the wheel" in found.said


@given(st.lists(st.tuples(LAPS, st.integers(-2, 2)), min_size=3, max_size=12))
def test_laps_that_are_off_by_some_are_no_factor(laps: list[tuple[int, int]]) -> None:
    pairs = [(wheel + 6, wheel + 6 + off) for wheel, off in laps]
    assert factor(pairs) == 0


@given(cuts=st.lists(st.integers(0, 60), max_size=8))
def test_parameters_are_read_however_the_line_is_cut(cuts: list[int]) -> None:
    line = b"*X;2;001;  ;0;158;0\r\n*T m 2.0\r\n*T j 6000 3000  20 1\r\n*T NO\r\n"
    tap = ParameterTap()
    places = [0, *sorted(cut for cut in cuts if cut < len(line)), len(line)]
    for begin, end in itertools.pairwise(places):
        tap.rx(line[begin:end], at(0))
    assert tap.found == {"m": "2.0", "j": "6000 3000 20 1"}
    differ = compare_parameters({"M": "2.0", "j": "6000 3000 20 2", "z": "37"}, tap.found)
    assert (differ.changed, differ.unread) == ((("j", "6000 3000 20 2", "6000 3000 20 1"),), ("z",))
