"""What the bench knows of a device by the configuration alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_calibration.bench import BenchError, device_of, first_device_of
from dealer_daemon.config import ConfigErrors
from support.bench import wheel_config

CAMERA = """
[station]
site = "studio-1"
state_dir = "state"
[tables.s1]
game = "sic-bo"
[[tables.s1.devices]]
name = "camera"
driver = "sicbo-camera"
port = "camera:/dev/video7"
{key}
"""
WHEEL = """
[station]
site = "studio-1"
state_dir = "state"
[tables.w1]
game = "rainbow-wheel"
[[tables.w1.devices]]
name = "rainbow"
driver = "wheel-counter"
port = "/dev/dealer/wheel"
calibration = "current"
counts_per_turn = 8192
"""


def test_a_device_with_all_that_the_file_says_of_it(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    assert (device.site, device.table, device.game, device.port) == ("studio-1", "r1", "roulette", "/dev/dealer/wheel")
    assert device.driver.name == "cammegh-ss2"
    assert device.state_dir == tmp_path / "state"
    assert device.store.root == tmp_path / "state" / "calibration"
    assert device.calibration is None
    assert device.table_config.name == "r1"


@pytest.mark.parametrize(("table", "device", "said"), [("r2", "wheel", "there are: r1"), ("r1", "w", "it has: wheel")])
def test_what_is_not_in_the_file_is_said_with_what_is(tmp_path: Path, table: str, device: str, said: str) -> None:
    with pytest.raises(BenchError, match=said) as caught:
        device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), table, device)
    assert caught.value.code == 2


@pytest.mark.parametrize("key", ['calibration = "current"', 'profile = "rig.json"', ""])
def test_a_camera_that_is_to_be_calibrated_may_be_without_calibration(tmp_path: Path, key: str) -> None:
    path = tmp_path / "station.toml"
    path.write_text(CAMERA.format(key=key))
    with pytest.raises(ConfigErrors):
        device_of(path, "s1", "camera")
    device = device_of(path, "s1", "camera", calibrated=False)
    assert (device.driver.name, device.port, device.options) == ("sicbo-camera", "camera:/dev/video7", None)
    assert device.state_dir == tmp_path / "state"
    assert device.uncalibrated
    with pytest.raises(BenchError, match="not calibrated"):
        device.ready_options()


def test_a_wheel_whose_map_is_not_made_yet_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "station.toml"
    path.write_text(WHEEL)
    with pytest.raises(ConfigErrors):
        device_of(path, "w1", "rainbow")
    device = device_of(path, "w1", "rainbow", calibrated=False)
    assert device.ready_options() == device.driver.parse_options({"counts_per_turn": 8192})
    assert device.settings is None


BESIDE = """
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "counted"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/r1"
lap_events = true
control = true
"""


@pytest.mark.parametrize("other", [CAMERA.format(key='calibration = "current"'), WHEEL], ids=["camera", "wheel"])
def test_tables_that_wait_for_their_calibration_stop_no_other(other: str, tmp_path: Path) -> None:
    path = tmp_path / "station.toml"
    path.write_text(other + BESIDE)
    for calibrated in (True, False):
        device = device_of(path, "r1", "wheel", calibrated=calibrated)
        assert device.settings.spin.laps == "counted", "by its own table's rules"
        assert [one.name for one in device.table_config.devices] == ["wheel"]
    assert first_device_of(path, "r1").name == "wheel"
    waiting = "s1" if "s1" in other else "w1"
    with pytest.raises(ConfigErrors):
        first_device_of(path, waiting)
    with pytest.raises(BenchError, match="no table 'x9'"):
        device_of(path, "x9", "wheel")


@pytest.mark.parametrize(
    "wrong", ["warp = 3", '[tables.r2]\ngame = "roulette"', 'calibration = "current"\n[tables.r1.shoe]\ndecks = 1']
)
def test_what_else_is_wrong_with_any_table_stops_all(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "station.toml"
    path.write_text(CAMERA.format(key='calibration = "current"') + BESIDE + wrong)
    for calibrated in (True, False):
        with pytest.raises(ConfigErrors):
            device_of(path, "r1", "wheel", calibrated=calibrated)


def test_nothing_else_may_be_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "station.toml"
    path.write_text(CAMERA.format(key='calibration = "current"\nwarp = 3'))
    with pytest.raises(ConfigErrors) as caught:
        device_of(path, "s1", "camera", calibrated=False)
    assert {error.key for error in caught.value.errors} == {"s1.camera.warp"}


def test_a_table_that_is_not_there_is_answered_with_all_tables_those_that_are_not_calibrated_too(
    tmp_path: Path,
) -> None:
    path = tmp_path / "station.toml"
    path.write_text(CAMERA.format(key="") + WHEEL.partition('state_dir = "state"\n')[2])
    for asked in (lambda: first_device_of(path, "zz"), lambda: device_of(path, "zz", "wheel")):
        with pytest.raises(BenchError, match=r"there are: s1, w1$"):
            asked()
