"""Every command of the bench shows an example in its help that can be typed."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_calibration.cli import build_parser


def leaves(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command that does something, by its words."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield " ".join(words), parser
    for action in below:
        for name, each in action.choices.items():
            yield from leaves(each, (*words, name))


LEAVES = dict(leaves(build_parser()))


def test_there_are_the_commands_of_the_bench() -> None:
    assert {"devices", "probe", "roulette", "wheel", "card check", "dice calibrate", "check", "report"} <= LEAVES.keys()


@pytest.mark.parametrize("name", LEAVES)
def test_the_help_has_an_example_that_is_understood(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, found, examples = LEAVES[name].format_help().partition("\nexample:\n")
    assert found, LEAVES[name].format_help()
    lines = [line.strip() for line in examples.splitlines() if line.strip().startswith("dealer-calibrate ")]
    assert any(line.startswith(f"dealer-calibrate {name} ") or line == f"dealer-calibrate {name}" for line in lines)
    for line in lines:
        typed = shlex.split(line, comments=True)[1:]
        arguments = build_parser().parse_args(typed[: typed.index("|")] if "|" in typed else typed)
        assert callable(arguments.handler)
