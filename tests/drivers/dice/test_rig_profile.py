"""A rig's profile: measured from pictures as the rig is built, written, and loaded with every fault named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from dealer_drivers.dice.faces import Bgr, Doubts
from dealer_drivers.dice.profile import ProfileError, RigProfile, dump_profile, load_profile
from dealer_drivers.dice.profile_check import Shown, seen_badly
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.profile_size import ProfileMakeError
from support.rig_dice import calibrated, calibration_pictures


@pytest.mark.parametrize(("seed", "kind"), [(1, "asian"), (2, "red")])
def test_what_is_measured_is_how_the_rig_is_built(seed: int, kind: str) -> None:
    rig, profile, _ = calibrated(seed, kind)
    content = profile.content
    assert content.pitch_px == pytest.approx(rig.pitch_px, rel=0.005)
    # Rounded edges are seen somewhat inside the sharp square.
    assert 0.93 * rig.die_px < content.die_px < 1.01 * rig.die_px
    assert 0.4 * rig.die_mm / rig.camera_mm < content.rise < 1.1 * rig.die_mm / rig.camera_mm
    for value in range(1, 7):
        look = content.look(value)
        assert look.pip_radius_px == pytest.approx(rig.kind.radius(value) * rig.die_px, rel=0.06)
        assert look.dark == (sum(rig.kind.colour(value)) < sum(rig.kind.body))
        assert np.abs(np.array(look.pip_bgr) - rig.kind.colour(value)).max() < 30
    assert len(content.bodies) == 1
    assert content.six_aspect == 1
    assert content.problems() == []


def written(folder: Path) -> tuple[Path, dict[str, Any], RigProfile]:
    profile = calibrated(1, "asian")[1]
    text, plate = dump_profile(profile)
    path = folder / "table.json"
    path.write_bytes(text)
    (folder / profile.content.plate).write_bytes(plate)
    return path, json.loads(text), profile


def test_a_written_profile_loads_as_it_was(tmp_path: Path) -> None:
    path, _, profile = written(tmp_path)
    loaded = load_profile(path)
    assert loaded.content == profile.content
    assert np.array_equal(loaded.plate, profile.plate)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("dice_profile", 2, "dice_profile"),
        ("die_px", "wide", "die_px"),
        ("die_px", -3.0, "die_px must be above 0"),
        ("pitch_px", 90.0, "pitch_px must be between"),
        ("rise", 0.9, "rise must be from 0 to 0.3, not 0.9"),
        ("bodies", [], "bodies must have a colour"),
        ("faces", {}, "faces must have the keys"),
        ("tolerances", {"exposure": 3.0}, "tolerances.exposure must be from"),
        ("region", {"shape": "square"}, "region"),
        ("region", {"shape": "circle", "x": 1, "y": 1, "radius": 0}, "region.radius must be above 0"),
        ("plate", "../plate.png", "plate must be the name of a file beside the profile"),
        ("plate_sha256", "00", "plate_sha256"),
        ("colour", "white", "colour"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(tmp_path: Path, key: str, value: Any, said: str) -> None:
    path, content, _ = written(tmp_path)
    path.write_text(json.dumps(content | {key: value}), encoding="utf-8")
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_missing_profile_plate_or_json_is_said(tmp_path: Path) -> None:
    path, content, _ = written(tmp_path)
    with pytest.raises(ProfileError, match=r"there is no file other\.json"):
        load_profile(tmp_path / "other.json")
    (tmp_path / content["plate"]).unlink()
    with pytest.raises(ProfileError, match=r"there is no file plate\.png"):
        load_profile(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ProfileError, match="is no JSON"):
        load_profile(path)


def test_pictures_that_make_no_profile_say_what_to_photograph() -> None:
    rig = calibrated(1, "asian")[0]
    plates, dice = calibration_pictures(rig, 1)
    with pytest.raises(ProfileMakeError, match="two pictures of the empty plate"):
        make_profile(plates[:1], dice)
    with pytest.raises(ProfileMakeError, match="six pictures of dice"):
        make_profile(plates, dice[:5])
    with pytest.raises(ProfileMakeError, match="same size"):
        make_profile(plates, [*dice, np.zeros((10, 10, 3), np.uint8)])
    with pytest.raises(ProfileMakeError, match="show 3 single dice"):
        make_profile(plates, plates * 2)
    # Pictures 0, 2, 4 ... show 1, 2, 3, the others 4, 5, 6.
    with pytest.raises(ProfileMakeError, match="no 4 was found"):
        make_profile(plates, dice[::2])


def test_dice_of_the_plates_colour_make_no_profile() -> None:
    rig = calibrated(1, "asian")[0]
    plates, dice = calibration_pictures(rig, 1)
    faint = [np.asarray(cv2.addWeighted(plates[0], 0.9, picture, 0.1, 0), np.uint8) for picture in dice]
    with pytest.raises(ProfileMakeError):
        make_profile(plates, faint)


def brighter(picture: Bgr) -> Bgr:
    return np.asarray(np.clip(picture * 1.15, 0, 255), np.uint8)


def out_of_focus(picture: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.8), np.uint8)


def from_far(picture: Bgr) -> Bgr:
    return np.asarray(cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA), np.uint8)


def squeezed(picture: Bgr) -> Bgr:
    return np.asarray(cv2.resize(picture, (620, 480), interpolation=cv2.INTER_AREA), np.uint8)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (brighter, r"lower the exposure: the dice's white is at 25\d of 255"),
        (out_of_focus, "focus the camera"),
        (from_far, r"bring the camera nearer: the dice are 5\d pixels wide, at least 60 are needed"),
        (squeezed, "hang the camera straight above the plate"),
    ],
)
def test_a_rig_that_cannot_be_read_is_told_what_to_change(change: Callable[[Bgr], Bgr], said: str) -> None:
    plates, dice = (list(map(change, some)) for some in calibration_pictures(calibrated(1, "asian")[0], 1))
    with pytest.raises(ProfileMakeError, match=said):
        make_profile(plates, dice)


def test_light_from_one_side_is_said_with_the_place() -> None:
    rig, profile, reader = calibrated(1, "asian")
    shown = []
    for picture in calibration_pictures(rig, 1)[1][:4]:
        looked = reader.look(picture)
        assert not isinstance(looked, Doubts)
        poses = tuple(found.square.pose for found in looked[0].faces)
        light = np.linspace(0.2, 1.0, picture.shape[1])
        shown.append(Shown(np.asarray(picture * light[None, :, None], np.uint8), poses, None, ()))
    said = seen_badly(profile.content, shown)
    assert len(said) == 1
    assert said[0].startswith("spread the light: a die at ")
