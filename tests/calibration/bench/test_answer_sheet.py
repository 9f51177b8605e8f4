"""Answers from a file: a line each, remarks left out, and what is said last counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_calibration.bench import BenchCommand, Finding, Result, run_bench
from dealer_calibration.cli import build_parser
from support.bench import wheel_config

WORDS = ["wheel", "--table", "w1", "--device", "encoder"]


def test_lines_are_answers_and_remarks_are_not(tmp_path: Path) -> None:
    sheet = tmp_path / "answers.txt"
    sheet.write_text("# of 3 May\nsegment.0=red\n\n  segment.1=yellow   # by the pillar\nkeep=\n")
    assert build_parser().parse_args([*WORDS, "--answers", str(sheet)]).answer == [
        ("segment.0", "red"),
        ("segment.1", "yellow"),
        ("keep", ""),
    ]


@pytest.mark.parametrize(
    ("text", "said"), [("segment.0\n", "line 1"), ("a=1\n\n=red\n", "line 3"), (None, "cannot be read")]
)
def test_a_sheet_that_is_none_is_refused_with_its_line(
    text: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "answers.txt"
    if text is not None:
        sheet.write_text(text)
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args([*WORDS, "--answers", str(sheet)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_questions_are_answered_from_it_and_what_is_said_last_counts(tmp_path: Path) -> None:
    sheet = tmp_path / "answers.txt"
    sheet.write_text("laps.1=9\nlaps.2=8\n")
    config = wheel_config(tmp_path, "/dev/dealer/wheel")
    words = ["roulette", "--config", str(config), "--table", "r1", "--device", "wheel", "--yes"]
    arguments = build_parser().parse_args([*words, "--answers", str(sheet), "--answer", "laps.2=7"])
    given = list[str]()

    async def body(command: BenchCommand) -> Result:
        given.extend([await command.talk.text(key, "Laps?") for key in ("laps.1", "laps.2")])
        return Result(command="x", table="r1", device="wheel", findings=[Finding(code="x", ok=True, said="")])

    assert run_bench(arguments, body, keep=False) == 0
    assert given == ["9", "7"]
