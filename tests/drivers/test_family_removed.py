"""Without the folder of one family of drivers all others work as before: only its own tests break."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from dealer_drivers.driver import ENTRY_POINT_GROUP

DRIVERS = {
    entry.name: entry.value.split(".")[1]
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP)
    if entry.value.startswith("dealer_drivers.")
}
"""By name: the folder."""
OWN = {
    "beans": ["calibration/test_beans_command.py", "calibration/beans"],
    "dice": [
        "calibration/test_dice_*",
        "calibration/dice",
        "daemon/games/test_sic_bo.py",
        "daemon/validation/test_dice_old_dice.py",
        "real/test_dice_*",
        "system/test_dice_*",
        "system/test_day_of_play.py",
    ],
    "entry": [
        "daemon/games/test_stated_results.py",
        "daemon/screen/test_entry.py",
        "daemon/test_enter.py",
        "daemon/test_entering.py",
    ],
    "shaker": ["daemon/games/test_sic_bo.py", "daemon/validation/test_dice_simulated_shakers.py"],
    "shoe": [
        "calibration/cards",
        "calibration/test_codebook_*",
        "daemon/games/cards/test_card_configuration.py",
        "daemon/table/test_card_bursts.py",
    ],
    "shuffler": [
        "daemon/alerts/test_every_alert.py",
        "daemon/table/test_deck_*",
        "daemon/table/test_card_questions.py",
        "daemon/table/test_late_answers.py",
    ],
    "wheel": ["daemon/games/test_rainbow_wheel.py", "daemon/test_replay_encoder.py"],
}
"""A family's tests outside the folders that have its name: those that take its driver apart or calibrate it."""
EVERY = ["fuzz/test_*", "calibration/test_files_*"]
"""What feeds nonsense to all drivers and their files, or keeps the files of all, needs all of them."""
LOADS = """
import json
from dealer_drivers.driver import UnknownDriver, driver_names, load_driver
found = {}
for name in driver_names():
    try:
        found[name] = load_driver(name).name
    except UnknownDriver as error:
        found[name] = str(error)
print(json.dumps(found))
"""
OTHER_TABLE = """
[station]
site = "studio-1"
state_dir = "state"
[tables.other]
game = "roulette"
round_source = "device"
[tables.other.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.other.devices]]
name = "wheel"
driver = "generic-number"
port = "/dev/dealer/wheel"
pattern = '^(?P<number>\\d+)$'
"""
CARD_TABLE = """
[station]
site = "studio-1"
state_dir = "state"
[tables.other]
game = "baccarat"
round_source = "device"
shoe = { decks = 8, require_verified = false }
[[tables.other.devices]]
name = "shoe"
driver = "angel-eye"
port = "/dev/dealer/shoe"
"""
ITS_TABLE = """
[tables.its]
game = "roulette"
round_source = "device"
[[tables.its.devices]]
name = "it"
driver = "{driver}"
port = "/dev/dealer/it"
"""


class Without:
    """The station's code as it is, but for the folder of one family of drivers."""

    def __init__(self, repository: Path, folder: Path, family: str) -> None:
        self._repository = repository
        drivers = repository / "drivers"
        left_out = str(drivers / "dealer_drivers")

        def ignore(path: str, names: list[str]) -> list[str]:
            return [name for name in names if name == "__pycache__" or (path == left_out and name == family)]

        shutil.copytree(drivers, folder / "drivers", ignore=ignore)
        assert not (folder / "drivers/dealer_drivers" / family).exists()
        path = os.pathsep.join([str(folder / "drivers"), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._environment = {**os.environ, "PYTHONPATH": path}

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self._repository,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(
    params=[
        pytest.param(family, marks=[] if family == "dice" else [pytest.mark.soak])
        for family in sorted(set(DRIVERS.values()))
    ]
)
def family(request: pytest.FixtureRequest) -> str:
    """One, the widest, always; all others take a minute or two."""
    return str(request.param)


@pytest.fixture
def without(repository: Path, tmp_path: Path, family: str) -> Without:
    return Without(repository, tmp_path, family)


def test_the_other_drivers_load_and_each_of_its_own_says_why_not(without: Without, family: str) -> None:
    answer = without.run("-c", LOADS)
    assert answer.returncode == 0, answer.stderr
    loaded = json.loads(answer.stdout)
    for name, its in DRIVERS.items():
        missing = f'driver "{name}" is installed and cannot be loaded: No module named \'dealer_drivers.{family}'
        assert loaded[name].startswith(missing) if its == family else loaded[name] == name


def test_other_tables_are_configured_as_before(without: Without, family: str, tmp_path: Path) -> None:
    other = CARD_TABLE if family == "roulette" else OTHER_TABLE
    config = tmp_path / "station.toml"
    config.write_text(other)
    check = ("-m", "dealer_daemon", "check-config", config)
    answer = without.run(*check)
    assert (answer.returncode, answer.stderr) == (0, "")
    driver = next(name for name, its in DRIVERS.items() if its == family)
    config.write_text(other + ITS_TABLE.format(driver=driver))
    answer = without.run(*check, "--json")
    assert answer.returncode == 2
    (error,) = json.loads(answer.stdout)["errors"]
    assert error["key"] == "tables.its.devices[0].driver"
    assert "install it again" in error["reason"]


@pytest.mark.timeout(400)
def test_only_its_own_tests_break(without: Without, family: str, repository: Path) -> None:
    """All others are found, and the laws of every driver still hold for another one."""
    tests = repository / "tests"
    own = [tests / "drivers" / family, tests / "hw_sim" / family]
    own += [path for pattern in [*EVERY, *OWN.get(family, [])] for path in tests.glob(pattern)]
    assert any(path.exists() for path in own)
    found = without.run(
        "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *[f"--ignore={path}" for path in own]
    )
    assert found.returncode == 0, found.stdout[-4000:]
    kept = without.run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/drivers/test_conformance.py", "-k", "generic-number"
        if family != "roulette" else "manual-entry",
    )  # fmt: skip
    assert kept.returncode == 0, kept.stdout[-4000:]
    assert " passed" in kept.stdout


def test_the_schema_of_the_configuration_is_not_made_without_it(without: Without, family: str) -> None:
    """A schema that lacks a driver's options would refuse what is right."""
    answer = without.run("-m", "dealer_daemon", "schema", "config")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert f"dealer_drivers.{family}" in answer.stderr
