"""``dealer-calibrate report``: what was found at the bench about a table, as HTML and PDF."""

from __future__ import annotations

import argparse
import datetime as dt
import json
from pathlib import Path

from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG, complain
from dealer_calibration.cli.files import DEFAULT_CONFIG


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "report",
        "write what was found at the bench about a table as one HTML page and one PDF, signed off with a name",
        "dealer-calibrate report --table r1 --by NAME --out r1-2026-03",
        report,
    )
    parser.add_argument(
        "--config", type=Path, metavar="F", default=DEFAULT_CONFIG, help=f"the station's TOML file ({DEFAULT_CONFIG})"
    )
    parser.add_argument("--table", required=True, metavar="T", help="the table")
    parser.add_argument("--by", required=True, metavar="NAME", help="who signs it off")
    parser.add_argument("--note", default="", metavar="TEXT", help="a remark that stands in it")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="BASE", help="BASE.html and BASE.pdf are written, over what is there"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def report(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 everything in it passed, 1 not so (it is written all the same), 2 wrong input or unwritable."""
    from dealer_calibration.bench import BenchError
    from dealer_calibration.reporting.gather import gather
    from dealer_calibration.reporting.page import make_page
    from dealer_calibration.reporting.pdf import make_pdf
    from dealer_daemon.config import ConfigErrors
    from dealer_drivers.whole_files import write_whole

    if not arguments.by.strip():
        return complain("--by: a report is signed off with a name", WRONG)
    made = dt.datetime.now(dt.UTC)
    try:
        found = gather(arguments.config, arguments.table, by=arguments.by.strip(), note=arguments.note, made=made)
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    except BenchError as error:
        return complain(str(error), error.code)
    files = {
        arguments.out.with_name(f"{arguments.out.name}.html"): make_page(found).encode(),
        arguments.out.with_name(f"{arguments.out.name}.pdf"): make_pdf(found),
    }
    for path, content in files.items():
        try:
            write_whole(path, content, replace=True)
        except OSError as error:
            return complain(f"{path}: cannot be written: {error.strerror or error}", WRONG)
    if arguments.json:
        print(json.dumps({"passed": found.passed, "digest": found.digest, "files": [str(path) for path in files]}))
    else:
        for path in files:
            print(path)
        print("passed" if found.passed else "not passed: see what the page says to do")
    return DONE if found.passed else NO
