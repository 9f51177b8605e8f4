"""The reader of a calibrated rig: reads what lies flat, in any light within tolerance, and refuses the rest by name."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from dealer_drivers.dice.faces import Bgr, Dice, Doubts
from dealer_drivers.readings.dice import Doubt
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Pose, seen
from hw_sim.dice.shakes import shake
from support.rig_dice import calibrated, look

RIGS = [(1, "asian"), (2, "red")]
both = pytest.mark.parametrize(("seed", "kind"), RIGS, ids=[kind for _, kind in RIGS])


def taken(rig: Rig, pose: Pose, seed: int, values: tuple[int, ...] | None = None) -> Bgr:
    return render(throw(rig, pose, random.Random(seed), values), rig, 0, seed)


def reasons(answer: Dice | Doubts) -> tuple[Doubt, ...]:
    assert isinstance(answer, Doubts), answer
    assert answer.detail
    return answer.reasons


@both
def test_flat_dice_are_read_where_they_are(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    for number, values in enumerate([(1, 1, 1), (1, 2, 3), (4, 5, 6), (6, 6, 6), (2, 2, 4), (3, 5, 1)]):
        scene = throw(rig, Pose.FLAT, random.Random(number), values)
        answer = reader.read(render(scene, rig, 0, number))
        assert isinstance(answer, Dice), answer
        assert answer.values == scene.values
        for die in scene.dice:
            true = seen(die, rig)
            face = min(answer.faces, key=lambda each: np.hypot(each.x - true.x_px, each.y - true.y_px))
            assert face.value == true.value
            assert np.hypot(face.x - true.x_px, face.y - true.y_px) < 1.0
            assert abs((face.turn_deg - true.turn_deg + 45) % 90 - 45) < 2.0


@both
def test_touching_dice_are_read_or_refused_but_never_wrong(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    read = 0
    for number in range(12):
        scene = throw(rig, Pose.TOUCHING, random.Random(number))
        answer = reader.read(render(scene, rig, 0, number))
        if isinstance(answer, Dice):
            read += 1
            assert answer.values == scene.values
    assert read >= 11


@both
@pytest.mark.parametrize(
    "pose",
    [Pose.LEANING, Pose.COCKED, Pose.STACKED, Pose.CUT, Pose.OUT_OF_VIEW, Pose.FOUR_DICE, Pose.TWO_DICE, Pose.CABLE],
)
def test_what_is_not_three_flat_dice_is_refused(seed: int, kind: str, pose: Pose) -> None:
    rig, _, reader = calibrated(seed, kind)
    named = 0
    for number in range(6):
        one = shake(seed, rig, number, {pose: 1.0})
        named += str(reasons(reader.read(one.frame(0)))[0]) == one.reason
    assert named >= 5


@both
@pytest.mark.parametrize("pose", [Pose.ROLLING, Pose.CREEPING, Pose.FROZEN])
def test_what_moves_or_never_changes_is_told_over_several_frames(seed: int, kind: str, pose: Pose) -> None:
    rig, _, reader = calibrated(seed, kind)
    one = shake(seed, rig, 0, {pose: 1.0})
    assert look(reader, one).word == one.reason


def test_dice_that_were_pushed_are_not_the_same() -> None:
    rig, _, reader = calibrated(*RIGS[0])
    picture = taken(rig, Pose.FLAT, 5)
    first, again = reader.read(picture), reader.read(taken(rig, Pose.FLAT, 5))
    pushed = reader.read(np.roll(picture, 2, axis=1))
    other = reader.read(taken(rig, Pose.FLAT, 6))
    assert isinstance(first, Dice)
    assert isinstance(again, Dice)
    assert reader.same(first, again)
    assert not (isinstance(pushed, Dice) and reader.same(first, pushed))
    assert isinstance(other, Dice)
    assert not reader.same(first, other)


@both
@pytest.mark.parametrize("light", [0.8, 0.9, 1.1, 1.2])
def test_light_may_drift_by_a_fifth(seed: int, kind: str, light: float) -> None:
    rig, _, reader = calibrated(seed, kind)
    scene = throw(rig, Pose.FLAT, random.Random(8))
    picture = np.asarray(np.clip(render(scene, rig, 0, 8) * light, 0, 255), np.uint8)
    answer = reader.read(picture)
    if isinstance(answer, Dice):
        assert answer.values == scene.values
    else:
        # White dice run into saturation where it is brighter: nothing else may stop them.
        assert light > 1.1, answer


@both
@pytest.mark.parametrize(
    ("light", "reason"), [(0.5, Doubt.TOO_DARK), (0.02, Doubt.CAMERA_FAULT), (0.65, Doubt.TOO_DARK), (1.6, Doubt.GLARE)]
)
def test_light_beyond_tolerance_refuses(seed: int, kind: str, light: float, reason: Doubt) -> None:
    rig, _, reader = calibrated(seed, kind)
    picture = np.asarray(np.clip(taken(rig, Pose.FLAT, 8) * light, 0, 255), np.uint8)
    answer = reasons(reader.read(picture))
    # A pale plate saturates before it is 1.6 times as bright.
    assert answer[0] is reason or (light > 1 and kind == "red")


def test_a_camera_that_is_not_the_calibrated_one_is_a_fault() -> None:
    rig, _, reader = calibrated(*RIGS[0])
    picture = taken(rig, Pose.FLAT, 8)
    small = np.asarray(cv2.resize(picture, (320, 240)), np.uint8)
    assert reasons(reader.read(small)) == (Doubt.CAMERA_FAULT,)
    assert reasons(reader.read(np.zeros_like(picture))) == (Doubt.CAMERA_FAULT,)
    assert reasons(reader.read(np.full_like(picture, 90))) == (Doubt.CAMERA_FAULT,)
    reasons(reader.read(np.roll(picture, 25, axis=0)))


@both
def test_blur_is_refused_long_before_it_hides_a_pip(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    picture = taken(rig, Pose.FLAT, 9)
    slight = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8)
    assert isinstance(reader.read(slight), Dice)
    strong = np.asarray(cv2.GaussianBlur(picture, (0, 0), 5), np.uint8)
    assert reasons(reader.read(strong))[0] is Doubt.BLURRED


@both
def test_a_pip_covered_or_added_is_never_read_as_another_value(seed: int, kind: str) -> None:
    rig, profile, reader = calibrated(seed, kind)
    body = tuple(int(part) for part in profile.content.bodies[0])
    for number in range(6):
        scene = throw(rig, Pose.FLAT, random.Random(40 + number), (number + 1, 3, 5))
        true = seen(scene.dice[0], rig)
        picture = render(scene, rig, 0, number)
        radius = round(1.25 * rig.kind.radius(true.value) * rig.die_px)
        hidden = picture.copy()
        for x, y in true.pips_px[:1]:
            cv2.circle(hidden, (round(x), round(y)), radius, body, -1, cv2.LINE_AA)
        answer = reader.read(np.asarray(cv2.blur(hidden, (3, 3)), np.uint8))
        if isinstance(answer, Dice):
            # A clean five without its centre is a four: only the wear of real paint tells.
            assert true.value in (3, 5)
        look_of = profile.content.look(true.value)
        added = picture.copy()
        colour = tuple(int(part) for part in look_of.pip_bgr)
        at = true.pips_px[0] + 0.5 * (np.array([true.x_px, true.y_px]) - true.pips_px[0]) + np.array([9.0, 4.0])
        cv2.circle(added, (round(at[0]), round(at[1])), round(look_of.pip_radius_px), colour, -1, cv2.LINE_AA)
        answer = reader.read(added)
        assert not isinstance(answer, Dice) or answer.values == scene.values


@both
def test_light_that_hides_a_pip_gives_no_other_value(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    rows, columns = np.mgrid[0 : rig.height_px, 0 : rig.width_px].astype(np.float32)
    chance = random.Random(7)
    for number in range(10):
        scene = throw(rig, Pose.FLAT, chance, (chance.choice((3, 5)), 2, 6))
        true = seen(scene.dice[0], rig)
        out = np.hypot(columns - true.x_px, rows - true.y_px) / (rig.die_px * chance.uniform(0.08, 0.4))
        light = chance.uniform(60, 260) * (np.exp(-(out**2)) if number % 2 else 1 / (1 + out**6))
        picture = render(scene, rig, 0, number).astype(np.float32) + light[..., None]
        answer = reader.read(np.asarray(np.clip(picture, 0, 255), np.uint8))
        assert not isinstance(answer, Dice) or answer.values == scene.values


@both
def test_any_pixels_give_an_answer(seed: int, kind: str) -> None:
    rig, profile, reader = calibrated(seed, kind)
    rng = np.random.default_rng(seed)
    for number in range(15):
        picture = profile.plate.copy() if number % 3 else rng.integers(0, 256, profile.plate.shape, np.uint8)
        for _ in range(number):
            corners = rng.integers(-40, 680, (rng.integers(1, 6), 2)).astype(np.int32)
            colour = tuple(int(part) for part in rng.integers(0, 256, 3))
            cv2.fillPoly(picture, [corners], colour)
            cv2.circle(picture, tuple(int(part) for part in corners[0]), int(rng.integers(1, 60)), colour, -1)
        reasons(reader.read(picture))
    reasons(reader.read(np.zeros((rig.height_px, rig.width_px), np.uint8)))


@both
def test_dust_is_no_matter_and_a_coin_is(seed: int, kind: str) -> None:
    rig, _, reader = calibrated(seed, kind)
    scene = throw(rig, Pose.FLAT, random.Random(3), (2, 4, 6))
    picture = render(scene, rig, 0, 3)
    true = [seen(die, rig) for die in scene.dice]
    free = next(
        (x, y)
        for x in range(180, 460, 10)
        for y in range(120, 360, 10)
        if all(np.hypot(x - face.x_px, y - face.y_px) > 1.4 * rig.die_px for face in true)
    )
    dusty = picture.copy()
    cv2.circle(dusty, free, 2, (200, 200, 200), -1)
    answer = reader.read(dusty)
    assert isinstance(answer, Dice)
    assert answer.values == (2, 4, 6)
    coin = picture.copy()
    cv2.circle(coin, free, 14, (40, 150, 200), -1, cv2.LINE_AA)
    reasons(reader.read(coin))


def test_the_two_readers_know_nothing_of_each_other() -> None:
    import ast
    from pathlib import Path

    import dealer_drivers.dice as package

    folder = Path(package.__file__).parent

    def uses(name: str, known: set[str]) -> set[str]:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dealer_drivers.dice."):
                other = node.module.rsplit(".", 1)[1]
                if other not in known:
                    known.add(other)
                    uses(other, known)
        return known

    shared = uses("rig_die_first", set()) & uses("rig_pip_first", set())
    assert shared <= {"faces", "profile"}
    assert "rig_frame" not in uses("rig_pip_first", set())
