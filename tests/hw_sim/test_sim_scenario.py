"""Scenario files: the shipped ones are sound, wrong ones are refused with file, key and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from hw_sim.faults import INJECTABLE
from hw_sim.roulette.options import WheelOptions
from hw_sim.scenario import ScenarioError, build_device, load_scenario, parse_scenario, scenario_names
from hw_sim.truth import TruthLog

WHEEL = '[[devices]]\nname = "wheel"\nmodel = "ss2"\n'


def test_the_shipped_scenarios() -> None:
    assert {"roulette", "roulette-m360", "roulette-faults"} <= set(scenario_names())
    for name in scenario_names():
        scenario = load_scenario(name)
        assert scenario.title
        for options in (each for each in scenario.devices if isinstance(each, WheelOptions)):
            device = build_device(options, 1, TruthLog())
            assert device.driver == {"ss2": "cammegh-ss2", "m360": "cammegh-m360"}[device.model]
            device.advance(60.0)
            assert device.in_play() is not None


def test_the_fault_scenario_has_every_fault() -> None:
    (wheel,) = load_scenario("roulette-faults").devices
    assert set(wheel.rates) == INJECTABLE
    assert 0.4 < sum(wheel.rates.values()) < 1.5


def test_the_extended_scenario_counts_laps() -> None:
    (wheel,) = load_scenario("roulette-m360").devices
    assert wheel.extended


def test_a_path_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "mine"\n' + WHEEL + 'spins = ["good", "weak_launch+stall"]\nnumbers = ["0", "36"]\n')
    for given in (file, str(file)):
        assert load_scenario(given).devices[0].spins == ("good", "weak_launch+stall")


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("", "scenario", "missing required field `title`"),
        ('title = "x"\ndevices = []\n', "devices", "at least one"),
        ('title = "x"\n' + WHEEL + "sped = 3\n", "devices[0]", "unknown field `sped`"),
        ('title = "x"\n[[devices]]\nname = "w"\nmodel = "tcs"\n', "devices[0].model", "'tcs'"),
        ('title = "x"\n[[devices]]\nname = "w"\n', "devices[0]", "model"),
        ('title = "x"\n' + WHEEL + "rates = { wobble = 1 }\n", "devices[0].rates", "wobble"),
        ('title = "x"\n' + WHEEL + "rates = { stall = 1.5 }\n", "devices[0].rates", "<= 1"),
        ('title = "x"\n' + WHEEL + "rates = { attach_mid_spin = 1 }\n", "devices[0].rates", "start"),
        ('title = "x"\n' + WHEEL + 'spins = ["wobble"]\n', "devices[0].spins", "wobble"),
        ('title = "x"\n' + WHEEL + 'numbers = ["37"]\n', "devices[0].numbers", "'37' is no pocket"),
        ('title = "x"\n' + WHEEL + 'previous = "00"\n', "devices[0].previous", "'00' is no pocket"),
        ('title = "x"\n' + WHEEL + "laps = [0]\n", "devices[0].laps", ">= 1"),
        ('title = "x"\n' + WHEEL + 'start = 4\nlaunch = "host"\n', "devices[0].start", "under way"),
        ('title = "x"\n' + WHEEL + WHEEL, "devices[1].name", "taken"),
        ('title = "x"\n' + WHEEL.replace("wheel", "../w"), "devices[0].name", "letters"),
        (
            'title = "x"\n' + WHEEL.replace("ss2", "m360") + 'spins = ["no_ball"]\n',
            "devices[0].spins",
            "this model has no fault",
        ),
        ('title = "x\n', "syntax", "line 1"),
    ],
)
def test_what_cannot_be_is_refused(text: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(text, "some.toml")
    assert refused.value.file == "some.toml"
    assert refused.value.key.startswith(key)
    assert reason in refused.value.reason
    assert str(refused.value).startswith("some.toml: ")


def test_missing_scenarios_name_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="roulette-m360"):
        load_scenario("rulette")
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_scenario(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_scenario(tmp_path / "latin.toml")


def test_a_start_that_never_comes_is_refused_and_not_waited_for() -> None:
    (wheel,) = parse_scenario('title = "x"\n' + WHEEL + "start = 5\nrates = { sensor_fault = 1 }\n", "x.toml").devices
    with pytest.raises(ScenarioError, match=r"devices\.wheel\.start: no spin gets to state 5"):
        build_device(wheel, 1, TruthLog())
