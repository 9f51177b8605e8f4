"""``calibration = "current"``: what it stands for, what is said of it, and what is wrong with it by file and key."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.config import Config, ConfigErrors, calibrations_of, parse_config
from dealer_drivers.calibration import Calibration, CalibrationStore, Draft
from support.driver_examples import bean_camera
from support.turns import plain_file

NOON = dt.datetime(2026, 1, 14, 12, 0, tzinfo=dt.UTC)
STATION = '[station]\nsite = "s"\nstate_dir = "state"\n'
CURVE = {"points": [[5.0, 8.0], [12.0, 15.0]], "margin_laps": 1.0}
CLOTH = """
[tables.t]
game = "fan-tan"
[[tables.t.devices]]
name = "cam"
driver = "bean-camera"
port = "/dev/video0"
"""
WHEEL = """
[tables.t]
game = "rainbow-wheel"
[[tables.t.devices]]
name = "cam"
driver = "wheel-counter"
port = "/dev/wheel"
"""
ROULETTE = """
[tables.t]
game = "roulette"
[tables.t.spin]
laps = "estimated"
[[tables.t.devices]]
name = "cam"
driver = "cammegh-ss2"
port = "/dev/wheel"
"""
USED = 'calibration = "current"\n'


def counted() -> str:
    """The file of a wheel whose encoder counts from its index."""
    return re.sub(r"reference_deg = .*", "reference_deg = 0.0", plain_file())


class Bench:
    """A folder with a store in it; ``read`` is of a configuration file there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = CalibrationStore(folder / "state/calibration")

    def keep(self, kind: str, driver: str, values: dict[str, Any] | None = None, **files: bytes) -> Calibration:
        named = {name.replace("_", "."): data for name, data in files.items()}
        draft = Draft(
            kind=kind, table="t", device="cam", driver=driver, serial=None, by="technician", tool="test 1",
            values=values or {}, files=named,
        )  # fmt: skip
        return self.store.save(draft, NOON)

    def read(self, text: str) -> Config:
        return parse_config(STATION + text, self.folder / "station.toml")

    def errors(self, text: str) -> list[tuple[str, str]]:
        with pytest.raises(ConfigErrors) as raised:
            self.read(text)
        return [(error.key, error.reason) for error in raised.value.errors]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def cloth(tmp_path: Path) -> bytes:
    bean_camera.prepare(tmp_path)
    return (tmp_path / bean_camera.NAME).read_bytes()


def test_a_drivers_option_is_filled(bench: Bench, cloth: bytes) -> None:
    kept = bench.keep("bean-cloth", "bean-camera", profile_json=cloth)
    for which in ("current", kept.id):
        (device,) = bench.read(CLOTH + f'calibration = "{which}"\n').tables["t"].devices
        assert device.options.profile == str(kept.file("profile.json"))  # type: ignore[attr-defined]
        assert device.for_game().calibration is not None
        assert device.calibration is not None
        assert (device.calibration.ref.id, device.calibration.ref.sha256) == (kept.id, kept.sha256)
    other = bench.keep("bean-cloth", "bean-camera", profile_json=cloth)
    hashes = {bench.read(CLOTH + f'calibration = "{one.id}"\n').tables["t"].config_hash for one in (kept, other, kept)}
    assert len(hashes) == 2, "another calibration is another configuration"


def test_a_games_setting_is_filled_by_path_or_by_values(bench: Bench) -> None:
    kept = bench.keep("colour-wheel", "wheel-counter", wheel_toml=counted().encode())
    table = bench.read(WHEEL + USED).tables["t"]
    assert table.settings.turn.wheel == str(kept.file("wheel.toml"))
    bench.keep("lap-curve", "cammegh-ss2", CURVE | {"expect": {"rotor_rpm": {"value": 14.0, "tolerance": 1.0}}})
    table = bench.read(ROULETTE + USED).tables["t"]
    assert table.settings.spin.estimate.margin_laps == 1.0
    assert table.devices[0].calibration is not None
    assert table.devices[0].calibration.expected["rotor_rpm"].value == 14.0


def test_a_section_of_a_wheels_calibration_is_the_curve(bench: Bench) -> None:
    about = {"parameters": {"m": "2.0"}, "expect": {"rotor_rpm": {"value": 14.0, "tolerance": 1.0}}}
    bench.keep("roulette-wheel", "cammegh-ss2", about | {"curve": CURVE})
    table = bench.read(ROULETTE + USED).tables["t"]
    assert table.settings.spin.estimate.margin_laps == 1.0
    bench.keep("roulette-wheel", "cammegh-ss2", about)
    ((key, reason),) = bench.errors(ROULETTE + USED)
    assert key == AT
    assert "needs the wheel's calibration curve" in reason
    counted_laps = ROULETTE.replace('laps = "estimated"', 'laps = "unobserved"')
    table = bench.read(counted_laps + USED).tables["t"]
    assert table.settings.spin.estimate is None
    assert table.devices[0].calibration is not None
    assert table.devices[0].calibration.expected["rotor_rpm"].value == 14.0
    bench.keep("roulette-wheel", "cammegh-ss2", {"curve": {"points": [[1, 2]], "margin_laps": -1}})
    assert {key for key, _ in bench.errors(ROULETTE + USED)} == {AT}


