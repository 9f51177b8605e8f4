"""A house that waits for its technician: what his hands can do, what his eyes see, and the answer sheets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.config import ConfigErrors, parse_config
from hw_sim.bench import station_text
from hw_sim.cli import main
from hw_sim.device import Attended, UnknownWord
from hw_sim.faults import UnknownFault
from hw_sim.scenario import ScenarioError, build_device, load_scenario, parse_scenario, scenario_names
from hw_sim.truth import TruthLog

SPEED = 60.0
NAMES = [options.name for options in load_scenario("commissioning").devices]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """``hw-sim run commissioning``: its folder, and the line that it printed."""
    folder = tmp_path / "bench"
    command = [sys.executable, "-m", "hw_sim", "run", "commissioning", "--speed", str(SPEED), "--run-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield folder, json.loads(process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
        finally:
            process.kill()


def test_run_writes_a_configuration_in_which_only_calibrations_are_missing(
    house: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, first = house
    config = Path(first["config"])
    assert config == folder / "station.toml"
    with pytest.raises(ConfigErrors) as caught:
        parse_config(config.read_text(), config)
    assert {error.key.split(".")[1] for error in caught.value.errors} == {"w1", "s1", "f1"}
    assert all("calibration" in error.key or error.key == "tables.w1.turn" for error in caught.value.errors)
    sheets = {device["name"]: device["answers"] for device in first["devices"] if "answers" in device}
    assert sheets.keys() == {"encoder", "shaker"}
    # By the folder as by the address; a word that nobody knows is exit code 2 and names those that there are.
    for control in (str(folder), first["control"]):
        assert main(["tell", control, "encoder"]) == 0
        assert "boundary N" in capsys.readouterr().out
    assert main(["tell", str(folder), "encoder", "boundary", "13"]) == 0
    assert main(["tell", str(folder), "encoder", "boundry"]) == 2
    assert "boundary N" in capsys.readouterr().err
    assert main(["look", str(folder), "shuffler", "state"]) == 0
    assert capsys.readouterr().out == "ready\n"
    assert main(["look", str(folder), "shuffler", "weight"]) == 2
    assert "state" in capsys.readouterr().err
    assert main(["look", str(folder / ".."), "shuffler"]) == 2
    assert "no simulation was started" in capsys.readouterr().err


def test_a_place_that_is_no_devices_is_refused() -> None:
    assert station_text('port = "@a@"', {"a": 'x"y'}, "/run") == 'port = "x\\"y"'
    with pytest.raises(ScenarioError, match="there is no device 'b'; there are: a, RUN_DIR"):
        station_text('port = "@b@"', {"a": "x"}, "/run")


@pytest.mark.parametrize("name", scenario_names())
def test_every_word_that_is_listed_is_known(name: str) -> None:
    scenario = load_scenario(name)
    devices: dict[str, Any] = {}
    for options in scenario.devices:
        if options.port != "umockdev":
            devices[options.name] = build_device(options, 1, TruthLog(), devices)
    for device in devices.values():
        if not isinstance(device, Attended):
            continue
        for listed in device.words():
            word = listed.replace(" N", " 3").replace("POSE", "leaning").replace("FAULT", "jam")
            device.tell(word)
        with pytest.raises((UnknownWord, UnknownFault)):
            device.tell("wobble")


@pytest.mark.parametrize("model", ["m360", "ss2"])
def test_a_ball_is_thrown_when_told_and_a_person_counts_its_laps(model: str) -> None:
    scenario = parse_scenario(f'title = "x"\n[[devices]]\nname = "w"\nmodel = "{model}"\nstarts = "told"\n', "x.toml")
    truth = TruthLog()
    wheel: Any = build_device(scenario.devices[0], 7, truth)
    assert wheel.look() == {"laps": "-", "pocket": "-", "rotor": "-"}
    for throws in (1, 2):
        wheel.advance(wheel.now_s + 200.0)
        assert len(truth.records) == throws - 1, "no ball without a word"
        wheel.tell("throw")
        wheel.advance(wheel.now_s + 200.0)
        record = truth.records[-1]
        rotor = {"clockwise": "cw", "counter_clockwise": "ccw"}[record["rotor"]]
        assert wheel.look() == {"laps": str(record["laps"]), "pocket": record["number"], "rotor": rotor}
    assert len(truth.records) == 2


def device_of(name: str, seed: int = 7) -> Any:
    devices: dict[str, Any] = {}
    for options in load_scenario("commissioning").devices:
        devices[options.name] = build_device(options, seed, TruthLog(), devices)
    return devices[name]


def test_a_walk_shows_every_segment_of_the_sheet_in_turn() -> None:
    wheel = device_of("encoder")
    sheet = [line.partition("=")[2] for line in wheel.answers().splitlines()]
    assert len(sheet) == 52
    wheel.advance(5.0)
    wheel.tell("segment 0")
    wheel.tell("walk")
    seen, now_s = list[str](), wheel.now_s
    while len(seen) < 52 and now_s < 1000:
        now_s += 0.5
        wheel.advance(now_s)
        here = wheel.look()
        if not seen and here["segment"] != "0":
            continue
        if len(seen) == int(here["segment"]):
            seen.append(here["color"])
    assert seen == sheet


def test_an_encoder_that_slipped_is_out_of_place() -> None:
    wheel = device_of("encoder")
    wheel.advance(5.0)
    before = wheel.table.encoder.slip_deg
    wheel.tell("slip")
    wheel.advance(6.0)
    assert abs(wheel.table.encoder.slip_deg - before) >= 1.5
    assert wheel.look()["moving"] == "no"


def test_beans_are_laid_out_and_taken_off_at_a_word() -> None:
    table = device_of("cloth")
    table.advance(100.0)
    assert table.look() == {"beans": "-"}, "nothing happens without a word"
    table.tell("empty")
    assert not table.scene().layout.beans
    assert table.scene().bowl is None
    for word, beans in (("lay", "97"), ("lay 43", "43"), ("lay", "41")):
        table.tell(word)
        assert table.look() == {"beans": "-"}, "a hand is there"
        table.advance(table.now_s + 10.0)
        assert table.look() == {"beans": beans}
        assert len(table.scene().layout.beans) == int(beans)
    for word in ("lay 0", "lay 201", "lay many", "empty 3"):
        with pytest.raises(UnknownWord):
            table.tell(word)


def test_dice_fall_as_on_the_sheet_and_from_its_first_line_again() -> None:
    shaker = device_of("shaker")
    sheet = [line.removeprefix("# ") for line in shaker.answers().splitlines()]
    assert sum(line.startswith("#") for line in shaker.answers().splitlines()) == 12
    for again in range(2):
        for line in sheet[:3]:
            shaker.tell("shake")
            shaker.advance(shaker.now_s + 0.5)
            assert shaker.look() == {"dice": "moving"}
            shaker.advance(shaker.now_s + 20.0)
            assert sorted(shaker.look()["dice"].split()) == sorted(line.split()), again
        shaker.tell("sheet")
    shaker.tell("next leaning")
    shaker.tell("shake")
    shaker.advance(shaker.now_s + 20.0)
    assert shaker.look() == {"dice": "x"}
    shaker.tell("empty")
    assert shaker.look() == {"dice": "-"}


def test_a_knocked_camera_and_a_blurred_lens_are_seen_and_put_right() -> None:
    camera = device_of("camera")

    def picture(word: str) -> Any:
        camera.tell(word)
        return camera.shot()()

    good = picture("right")
    assert (picture("bump") != good).mean() > 0.2
    assert (picture("blur") != good).mean() > 0.2
    assert (picture("right") == good).all()


def test_a_shuffler_shuffles_when_told() -> None:
    shuffler = device_of("shuffler")
    shuffler.advance(300.0)
    assert shuffler.machine.current.number == 0, "nothing without a word"
    for word, state in (
        ("shuffle", "ready"),
        ("shuffle missing", "mismatch"),
        ("shuffle door", "idle"),
        ("shuffle", "ready"),
    ):
        shuffler.tell(word)
        shuffler.advance(shuffler.now_s + 1.0)
        assert shuffler.look() == {"state": "shuffling"}
        shuffler.advance(shuffler.now_s + 60.0)
        assert shuffler.look() == {"state": state}, word


@pytest.mark.parametrize(
    ("device", "key"),
    [
        ('model = "m360"\nstarts = "told"\nstart = 4', "start"),
        ('model = "shuffler"\nstarts = "told"\nport = "umockdev"', "starts"),
    ],
)
def test_what_waits_for_a_word_cannot_be_under_way(device: str, key: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(f'title = "x"\n[[devices]]\nname = "d"\n{device}\n', "x.toml")
    assert caught.value.key == f"devices[0].{key}"


def test_a_wheel_that_throws_by_itself_takes_no_word() -> None:
    (options,) = load_scenario("roulette").devices
    with pytest.raises(UnknownWord, match="throws by itself"):
        build_device(options, 1, TruthLog()).tell("throw")  # type: ignore[attr-defined]
