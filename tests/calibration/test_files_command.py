"""``dealer-calibrate files``: take in, list, show, compare, go back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import build_parser, main
from dealer_calibration.cli import files as files_command
from dealer_calibration.dice_profile import write_profile
from dealer_daemon.cli import main as daemon
from support.driver_examples import bean_camera
from support.rig_dice import calibrated
from support.turns import plain_file

WHICH = ("--table", "t", "--device", "cam")
CONFIG = """
[station]
site = "s"
state_dir = "state"
[tables.t]
game = "fan-tan"
[[tables.t.devices]]
name = "cam"
driver = "bean-camera"
port = "/dev/video0"
calibration = "current"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "station.toml").write_text(CONFIG)
    bean_camera.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(action: str, *more: str) -> int:
    return main(["files", action, "--config", "station.toml", *WHICH, *more])


ABOUT = ("--driver", "bean-camera", "--kind", "bean-cloth", "--by", "technician")


def take_in(*more: str, file: str = bean_camera.NAME) -> int:
    return run("import", *ABOUT, *more, file)


def as_configured(here: Path, game: str, driver: str) -> None:
    """Another game and driver for the same device."""
    (here / "station.toml").write_text(CONFIG.replace("fan-tan", game).replace("bean-camera", driver))


def said(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("here")
def test_a_profile_is_taken_in_and_the_station_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert daemon(["check-config", "station.toml"]) == 2
    assert "there is none yet" in capsys.readouterr().err
    assert take_in("--serial", "7", "--json") == 0
    (made,) = said(capsys)
    assert Path(made["folder"]).is_dir()
    assert daemon(["check-config", "station.toml"]) == 0
    capsys.readouterr()
    assert run("show", "--json") == 0
    (shown,) = said(capsys)
    assert {key: shown[key] for key in ("id", "serial", "by", "based_on")} == {
        "id": made["id"], "serial": "7", "by": "technician", "based_on": None,
    }  # fmt: skip
    assert shown["sha256"] == made["sha256"]


def test_two_are_compared_and_the_first_counts_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert take_in("--json") == 0
    changed = here / "changed.json"
    changed.write_text((here / bean_camera.NAME).read_text().replace('"edge_px": 2.0', '"edge_px": 2.5'))
    assert take_in("--json", file="changed.json") == 0
    first, second = (one["id"] for one in said(capsys))
    assert run("diff", "--json") == 0
    (differ,) = said(capsys)
    assert differ == {
        "before": first,
        "after": second,
        "changes": [{"key": "profile.json.edge_px", "before": 2.0, "after": 2.5}],
    }
    assert run("rollback", "--json") == 0
    assert said(capsys) == [{"before": second, "current": first}]
    assert run("list", "--json") == 0
    listed = said(capsys)
    assert [(line["id"], line["current"]) for line in listed] == [(second, False), (first, True)]
    assert listed[0]["based_on"] == first
    assert run("rollback") == 1
    assert "there is none before" in capsys.readouterr().err
    assert run("rollback", "--to", second) == 0
    capsys.readouterr()
    for action in ("list", "diff", "show"):
        assert run(action) == 0
        assert second in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_going_back_from_one_that_is_damaged(capsys: pytest.CaptureFixture[str]) -> None:
    assert take_in("--json") == take_in("--json") == 0
    first, second = said(capsys)
    (Path(second["folder"]) / "profile.json").write_text("{}")
    assert daemon(["check-config", "station.toml"]) == 2
    assert "files.profile.json" in capsys.readouterr().err
    assert run("list", "--json") == 1
    assert [bool(line["problems"]) for line in said(capsys)] == [True, False]
    assert run("rollback", "--json") == 0
    assert said(capsys) == [{"before": second["id"], "current": first["id"]}]
    assert daemon(["check-config", "station.toml"]) == 0


@pytest.mark.usefixtures("here")
def test_an_edit_by_hand_is_noticed_by_every_command_and_by_the_station(capsys: pytest.CaptureFixture[str]) -> None:
    assert take_in("--json") == take_in("--json") == 0
    _, second = said(capsys)
    path = Path(second["folder"]) / "calibration.json"
    path.write_text(path.read_text().replace('"values": {', '"values": {"width": 3'))
    assert daemon(["check-config", "station.toml"]) == 2
    assert "was changed after it was made" in capsys.readouterr().err
    for action in ("show", "diff"):
        assert run(action) == 1
        assert "files import" in capsys.readouterr().err
    assert run("list", "--json") == 1
    assert ["was changed" in " ".join(line["problems"]) for line in said(capsys)] == [True, False]
    assert run("rollback", "--to", second["id"]) == 1, "it is not made to count again either"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        (
            "nonsense",
            "names no calibration: files list shows those that are there; choose one with files rollback",
        ),
        ("", "names no calibration"),
        ("0009-20260114T120000Z", "names 0009-20260114T120000Z, which is not there: choose another one with"),
        (None, "none counts: choose one with files rollback --to ID"),
    ],
)
def test_a_broken_pointer_is_said_with_what_to_do_and_put_right(
    capsys: pytest.CaptureFixture[str], pointer: str | None, words: str
) -> None:
    assert take_in("--json") == take_in("--json") == 0
    first, second = said(capsys)
    path = Path(first["folder"]).parent / "current"
    path.unlink()
    if pointer is not None:
        path.write_text(pointer)
    assert run("rollback") == 1
    assert words in capsys.readouterr().err
    assert run("list", "--json") == 1
    shown = capsys.readouterr()
    assert words in shown.err
    listed = [json.loads(line) for line in shown.out.splitlines()]
    assert [(line["id"], line["current"]) for line in listed] == [(second["id"], False), (first["id"], False)]
    assert run("diff", "--json", first["id"], second["id"]) == 0
    capsys.readouterr()
    assert run("rollback", "--to", second["id"]) == 0
    assert f"{second['id']} counts instead of" in capsys.readouterr().out
    assert run("list") == 0
    assert run("rollback") == 0, "and on from there"
    assert run("rollback") == 1
    assert f"there is none before {first['id']}" in capsys.readouterr().err