def test_a_path_stays_valid_and_has_its_hash(bench: Bench, cloth: bytes, tmp_path: Path) -> None:
    path = tmp_path / bean_camera.NAME
    (device,) = bench.read(f'{CLOTH}profile = "{path}"\n').tables["t"].devices
    assert device.calibration is not None
    assert device.calibration.ref.id is None
    assert device.calibration.ref.sha256 == "sha256:" + hashlib.sha256(cloth).hexdigest()
    wheel = tmp_path / "w.toml"
    wheel.write_text(counted())
    (device,) = bench.read(f'{WHEEL}[tables.t.turn]\nwheel = "{wheel}"\n').tables["t"].devices
    assert device.calibration is not None
    assert device.calibration.ref.sha256 == "sha256:" + hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_a_table_without_any_has_none(bench: Bench) -> None:
    (device,) = bench.read(ROULETTE.replace("estimated", "unobserved")).tables["t"].devices
    assert device.calibration is None


AT = "tables.t.devices[0].calibration"


def test_what_is_wrong_is_named_by_file_and_key(bench: Bench, cloth: bytes) -> None:
    ((key, reason),) = bench.errors(CLOTH + USED)
    assert key == AT
    assert "there is none yet" in reason
    kept = bench.keep("bean-cloth", "bean-camera", profile_json=cloth)
    ((key, reason),) = bench.errors(CLOTH + USED + 'profile = "x"\n')
    assert (key, "profile is given beside it" in reason) == (AT, True)
    envelope = kept.folder / "calibration.json"
    whole = envelope.read_text()
    envelope.write_text(whole.replace('"cam"', '"lamp"').replace('"made": "2026', '"made": "soon'))
    found = bench.errors(CLOTH + USED)
    assert [key for key, _ in found] == [AT, AT, AT]
    assert all(reason.startswith(f"{envelope}: ") for _, reason in found)
    for word, (_, reason) in zip(("was changed", "made", "device"), found, strict=True):
        assert word in reason
    envelope.write_text(whole)
    (kept.folder / "profile.json").write_bytes(cloth + b" ")
    ((key, reason),) = bench.errors(CLOTH + USED)
    assert (key, "files.profile.json" in reason) == (AT, True)


def test_what_a_driver_or_a_game_says_of_it_stands_at_its_key(bench: Bench) -> None:
    bench.keep("bean-cloth", "bean-camera", profile_json=b'{"width": 3}')
    ((key, reason),) = bench.errors(CLOTH + USED)
    assert (key, "profile.json" in reason or "width" in reason) == (AT, True)
    bench.keep("colour-wheel", "wheel-counter", wheel_toml=counted().replace('"red"', '"mauve"').encode())
    ((key, reason),) = bench.errors(WHEEL + USED)
    assert (key, "turn.wheel" in reason, "segments" in reason) == (AT, True, True)
    bench.keep("lap-curve", "cammegh-ss2", {"points": [[5.0, "8"]], "margin_laps": 1.0})
    ((key, reason),) = bench.errors(ROULETTE + USED)
    assert (key, reason.startswith("spin.estimate.points")) == (AT, True)
    bench.keep("lap-curve", "cammegh-ss2", {"points": [[5.0, 8.0]], "margin_laps": 1.0})
    ((key, reason),) = bench.errors(ROULETTE + USED)
    assert (key, reason.startswith("spin.estimate.points")) == (AT, True)


@pytest.mark.parametrize(
    ("kind", "driver", "values", "said"),
    [
        ("lap-curve", "cammegh-m360", CURVE, "driver: it was made with cammegh-m360"),
        ("dice-rig", "cammegh-ss2", {}, 'kind: nothing here takes "dice-rig"'),
        ("lap-curve", "cammegh-ss2", CURVE | {"expect": {"heat": {}}}, "values.expect.heat"),
    ],
)
def test_a_calibration_of_something_else(bench: Bench, kind: str, driver: str, values: Any, said: str) -> None:
    bench.keep(kind, driver, values)
    found = bench.errors(ROULETTE + USED)
    assert [key for key, reason in found if said in reason] == [AT]


def test_the_folder_is_found_also_where_the_rest_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "station.toml"
    path.write_text(STATION + "[tables.t]\ngame = 3\n")
    assert calibrations_of(path).root == tmp_path / "state/calibration"
    path.write_text('[station]\ncalibration_dir = "/var/c"\n[[tables]]\n')
    assert calibrations_of(path).root == Path("/var/c")
    for text in ("", "[station", "[station]\nstate_dir = 3\n"):
        path.write_text(text)
        with pytest.raises(ConfigErrors):
            calibrations_of(path)


def test_the_envelope_can_be_read_by_people(bench: Bench) -> None:
    kept = bench.keep("lap-curve", "cammegh-ss2", CURVE)
    text = (kept.folder / "calibration.json").read_text()
    assert json.loads(text)["values"] == CURVE
    assert text.count("\n") > 10
