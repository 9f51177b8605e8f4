"""Where the two readers of single pictures say the same of one die, and what speaks against it."""

from __future__ import annotations

import numpy as np
import pytest

from dealer_drivers.dice.faces import Pip, PipFace
from dealer_drivers.dice.still_agree import Confirmed, confirmed, foreign_pips, pips_alone
from dealer_drivers.dice.still_die_first import Seen
from dealer_drivers.dice.still_squares import Square
from dealer_drivers.dice.still_templates import Reading

SIDE = 100.0


def pip(x: float, y: float, radius: float = 9.0, contrast: float = 100.0, roundness: float = 0.97) -> Pip:
    return Pip(x, y, radius, True, contrast, roundness)


PIPS = (pip(76, 76), pip(124, 124))
"""A two around 100, 100."""


def seen(one_way: float = 0.85) -> Seen:
    corners = np.array([[50, 50], [150, 50], [150, 150], [50, 150]], dtype=np.float64)
    reading = Reading(2, 0.9, True, 100.0, 0.3, (0.0, 0.0), 0.24, 0.0, ((-0.24, -0.24), (0.24, 0.24)))
    return Seen(Square(corners, 0.85, one_way), reading)


def two(turn_deg: float = 0.0, value: int = 2) -> PipFace:
    return PipFace(value, 100.0, 100.0, 24.0, turn_deg, True, PIPS, 0.9)


def test_both_must_say_the_same() -> None:
    assert [die.value for die in confirmed((seen(),), (two(),))] == [2]
    assert confirmed((seen(),), (two(turn_deg=40.0),)) == []
    assert confirmed((seen(),), (two(value=3),)) == []


def test_a_pip_too_many_on_the_face_is_foreign() -> None:
    die = Confirmed(seen(), two())
    assert foreign_pips(die, PIPS) == []
    assert foreign_pips(die, (*PIPS, third := pip(124, 76))) == [third]
    assert foreign_pips(die, (*PIPS, pale := pip(100, 100, contrast=45.0))) == [pale]
    # A side face's, paler, at the very outline; one beside the die; one of the other polarity.
    others = (pip(145, 100, 6.0, 50.0), pip(170, 100), Pip(100.0, 100.0, 9.0, False, 100.0, 0.97))
    assert foreign_pips(die, (*PIPS, *others)) == []


@pytest.mark.parametrize(
    ("outline", "pips", "taken"),
    [
        (0.85, PIPS, True),
        (0.6, PIPS, False),
        (0.85, (PIPS[0],), False),
        (0.85, (*PIPS, pip(124, 76)), False),
        (0.85, (PIPS[0], pip(124, 124, roundness=0.8)), False),
        (0.85, (PIPS[0], pip(124, 124, contrast=50.0)), False),
        (0.85, (PIPS[0], pip(112, 124)), False),
    ],
    ids=["as drawn", "a weak outline", "one missing", "one too many", "not round", "pale", "off its place"],
)
def test_pips_without_a_layout_need_an_outline_beyond_doubt(outline: float, pips: tuple[Pip, ...], taken: bool) -> None:
    face = pips_alone(seen(outline), pips)
    assert (face is not None) == taken
    if face is not None:
        assert (face.value, face.x, face.y, face.pips) == (2, 100.0, 100.0, PIPS)