def test_what_is_no_calibration_is_not_taken(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.json").write_text('{"width": 3}')
    (here / "curve.json").write_text('{"points": [[5, 8]], "margin_laps": 1}')
    assert take_in(file="bad.json") == 1
    assert "bad.json" in capsys.readouterr().err
    assert take_in(file="none.json") == 2
    as_configured(here, "roulette", "cammegh-ss2")
    assert take_in("--driver", "cammegh-ss2", "--kind", "lap-curve", file="curve.json") == 1
    assert "spin.estimate.points" in capsys.readouterr().err
    assert not (here / "state").exists()
    elsewhere = ["files", "import", "--dir", str(here / "x"), *WHICH, "--by", "technician", bean_camera.NAME]
    assert main([*elsewhere, "--driver", "bean-camera", "--kind", "dice-rig"]) == 1
    assert "there are: bean-cloth" in capsys.readouterr().err
    assert main([*elsewhere, "--driver", "sundial", "--kind", "dice-rig"]) == 1
    assert not (here / "x").exists()


@pytest.mark.parametrize(
    ("given", "said_of_it"),
    [
        (["--table", "x"], "there is no table 'x'; there are: t"),
        (["--device", "lamp"], "table t has no device 'lamp'; it has: cam"),
        (["--driver", "sicbo-camera", "--kind", "dice-rig"], "has the driver bean-camera, not sicbo-camera"),
        (["--driver", "sundial"], "has the driver bean-camera, not sundial"),
        (["--kind", "dice-rig"], "nothing at table t (fan-tan) takes --kind dice-rig of cam; it takes: bean-cloth"),
        (["--config", "none.toml"], "none.toml: cannot be read"),
        (["--config", "none.toml", "--dir", "x"], "none.toml: cannot be read"),
    ],
)
def test_what_the_station_has_no_place_for_is_not_taken(
    here: Path, capsys: pytest.CaptureFixture[str], given: list[str], said_of_it: str
) -> None:
    assert take_in(*given) == 2
    assert said_of_it in capsys.readouterr().err
    assert not (here / "state").exists()
    assert not (here / "x").exists()


@pytest.mark.parametrize("harm", ["", "game = 5", 'game = "whist"'])
def test_a_configuration_that_is_wrong_elsewhere_still_says_what_devices_there_are(
    here: Path, capsys: pytest.CaptureFixture[str], harm: str
) -> None:
    text = CONFIG.replace('game = "fan-tan"', harm).replace("[tables.t]", "[tables]\nx = 5\n[tables.t]")
    (here / "station.toml").write_text(text + "\n[[tables.t.devices]]\nport = 5\n[station.more]\n")
    assert take_in("--device", "lamp") == 2
    assert "it has: cam" in capsys.readouterr().err
    assert take_in() == (2 if "whist" in harm else 0), (
        "the driver's own kind needs no game; a game that is none is said"
    )


def test_it_says_what_it_compared_with(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert take_in() == 0
    assert "checked: station.toml has this device with this driver" in capsys.readouterr().out
    assert take_in("--json") == 0
    assert said(capsys)[0]["checked_against"] == "station.toml"
    given = ["files", "import", "--dir", "x", *WHICH, "--driver", "bean-camera", "--kind", "bean-cloth", "--by", "me"]
    monkeypatch.setattr(files_command, "DEFAULT_CONFIG", here / "none.toml")
    assert main([*given, bean_camera.NAME]) == 0
    assert "NOT checked" in capsys.readouterr().out
    assert main([*given, "--json", bean_camera.NAME]) == 0
    assert said(capsys)[0]["checked_against"] is None
    monkeypatch.setattr(files_command, "DEFAULT_CONFIG", here / "station.toml")
    assert main([*given, "--table", "x", bean_camera.NAME]) == 2, "the station's own is there"


def test_a_list_of_a_device_that_is_none_is_not_just_empty(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "no calibration yet" in capsys.readouterr().out
    assert run("list", "--device", "lamp") == 2
    assert "it has: cam" in capsys.readouterr().err
    assert take_in() == 0
    (here / "station.toml").write_text(CONFIG.replace('"cam"', '"camera"'))
    assert run("list") == 0, "what is kept of a device that was taken away can still be looked at"


def test_each_file_has_one_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a").mkdir()
    for name in ("plate.png", "a/plate.png", "profile.json", "a.png"):
        (here / name).write_bytes(b"x")
    for beside in (["plate.png", "a/plate.png"], ["a.png", "a.png"], ["profile.json"]):
        assert run("import", *ABOUT, bean_camera.NAME, *beside) == 1
        assert "already: give each file once" in capsys.readouterr().err
    as_configured(here, "roulette", "cammegh-ss2")
    (here / "curve.json").write_text('{"points": [[5, 8]], "margin_laps": 1}')
    assert take_in("--driver", "cammegh-ss2", "--kind", "lap-curve", "curve.json", file="a.png") == 1
    assert "has values alone" in capsys.readouterr().err
    assert not (here / "state").exists()


def test_a_wheels_file_brings_what_its_mark_should_be(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "w.toml").write_text(re.sub(r"reference_deg = .*", "reference_deg = 12.5", plain_file()))
    as_configured(here, "rainbow-wheel", "wheel-modbus")
    about = ("--driver", "wheel-modbus", "--kind", "colour-wheel", "--by", "technician")
    assert run("import", *about, "w.toml") == 0
    capsys.readouterr()
    assert run("show", "--json") == 0
    (shown,) = said(capsys)
    assert shown["values"]["expect"] == {"index_deg": {"value": 12.5, "tolerance": 0.25}}


def test_a_dice_rig_brings_its_plate_and_the_size_of_its_dice(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, profile, _ = calibrated(1, "asian")
    write_profile(profile, here / "rig.json", replace=True)
    as_configured(here, "sic-bo", "sicbo-camera")
    about = ("--driver", "sicbo-camera", "--kind", "dice-rig", "--by", "technician", "rig.json")
    assert run("import", *about) == 1
    assert f"there is no file {profile.content.plate}" in capsys.readouterr().err
    assert run("import", *about, profile.content.plate) == 0
    (here / "rig.json").unlink()
    capsys.readouterr()
    assert run("show", "--json") == 0
    (shown,) = said(capsys)
    assert set(shown["files"]) == {"profile.json", profile.content.plate}
    assert shown["values"]["expect"]["die_px"]["value"] == profile.content.die_px
    text = CONFIG.replace("fan-tan", "sic-bo").replace("bean-camera", "sicbo-camera")
    shaker = '[[tables.t.devices]]\nname = "shaker"\ndriver = "shaker-relay"\nport = "/dev/shaker"\n'
    (here / "station.toml").write_text(text + shaker)
    assert daemon(["check-config", "station.toml"]) == 0
    assert f"calibration {shown['id']}" in capsys.readouterr().out


def test_a_folder_in_place_of_a_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["files", "list", "--dir", str(here / "x"), *WHICH]) == 0
    assert "no calibration yet" in capsys.readouterr().out
    assert main(["files", "list", "--config", "none.toml", *WHICH]) == 2
    assert "none.toml" in capsys.readouterr().err
    assert main(["files", "list", "--dir", str(here), "--table", "..", "--device", "cam"]) == 1


@pytest.mark.parametrize("action", ["list", "show", "diff", "rollback", "import"])
def test_every_action_has_an_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["files", action, "--help"])
    assert f"dealer-calibrate files {action} --table" in capsys.readouterr().out
