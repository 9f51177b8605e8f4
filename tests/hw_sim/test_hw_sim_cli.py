"""The ``hw-sim`` command as other programs call it: one JSON line, signals, exit codes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hw_sim.cli import main

COMMAND = [sys.executable, "-m", "hw_sim"]


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_run_prints_its_ports_first_and_ends_on_a_signal(tmp_path: Path, signum: int, code: int) -> None:
    run_dir, truth = tmp_path / "run", tmp_path / "truth.jsonl"
    with started("run", "roulette", "--speed", "100", "--run-dir", str(run_dir), "--truth", str(truth)) as (
        process,
        first,
    ):
        (device,) = first["devices"]
        assert device == {"name": "wheel", "driver": "cammegh-ss2", "model": "ss2", "port": str(run_dir / "wheel")}
        assert first["control"].startswith("tcp://127.0.0.1:")
        assert Path(device["port"]).is_symlink()
        while not truth.read_text():
            assert process.poll() is None
        process.send_signal(signum)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (code, "", "")
    assert not Path(device["port"]).is_symlink()


def test_run_ends_by_itself_after_the_seconds_given() -> None:
    result = subprocess.run(
        [*COMMAND, "run", "roulette-m360", "--seconds", "0.2", "--seed", "7"],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert result.returncode == 0
    assert result.stderr == ""
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["seed"] == 7
    assert json.loads(line)["devices"][0]["driver"] == "cammegh-m360"


def test_fleet_writes_a_configuration_that_fits(tmp_path: Path) -> None:
    with started("fleet", "--tables", "12", "--url", "mqtt://127.0.0.1:1884", "--run-dir", str(tmp_path)) as (
        process,
        first,
    ):
        config = tomllib.loads(Path(first["config"]).read_text())
        assert len(first["devices"]) == len(config["tables"]) == 12
        assert config["mqtt"]["url"] == "mqtt://127.0.0.1:1884"
        for device in first["devices"]:
            table = config["tables"][device["name"]]
            assert (table["game"], table["round_source"]) == ("roulette", "device")
            assert table["devices"] == [{"name": "wheel", "driver": "cammegh-ss2", "port": device["port"]}]
            assert Path(device["port"]).is_symlink()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = [scenario["name"] for scenario in listed["scenarios"]]
    assert {"roulette", "roulette-m360", "roulette-faults"} <= set(names)
    assert all(name in text for name in names)
    assert "weak_launch" in listed["faults"]


def test_a_wrong_scenario_is_exit_code_2_with_file_key_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "x"\n[[devices]]\nname = "w"\nmodel = "ss2"\nnumbers = ["40"]\n')
    assert main(["run", str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{file}: devices[0].numbers: '40' is no pocket" in captured.err
    assert main(["run", "rulette"]) == 2
    assert "roulette-faults" in capsys.readouterr().err
    file.write_text('title = "x"\n[[devices]]\nname = "w"\nmodel = "ss2"\nstart = 5\nrates = {sensor_fault = 1}\n')
    assert main(["run", str(file)]) == 2
    assert "devices.w.start: no spin gets to state 5" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["run"], ["run", "roulette", "--speed", "0"], ["fleet", "--tables", "0"]])
def test_a_wrong_command_line_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_a_folder_that_cannot_be_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "roulette", "--run-dir", "/proc/none/such"]) == 3
    assert "/proc/none" in capsys.readouterr().err


def test_a_folder_in_which_a_simulation_runs_is_not_taken_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["run", "roulette", "--run-dir", str(folder)]
    with started(*words) as (process, first):
        port = (folder / "wheel").readlink()
        for other in (words, ["run", "baccarat", "--run-dir", str(folder)]):
            assert main(other) == 2
            captured = capsys.readouterr()
            assert captured.out == ""
            assert f"a simulation runs here already (hw-sim run roulette --run-dir {folder})" in captured.err
        assert (folder / "wheel").readlink() == port, "the first one's ports are untouched"
        assert main(["look", str(folder), "wheel"]) == 0
        process.kill()
        process.wait()
    capsys.readouterr()
    for control, words in (
        (str(folder), f"start it in a terminal of its own: hw-sim run roulette --run-dir {folder}"),
        (first["control"], "it has ended"),
    ):
        for asked in (["tell", control, "wheel"], ["look", control, "wheel"]):
            assert main(asked) == 3
            said = capsys.readouterr().err
            assert words in said
            assert "Errno" not in said
    with started("run", "roulette", "--run-dir", str(folder)):  # a killed one holds nothing
        assert main(["look", str(folder), "wheel"]) == 0
