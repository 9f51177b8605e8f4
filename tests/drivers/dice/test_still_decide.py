"""Single pictures: three dice and nothing else are read, everything else is refused with a word that says why."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from dealer_drivers.dice.faces import Bgr, Dice, Doubts, Grey
from dealer_drivers.dice.still_decide import decide_still
from dealer_drivers.readings.dice import Doubt
from support.drawn_dice import Die, draw, plate

THREE = [Die(2, 150, 130, turn_deg=12), Die(5, 470, 140, turn_deg=40), Die(6, 320, 340, turn_deg=75)]


def values(answer: Dice | Doubts) -> tuple[int, ...]:
    assert isinstance(answer, Dice), answer
    return answer.values


def reasons(answer: Dice | Doubts) -> tuple[Doubt, ...]:
    assert isinstance(answer, Doubts), answer
    assert answer.detail
    return answer.reasons


@pytest.mark.parametrize(
    ("thrown", "body", "pip"),
    [
        ((1, 1, 1), 215, 30),
        ((1, 3, 6), 40, 200),
        ((2, 2, 3), 40, 200),
        ((4, 4, 4), 40, 200),
        ((4, 5, 5), 215, 30),
        ((3, 5, 6), 215, 30),
    ],
)
def test_three_dice_are_read(thrown: tuple[int, ...], body: int, pip: int) -> None:
    dice = [
        Die(value, x, y, turn_deg=turn, body=body, pip=pip)
        for value, (x, y, turn) in zip(thrown, ((150, 140, 7), (470, 130, 33), (330, 340, 61)), strict=True)
    ]
    answer = decide_still(draw(dice))
    assert values(answer) == thrown
    assert isinstance(answer, Dice)
    for face in answer.faces:
        die = min(dice, key=lambda each: np.hypot(each.x - face.x, each.y - face.y))
        assert (face.value, face.dark_pips) == (die.value, body > pip)
        assert np.hypot(die.x - face.x, die.y - face.y) < 0.06 * die.size
        assert face.size_px == pytest.approx(die.size, rel=0.1)
        assert abs((face.turn_deg - die.turn_deg + 45) % 90 - 45) < 8


def test_turned_and_mirrored_pictures_give_the_same() -> None:
    picture = draw(THREE)
    for changed in (np.rot90(picture), picture[:, ::-1]):
        assert values(decide_still(np.ascontiguousarray(changed))) == (2, 5, 6)


def test_a_grey_picture_of_three_channels_is_a_grey_picture() -> None:
    assert values(decide_still(np.asarray(cv2.cvtColor(draw(THREE), cv2.COLOR_GRAY2BGR), np.uint8))) == (2, 5, 6)


@pytest.mark.parametrize("others", [2, 4])
def test_not_the_number_of_dice_of_the_game(others: int) -> None:
    dice = [*THREE, Die(4, 560, 360, size=100)][:others]
    assert reasons(decide_still(draw(dice)))[0] is Doubt.WRONG_COUNT


def test_the_game_may_have_another_number_of_dice() -> None:
    assert values(decide_still(draw(THREE[:2]), 2)) == (2, 5)


@pytest.mark.parametrize("value", [1, 2, 5])
def test_a_pale_fourth_die_is_not_overlooked(value: int) -> None:
    pale = Die(value, 560, 370, size=95, body=125, pip=90)
    assert set(reasons(decide_still(draw([*THREE, pale])))) & {Doubt.WRONG_COUNT, Doubt.LEFT_OVER}


@pytest.mark.parametrize("value", [1, 2, 3, 5])
def test_a_die_that_the_grain_of_the_plate_outdoes_is_not_overlooked(value: int) -> None:
    """It has next to no outline, and the grain has more than a thousand spots that stand out more than its pips."""
    grain = plate(noise=10)
    assert values(decide_still(draw(THREE, grain))) == (2, 5, 6)
    pale = Die(value, 545, 375, size=95, body=108, pip=84)
    assert Doubt.LEFT_OVER in reasons(decide_still(draw([*THREE, pale], grain)))


def test_two_pips_with_a_line_of_the_plate_between_them_are_not_overlooked() -> None:
    """Pip-first makes no two of them, and neither is a lone one."""
    picture = draw([Die(die.value, die.x, die.y, die.size, die.turn_deg, body=150, pip=50) for die in THREE])
    cv2.line(picture, (552, 358), (552, 392), 125, 4, cv2.LINE_AA)
    assert values(decide_still(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8))) == (2, 5, 6)
    for x in (530, 575):
        disc(picture, x, 375, 10, 80)
    assert Doubt.LEFT_OVER in reasons(decide_still(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8)))


def test_a_thing_like_a_die_without_pips_is_not_overlooked() -> None:
    blank = draw([Die(1, 560, 370, size=95, pip=215)])
    both = np.where(blank > 130, blank, draw(THREE))
    assert set(reasons(decide_still(both))) & {Doubt.WRONG_COUNT, Doubt.LEFT_OVER}


@pytest.mark.parametrize(("edge", "seen"), [("left", 0.3), ("right", 0.5), ("top", 0.7), ("bottom", 0.3)])
def test_a_fourth_die_cut_by_the_frame(edge: str, seen: float) -> None:
    out = 110 * (seen - 0.5)
    x, y = {"left": (out, 300.0), "right": (639 - out, 300.0), "top": (320.0, out), "bottom": (540.0, 479 - out)}[edge]
    answer = decide_still(draw([*THREE, Die(3, x, y, turn_deg=3)]))
    assert set(reasons(answer)) & {Doubt.CUT_BY_FRAME, Doubt.WRONG_COUNT}


def small(size: float = 34) -> list[Die]:
    return [Die(each.value, each.x, each.y, size, each.turn_deg) for each in THREE]


def test_small_dice_are_read() -> None:
    assert values(decide_still(draw(small()))) == (2, 5, 6)


@pytest.mark.parametrize(("edge", "body"), [("left", 215), ("right", 45), ("top", 45), ("bottom", 215)])
def test_a_small_die_cut_by_the_frame(edge: str, body: int) -> None:
    """What is left of it is less deep than the strip beside the edge that large dice are looked for in."""
    out = 34 * (0.3 - 0.5)
    x, y = {"left": (out, 300.0), "right": (639 - out, 300.0), "top": (320.0, out), "bottom": (540.0, 479 - out)}[edge]
    # Dark, it has no more than an outline: its brightness is not that of the three.
    answer = decide_still(draw([*small(), Die(3, x, y, 34, turn_deg=3, body=body, pip=130)]))
    assert reasons(answer) == (Doubt.CUT_BY_FRAME,)


@pytest.mark.parametrize(
    ("corner", "in_colour"), [((0, 0), False), ((639, 0), True), ((0, 479), True), ((639, 479), False)]
)
def test_a_small_die_in_the_corner_of_the_picture(corner: tuple[int, int], in_colour: bool) -> None:
    """No edge is looked for there: lenses shade the corners. It is told by its brightness."""
    picture = draw([*small(), Die(1, *corner, 34, turn_deg=3, pip=215)])
    answer = decide_still(tinted(picture) if in_colour else picture)
    assert reasons(answer) == (Doubt.CUT_BY_FRAME,)


def test_a_face_over_the_edge_of_the_picture_is_not_taken() -> None:
    answer = decide_still(draw([*THREE[:2], Die(6, 320, 445, turn_deg=0)]))
    # At the very edge one reader may see the die whole: then the two do not agree.
    assert reasons(answer)[0] in {Doubt.CUT_BY_FRAME, Doubt.DETECTORS_DISAGREE}


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (np.zeros((480, 640), np.uint8), Doubt.TOO_DARK),
        (np.full((480, 640), 255, np.uint8), Doubt.TOO_DARK),
        (np.zeros((20, 30), np.uint8), Doubt.CAMERA_FAULT),
        (np.zeros((4, 900, 3), np.uint8), Doubt.CAMERA_FAULT),
        (np.random.default_rng(1).integers(0, 256, (480, 640), np.uint8), Doubt.WRONG_COUNT),
    ],
    ids=["black", "white", "tiny", "a strip", "noise"],
)
def test_pictures_of_nothing(picture: Grey, reason: Doubt) -> None:
    assert reasons(decide_still(picture))[0] is reason


def test_light_that_hides_a_part_of_the_picture() -> None:
    picture = draw(THREE)
    cv2.circle(picture, (60, 420), 110, 255, -1)
    assert set(reasons(decide_still(picture))) & {Doubt.GLARE, Doubt.CUT_BY_FRAME, Doubt.WRONG_COUNT, Doubt.LEFT_OVER}


def on_wood(dice: list[Die]) -> Bgr:
    """Like dice on a desk of another colour."""
    grey = draw(dice, plate(level=150)).astype(np.float32)
    desk = np.dstack([grey * 0.75, grey * 0.9, grey])
    white = (grey > 190) | (grey < 110)
    desk[white] = grey[white][:, None]
    return np.clip(desk, 0, 255).astype(np.uint8)


def test_like_dice_on_a_desk_are_read_beside_other_things() -> None:
    dice = [Die(each.value, each.x, each.y, each.size * 0.6, each.turn_deg, body=225) for each in THREE]
    picture = on_wood(dice)
    cv2.line(picture, (610, 0), (570, 479), (150, 60, 30), 19)
    assert values(decide_still(picture)) == (2, 5, 6)


def test_a_body_of_the_dice_colour_on_a_desk_is_not_overlooked() -> None:
    dice = [Die(each.value, each.x, each.y, each.size * 0.6, each.turn_deg, body=225) for each in THREE]
    blank = Die(1, 560, 380, 66, body=225, pip=225)
    answer = decide_still(on_wood([*dice, blank]))
    assert set(reasons(answer)) & {Doubt.WRONG_COUNT, Doubt.LEFT_OVER}


def test_a_whole_die_may_lie_against_the_edge_of_the_picture() -> None:
    dice = [Die(each.value, each.x, each.y, 66, each.turn_deg) for each in THREE[1:]]
    assert values(decide_still(draw([*dice, Die(4, 34, 330, 66, 0)]))) == (4, 5, 6)


@pytest.mark.parametrize("edge", ["left", "right"])
def test_a_die_cut_by_the_frame_that_lies_against_another_on_a_desk(edge: str) -> None:
    """Both make one body, which holds one of the three dice."""
    dice = [Die(each.value, each.x, each.y, 66, each.turn_deg, body=225) for each in THREE[1:]]
    near = Die(4, 54, 330, 66, 0, body=225)
    # It touches the third; 20 of its 66 pixels are in the picture.
    picture = on_wood([*dice, near, Die(1, -13, 330, 66, 0, body=225, pip=225)])
    cv2.line(picture, (610, 0), (570, 479), (150, 60, 30), 19)
    answer = decide_still(picture if edge == "left" else np.ascontiguousarray(picture[:, ::-1]))
    assert reasons(answer) == (Doubt.CUT_BY_FRAME,)


@pytest.mark.parametrize(("body", "pip"), [((40, 40, 190), (235, 235, 235)), ((160, 80, 30), (235, 235, 235))])
def test_a_die_of_another_colour_on_a_desk_is_one_more(body: tuple[int, ...], pip: tuple[int, ...]) -> None:
    picture = on_wood([Die(each.value, each.x, each.y, each.size * 0.6, each.turn_deg, body=225) for each in THREE])
    cv2.line(picture, (610, 0), (570, 479), (150, 60, 30), 19)
    shape = draw([Die(2, 540, 390, 66, 8, body=255, pip=0)], np.full((480, 640), 128, np.float32)).astype(np.float32)
    is_body, is_pip = np.clip(shape / 127 - 1, 0, 1)[:, :, None], np.clip(1 - shape / 128, 0, 1)[:, :, None]
    other = picture * (1 - is_body - is_pip) + np.array(body) * is_body + np.array(pip) * is_pip
    answer = decide_still(np.clip(other, 0, 255).astype(np.uint8))
    assert set(reasons(answer)) & {Doubt.WRONG_COUNT, Doubt.LEFT_OVER, Doubt.DETECTORS_DISAGREE}


def tinted(grey: Grey) -> Bgr:
    """As a colour camera under warm light gives a grey scene."""
    return np.clip(grey[:, :, None] * np.array((0.72, 0.92, 1.06)), 0, 255).astype(np.uint8)


def test_a_tint_is_no_colour() -> None:
    assert values(decide_still(tinted(draw(THREE)))) == (2, 5, 6)
    # Were it a desk with colours, a dark die beside three light ones would be no die of that game.
    other = Die(1, 560, 370, size=95, body=45, pip=200)
    assert set(reasons(decide_still(tinted(draw([*THREE, other]))))) & {Doubt.WRONG_COUNT, Doubt.LEFT_OVER}


def disc(picture: Grey, x: int, y: int, radius: int, level: int) -> None:
    cv2.circle(picture, (x, y), radius, level, -1, cv2.LINE_AA)


@pytest.mark.parametrize("pips", [1, 4])
def test_a_button_with_holes_is_no_die(pips: int) -> None:
    picture = draw(THREE[:2])
    disc(picture, 320, 330, 62, 215)
    for x, y in ((320, 330),) if pips == 1 else ((297, 307), (343, 307), (297, 353), (343, 353)):
        disc(picture, x, y, 10, 30)
    assert Doubt.UNCLEAR in reasons(decide_still(cv2.GaussianBlur(picture, (0, 0), 0.9).astype(np.uint8)))


def test_half_a_face_that_shows_one_pip_is_no_one() -> None:
    picture = draw([*THREE[:2], Die(2, 320, 330, turn_deg=0)])
    picture[260:400, 328:460] = 105
    assert isinstance(decide_still(cv2.GaussianBlur(picture, (0, 0), 0.9).astype(np.uint8)), Doubts)


def test_a_face_with_a_pip_too_many_is_no_face() -> None:
    picture = draw([*THREE[:2], Die(2, 320, 330, turn_deg=0)])
    disc(picture, 348, 302, 10, 30)
    answer = decide_still(cv2.GaussianBlur(picture, (0, 0), 0.6).astype(np.uint8))
    assert isinstance(answer, Doubts)


def test_dice_with_a_round_inlay_are_read() -> None:
    picture = draw(THREE)
    for die in THREE:
        ring = np.zeros(picture.shape, np.uint8)
        cv2.circle(ring, (round(die.x), round(die.y)), round(0.44 * die.size), 255, 5, cv2.LINE_AA)
        part = ring.astype(np.float32) / 255
        picture = np.clip(picture * (1 - part) + 150 * part, 0, 255).astype(np.uint8)
    assert values(decide_still(picture)) == (2, 5, 6)
