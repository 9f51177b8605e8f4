"""What several subcommands share."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from dealer_calibration.cli.exit_codes import DONE, NO, WRONG

Subcommands = Any
"""argparse keeps the type of its subcommands private."""

T = TypeVar("T")


def add_command(
    commands: Subcommands, name: str, help_text: str, example: str, handler: Any
) -> argparse.ArgumentParser:
    """One subcommand with its example in the help."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_text,
        description=help_text[0].upper() + help_text[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(handler=handler)
    return parser


def count(text: str) -> int:
    """A whole number above 0, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return value


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """How a camera's live picture is shown."""
    parser.add_argument("--once", type=Path, metavar="FILE.png", help="write one annotated picture and end")
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the page's port on 127.0.0.1 (any that is free)"
    )
    parser.add_argument("--window", action="store_true", help="a window in the place of the page")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after so many seconds (on Ctrl-C)")


def watched(items: Iterable[T], title: str, of: int) -> Iterator[T]:
    """The items, with a progress bar on standard error where that is a terminal and there is something to wait for."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal or of < 2:
        yield from items
        return
    with Progress(console=console, transient=True) as bar:
        yield from bar.track(items, total=of, description=title)


class JudgedPicture(Protocol):
    """What was made of one picture."""

    @property
    def accepted(self) -> bool: ...
    def as_json(self) -> dict[str, Any]: ...


J = TypeVar("J", bound=JudgedPicture)


def judge_pictures(
    files: Sequence[Path], judge: Callable[[Path], J], show: Callable[[list[J]], None], *, as_json: bool
) -> int:
    """Judges each file: a line of JSON each, or all of them by ``show``. Exit codes: 0 every picture was accepted, 1
    some were refused, 2 a file cannot be read."""
    judged: list[J] = []
    missing = False
    for file in watched(files, "reading", len(files)):
        try:
            one = judge(file)
        except OSError as error:
            missing = True
            print(f"{file}: cannot be read: {error.strerror or error}", file=sys.stderr)
            continue
        judged.append(one)
        if as_json:
            print(json.dumps(one.as_json()), flush=True)
    if not as_json:
        show(judged)
    if missing:
        return WRONG
    return DONE if all(one.accepted for one in judged) else NO


def show_grid(columns: Sequence[str], rows: Sequence[Sequence[Any]], accepted: int) -> None:
    """A table whose last column is a number, and how many of the rows were accepted."""
    from rich.table import Table

    from dealer_drivers.console import console as plain_console

    grid = Table(box=None, pad_edge=False)
    for column in columns[:-1]:
        grid.add_column(column, overflow="fold")
    grid.add_column(columns[-1], justify="right")
    for row in rows:
        grid.add_row(*row)
    console = plain_console()
    if rows:
        console.print(grid)
    console.print(f"{accepted} accepted, {len(rows) - accepted} refused", highlight=False)
