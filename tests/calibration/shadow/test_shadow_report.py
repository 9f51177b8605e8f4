"""``dealer-calibrate shadow-report`` on an export and the other system's CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_calibration.cli import main
from support.shadow_files import TABLE, asked, exported, outcome, refused, results


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["shadow-report", "--table", TABLE, *map(str, arguments)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


def test_results_that_agree_and_how_much_that_proves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [n % 37 for n in range(100)]
    export = exported(tmp_path, [outcome(40 * n, number) for n, number in enumerate(numbers)])
    csv = results(tmp_path, [(40 * n + 3, f"{number:02}") for n, number in enumerate(numbers)])
    code, said = asked(capsys, "--export", export, csv)
    assert code == 0
    assert (said["pairs"], said["agree"], said["differences"]) == (100, 100, [])
    assert said["theirs_later_s"] == 3
    assert said["differ_at_most"] == pytest.approx(1 - 0.05**0.01)
    assert main(["shadow-report", "--table", TABLE, "--export", str(export), str(csv)]) == 0
    text = capsys.readouterr().out
    assert "at most 1 in 33 of all rounds differ" in text
    assert "100 %" not in text
    assert "29,956 rounds" in text


def test_every_difference_is_listed_with_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        outcome(0, 1),
        outcome(40, 2, ["sha256:2"]),
        refused(75),
        outcome(120, 4),
        outcome(160, 5),
        outcome(240, 7),
    ]
    export = exported(tmp_path, rows)
    csv = results(tmp_path, [(0, 1), (40, 20), (80, 3), (120, 4), (200, 6), (240, 7)])
    page = tmp_path / "report.html"
    code, said = asked(capsys, "--export", export, "--offset", 0, "--html", page, csv)
    assert code == 1
    assert [(one["kind"], one["differs"]) for one in said["differences"]] == [
        ("differ", ["number"]),
        ("only_theirs", []),
        ("only_ours", []),
        ("only_theirs", []),
    ]
    differ, explained, alone, missed = said["differences"]
    assert (differ["ours"]["sequence"], differ["ours"]["evidence"], differ["theirs"]["line"]) == (3, ["sha256:2"], 3)
    assert [(why["text"], why["evidence"]) for why in explained["why_not_ours"]] == [
        ("short_spin: 5 of 7 laps", ["sha256:5"])
    ]
    assert (alone["ours"]["facts"]["number"], alone["theirs"]) == ("5", None)
    assert (missed["theirs"]["number"], missed["why_not_ours"]) == ("6", [])
    assert (said["only_theirs"], said["only_theirs_without_reason"]) == (2, 1)
    html = page.read_text()
    for words in ("sha256:2", "short_spin: 5 of 7 laps", "no reason given", "number 20 (line 3)"):
        assert words in html


def test_a_correction_does_not_hide_what_was_first_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corrected = (50.0, "outcome.corrected", {"game": "roulette", "facts": {"number": "20"}, "replaces": 3})
    export = exported(tmp_path, [outcome(0, 1), outcome(40, 2), corrected])
    code, said = asked(capsys, "--export", export, results(tmp_path, [(0, 1), (40, 20)]))
    assert (code, said["differ"]) == (1, 1)


def test_rounds_before_or_after_both_spoke_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = exported(tmp_path, [outcome(40 * n, n) for n in range(10)])
    csv = results(tmp_path, [(40 * n, n) for n in range(5, 20)])
    code, said = asked(capsys, "--export", export, csv)
    assert (code, said["pairs"], said["outside"]) == (0, 5, {"ours": 5, "theirs": 10, "theirs_after_ours": 10})


def test_nothing_compared_is_not_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = exported(tmp_path, [outcome(40 * n, n) for n in range(10)])
    csv = results(tmp_path, [(40_000 + 40 * n, n) for n in range(10)])
    assert main(["shadow-report", "--table", TABLE, "--export", str(export), str(csv)]) == 1
    assert "nothing was compared" in capsys.readouterr().out
    csv.write_text("time,number\n")
    assert asked(capsys, "--export", export, csv)[0] == 1


def test_columns_have_other_names_and_times_another_zone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = exported(tmp_path, [outcome(40 * n, n) for n in range(3)])
    csv = tmp_path / "theirs.csv"
    rows = [f"{n},2026-03-01 20:00:{40 * n % 60:02},{n}" for n in range(2)]
    csv.write_text("\ufeffround,at,Ergebnis\n" + "\n".join(rows) + "\n")
    renamed = ("--column", "at=time", "--column", "Ergebnis=number", "--compare", "number", "--zone", "Asia/Shanghai")
    code, said = asked(capsys, "--export", export, *renamed, csv)
    assert (code, said["agree"], said["compared"]) == (0, 2, ["number"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("number\n1\n", 'no column "time"'),
        ("time\n2026-03-01T12:00:00Z\n", "nothing to compare"),
        ("time,number\nyesterday,1\n", "line 2: 'yesterday' is no time"),
        ("time,number\n2026-03-01T12:00:00,1\n", "names no zone"),
        ("time,number\n2026-03-01T12:00:00Z\n", "line 2: 1 columns"),
        ("time,number\n2026-03-01T12:00:00Z,\n", "line 2: no number"),
        ("time,number,number\n", "two columns are named number"),
        ("time,pocket\n2026-03-01T12:00:00Z,1\n", 'no fact "pocket"; there are: number, color, laps'),
        ('time,number\n"2026', "is no CSV"),
        ("time,number\n1e400,1\n", "is no time"),
        (f"time,number\n{'9' * 400},1\n", "is no time"),
    ],
)
def test_a_file_that_is_no_list_of_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    export = exported(tmp_path, [outcome(0, 1)])
    csv = tmp_path / "theirs.csv"
    csv.write_text(text)
    assert words in complaint(capsys, "--export", export, csv)


def test_every_line_that_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export, csv = exported(tmp_path, [outcome(0, 1)]), tmp_path / "theirs.csv"
    csv.write_text("time,number\n" + "yesterday,1\n" * 30)
    said = complaint(capsys, "--export", export, csv)
    assert "line 2:" in said
    assert "line 21:" in said
    assert "and 10 lines more" in said


def test_what_cannot_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv = results(tmp_path, [(0, 1)])
    live = exported(tmp_path, [outcome(0, 1)], shadow=False)
    assert "is no shadow" in complaint(capsys, "--export", live, csv)
    assert asked(capsys, "--export", live, "--live", csv)[1]["agree"] == 1
    other = tmp_path / "other.jsonl"
    other.write_text("[]\n")
    assert "line 1 is no row of a journal's export" in complaint(capsys, "--export", other, csv)
    other.write_text("")
    assert "table r1-shadow is not in the journal" in complaint(capsys, "--export", other, csv)
    assert "no such time zone" in complaint(capsys, "--export", live, "--zone", "Nowhere/City", csv)
    assert "absent.csv: cannot be read" in complaint(capsys, "--export", live, tmp_path / "absent.csv")
    csv.write_bytes(b"time,number\n\xff,1\n")
    assert "is not UTF-8" in complaint(capsys, "--export", live, csv)
