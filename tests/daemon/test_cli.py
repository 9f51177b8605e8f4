"""The commands and their exit codes (``interfaces.md``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_daemon.cli import build_parser, main

GOOD = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "station.toml"
    path.write_text(GOOD)
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    head = "011;34;0;160;1\r\n"
    frames = [f"*X;{state};{head}" for state in "2233333344444444"] + ["27\r\n", "*X;5;011;27;0;136;1\r\n"]
    lines = [json.dumps({"recording": 1, "driver": "cammegh-ss2", "device": "wheel"})]
    lines += [json.dumps({"t": n * 0.5, "rx": frame}) for n, frame in enumerate(frames)]
    path = tmp_path / "wheel.rec.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_check_config_says_everything_that_is_wrong_at_once(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", str(config)]) == 0
    assert "recorded" in capsys.readouterr().out
    config.write_text(GOOD.replace("studio-1", "a/b").replace("cammegh-ss2", "camel").replace('"device"', '"devise"'))
    assert main(["check-config", str(config), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert {error["key"] for error in report["errors"]} >= {
        "station.site",
        "tables.r1.round_source",
        "tables.r1.devices[0].driver",
    }
    assert all(error["line"] for error in report["errors"])
    assert main(["check-config", "--config", str(config)]) == 2
    assert f"{config}:" in capsys.readouterr().err


def test_replay_prints_events_and_nothing_else(
    config: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["replay", "--config", str(config), "--table", "r1", "--device", "wheel", str(recording)]
    assert main([*command, "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    outcome = next(event for event in events if event["type"] == "round.outcome")
    assert outcome["data"]["facts"]["number"] == "27"
    assert {"type", "sequence", "time", "subject", "data"} <= outcome.keys()
    assert main(command) == 0
    assert "round.outcome" in capsys.readouterr().out
    assert not (config.parent / "state").exists(), "a replay never touches the station's own journal"


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        (["--table", "r9"], 2, "no table 'r9'"),
        (["--device", "shoe"], 2, "no device 'shoe'"),
        (["--config", "/nowhere.toml"], 2, "/nowhere.toml"),
    ],
)
def test_replay_says_what_is_wrong(
    config: Path, recording: Path, changed: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["replay", "--config", str(config), "--table", "r1", "--device", "wheel", *changed, str(recording)]
    assert main(command) == code
    assert said in capsys.readouterr().err


def test_a_file_that_is_no_recording_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["replay", "--config", str(config), "--table", "r1", "--device", "wheel", str(config)]
    assert main(command) == 2
    assert f"{config}:1" in capsys.readouterr().err
    missing = config.with_name("none.rec.jsonl")
    assert main([*command[:-1], str(missing)]) == 2
    assert f"{missing}" in capsys.readouterr().err


@pytest.mark.parametrize("program", ["dealer_daemon schema events", "dealer_calibration devices", "hw_sim list"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_the_output_is_said_in_words(program: str, unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", *program.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
            timeout=60,
        )
    assert done.returncode == 2
    said = "standard output cannot be written: No space left on device\n"
    assert done.stderr.removeprefix("hw-sim: ") == said


def test_schema_prints_each_document(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("asyncapi", "events", "config", "commands"):
        assert main(["schema", word]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_no_journal_and_no_daemon_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "verify", str(tmp_path / "none.sqlite3")]) == 2
    assert "none.sqlite3" in capsys.readouterr().err
    assert main(["status", "--state-dir", str(tmp_path)]) == 3
    assert "no daemon runs" in capsys.readouterr().err
    assert main(["run", "--config", str(tmp_path / "none.toml")]) == 2


def test_every_command_has_an_example_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["run"], ["check-config"], ["status"], ["replay"], ["schema"], ["demo"], ["journal", "verify"]):
        with pytest.raises(SystemExit) as exit_:
            build_parser().parse_args([*command, "--help"])
        assert exit_.value.code == 0
        assert "example:" in capsys.readouterr().out


def test_status_says_in_words_where_a_page_is() -> None:
    from dealer_daemon.cli.status import _why
    from dealer_daemon.words import WORDS

    for word in ("journal_behind", "journal_other", "station_contested"):
        assert "](" in WORDS[word].meaning
        said = _why(word)
        assert said is not None
        assert "](" not in said
        assert "recover a journal: docs/howto/recover-a-journal.md" in said.replace("\n", " ")
