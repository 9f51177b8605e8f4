"""``dealer-calibrate dice profile``: from picture files to a profile that loads and reads."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import pytest

from dealer_calibration.cli import dice_profile
from dealer_drivers.dice.faces import Dice
from dealer_drivers.dice.profile import load_profile
from dealer_drivers.dice.rig_reader import RigReader
from support.rig_dice import calibrated, calibration_pictures


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    dice_profile.add(parser.add_subparsers())
    arguments = parser.parse_args(["profile", *words])
    code: int = arguments.handler(arguments)
    return code


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    folder = tmp_path_factory.mktemp("pictures")
    plates, dice = calibration_pictures(calibrated(1, "asian")[0], 1)
    names: tuple[list[str], list[str]] = ([], [])
    for kind, pictures in enumerate((plates, dice)):
        for number, picture in enumerate(pictures):
            file = folder / f"{('plate', 'dice')[kind]}-{number}.png"
            assert cv2.imwrite(str(file), picture)
            names[kind].append(str(file))
    return names


def test_a_profile_is_made_and_reads(
    files: tuple[list[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table-7.json"
    words = ("--plate", *files[0], "--dice", *files[1], "-o", str(path))
    assert command(*words, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["file"], said["plate"], said["of"]) == (str(path), "table-7.plate.png", 12)
    assert said["read"] >= 11
    picture = cv2.imread(files[1][0])
    assert picture is not None
    answer = RigReader(load_profile(path)).read(picture.astype("uint8"))
    assert isinstance(answer, Dice)
    assert answer.values == (1, 2, 3)
    before = path.read_bytes()
    assert command(*words) == 2
    assert "--force" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_pictures_that_give_no_profile_are_a_no(
    files: tuple[list[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.json"
    assert command("--plate", files[0][0], "--dice", *files[1], "-o", str(path)) == 1
    assert "two pictures of the empty plate" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_picture_is_named(
    files: tuple[list[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "notes.png"
    other.write_text("no picture", encoding="utf-8")
    target = ("-o", str(tmp_path / "table.json"))
    assert command("--plate", *files[0], "--dice", *files[1], str(other), *target) == 2
    assert f"{other}: is no picture" in capsys.readouterr().err
    assert command("--plate", *files[0], "--dice", str(tmp_path / "absent.png"), *target) == 2
    assert "absent.png" in capsys.readouterr().err
