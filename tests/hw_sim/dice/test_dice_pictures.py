"""What simulated pictures of dice show is what their truth says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice, pairwise
from random import Random

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from hw_sim.dice.kinds import KINDS, DieKind, face_of, value_of
from hw_sim.dice.poses import in_picture, throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig, on_plane, project, rig_of
from hw_sim.dice.scene import Die, Glare, Scene, seen
from hw_sim.dice.shakes import MIX, Shake, shake, shakes
from hw_sim.dice.words import REASON, Pose

Picture = npt.NDArray[np.uint8]
GOOD = {Pose.FLAT: 0.7, Pose.TOUCHING: 0.3}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield
    cv2.setNumThreads(before)


def first(pose: Pose, rig: Rig, count: int = 1, seed: int = 1) -> list[Shake]:
    return list(shakes(seed, rig, count, {pose: 1.0}))


def pip_like(picture: Picture, kind: DieKind, value: int) -> npt.NDArray[np.bool_]:
    """Pixels nearer to the pips' colour than to the body's, by hue and brightness."""
    away = [np.linalg.norm(picture.astype(float) - colour, axis=2) for colour in (kind.colour(value), kind.body)]
    mask: npt.NDArray[np.bool_] = away[0] < away[1]
    return mask


def counted(picture: Picture, die: Die, rig: Rig) -> int:
    """Spots on the upper face, counted by somebody who knows only where the face is and what colours there are."""
    face = seen(die, rig)
    size = 96
    corners = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    straight = cv2.getPerspectiveTransform(face.corners_px.astype(np.float32), corners)
    upper = np.asarray(cv2.warpPerspective(picture, straight, (size, size)), np.uint8)
    spots = np.uint8(255) * pip_like(upper, die.kind, face.value).astype(np.uint8)
    spots[:12], spots[-12:], spots[:, :12], spots[:, -12:] = 0, 0, 0, 0
    count, _, stats, _ = cv2.connectedComponentsWithStats(spots)
    return sum(1 for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] > 60)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_good_face_shows_as_many_spots_as_it_is_worth(kind: str) -> None:
    for number in range(3):
        rig = rig_of(number, kind)
        for each in shakes(number, rig, 4, GOOD):
            picture = each.frame(0)
            assert picture.shape == (480, 640, 3)
            assert [counted(picture, die, rig) for die in each.scene.dice] == [die.value for die in each.scene.dice]


def test_every_value_comes_about_as_often() -> None:
    rig = rig_of(1)
    values = [value for each in shakes(5, rig, 400, {Pose.FLAT: 1}) for value in each.values]
    counts = np.bincount(values, minlength=7)[1:]
    assert (abs(counts - 200) < 65).all(), counts  # five standard deviations


def test_values_asked_for_come() -> None:
    rig, rng = rig_of(2), Random(4)
    for pose in Pose:
        scene = throw(rig, pose, rng, (5, 1, 3, 2))
        asked = {Pose.FOUR_DICE: (1, 2, 3, 5), Pose.TWO_DICE: (1, 5)}.get(pose, (1, 3, 5))
        assert scene.values == asked, pose


def test_pips_of_side_faces_are_where_the_truth_has_them() -> None:
    """Whichever way round 1, 2 and 3 run: the picture and the truth agree about every face that can be seen."""
    looked_at, ways = 0, set()
    for number in range(8):
        rig = rig_of(number, "black")
        ways.add(rig.kind.mirrored)
        each = first(Pose.LEANING, rig, seed=number)[0]
        (die,) = (die for die in each.scene.dice if die.tilt_deg > 5)
        picture = cv2.GaussianBlur(each.frame(0), (0, 0), 1.0).astype(float).mean(axis=2)
        turn, centre = die.placed()
        for value in range(1, 7):
            axis, sign = face_of(die.kind, value)
            outwards = turn[:, axis] * sign
            middle = centre + outwards * die.edge_mm / 2
            towards = np.array([0, 0, rig.camera_mm]) - middle
            if outwards @ towards / np.linalg.norm(towards) < 0.35:
                continue
            for x, y in project(rig, die.pips_mm(value)):
                looked_at += 1
                assert picture[round(y), round(x)] > 80, (number, value)
            between = die.pips_mm(value).mean(axis=0)
            if value in (2, 4, 6):
                x, y = project(rig, between)[0]
                assert picture[round(y), round(x)] < 80, (number, value)
    assert looked_at > 25
    assert ways == {False, True}


@pytest.mark.parametrize("mirrored", [False, True])
def test_opposite_faces_add_up_to_seven_and_both_makes_exist(mirrored: bool) -> None:
    kind = DieKind("any", (0, 0, 0), (255, 255, 255), mirrored=mirrored)
    for value in range(1, 7):
        axis, sign = face_of(kind, value)
        assert value_of(kind, axis, sign) == value
        assert value_of(kind, axis, -sign) == 7 - value
    outwards = np.zeros((3, 3))
    for row, value in enumerate((1, 2, 3)):
        axis, sign = face_of(kind, value)
        outwards[row, axis] = sign
    assert np.linalg.det(outwards) == pytest.approx(-1 if mirrored else 1)


def test_a_machine_is_as_a_good_rig_should_be() -> None:
    for number in range(25):
        rig = rig_of(number)
        assert rig.die_px >= 90
        assert rig.pip_px * 2 >= 16
        assert rig.ridge_mm <= rig.die_mm / 2
        assert rig == rig_of(number)
        assert 220 < rig.plate_px < 320


def test_a_flat_die_is_as_large_as_the_rig_says() -> None:
    for number in range(4):
        rig = rig_of(number)
        for each in shakes(number, rig, 5, GOOD):
            for face in each.seen():
                assert face.size_px == pytest.approx(rig.die_px, rel=0.02)
                apart = np.linalg.norm(face.corners_px - np.roll(face.corners_px, -1, axis=0), axis=1)
                assert np.ptp(apart) < 0.04 * rig.die_px
                assert 0 <= face.turn_deg < 90


def test_sides_are_seen_where_the_camera_grazes_them_and_nothing_beyond() -> None:
    """Black dice on a pale plate: dark on each visible side between the places of its pips, pale beside the die."""
    between, grazed = np.array([[a, b] for a in (-0.13, 0.13) for b in (-0.13, 0.13)]), 0
    for number in range(4):
        rig = rig_of(number, "black")
        for each in first(Pose.FLAT, rig, 2, seed=number):
            level = each.frame(0).astype(float).mean(axis=2)
            for die in each.scene.dice:
                turn, centre = die.placed()
                for value in range(1, 7):
                    axis, sign = face_of(die.kind, value)
                    middle = centre + turn[:, axis] * sign * die.edge_mm / 2
                    to_camera = np.array([0, 0, rig.camera_mm]) - middle
                    facing = float(turn[:, axis] @ to_camera) * sign / float(np.linalg.norm(to_camera))
                    if value == die.value or facing * rig.die_px < 5:
                        continue
                    across = turn[:, [(axis + 1) % 3, (axis + 2) % 3]]
                    places = project(rig, middle + (between * die.edge_mm) @ across.T).round().astype(int)
                    assert np.mean([level[y, x] for x, y in places]) < 70
                    grazed += 1
                inside = np.zeros(level.shape, np.uint8)
                outline = cv2.convexHull(project(rig, die.corners_mm()).round().astype(np.int32))
                cv2.fillConvexPoly(inside, outline, 1)
                beside = cv2.dilate(inside, np.ones((9, 9), np.uint8)) - inside
                assert (level[beside > 0] < 60).mean() < 0.1
    assert grazed > 6


def test_pixels_and_millimetres_go_both_ways() -> None:
    rig = rig_of(3)
    for place in ((0.0, 0.0), (12.0, -7.0), (-20.0, 15.0)):
        for height in (0.0, rig.die_mm):
            x, y = project(rig, (*place, height))[0]
            assert on_plane(rig, x, y, height) == pytest.approx(place)


def brightest_difference(one: Picture, two: Picture) -> float:
    """Of two pictures without their grain."""
    soft = [cv2.GaussianBlur(picture, (0, 0), 2.0).astype(float) for picture in (one, two)]
    return float(abs(soft[0] - soft[1]).max())


def test_the_same_again_and_never_the_same_grain_twice() -> None:
    rig = rig_of(4)
    one, again, other = (shake(seed, rig, 3) for seed in (8, 8, 9))
    assert one.scene == again.scene
    assert one.scene != other.scene
    still = first(Pose.FLAT, rig)[0]
    pictures = list(still.frames(5))
    assert np.array_equal(pictures[2], still.frame(2))
    assert all(not np.array_equal(pictures[n], pictures[n + 1]) for n in range(4))
    assert brightest_difference(pictures[0], pictures[4]) < 20


def test_one_shake_by_itself_is_the_same_as_in_the_row() -> None:
    rig = rig_of(1)
    row = list(islice(shakes(7, rig), 6))
    assert shake(7, rig, 5) == row[5]


def test_the_empty_plate_is_the_same_plate() -> None:
    rig = rig_of(6)
    empty = render(Scene(), rig, 0, 1)
    each = first(Pose.FLAT, rig)[0]
    picture = each.frame(0)
    away = np.ones(empty.shape[:2], np.uint8) * 255
    for die in each.scene.dice:
        for x, y in project(rig, die.corners_mm()):
            cv2.circle(away, (round(x), round(y)), 110, 0, -1)
    assert (away > 0).mean() > 0.2
    apart = abs(cv2.GaussianBlur(empty, (0, 0), 2).astype(float) - cv2.GaussianBlur(picture, (0, 0), 2)).max(axis=2)
    assert apart[away > 0].max() < 20
    assert apart[away == 0].max() > 60


def gap_mm(one: Die, two: Die) -> float:
    """Between two flat dice with round corners; the larger the deeper one is in the other, the more under 0."""
    gaps = []
    for these, those in ((one, two), (two, one)):
        hulls = []
        for die in (these, those):
            square = die.top_mm()[:, :2]
            hulls.append(square.mean(axis=0) + (square - square.mean(axis=0)) * (1 - 2 * die.kind.corner))
        around = cv2.convexHull(hulls[1].astype(np.float32))
        gaps += [-cv2.pointPolygonTest(around, (float(x), float(y)), True) for x, y in hulls[0]]
    return min(gaps) - one.edge_mm * one.kind.corner - two.edge_mm * two.kind.corner


def test_touching_dice_touch_and_others_do_not() -> None:
    for number in range(3):
        rig = rig_of(number)
        for pose in (Pose.FLAT, Pose.TOUCHING):
            for each in first(pose, rig, 12):
                dice = each.scene.dice
                least = min(gap_mm(one, two) for n, one in enumerate(dice) for two in dice[:n])
                assert len(dice) == 3
                if pose is Pose.TOUCHING:
                    assert -0.05 * rig.die_mm < least < 0.3
                else:
                    assert least > 0.99


@pytest.mark.parametrize("pose", [Pose.LEANING, Pose.COCKED])
def test_dice_aslant_are_aslant_and_stand_on_the_plate(pose: Pose) -> None:
    for number in range(4):
        rig = rig_of(number)
        for each in first(pose, rig, 5, seed=number):
            tilts = sorted(die.tilt_deg for die in each.scene.dice)
            assert tilts[:2] == pytest.approx([0, 0], abs=0.01)
            assert 10 < tilts[2] < 45
            for die in each.scene.dice:
                assert in_picture(rig, die)
                assert die.corners_mm()[:, 2].min() == pytest.approx(0, abs=0.12 * rig.die_mm)  # round corners


def test_stacked_dice_look_larger_and_hide_others() -> None:
    for number in range(4):
        rig = rig_of(number)
        for each in first(Pose.STACKED, rig, 2, seed=number):
            low = min(each.seen(), key=lambda face: face.size_px)
            high = max(each.seen(), key=lambda face: face.size_px)
            assert 1.04 < high.size_px / low.size_px < 1.10
            top = max(each.scene.dice, key=lambda die: die.z_mm)
            assert counted(each.frame(0), top, rig) == top.value


def test_rolling_and_creeping_dice_move_from_every_picture_to_the_next() -> None:
    rig = rig_of(1)
    for pose, least in ((Pose.ROLLING, 30), (Pose.CREEPING, 12)):
        for each in first(pose, rig, 2):
            pictures = list(each.frames(4))
            for one, two in pairwise(pictures):
                assert brightest_difference(one, two) > least
            assert each.reason == "moving"


def test_creeping_is_slow() -> None:
    rig = rig_of(1)
    for each in first(Pose.CREEPING, rig, 10):
        for die in (die for die in each.scene.dice if die.roll is not None):
            at = [np.array(seen(die, rig, n / rig.fps).corners_px).mean(axis=0) for n in range(8)]
            steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
            assert steps.min() > 0.4
            assert steps.max() < 4


def test_cut_dice_are_partly_in_the_picture_and_lost_ones_not_at_all() -> None:
    rig = rig_of(5)
    for each in first(Pose.CUT, rig, 5):
        inside = [in_picture(rig, die, 0) for die in each.scene.dice]
        assert inside.count(False) == 1
        (die,) = (die for die, whole in zip(each.scene.dice, inside, strict=True) if not whole)
        ys = seen(die, rig).corners_px[:, 1]
        assert ((ys > 0) & (ys < 480)).any()
    for each in first(Pose.OUT_OF_VIEW, rig, 5):
        across = [project(rig, die.corners_mm())[:, 0] for die in each.scene.dice]
        outside = [bool(xs.max() < 0 or xs.min() > 639) for xs in across]
        assert outside.count(True) == 1
    assert {len(each.scene.dice) for each in first(Pose.FOUR_DICE, rig, 3)} == {4}
    assert {len(each.scene.dice) for each in first(Pose.TWO_DICE, rig, 3)} == {2}


def bare(each: Shake) -> Picture:
    """The same dice with nothing over them."""
    return render(Scene(each.scene.dice, Pose.FLAT, exposure=each.scene.exposure), each.rig, 0, each.seed)


@pytest.mark.parametrize("pose", [Pose.HAND, Pose.CABLE, Pose.GLARE])
def test_what_should_not_be_there_is_there(pose: Pose) -> None:
    rig = rig_of(3)
    for each in first(pose, rig, 4):
        changed = abs(each.frame(0).astype(int) - bare(each)).max(axis=2) > 25
        assert 0.004 < changed.mean() < 0.5
        if pose is Pose.GLARE:
            (glare,) = each.scene.over
            assert isinstance(glare, Glare)
            assert each.frame(0)[round(min(glare.y_px, 479)), round(min(glare.x_px, 639))].min() > 240
        else:
            rows, columns = np.nonzero(changed)
            assert min(rows.min(), columns.min(), 479 - rows.max(), 639 - columns.max()) <= 3, "it reaches the edge"


def test_a_camera_that_hangs_gives_one_picture_and_one_out_of_focus_a_soft_one() -> None:
    rig = rig_of(3)
    hung = first(Pose.FROZEN, rig)[0]
    assert np.array_equal(hung.frame(0), hung.frame(7))
    soft = first(Pose.OUT_OF_FOCUS, rig)[0]
    sharpness = [
        cv2.Laplacian(cv2.GaussianBlur(np.mean(picture, axis=0), (0, 0), 2.0), cv2.CV_64F).var()
        for picture in (list(soft.frames(8)), [bare(soft)] * 8)
    ]
    assert sharpness[0] < 0.35 * sharpness[1]


def test_every_pose_comes_with_its_reason() -> None:
    assert set(MIX) == set(REASON) == set(Pose)
    assert sum(MIX.values()) == pytest.approx(1.0)
    assert {pose for pose in Pose if REASON[pose] is None} == {Pose.FLAT, Pose.TOUCHING}
    rig = rig_of(9)
    seen_poses = {each.pose for each in shakes(2, rig, 200)}
    assert len(seen_poses) >= 14


def test_pictures_come_fast_enough_for_tens_of_thousands() -> None:
    rig = rig_of(1)
    for _ in shake(1, rig, 0, GOOD).frames():
        pass  # plate, lens and noise are made once
    begin, count = time.process_time(), 0
    for each in shakes(1, rig, 10, GOOD):
        count += sum(1 for _ in each.frames())
    assert (time.process_time() - begin) / count < 0.010
