"""What a set of shakes proves, and what it does not."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.bounds import at_most
from dealer_calibration.dice_rig.margins import bars, histograms
from dealer_calibration.dice_rig.shakes import ShakeRead, Tally, Typed, judged, truth_of, typed_dice


def shake(number: int, typed: Typed, read: tuple[int, ...] | None, reason: str = "leaning") -> ShakeRead:
    reasons = () if read is not None else (reason,)
    return ShakeRead(number, typed, read, reasons, "" if read else "why", {"size": 0.3})


def found(shakes: list[ShakeRead]) -> dict[str, bool | None]:
    return {finding.code: finding.ok for finding in judged(Tally(shakes, 3))}


GOOD = [shake(n, (1 + n % 6, 1 + n % 6, 6), tuple(sorted((1 + n % 6, 1 + n % 6, 6)))) for n in range(60)]


def test_sixty_good_shakes_pass_with_their_bound() -> None:
    tally = Tally(GOOD, 3)
    assert found(GOOD) == {"read_wrong": True, "read_rate": True, "refuses": None, "values_seen": True}
    (right, *_) = judged(tally)
    assert "at most 4.9% are" in right.said
    assert tally.figures()["wrong_at_most"] == pytest.approx(0.0487, abs=1e-4)


def test_few_shakes_are_said_to_prove_little() -> None:
    assert "few_shakes" not in found(GOOD)
    (few,) = [one for one in judged(Tally(GOOD[:20], 3)) if one.code == "few_shakes"]
    assert few.ok is None
    assert "at 4.9%" in few.said


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (shake(61, (1, 2, 3), (1, 2, 4)), "read_wrong"),
        (shake(61, None, (1, 2, 3)), "read_wrong"),
        (shake(61, None, (1, 2, 3)), "refuses"),
        (shake(61, (1, 2, 3, 4), (1, 2, 3)), "refuses"),
    ],
)
def test_one_wrong_reading_fails_the_set(one: ShakeRead, code: str) -> None:
    assert found([*GOOD, one])[code] is False


def test_what_is_refused_costs_no_more_than_a_tenth() -> None:
    refused = [shake(100 + n, (1, 2, 3), None, "blurred") for n in range(6)]
    assert found([*GOOD, *refused])["read_rate"] is True
    more = [shake(200 + n, (1, 2, 3), None, "blurred") for n in range(6)]
    (rate,) = [one for one in judged(Tally([*GOOD, *refused, *more], 3)) if one.code == "read_rate"]
    assert rate.ok is False
    assert "60 of 72" in rate.said
    assert "blurred: why" in rate.said


def test_dice_that_are_not_flat_must_be_refused_and_that_must_be_seen() -> None:
    assert found([*GOOD, shake(61, None, None)])["refuses"] is True
    assert found(GOOD)["refuses"] is None


def test_a_set_in_which_nothing_was_read_passes_nothing() -> None:
    said = found([shake(n, (1, 2, 3), None) for n in range(60)])
    assert said["read_wrong"] is False
    assert said["read_rate"] is False


def test_the_confusion_table_counts_dice() -> None:
    table = Tally([shake(1, (1, 1, 6), (1, 2, 6)), shake(2, (3, 3, 3), None), shake(3, None, (1, 1, 1))], 3).confusion()
    assert table[0] == [1, 1, 0, 0, 0, 0, 0]
    assert table[2] == [0, 0, 0, 0, 0, 0, 3]
    assert table[5] == [0, 0, 0, 0, 0, 1, 0]
    assert sum(map(sum, table)) == 6


def test_a_limit_that_good_dice_come_near_to_is_said() -> None:
    near = [ShakeRead(n, (1, 2, 3), (1, 2, 3), (), "", {"size": 0.95, "turn": 0.1}) for n in range(60)]
    said = {one.code: one for one in judged(Tally(near, 3))}
    assert said["limit_size"].ok is None
    assert "limit_turn" not in said


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.sampled_from(["", " ", "-", ", ", ";"]))
def test_dice_are_typed_in_any_order_and_form(dice: list[int], between: str) -> None:
    assert typed_dice(between.join(map(str, dice))) == tuple(sorted(dice))


@given(st.text())
def test_whatever_is_typed_is_dice_or_said_to_be_none(text: str) -> None:
    dice: Typed = None
    with contextlib.suppress(ValueError):
        dice = typed_dice(text)
    # What is no digit of a die, and nothing between them, must not have become one.
    assert dice is None or sorted(int(one) for one in text if one in "123456") == list(dice)


def test_a_file_of_truth_names_its_wrong_line() -> None:
    assert truth_of("# table 7\n1 2 3\n\nx  # leaning\n6-6-1\n") == [(1, 2, 3), None, (1, 6, 6)]
    with pytest.raises(ValueError, match="line 2: '1 2 7'"):
        truth_of("1 2 3\n1 2 7\n")


@given(st.integers(1, 400), st.data())
def test_a_bound_lies_above_what_was_seen_and_falls_with_more_tries(tries: int, data: st.DataObject) -> None:
    events = data.draw(st.integers(0, tries))
    bound = at_most(events, tries)
    assert events / tries <= bound <= 1
    if events == 0:
        assert bound == pytest.approx(1 - 0.05 ** (1 / tries), abs=1e-9)
    if events < tries:
        assert at_most(events, tries + 1) <= bound


def test_a_histogram_holds_every_reading() -> None:
    many = [{"size": part / 10} for part in range(15)]
    counts = histograms(many)["size"]
    assert sum(counts) == 15
    assert counts[-1] == 6
    assert len(bars(counts)) == 10
    assert bars([0, 1, 8]) == " ▂█"
