"""``dealer-calibrate codebook make`` and ``check``: books that scanners take, and files that are never lost."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from dealer_calibration.cli import build_parser, main
from dealer_drivers.shoe.codebook import KnownCard, KnownCut
from dealer_drivers.shoe.codebook_file import load_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook
from dealer_drivers.whole_files import write_whole

DOCS = Path(__file__).resolve().parents[2] / "docs/reference"


def make(path: Path, *more: str) -> int:
    return main(["codebook", "make", "--decks", "8", "--deck-set", "blue-7", "--prefix", "B7", "-o", str(path), *more])


def test_a_made_book_is_one_that_scanners_take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "blue-7.toml"
    assert make(path, "--seed", "5", "--cut-cards", "2", "--jokers", "3", "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {
        "file": str(path),
        "deck_set": "blue-7",
        "decks": 8,
        "cards": 416,
        "cut_cards": 2,
        "jokers": 3,
        "prefix": "B7",
        "seed": 5,
    }
    assert said.err == ""
    book = load_codebook(path)
    assert (book.deck_set, book.decks, len(book.cards)) == ("blue-7", 8, 416)
    assert set(Counter(known.card for known in book.cards.values()).values()) == {8}
    assert sum(isinstance(other, KnownCut) for other in book.others.values()) == 2
    assert len(book.others) == 5
    assert all(code.startswith("B7") for code in book.codes())


def test_the_seed_that_was_drawn_makes_the_book_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, other, again = (tmp_path / name for name in ("first.toml", "other.toml", "again.toml"))
    seeds = []
    for path in (first, other):
        assert make(path, "--json") == 0
        seeds.append(json.loads(capsys.readouterr().out)["seed"])
    assert make(again, "--seed", str(seeds[0])) == 0
    assert f"seed: {seeds[0]}" in capsys.readouterr().out
    assert again.read_bytes() == first.read_bytes() != other.read_bytes()


def test_a_file_that_is_there_is_kept_unless_told_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "blue-7.toml"
    path.write_text("mine")
    assert make(path) == 2
    said = capsys.readouterr()
    assert (said.out, path.read_text()) == ("", "mine")
    assert f"{path}: there is a file already" in said.err
    assert "--force" in said.err
    assert make(path, "--force") == 0
    assert load_codebook(path).decks == 8
    assert list(tmp_path.iterdir()) == [path], "nothing else is left behind"


def test_what_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "none" / "b.toml", Path("/")):
        assert make(path, "--force") == 2
        assert f"{path}: cannot be written: " in capsys.readouterr().err
    assert make(tmp_path, "--force") == 2
    assert "cannot be written: Is a directory" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "book.toml"
    path.write_text("mine")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half of it \ud800", replace=True)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--decks", "17"], "decks must be 1 to 16"),
        (["--prefix", "b7"], "prefix 'b7' must be"),
        (["--deck-set", ""], "deck_set must name"),
    ],
)
def test_a_book_that_cannot_be_made_is_not_written(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(tmp_path / "b.toml", *arguments) == 2
    assert reason in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [["--decks", "0"], ["--jokers", "-1"], ["--cut-cards", "100"], ["--seed", "x"]])
def test_wrong_numbers_are_wrong_usage(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        make(tmp_path / "b.toml", *arguments)
    assert exit_.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_how_many_there_may_be_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make(tmp_path / "b.toml", "--cut-cards", "1000000")
    assert "1000000 is not a whole number from 0 to 99" in capsys.readouterr().err.splitlines()[-1]
    with pytest.raises(ValueError, match="at most 99"):
        make_codebook(decks=1, deck_set="x", prefix="", seed="1", cut_cards=100)


def test_without_a_prefix_the_risk_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["codebook", "make", "--decks", "1", "--deck-set", "x", "--json", "-o", str(tmp_path / "x.toml")]
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["prefix"] == ""
    assert "--prefix" in said.err


def test_a_good_book_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.toml"
    make(path)
    capsys.readouterr()
    assert main(["codebook", "check", str(path), "--decks", "8"]) == 0
    assert capsys.readouterr().out == f"{path}: good: unit-coded, deck set blue-7, decks: 8, cards: 416\n"
    assert main(["codebook", "check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": str(path),
        "ok": True,
        "problems": [],
        "kind": "unit-coded",
        "deck_set": "blue-7",
        "decks": 8,
        "cards": 416,
    }


def test_the_built_in_book_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["codebook", "check", "rank-suit"]) == 0
    assert capsys.readouterr().out == "rank-suit: good: rank-suit, deck set rank-suit, cards: 52\n"


def test_a_book_of_another_number_of_decks_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.toml"
    make(path)
    capsys.readouterr()
    assert main(["codebook", "check", str(path), "--decks", "6"]) == 1
    assert capsys.readouterr() == ("", f"{path}: the book is of 8 decks, not of 6\n")


def test_every_problem_is_said_and_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.toml"
    make(path)
    book = load_codebook(path)
    one, two = [code for code, known in book.cards.items() if isinstance(known, KnownCard)][:2]
    text = path.read_text().replace(two, one).replace('"8S", "3"', '"8X", "3"').replace("decks = 8", "deks = 8")
    path.write_text(text)
    capsys.readouterr()
    assert main(["codebook", "check", str(path), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["ok"]
    for word in (f"code {one} stands 2 times", "'8X'", "'deks'", "decks must be 1 to 16"):
        assert any(word in problem for problem in said["problems"]), word
    assert main(["codebook", "check", str(path)]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [f"{path}: {problem}" for problem in said["problems"]]


def test_a_file_that_cannot_be_read_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["codebook", "check", str(tmp_path / "none.toml")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main(["codebook", "check", str(tmp_path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["problems"] == ["cannot be read: Is a directory"]


@pytest.mark.parametrize("action", ["make", "check", "sheet"])
def test_every_action_has_an_example_that_is_understood_and_a_row_in_the_reference(
    action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        build_parser().parse_args(["codebook", action, "--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    example = text.partition("example:\n")[2].strip()
    assert build_parser().parse_args(shlex.split(example)[1:]).action == action
    lines = (DOCS / "commands.md").read_text("utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith(f"| `codebook {action} ")]
    options = set(re.findall(r"--[a-z-]+", text.partition("example:")[0])) - {"--help", "--output"}
    assert set(re.findall(r"--[a-z-]+", row)) == options


def test_the_commands_in_the_reference_are_understood() -> None:
    lines = re.findall(r"^dealer-calibrate (.*)$", (DOCS / "codebooks.md").read_text("utf-8"), re.MULTILINE)
    assert {build_parser().parse_args(shlex.split(line)).action for line in lines} == {"make", "check", "sheet"}
