"""Rounds that the shadow has not: what explains them, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import main
from support.shadow_files import asked, exported, line, outcome, refused, results

PACE_S = 40.0


def missed(
    capsys: pytest.CaptureFixture[str], folder: Path, rows: list[Any], rounds: int
) -> tuple[int, dict[str, Any]]:
    """The other system has ``rounds`` results, the shadow ``rows``. What the report says."""
    csv = results(folder, [(PACE_S * n, n % 37) for n in range(rounds)])
    return asked(capsys, "--export", exported(folder, rows), csv)


def said(one: dict[str, Any]) -> list[str]:
    return [why["type"] for why in one["why_not_ours"]]


def test_one_refused_spin_explains_one_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [outcome(0, 0), refused(35), outcome(PACE_S * 30, 30)]
    code, found = missed(capsys, tmp_path, rows, 31)
    assert (code, found["only_theirs"], found["only_theirs_without_reason"]) == (1, 29, 28)
    assert [said(one) for one in found["differences"]][:2] == [["attempt.refused"], []]


def test_several_words_on_one_round_are_of_that_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = (PACE_S + 2, "attempt.held", {"reason": "silence", "attempt": 2, "detail": "no frames"})
    rows = [outcome(0, 0), refused(35), held, outcome(PACE_S * 3, 3)]
    _, found = missed(capsys, tmp_path, rows, 4)
    assert [said(one) for one in found["differences"]] == [["attempt.refused", "attempt.held"], []]


@pytest.mark.parametrize(
    ("begins", "data", "ends", "over"),
    [
        ("table.paused", {"reason": "lunch", "by": "Li"}, "table.resumed", {"reason": "go on", "by": "Li"}),
        (
            "device.fault",
            {"device": "wheel", "fault": "link_lost", "detail": "unplugged"},
            "device.recovered",
            {"device": "wheel", "fault": "link_lost"},
        ),
        (
            "device.fault",
            {"device": "wheel", "fault": "link_lost", "detail": "unplugged"},
            "table.started",
            {"game": "roulette", "shadow": True},
        ),
    ],
)
def test_a_pause_and_a_fault_explain_what_they_lasted_for(
    begins: str,
    data: dict[str, Any],
    ends: str,
    over: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [outcome(0, 0), (30, begins, data), (PACE_S * 10 + 5, ends, over), outcome(PACE_S * 20, 20)]
    code, found = missed(capsys, tmp_path, rows, 21)
    assert (code, found["only_theirs"]) == (1, 19)
    assert [bool(said(one)) for one in found["differences"]] == [True] * 10 + [False] * 9


def test_a_fault_of_another_device_does_not_end_this_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fault = {"device": "wheel", "fault": "link_lost", "detail": "unplugged"}
    rows = [
        outcome(0, 0),
        (30, "device.fault", fault),
        (50, "device.recovered", {"device": "display", "fault": "link_lost"}),
        outcome(PACE_S * 10, 10),
    ]
    _, found = missed(capsys, tmp_path, rows, 11)
    assert found["only_theirs_without_reason"] == 0


@pytest.mark.parametrize("table", ["r1-shadow", "another"])
def test_a_shadow_that_gives_no_result_any_more_has_missed_them(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its last result is not the end of what is compared, where its station went on."""
    export = exported(tmp_path, [outcome(0, 0), outcome(PACE_S, 1)])
    later = json.loads(line(99, PACE_S * 9, "device.recovered", device="x", fault="link_lost"))
    export.write_text(export.read_text() + json.dumps(later | {"table": table}) + "\n")
    csv = results(tmp_path, [(PACE_S * n, n) for n in range(10)])
    code, found = asked(capsys, "--export", export, csv)
    assert (code, found["only_theirs_without_reason"], found["outside"]["theirs"]) == (1, 8, 0)


def test_nor_is_its_first_result_the_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table was started a minute before the first result of the other system, and gave none for long."""
    code, found = missed(capsys, tmp_path, [outcome(PACE_S * 9, 9)], 10)
    assert (code, found["only_theirs_without_reason"], found["outside"]["theirs"]) == (1, 9, 0)


def test_results_from_after_the_journal_are_left_out_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = exported(tmp_path, [outcome(PACE_S * n, n) for n in range(3)])
    csv = results(tmp_path, [(PACE_S * n, n) for n in range(10)])
    assert main(["shadow-report", "--table", "r1-shadow", "--export", str(export), str(csv)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "7 results of the other system are from after the last event of the shadow's journal" in text


@pytest.mark.parametrize(
    ("time", "why"),
    [
        ("2026-10-25T02:30:00", "twice or never"),
        ("2026-03-29T02:30:00", "twice or never"),
        ("2026-10-25T02:30:00+01:00", ""),
        ("2026-10-25T03:30:00", ""),
    ],
)
def test_a_time_that_the_clocks_showed_twice_is_no_time(
    time: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result of the second such hour would be compared with a round of the first."""
    export, csv = exported(tmp_path, [outcome(0, 1)]), tmp_path / "theirs.csv"
    csv.write_text(f"time,number\n{time},1\n")
    arguments = ["shadow-report", "--table", "r1-shadow", "--export", str(export), "--zone", "Europe/Berlin", str(csv)]
    assert main(arguments) == (2 if why else 1)
    assert why in capsys.readouterr().err
