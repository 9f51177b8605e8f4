"""The pip-first reader of stills: exactly the layouts that are drawn, nothing made up, nothing left unseen."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dealer_drivers.dice as dice_package
from dealer_drivers.dice.faces import Grey, PipFace
from dealer_drivers.dice.still_pip_spots import SpotSearch
from dealer_drivers.dice.still_pips import PipSight, find_pip_faces
from support.drawn_dice import Die, draw, plate

PLACES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    5: [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
WHITE, BLACK, TABLE = 225, 40, 120


def table(side: int = 480) -> Grey:
    return np.full((side, side), TABLE, np.uint8)


def draw_die(
    grey: Grey,
    value: int,
    at: tuple[float, float],
    size: float,
    turn_deg: float,
    *,
    dark_pips: bool = True,
    squeeze: float = 1.0,
    pip_level: int | None = None,
) -> None:
    """A flat die; ``squeeze`` shortens one of its axes, as an aslant view does."""
    body, pip = (WHITE, BLACK) if dark_pips else (BLACK, WHITE)
    pip = pip if pip_level is None else pip_level
    turn = np.radians(turn_deg)
    u = np.array([np.cos(turn), np.sin(turn)]) * size
    v = np.array([-np.sin(turn), np.cos(turn)]) * size * squeeze
    middle = np.array(at)
    corners = np.array([middle + a * u / 2 + b * v / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    cv2.fillPoly(grey, [np.rint(corners * 16).astype(np.int32)], body, cv2.LINE_AA, 4)
    for a, b in PLACES[value]:
        x, y = middle + 0.25 * (a * u + b * v)
        axes = (round(0.09 * size * 16), round(0.09 * size * squeeze * 16))
        cv2.ellipse(grey, (round(x * 16), round(y * 16)), axes, turn_deg, 0, 360, pip, -1, cv2.LINE_AA, 4)


def see(grey: Grey, blur: float = 0.8) -> PipSight:
    return find_pip_faces(np.asarray(cv2.GaussianBlur(grey, (0, 0), blur), np.uint8))


def proven(sight: PipSight) -> list[PipFace]:
    """The layouts, without possible ones."""
    return [face for face in sight.faces if face.value > 1]


def values(sight: PipSight) -> list[int]:
    return sorted(face.value for face in proven(sight))


def turned_by(one: float, other: float, period: float) -> float:
    return abs((one - other + period / 2) % period - period / 2)


@settings(max_examples=25, deadline=None)
@given(
    value=st.integers(2, 6),
    size=st.floats(36, 150),
    turn=st.floats(0, 89.9),
    dark_pips=st.booleans(),
    shift=st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)),
)
def test_one_die_is_seen_as_it_is(
    value: int, size: float, turn: float, dark_pips: bool, shift: tuple[float, float]
) -> None:
    grey = table()
    middle = (240 + shift[0], 240 + shift[1])
    draw_die(grey, value, middle, size, turn, dark_pips=dark_pips)
    sight = see(grey)
    assert values(sight) == [value]
    (face,) = proven(sight)
    assert math.hypot(face.x - middle[0], face.y - middle[1]) < 0.04 * size
    assert face.pitch_px == pytest.approx(size / 4, rel=0.08)
    assert turned_by(face.turn_deg, turn, 90) < 5
    assert face.dark is dark_pips
    assert len(face.pips) == value
    assert all(pip.radius_px == pytest.approx(0.09 * size, rel=0.25) for pip in face.pips)


@pytest.mark.parametrize("value", [2, 3, 4, 5, 6])
def test_seen_a_little_aslant_it_is_still_that_face(value: int) -> None:
    grey = table()
    draw_die(grey, value, (240, 240), 90, 0, squeeze=0.8)
    assert values(see(grey)) == [value]


@pytest.mark.parametrize("value", [4, 5])
def test_unequal_pitch_is_no_face(value: int) -> None:
    grey = table()
    draw_die(grey, value, (240, 240), 110, 20, squeeze=0.55)
    assert value not in values(see(grey))


def test_dice_side_by_side_share_no_pips() -> None:
    grey = table()
    for index, value in enumerate((4, 5, 6)):
        draw_die(grey, value, (150 + 92 * index, 240), 90, 0)
    sight = see(grey)
    assert values(sight) == [4, 5, 6]
    taken = [pip for face in sight.faces for pip in face.pips]
    assert len(taken) == len(set(taken)) == 15
    assert sight.left_over == ()


@pytest.mark.parametrize("gap", [4, 12, 30])
def test_ones_on_touching_dice_make_no_two(gap: int) -> None:
    grey = table()
    for x, y in ((200, 200), (200 + 80 + gap, 200), (200, 200 + 80 + gap), (200 + 80 + gap, 200 + 80 + gap)):
        draw_die(grey, 1, (x, y), 80, 0)
    sight = see(grey)
    assert values(sight) == []
    assert len([face for face in sight.faces if face.value == 1]) == 4


@settings(max_examples=12, deadline=None)
@given(pair=st.tuples(st.integers(2, 6), st.integers(2, 6)), turn=st.floats(0, 89.9), size=st.floats(60, 120))
def test_two_touching_dice_are_two_dice(pair: tuple[int, int], turn: float, size: float) -> None:
    grey = table(560)
    step = (size + 2) * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    for place, value in enumerate(pair):
        x, y = np.array([280, 280]) + (place - 0.5) * step
        draw_die(grey, value, (float(x), float(y)), size, turn)
    assert values(see(grey)) == sorted(pair)


def test_a_lone_pip_is_a_possible_one_only() -> None:
    grey = table()
    draw_die(grey, 1, (240, 240), 100, 30)
    (face,) = see(grey).faces
    assert face.value == 1
    assert math.isnan(face.pitch_px)
    assert face.turn_deg == 0


@pytest.mark.parametrize(("value", "lost"), [(5, (0, 0)), (3, (0, 0)), (6, (1, 0)), (6, (-1, 0))])
def test_a_face_with_a_faint_pip_is_not_the_face_without_it(value: int, lost: tuple[int, int]) -> None:
    grey = table()
    draw_die(grey, value, (240, 240), 120, 0)
    x, y = 240 + 30 * lost[0], 240 + 30 * lost[1]
    # A reflection over half of the pip: not round any more, and not gone.
    cv2.rectangle(grey, (x - 12, y - 12), (x + 1, y + 12), WHITE, -1)
    assert values(see(grey)) in ([], [value])


def test_pips_that_stand_as_no_die_does_are_left_over() -> None:
    grey = table()
    cv2.rectangle(grey, (100, 100), (340, 340), WHITE, -1)
    for x, y in ((180, 180), (205, 180), (230, 180), (255, 180)):
        cv2.circle(grey, (x, y), 9, BLACK, -1, cv2.LINE_AA)
    sight = see(grey)
    assert values(sight) == []
    assert len(sight.left_over) == 4


def test_every_pip_of_a_face_is_among_the_pips() -> None:
    grey = table()
    draw_die(grey, 6, (150, 150), 90, 10)
    draw_die(grey, 3, (330, 300), 100, 70, dark_pips=False)
    sight = see(grey)
    assert values(sight) == [3, 6]
    assert {pip for face in sight.faces for pip in face.pips} <= set(sight.pips)


def test_a_picture_twice_as_large_gives_everything_twice_as_large() -> None:
    grey = table(640)
    draw_die(grey, 5, (200, 300), 100, 25)
    draw_die(grey, 2, (420, 300), 100, 50)
    once = proven(see(grey))
    twice = proven(find_pip_faces(np.asarray(cv2.resize(grey, (1280, 1280), interpolation=cv2.INTER_CUBIC), np.uint8)))
    assert [face.value for face in once] == [face.value for face in twice]
    for small, large in zip(once, twice, strict=True):
        assert (large.x, large.y) == pytest.approx((2 * small.x, 2 * small.y), abs=2)
        assert large.pitch_px == pytest.approx(2 * small.pitch_px, rel=0.03)


@pytest.mark.parametrize("shape", [(480, 640), (640, 480), (40, 700), (700, 40), (16, 16)])
def test_an_empty_picture_of_any_shape_shows_nothing(shape: tuple[int, int]) -> None:
    assert find_pip_faces(np.full(shape, 77, np.uint8)) == PipSight((), ())


def test_noise_shows_no_face() -> None:
    noise = np.random.default_rng(5).normal(120, 12, (480, 640))
    assert values(find_pip_faces(np.asarray(np.clip(noise, 0, 255), np.uint8))) == []


def test_the_same_picture_gives_the_same() -> None:
    grey = table()
    draw_die(grey, 6, (150, 150), 90, 10)
    draw_die(grey, 4, (330, 300), 100, 70)
    assert see(grey) == see(grey)


# The readers know nothing of each other -------------------------------------------------------------------------------

FOLDER = Path(dice_package.__file__).parent


def reached(start: str) -> set[str]:
    """Modules of the package that one module imports, and those that they import."""
    seen: set[str] = set()
    waiting = {start}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))):
            modules = (
                [node.module]
                if isinstance(node, ast.ImportFrom) and node.module
                else [each.name for each in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            parts = [module.split(".") for module in modules]
            named = {part[2] for part in parts if part[:2] == ["dealer_drivers", "dice"] and len(part) > 2}
            if isinstance(node, ast.ImportFrom) and node.module == "dealer_drivers.dice":
                named |= {each.name for each in node.names}
            waiting |= {each for each in named if (FOLDER / f"{each}.py").exists()} - seen
    return seen


def test_pip_first_knows_nothing_of_outlines() -> None:
    assert reached("still_pips") == {"still_pips", "still_pip_layouts", "still_pip_judge", "still_pip_spots", "faces"}


def test_die_first_knows_nothing_of_round_pips() -> None:
    names = reached("still_die_first")
    assert "still_squares" in names
    assert not [name for name in names if name.startswith("still_pip") or name.endswith("_decide")]


def test_grain_leaves_no_pip_of_a_pale_die_unseen() -> None:
    """The picture has more spots of grain that stand out more than the bound on what is measured."""
    picture = draw([Die(4, 470, 140), Die(5, 250, 260, body=105, pip=84)], plate(noise=10))
    assert [face.value for face in find_pip_faces(picture).faces if face.value > 2] == [4]
    _, face = (face for face in find_pip_faces(picture, pale=True).faces if face.value > 2)
    assert face.value == 5
    assert math.hypot(face.x - 250, face.y - 260) < 4


def test_one_search_looked_at_both_ways_says_what_two_say() -> None:
    picture = draw([Die(4, 470, 140), Die(5, 250, 260, body=105, pip=84)], plate(noise=10))
    search = SpotSearch(picture)
    for pale in (False, True, False):
        assert find_pip_faces(search, pale=pale) == find_pip_faces(picture, pale=pale)
