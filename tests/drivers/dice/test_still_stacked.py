"""Whether one die hides a part of another, told by outlines and pips alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dealer_drivers.dice.faces import PipFace
from dealer_drivers.dice.still_agree import Confirmed
from dealer_drivers.dice.still_die_first import Seen
from dealer_drivers.dice.still_squares import Square
from dealer_drivers.dice.still_stacked import hides_a_part
from dealer_drivers.dice.still_templates import Reading

SIDE = 100.0
PLAIN = np.full((500, 500), 128, np.uint8)


def die(
    x: float, y: float, turn_deg: float = 0.0, seen_width: float = SIDE, one_way: float = 0.85, pip_off: float = 0.0
) -> Confirmed:
    """A die's outline, ``seen_width`` wide, around x, y, and the middle of its pips ``pip_off`` pixels to the right."""
    turn = np.radians(turn_deg)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([seen_width, SIDE]) / 2
    reading = Reading(2, 0.9, True, 100.0, 0.3, (0.0, 0.0), 0.24, 0.0)
    return Confirmed(
        Seen(Square(flat @ turned + np.array([x, y]), 0.85, one_way), reading),
        PipFace(2, x + pip_off, y, 24.0, turn_deg, True, (), 0.9),
    )


@pytest.mark.parametrize(
    "neighbour",
    [
        pytest.param(die(254, 150), id="side by side"),
        pytest.param(die(272, 150, turn_deg=45), id="a corner at a side"),
        pytest.param(die(240, 240), id="corner by corner, where only the squares overlap"),
    ],
)
def test_dice_that_touch_hide_nothing(neighbour: Confirmed) -> None:
    assert not hides_a_part([die(150, 150), neighbour, die(400, 400)], PLAIN)


@pytest.mark.parametrize(
    "neighbour",
    [
        pytest.param(die(245, 150), id="nearer than two dice can lie"),
        pytest.param(die(254, 180, turn_deg=45), id="a corner in the other die"),
        pytest.param(die(220, 220), id="a corner on a corner"),
    ],
)
def test_bodies_that_overlap(neighbour: Confirmed) -> None:
    assert hides_a_part([die(150, 150), neighbour, die(400, 400)], PLAIN)


def test_pips_off_the_middle_of_what_is_seen_tell_of_a_hidden_side() -> None:
    # Its right eighth is hidden: the outline ends where the other begins, the pips stay where they are.
    neighbour = die(252, 150)
    assert hides_a_part([die(145, 150, seen_width=90, pip_off=5), neighbour], PLAIN)
    assert not hides_a_part([die(145, 150, seen_width=90, pip_off=0), neighbour], PLAIN)
    # Pips off the middle away from it, as on a die seen from aslant, hide nothing.
    assert not hides_a_part([die(145, 150, seen_width=90, pip_off=-5), neighbour], PLAIN)


def test_where_the_hidden_side_is_follows_from_the_side_that_is_seen() -> None:
    # Far off the middle, the pips put the hidden side well under the neighbour, though the outlines stand apart.
    assert hides_a_part([die(150, 150, pip_off=16), die(270, 150)], PLAIN)
    assert not hides_a_part([die(150, 150), die(270, 150)], PLAIN)


def test_a_face_near_another_shows_sides_of_one_kind() -> None:
    assert hides_a_part([die(150, 150, one_way=0.3), die(258, 150)], PLAIN)
    assert not hides_a_part([die(150, 150, one_way=0.3), die(300, 150)], PLAIN)


def test_the_inlay_of_a_die_keeps_more_distance() -> None:
    y, x = np.mgrid[:500, :500]
    disc = np.where(np.hypot(x - 150, y - 150) < 50, 40, 200).astype(np.uint8)
    pair = [die(150, 150), die(263, 150)]
    assert hides_a_part(pair, disc)
    assert not hides_a_part(pair, PLAIN)


def test_a_die_whose_inlay_was_taken_for_its_outline_reaches_further() -> None:
    inlay, far, near = die(150, 150), die(280, 150), die(255, 150)
    around = replace(inlay.seen.square, corners=(inlay.seen.square.corners - 150) * 1.35 + 150)
    assert not hides_a_part([inlay, near], PLAIN)
    assert hides_a_part([inlay, near], PLAIN, [inlay.seen.square, near.seen.square, around])
    assert not hides_a_part([inlay, far], PLAIN, [inlay.seen.square, far.seen.square, around])
    # A square that does not show well, and one around something else, are no frame.
    assert not hides_a_part([inlay, near], PLAIN, [replace(around, score=0.75)])
    assert not hides_a_part([inlay, near], PLAIN, [replace(around, corners=around.corners + 20)])
