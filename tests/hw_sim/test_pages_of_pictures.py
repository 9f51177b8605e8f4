"""The simulator's pictures and the bench agree: the how-to pages' commands make a profile, word for word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, parse_config
from hw_sim.beans.scene import make_rig
from hw_sim.beans.table import profile_of
from hw_sim.cli import main
from hw_sim.dice.pictures import cameras
from hw_sim.scenario import load_scenario, scenario_names

BIN = Path(sys.executable).parent
DICE_SCENARIOS = [name for name in scenario_names() if cameras(load_scenario(name))]


def shell(command: str, folder: Path) -> str:
    """What a command of a page prints, with its wildcards; it must end with 0."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    told = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=110
    )
    assert told.returncode == 0, f"{command}: {told.stdout}{told.stderr}"
    return told.stdout


def commands_of(page: Path) -> list[str]:
    """The lines of its blocks from the one that draws pictures on."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (drawn,) = [block for block in blocks if "hw-sim pictures" in block]
    return list(drawn.splitlines())


@pytest.mark.parametrize(
    ("page", "words"),
    [("set-up-a-dice-table.md", "reads 12 of 12 pictures"), ("set-up-a-fan-tan-table.md", "200 beans, 50 groups")],
)
def test_the_pages_commands_make_a_profile(page: str, words: str, repository: Path, tmp_path: Path) -> None:
    said = [shell(command, tmp_path) for command in commands_of(repository / "docs/howto" / page)]
    assert len(said) >= 2
    assert words in "".join(said)


@pytest.mark.soak
@pytest.mark.parametrize("name", DICE_SCENARIOS)
def test_every_scenario_with_dice_can_be_calibrated(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pictures", name, "--out", str(tmp_path / "pictures")]) == 0
    dice = {camera: files for camera, files in json.loads(capsys.readouterr().out).items() if "dice" in files}
    assert dice
    for camera in dice:
        kinds = " ".join(f"--{kind} pictures/{camera}-{kind}-*.png" for kind in ("plate", "dice"))
        shell(f"dealer-calibrate dice profile {kinds} -o {camera}.json", tmp_path)


def test_a_camera_under_a_stable_name_is_told_how_it_is_written(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs/howto/set-up-a-fan-tan-table.md").read_text("utf-8")
    (table,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    head = f'[station]\nsite = "s"\nstate_dir = "{tmp_path}"\n[mqtt]\nurl = "mqtt://127.0.0.1"\nprefix = "p"\n'
    head += table.replace("/etc/dealer-station", str(tmp_path))
    (tmp_path / "f1.beans.json").write_text(json.dumps(profile_of(make_rig(1))))
    parse_config(head, tmp_path / "station.toml")
    with pytest.raises(ConfigErrors, match="write camera:/dev/dealer/f1-camera"):
        parse_config(head.replace("camera:/dev", "/dev"), tmp_path / "station.toml")
