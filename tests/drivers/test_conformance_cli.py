"""``python -m dealer_drivers.conformance``: what it prints, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_drivers.conformance.cli import main

FEW = ("--cases", "3", "--junk-bytes", "1000")


@pytest.fixture
def recording(repository: Path) -> str:
    return str(repository / "tests/recordings/lap-flip.rec.jsonl")


def test_a_recording_is_enough_to_begin_with(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cammegh-m360", "--recording", recording, "--option", "extended=true", *FEW]) == 0
    told = capsys.readouterr().out
    assert "cuts change nothing" in told
    assert " 0 broken" in told


def test_what_is_broken_is_told_with_its_input(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    silent = ("--silent-for-ever", "it is asleep")
    extended = ("--option", "extended=true")
    assert main(["cammegh-m360", "--recording", recording, *extended, *silent, *FEW, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    broken = [check for check in told["checks"] if check["result"] == "broken"]
    assert (told["holds"], [check["law"] for check in broken]) == (False, ["silence is not reported"])
    assert "silence means nothing" in broken[0]["why"]
    waived = {check["law"]: check["why"] for check in told["checks"] if check["result"] == "waived"}
    assert waived["silence is reported"] == "it is asleep"
    assert waived["reads what is stated"] == "nobody has stated what must be read of it"


def test_readings_are_printed_for_people(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cammegh-m360", "--recording", recording, "--option", "extended=true", "--readings"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("BallLaps(laps=" in line for line in lines)
    assert any("joined in mid-line" in line and line.endswith("(no value)") for line in lines)


def test_whoever_has_read_enough_may_go(recording: str) -> None:
    """``--readings | head -1``: no traceback, whatever is still to be printed."""
    command = [sys.executable, "-m", "dealer_drivers.conformance", "cammegh-m360", "--recording", recording]
    with subprocess.Popen(
        [*command, "--option", "extended=true", "--readings"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as told:
        assert told.stdout is not None
        assert told.stderr is not None
        told.stdout.close()
        assert told.stderr.read() == b""
        assert told.wait(60) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("no-such-driver",), "installed are: "),
        (("cammegh-m360",), "give --examples MODULE:NAME, or --recording FILE"),
        (("cammegh-m360", "--recording", "/nowhere"), "/nowhere: cannot be read"),
        (("cammegh-m360", "--recording", "RECORDING", "--option", "zeros=9"), "zeros"),
        (("cammegh-m360", "--recording", "RECORDING", "--option", "zeros"), "zeros=2"),
        (("cammegh-m360", "--recording", "RECORDING", "--recording", "RECORDING"), "name of its own"),
        (("cammegh-m360", "--recording", "RECORDING", "--cases", "0"), "1 or more"),
        (("cammegh-m360", "--recording", "RECORDING", "--cases", "-5"), "1 or more"),
        (("cammegh-m360", "--examples", "no_such_module:EXAMPLES"), "no_such_module"),
        (("cammegh-m360", "--examples", "json:loads"), "is neither Examples nor"),
        (("cammegh-m360", "--examples", "json:nothing"), "nothing"),
    ],
)
def test_a_wrong_command_says_what_would_be_right(
    arguments: tuple[str, ...], words: str, recording: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([recording if word == "RECORDING" else word for word in arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
