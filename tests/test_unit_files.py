"""The files for systemd: the unit verifies, its rights are narrow, and what it runs exists."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dealer_daemon.cli import build_parser

UNIT = "dealer-station.service"
MOST_EXPOSURE = 1.6
PROGRAM = "/opt/dealer-station/bin/dealer-daemon"

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing: apt-get install systemd"
)


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def unit(repository: Path, tmp_path: Path) -> Path:
    """The unit as it is, with a program that is on this machine."""
    copy = tmp_path / UNIT
    copy.write_text((repository / "systemd" / UNIT).read_text().replace(PROGRAM, "/bin/true"))
    return copy


@needs_systemd
def test_the_unit_verifies_without_a_word(unit: Path) -> None:
    found = analyze("verify", str(unit))
    ours = [line for line in (found.stdout + found.stderr).splitlines() if UNIT in line]
    assert (found.returncode, ours) == (0, [])


@needs_systemd
def test_verifying_would_find_a_key_that_is_none(unit: Path) -> None:
    unit.write_text(unit.read_text().replace("WatchdogSec", "WatchdogSecs"))
    assert "WatchdogSecs" in analyze("verify", str(unit)).stderr


@needs_systemd
def test_its_exposure_is_low(unit: Path) -> None:
    said = analyze("security", "--offline=true", str(unit)).stdout
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)
    assert level is not None, said
    assert float(level[1]) <= MOST_EXPOSURE


def test_what_the_unit_runs_are_commands_that_exist(repository: Path) -> None:
    text = (repository / "systemd" / UNIT).read_text()
    lines = re.findall(rf"^Exec\w+={PROGRAM} (.+)$", text, re.MULTILINE)
    assert len(lines) == 2
    parser: argparse.ArgumentParser = build_parser()
    for line in lines:
        assert parser.parse_args(line.split()).handler


def test_the_user_of_the_unit_is_made_and_its_groups_are_his(repository: Path) -> None:
    unit = (repository / "systemd" / UNIT).read_text()
    users = (repository / "systemd/sysusers.conf").read_text()
    groups = re.search(r"^SupplementaryGroups=(.+)$", unit, re.MULTILINE)
    assert groups is not None
    assert set(groups[1].split()) == set(re.findall(r"^m dealer (\w+)$", users, re.MULTILINE))
    assert re.search(r"^u dealer ", users, re.MULTILINE)


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is missing")
def test_users_and_folders_are_made_in_an_empty_system(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    for name in ("dialout", "input", "video", "plugdev"):
        with (tmp_path / "etc/group").open("a") as file:
            file.write(f"{name}:x:{100 + len(name)}:\n")
    users = repository / "systemd/sysusers.conf"
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", str(users)], check=True, capture_output=True, timeout=60)
    assert "dealer:" in (tmp_path / "etc/passwd").read_text()
    assert re.search(r"^video:.*dealer", (tmp_path / "etc/group").read_text(), re.MULTILINE)
