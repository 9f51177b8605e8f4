"""The options that every guided command has."""

from __future__ import annotations

import argparse
import getpass
from pathlib import Path

from dealer_calibration.cli.files import DEFAULT_CONFIG


def add_bench_options(parser: argparse.ArgumentParser, *, device: bool = True) -> None:
    """Config, table, device (not for commands on a whole table); who; waiting and resuming; questions, JSON, speed."""
    parser.add_argument(
        "--config", type=Path, metavar="F", default=DEFAULT_CONFIG, help=f"the station's TOML file ({DEFAULT_CONFIG})"
    )
    parser.add_argument("--table", required=True, metavar="T", help="the table")
    if device:
        parser.add_argument("--device", required=True, metavar="D", help="the device of that table")
    parser.add_argument("--by", metavar="NAME", default=user(), help="who does this (default: your user name)")
    parser.add_argument(
        "--wait", type=_seconds, metavar="S", default=0.0, help="wait so many seconds for the open round to end"
    )
    parser.add_argument(
        "--resume", action="store_true", help="let the table go on at the end if nothing is wrong (else a manager does)"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing: yes to what may be answered so")
    parser.add_argument(
        "--answer", action="append", default=[], metavar="KEY=VALUE", type=pair, help="answer a question beforehand"
    )
    parser.add_argument(
        "--answers",
        action="extend",
        dest="answer",
        metavar="FILE",
        type=_sheet,
        help="the same from a file, a line each; what is said last counts",
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines, the last one the result")
    parser.add_argument(
        "--speed", type=positive, default=1.0, metavar="X", help="for simulated devices that run X times faster"
    )


def user() -> str:
    """Who is signed in."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value <= 100_000:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and at most 100000")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is not 0 to 3600 seconds")
    return value


def _sheet(text: str) -> list[tuple[str, str]]:
    """``KEY=VALUE`` a line; empty lines and what follows a ``#`` do not count. For argparse."""
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{text}: cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if said := line.partition("#")[0].strip():
            try:
                found.append(pair(said))
            except argparse.ArgumentTypeError as error:
                raise argparse.ArgumentTypeError(f"{text}: line {number}: {error}") from error
    return found


def pair(text: str) -> tuple[str, str]:
    """``KEY=VALUE``, for argparse."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is no KEY=VALUE")
    return key, value
