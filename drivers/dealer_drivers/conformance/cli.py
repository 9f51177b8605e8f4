"""The suite from a command line: a table for people, JSON for programs."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from dealer_drivers.conformance.check import Broken, Check, brief
from dealer_drivers.conformance.examples import Example, Examples, recorded
from dealer_drivers.conformance.limit import TooLong
from dealer_drivers.conformance.player import START
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.conformance.suite import CASES, JUNK_BYTES, LAW_S, SEED, checks
from dealer_drivers.console import console as plain_console
from dealer_drivers.driver import Driver, UnknownDriver, load_driver
from dealer_drivers.errors import DeviceError

HOLDS, BROKEN, USAGE = 0, 1, 2
DESCRIPTION = """Puts an installed driver through the laws that every driver keeps."""
EXIT_CODES = "exit codes: 0 every law holds, 1 one does not, 2 the command is wrong"


class _Wrong(Exception):  # noqa: N818
    """The command cannot be done. The text says what would be right."""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one check: ``holds``, ``broken``, ``waived`` or ``untried``, with a sentence where it is not the
    first."""

    check: Check
    result: str
    why: str
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns its exit code."""
    try:
        code = _done(_parser().parse_args(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USAGE
    return code


def _done(given: argparse.Namespace) -> int:
    try:
        driver = load_driver(given.driver)
        examples = _examples(driver, given)
        if given.readings:
            _print_readings(driver, examples, given)
            return HOLDS
        todo = checks(
            driver, examples, cases=given.cases, seed=given.seed, junk_bytes=given.junk_bytes, law_s=given.law_seconds
        )
    except (_Wrong, UnknownDriver, DeviceError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    rows = _rows(todo)
    if given.json:
        print(json.dumps(_as_json(driver, rows), indent=2))
    else:
        _print_table(driver, rows)
    return BROKEN if any(row.result == "broken" for row in rows) else HOLDS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dealer_drivers.conformance", description=DESCRIPTION, epilog=EXIT_CODES
    )
    parser.add_argument("driver", help="the name of an installed driver")
    parser.add_argument("--examples", metavar="MODULE:NAME", help="the Examples that the driver's author stated")
    parser.add_argument("--recording", metavar="FILE", action="append", default=[], type=Path, help="may be repeated")
    parser.add_argument(
        "--option", metavar="KEY=VALUE", action="append", default=[], help="of the device, as in TOML; for recordings"
    )
    parser.add_argument("--check-bits", type=int, default=0, help="of the check value in every frame; for recordings")
    parser.add_argument(
        "--silent-for-ever", metavar="WHY", default="", help="its silence means nothing; for recordings"
    )
    parser.add_argument("--cases", type=int, default=CASES, help="random cases a law (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="chooses them (default: %(default)s)")
    parser.add_argument("--junk-bytes", type=int, default=JUNK_BYTES, help="where memory is looked at (%(default)s)")
    parser.add_argument(
        "--law-seconds",
        type=float,
        default=LAW_S,
        metavar="S",
        help="of the processor's time for one law; the first that takes longer ends the trial (default: %(default)g)",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one object for programs")
    shown.add_argument("--readings", action="store_true", help="check nothing: print what is read of the examples")
    return parser


def _examples(driver: Driver, given: argparse.Namespace) -> Examples:
    stated = _stated(given.examples) if given.examples else Examples(plays=())
    options = _options(given.option)
    plays = list(stated.plays)
    for path in given.recording:
        steps, about = recorded(path)
        plays.append(
            Example(
                name=path.name,
                options=options,
                steps=steps,
                recorded=about,
                check_bits=given.check_bits,
                silent_for_ever=given.silent_for_ever,
            )
        )
    if not plays:
        raise _Wrong("nothing to check with: give --examples MODULE:NAME, or --recording FILE")
    for play in plays:
        driver.parse_options(play.options)
    return Examples(plays=tuple(plays), refused=stated.refused, unbounded=stated.unbounded)


def _stated(name: str) -> Examples:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute or "EXAMPLES")
    except (ImportError, AttributeError) as error:
        raise _Wrong(f"--examples {name}: {error}; write MODULE:NAME") from error
    if isinstance(found, Examples):
        return found
    if isinstance(found, Sequence) and all(isinstance(one, Example) for one in found):
        return Examples(plays=tuple(found))
    raise _Wrong(f"--examples {name}: is neither Examples nor a sequence of Example")


def _options(pairs: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in pairs:
        try:
            found |= tomllib.loads(pair)
        except (ValueError, RecursionError) as error:  # what TOML decoding raises
            raise _Wrong(
                f'--option {pair}: {error}; write it as in the configuration: zeros=2, suffix="line"'
            ) from error
    return found


def _rows(todo: Sequence[Check]) -> list[Row]:
    """Of all checks; after one that took too long the rest are not tried, so that a slow driver gets its verdict."""
    rows: list[Row] = []
    slow = ""
    for check in todo:
        began = time.perf_counter()
        result, why = "holds", ""
        if check.waived:
            result, why = "waived", check.waived
        elif slow:
            result, why = "untried", f"{slow} took too long"
        else:
            try:
                check()
            except Broken as broken:
                result, why = "broken", str(broken)
                slow = str(check) if isinstance(broken, TooLong) else ""
        rows.append(Row(check, result, why, time.perf_counter() - began))
    return rows


def _as_json(driver: Driver, rows: Sequence[Row]) -> dict[str, object]:
    return {
        "driver": driver.name,
        "maturity": driver.maturity.value,
        "provenance": driver.provenance,
        "holds": not any(row.result == "broken" for row in rows),
        "checks": [
            {
                "law": row.check.law,
                "example": row.check.about,
                "result": row.result,
                "why": row.why,
                "seconds": round(row.seconds, 3),
            }
            for row in rows
        ],
    }


def _print_table(driver: Driver, rows: Sequence[Row]) -> None:
    console = plain_console(highlight=False)
    console.print(f"{driver.name}: {driver.maturity} ({driver.provenance})", markup=False)
    grid = Table(box=None, pad_edge=False)
    for title in ("law", "example", "", "why"):
        grid.add_column(title, no_wrap=title != "why", overflow="fold")
    for row in rows:
        grid.add_row(row.check.law, row.check.about, row.result, row.why.replace("[", r"\["))
    console.print(grid)
    count = {result: sum(row.result == result for row in rows) for result in ("holds", "broken", "waived")}
    if untried := sum(row.result == "untried" for row in rows):
        count["untried"] = untried
    spent_s = sum(row.seconds for row in rows)
    console.print(", ".join(f"{number} {result}" for result, number in count.items()) + f" in {spent_s:.1f} s")


def _print_readings(driver: Driver, examples: Examples, given: argparse.Namespace) -> None:
    for example in examples.plays:
        subject = Subject(driver, example, given.cases, given.seed, given.junk_bytes)
        print(f"{example.name}:")
        for call in subject.clean.calls:
            for reading in call.output.readings:
                value = "" if example.is_value(reading) else "  (no value)"
                print(f"  {call.at.since_s(START):10.3f} s  {brief(reading)}{value}")
