"""What several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

Subcommands = Any
"""argparse keeps the type of its subcommands private."""

DEFAULT_CONFIG = Path("/etc/dealer-station/station.toml")


LARGEST = 100_000.0
"""Of seconds, and of times real speed."""


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


def add_config(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """``--config F``."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="F",
        required=required,
        default=None if required else DEFAULT_CONFIG,
        help="the station's TOML file" + ("" if required else f" (default: {DEFAULT_CONFIG})"),
    )


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and at most {LARGEST:g}")
    return value
