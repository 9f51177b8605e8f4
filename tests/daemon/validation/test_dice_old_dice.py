"""Dice of an earlier throw are never a result: whatever covered them, and however camera or plate was pushed."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import cv2
import numpy as np
import pytest

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import DiceReason, ShakeRules
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_drivers.dice.faces import Dice
from dealer_drivers.readings.dice import DiceSeen, Face
from hw_sim.dice.render import render
from support.rig_dice import calibrated
from support.rig_harm import good
from support.throws import Hall

HELD = "held:dice_did_not_move"


def tower() -> Hall:
    """An earlier round's dice lie there; the round waits for a throw."""
    hall = Hall(TowerJudge(ShakeRules(), dice_facts, camera="camera"))
    hall.moves().wait(0.5).still().wait(0.3).seen(1, 2, 3).wait(5).due()
    hall.new()
    return hall


def dome() -> Hall:
    """The same below a dome with a shaker."""
    hall = Hall(DiceJudge(ShakeRules(), dice_facts, shaker="shaker", camera="camera")).rest().due().wait(0.1)
    hall.shake().seen(1, 2, 3).wait(5).due()
    hall.new()
    return hall


def lies(hall: Hall, *faces: Face) -> Hall:
    """The camera answers with exactly these faces."""
    first = hall.asked_at.plus_s(0.05)
    last = max(first, hall.at.plus_s(-0.03))
    return hall.read(DiceSeen(at=hall.at, raw=b"look", ask=hall.ask, first=first, last=last, frames=5, faces=faces))


@pytest.mark.parametrize("over", sorted({"occluded", "wrong_count"}))
def test_a_hand_that_rested_over_the_dice_of_a_tower_is_no_throw(over: str) -> None:
    hall = tower().moves().wait(1).still().wait(0.5).unclear(over).wait(1)
    hall.moves().wait(1).still().wait(0.5).seen(1, 2, 3, moved=False)
    assert hall.new() == ["started", "look", "look", HELD, "ready"]


@pytest.mark.parametrize("over", ["glare", "leaning", "blurred", "detectors_disagree"])
def test_dice_that_could_not_be_read_for_a_while_are_no_throw(over: str) -> None:
    hall = tower().moves().wait(1).still().wait(0.5).unclear(over).due().wait(1)
    hall.moves().wait(1).still().wait(0.5).seen(1, 2, 3, moved=False)
    assert hall.new() == ["started", "look", f"refused:{over}", "ready", "started", "look", HELD, "ready"]


def test_a_shaker_that_says_it_shook_and_a_hand_before_the_camera_make_no_result_of_old_dice() -> None:
    hall = dome().shake().unclear("occluded").due().wait(2).shake().seen(1, 2, 3, moved=False)
    assert hall.new() == ["started", "look", "refused:occluded", "ready", "started", "look", HELD, "ready"]


def test_a_throw_after_a_hand_counts() -> None:
    hall = tower().moves().wait(1).still().wait(0.5).unclear("occluded").wait(1)
    hall.moves().wait(1).still().wait(0.5).seen(1, 2, 3)
    assert hall.new() == ["started", "look", "look", "1-2-3", "ready"]


def pushed(faces: tuple[Face, ...], turn_deg: float, x: float, y: float) -> tuple[Face, ...]:
    """As a camera sees them that was turned and pushed."""
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return tuple(replace(one, x=cos * one.x - sin * one.y + x, y=sin * one.x + cos * one.y + y) for one in faces)


@pytest.mark.parametrize(("turn_deg", "x", "y"), [(0, 4, 0), (0, -3, 9), (0, 40, 25), (1.5, 0, 0), (-8, 30, 4)])
@pytest.mark.parametrize("table", [tower, dome])
def test_a_camera_or_a_plate_that_was_pushed_is_no_throw(table: object, turn_deg: float, x: float, y: float) -> None:
    assert callable(table)
    hall = table()
    old = hall.faces(1, 2, 3, moved=False)
    hall.shake() if table is dome else hall.moves().wait(1.5).still().wait(0.4)
    assert lies(hall, *reversed(pushed(old, turn_deg, x, y))).new() == ["started", "look", HELD, "ready"]


@pytest.mark.parametrize("table", [tower, dome])
def test_what_the_camera_makes_of_the_same_dice_twice_is_no_throw(table: object) -> None:
    assert callable(table)
    hall = table()
    one, two, three = hall.faces(1, 2, 3, moved=False)
    hall.shake() if table is dome else hall.moves().wait(1.5).still().wait(0.4)
    now = (replace(one, x=one.x - 2.5), replace(two, x=two.x + 2.5, turn_deg=two.turn_deg + 50), three)
    assert lies(hall, *now).new() == ["started", "look", HELD, "ready"]


@pytest.mark.parametrize("left", [1, 2])
def test_a_die_that_was_left_lying_is_no_part_of_a_throw_by_hand(left: int) -> None:
    """The dealer took two dice up, or one, and threw them."""
    hall = tower()
    old = hall.faces(1, 2, 3, moved=False)
    thrown = tuple(replace(one, value=6, x=one.x + 40, turn_deg=70.0) for one in old[left:])
    hall.moves().wait(1.5).still().wait(0.4)
    assert lies(hall, *thrown, *old[:left]).new() == ["started", "look", HELD, "ready"]


@pytest.mark.parametrize("change", ["place", "turn", "value"])
@pytest.mark.parametrize("table", [tower, dome])
def test_dice_that_only_lie_near_where_they_lay_were_thrown(table: object, change: str) -> None:
    assert callable(table)
    hall = table()
    old = hall.faces(1, 2, 3, moved=False)
    now = [replace(one, turn_deg=one.turn_deg + 30) for one in old]
    if change == "place":
        now = [replace(one, x=one.x + 5 - 9 * n, y=one.y + 5 * n * n) for n, one in enumerate(old)]
    elif change == "turn":
        now[2] = replace(now[2], y=now[2].y + 12)
    else:
        now = [replace(one, value=one.value + 3) for one in old]
    hall.shake() if table is dome else hall.moves().wait(1.5).still().wait(0.4)
    values = "-".join(str(one.value) for one in now)
    assert lies(hall, *now).new() == ["started", "look", values, "ready"]


def test_the_rigs_own_reader_over_a_camera_that_was_turned() -> None:
    """By what the reader makes of a picture that is turned by two degrees: it reads it, and nothing was thrown."""
    read = 0
    for seed in (1, 2, 3):
        rig, _, reader = calibrated(seed)
        rng = random.Random(seed)
        before, after = (render(good(rig, random.Random(seed)), rig, 0, rng.randrange(1 << 30)) for _ in range(2))
        height, width = after.shape[:2]
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), 2.0, 1.0)
        turned = cv2.warpAffine(after, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
        old, now = reader.read(before), reader.read(np.asarray(turned, np.uint8))
        if not isinstance(old, Dice) or not isinstance(now, Dice):
            continue
        read += 1
        hall = Hall(TowerJudge(ShakeRules(), dice_facts, camera="camera")).moves().wait(0.5).still().wait(0.3)
        lies(hall, *old.faces).wait(5).due().moves().wait(1.5).still().wait(0.4)
        assert lies(hall, *now.faces).new()[-2:] == [f"held:{DiceReason.DICE_DID_NOT_MOVE}", "ready"]
    assert read
