"""Answers from a file: a line each, remarks left out, those of the command line before them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_calibration.cli import build_parser

WORDS = ["wheel", "--table", "w1", "--device", "encoder"]


def test_lines_are_answers_and_remarks_are_not(tmp_path: Path) -> None:
    sheet = tmp_path / "answers.txt"
    sheet.write_text("# of 3 May\nsegment.0=red\n\n  segment.1=yellow   # by the pillar\nkeep=\n")
    assert build_parser().parse_args([*WORDS, "--answers", str(sheet)]).sheet == [
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
