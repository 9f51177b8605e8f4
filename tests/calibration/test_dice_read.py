"""``dealer-calibrate dice read``: its lines and its exit codes (``interfaces.md``)."""

from __future__ import annotations

import json
import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from dealer_calibration.cli import build_parser, main
from dealer_calibration.dice_pictures import DicePictures
from dealer_calibration.picture_files import picture_of_file
from dealer_drivers.dice.faces import Bgr, Dice, Doubts
from dealer_drivers.dice.profile import dump_profile
from dealer_drivers.readings.dice import Doubt
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.scene import Pose
from support.drawn_dice import Die, draw
from support.rig_dice import calibrated


@pytest.fixture
def shake(tmp_path: Path) -> Path:
    """Three dice as a picture file."""
    path = tmp_path / "shake.png"
    picture = draw([Die(2, 150, 130, turn_deg=12), Die(5, 470, 140, turn_deg=40), Die(6, 320, 340, turn_deg=75)])
    cv2.imwrite(str(path), picture)
    return path


@pytest.fixture
def black(tmp_path: Path) -> Path:
    path = tmp_path / "black.png"
    cv2.imwrite(str(path), np.zeros((120, 160), np.uint8))
    return path


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_a_picture_and_a_word_that_stills_are_judged_strictly(
    shake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dice", "read", "--dice", "3", str(shake), "--json"]) == 0
    said = capsys.readouterr()
    assert "strict" in said.err
    (line,) = lines(said.out)
    ms = line.pop("ms")
    assert isinstance(ms, float)
    assert ms > 0
    assert line == {"file": str(shake), "verdict": "accepted", "values": [2, 5, 6], "reasons": []}


def test_refused_and_damaged_pictures_are_exit_code_1(
    shake: Path, black: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torn = shake.with_name("torn.png")
    torn.write_bytes(shake.read_bytes()[:60])
    empty = shake.with_name("empty.png")
    empty.write_bytes(b"")
    assert main(["dice", "read", "--dice", "3", "--json", str(black), str(torn), str(empty)]) == 1
    said = lines(capsys.readouterr().out)
    assert [line["verdict"] for line in said] == ["refused"] * 3
    assert [line["values"] for line in said] == [[]] * 3
    assert [line["reasons"] for line in said] == [["too_dark"], ["camera_fault"], ["camera_fault"]]


def test_a_file_that_is_not_there_is_exit_code_2_and_the_others_are_read(
    tmp_path: Path, black: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.png"
    assert main(["dice", "read", "--dice", "3", "--json", str(missing), str(tmp_path), str(black)]) == 2
    said = capsys.readouterr()
    assert f"{missing}: cannot be read: No such file or directory" in said.err
    assert f"{tmp_path}: cannot be read: Is a directory" in said.err
    assert len(lines(said.out)) == 1


def test_a_table_for_people(black: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dice", "read", "--dice", "3", str(black)]) == 1
    said = capsys.readouterr().out
    assert "too_dark" in said
    assert "0 accepted, 1 refused" in said


@pytest.mark.parametrize("dice", ["0", "-1", "three"])
def test_the_number_of_dice_is_a_whole_number_above_0(dice: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        build_parser().parse_args(["dice", "read", "--dice", dice, "a.png"])
    assert stopped.value.code == 2
    assert "--dice" in capsys.readouterr().err


def test_another_look_may_judge(black: Path) -> None:
    seen: list[Bgr] = []

    def look(picture: Bgr) -> Dice | Doubts:
        seen.append(picture)
        return Doubts((Doubt.OCCLUDED, Doubt.MOVING), "a hand")

    judged = DicePictures(look).judge(black)
    assert (judged.reasons, judged.detail, judged.accepted) == (("occluded", "moving"), "a hand", False)
    assert seen[0].shape == (120, 160, 3)


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", bytes(1000)])
def test_bytes_that_are_no_picture(data: bytes) -> None:
    assert picture_of_file(data) is None


def test_frames_of_a_calibrated_rig_are_read_with_its_profile(
    tmp_path: Path, black: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig, profile, _ = calibrated(1, "asian")
    path = tmp_path / "table.json"
    text, plate = dump_profile(profile)
    path.write_bytes(text)
    path.with_name(profile.content.plate).write_bytes(plate)
    frame = tmp_path / "frame.png"
    # Values that the calibration pictures do not show together.
    picture = render(throw(rig, Pose.FLAT, random.Random(5), [2, 5, 6]), rig, 0, 77)
    assert cv2.imwrite(str(frame), picture)
    assert main(["dice", "read", "--dice", "3", "--profile", str(path), "--json", str(frame), str(black)]) == 1
    said = capsys.readouterr()
    assert "strict" not in said.err
    read, other = lines(said.out)
    assert (read["verdict"], read["values"]) == ("accepted", [2, 5, 6])
    # A picture of another size is not of that camera.
    assert (other["verdict"], other["values"], other["reasons"]) == ("refused", [], ["camera_fault"])
    assert main(["dice", "read", "--dice", "2", "--profile", str(path), "--json", str(frame)]) == 1
    assert lines(capsys.readouterr().out)[0]["verdict"] == "refused"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "there is no file table.json"),
        ("{", "is no JSON"),
        ('{"dice_profile": 1}', "missing required field"),
    ],
)
def test_a_profile_that_cannot_be_used_is_exit_code_2_and_named(
    tmp_path: Path, black: Path, capsys: pytest.CaptureFixture[str], text: str | None, reason: str
) -> None:
    path = tmp_path / "table.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main(["dice", "read", "--dice", "3", "--profile", str(path), "--json", str(black)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert str(path) in said.err
    assert reason in said.err


def test_the_measuring_of_a_profile_is_an_action_of_the_group(
    tmp_path: Path, black: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.json"
    assert main(["dice", "profile", "--plate", str(black), "--dice", str(black), "-o", str(path)]) == 1
    assert "no profile can be made" in capsys.readouterr().err
    assert not path.exists()
