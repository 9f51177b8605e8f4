"""What several subcommands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

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
