"""Pips beside the dice: what one more die would leave, and what grain, side faces and doubled spots do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.dice.faces import Pip, PipFace
from dealer_drivers.dice.still_leftover import left_pairs, left_sure

DIE = np.array([[100.0, 100.0], [200.0, 100.0], [200.0, 200.0], [100.0, 200.0]])
WEAKEST, RADIUS_PX = 80.0, 10.0
PALE = Pip(x=400.0, y=300.0, radius_px=10.0, dark=True, contrast=20.0, roundness=0.97)


def pairs(*pips: Pip) -> list[tuple[Pip, Pip]]:
    return left_pairs(pips, [DIE], WEAKEST, RADIUS_PX)


@given(
    way_deg=st.floats(0, 360),
    apart_px=st.floats(25, 72),
    dark=st.booleans(),
    contrast=st.floats(13, 80),
    radius_px=st.floats(7, 16),
)
def test_two_like_pips_near_one_another_may_be_of_one_more_die(
    way_deg: float, apart_px: float, dark: bool, contrast: float, radius_px: float
) -> None:
    one = replace(PALE, dark=dark, contrast=contrast, radius_px=radius_px)
    way = np.radians(way_deg)
    apart = apart_px * radius_px / RADIUS_PX
    other = replace(one, x=one.x + apart * float(np.cos(way)), y=one.y + apart * float(np.sin(way)))
    assert pairs(one, other) == [(one, other)]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(PALE, x=440.0, dark=False), id="of the other polarity"),
        pytest.param(replace(PALE, x=440.0, contrast=11.0), id="much weaker"),
        pytest.param(replace(PALE, x=440.0, contrast=40.0), id="much stronger"),
        pytest.param(replace(PALE, x=440.0, roundness=0.9), id="not quite round"),
        pytest.param(replace(PALE, x=440.0, radius_px=8.0), id="smaller"),
        pytest.param(replace(PALE, x=415.0), id="the same spot found twice"),
        pytest.param(replace(PALE, x=480.0), id="farther than on one face"),
    ],
)
def test_what_is_no_pair(other: Pip) -> None:
    assert pairs(PALE, other) == []
    assert pairs(PALE, replace(PALE, x=440.0)) != []


def test_spots_of_the_grains_contrast_make_no_pair() -> None:
    weak = replace(PALE, contrast=10.0)
    assert pairs(weak, replace(weak, x=440.0)) == []


def test_specks_make_no_pair() -> None:
    speck = replace(PALE, radius_px=5.0)
    assert pairs(speck, replace(speck, x=420.0)) == []


def test_pips_of_a_side_face_make_no_pair() -> None:
    beside = replace(PALE, x=220.0, y=130.0)
    assert pairs(beside, replace(beside, y=170.0)) == []


def face(quality: float, radius_px: float = RADIUS_PX) -> PipFace:
    pips = tuple(replace(PALE, contrast=6.0, x=400.0 + 40.0 * step, radius_px=radius_px) for step in (-1, 0, 1))
    return PipFace(3, 400.0, 300.0, 40.0, 0.0, True, pips, quality)


def test_a_layout_that_stands_as_a_dies_needs_no_contrast() -> None:
    sure = face(0.9)
    assert left_sure([sure], [DIE], RADIUS_PX) == [sure]
    assert left_sure([face(0.8)], [DIE], RADIUS_PX) == []
    assert left_sure([face(0.9, radius_px=4.0)], [DIE], RADIUS_PX) == []
    assert left_sure([sure], [DIE + np.array([250.0, 150.0])], RADIUS_PX) == []
