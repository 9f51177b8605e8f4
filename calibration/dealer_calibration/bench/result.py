"""What a guided command found, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dealer_calibration.cli.exit_codes import DONE, NO

_MARKS = {True: ("yes", "green"), False: ("no", "red"), None: ("not known", "yellow")}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    ``code`` is a word for programs, ``wrong_speed``. ``ok``: it is as it must be, it is not, or it could not be told,
    which passes nothing and fails nothing. ``said`` is a sentence for a technician, ``do_next`` another one, empty
    where nothing is to be done. ``figures`` are numbers and texts with their units in the names, ``rotor_rpm``.
    """

    code: str
    ok: bool | None
    said: str
    do_next: str = ""
    figures: dict[str, Any] = {}


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of a guided command found. ``pictures`` are names of files beside the kept result."""

    command: str
    table: str
    device: str
    findings: list[Finding]
    figures: dict[str, Any] = {}
    pictures: list[str] = []
    by: str = ""
    """Who ran it."""
    made: str = ""
    """When, UTC, RFC 3339. Set when it is kept."""
    calibration: str | None = None
    """The calibration that the device had, or got, by its id."""

    @property
    def passed(self) -> bool:
        """Nothing is wrong, and something was seen to be right."""
        answers = [finding.ok for finding in self.findings]
        return False not in answers and True in answers

    @property
    def code(self) -> int:
        """The command's exit code: 0 passed, 1 not."""
        return DONE if self.passed else NO

    def as_json(self) -> dict[str, Any]:
        """One object, with ``passed`` among its keys."""
        said: dict[str, Any] = msgspec.to_builtins(self)
        return {"passed": self.passed, **said}

    def grid(self) -> Table:
        """For people: a line a finding, and under it what to do."""
        return grid_of(self.findings)

    def show(self, console: Console) -> None:
        """The grid, the figures, and whether it passed."""
        console.print(self.grid())
        for name, value in self.figures.items():
            console.print(f"{name}: {value}", highlight=False, markup=False)
        console.print("passed" if self.passed else "not passed", style="green" if self.passed else "red")


def grid_of(findings: Sequence[Finding]) -> Table:
    """A line a finding, and under it what to do."""
    grid = Table(box=None, pad_edge=False)
    grid.add_column("right", no_wrap=True)
    grid.add_column("what", no_wrap=True)
    grid.add_column("said", overflow="fold")
    for finding in findings:
        word, style = _MARKS[finding.ok]
        said = Text(finding.said)
        if finding.do_next:
            said.append(f"\n→ {finding.do_next}", style="bold")
        grid.add_row(Text(word, style=style), Text(finding.code), said)
    return grid
