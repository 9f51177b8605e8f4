"""``dealer-calibrate beans``: a profile from counted pictures, and what it reads."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import pytest

from dealer_calibration.cli import beans
from hw_sim.beans.scene import make_rig
from support.beans import layout_pictures

COUNTS = (121, 97, 45)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("beans")
    files = [folder / f"{count}.png" for count in COUNTS]
    for file, picture in zip(files, layout_pictures(make_rig(4, "blue"), COUNTS, "command"), strict=True):
        cv2.imwrite(str(file), picture)
    return files


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    beans.add(parser.add_subparsers())
    parsed = parser.parse_args(["beans", *arguments])
    code: int = parsed.handler(parsed)
    return code


def test_a_profile_is_made_and_reads(pictures: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.beans.json"
    counted = [f"{count}={file}" for count, file in zip(COUNTS, pictures, strict=True)]
    assert run("profile", "--out", str(out), *counted) == 0
    assert "every picture reads as counted" in capsys.readouterr().out
    assert run("read", "--profile", str(out), "--json", *map(str, pictures)) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["value"]["beans"] for line in lines] == list(COUNTS)
    assert {line["verdict"] for line in lines} == {"accepted"}
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), cv2.resize(cv2.imread(str(pictures[0])), (400, 300)))
    assert run("read", "--profile", str(out), str(small), str(pictures[2])) == 1
    told = capsys.readouterr().out
    assert "refused: camera_fault" in told
    assert "45 beans, 12 groups, the last of 1" in told


def test_what_cannot_be_is_said(pictures: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.beans.json"
    wrong = [f"{count + 1}={file}" for count, file in zip(COUNTS, pictures, strict=True)]
    assert run("profile", "--out", str(out), *wrong) == 1
    assert "count again" in capsys.readouterr().err
    assert not out.exists()
    text = tmp_path / "text.png"
    text.write_text("no picture")
    assert run("profile", "--out", str(out), f"5={text}", f"6={tmp_path}/absent.png") == 2
    said = capsys.readouterr().err
    assert "is no picture" in said
    assert "absent.png: cannot be read: No such file" in said
    assert run("read", "--profile", str(out), str(pictures[0])) == 2
    with pytest.raises(SystemExit):
        run("profile", "--out", str(out), "many=a.png")
    with pytest.raises(SystemExit):
        run("profile", "--out", str(out), "--region", "1,2,3", "5=a.png")
