"""``dealer-calibrate check``: a whole table before it opens."""

from __future__ import annotations

import argparse

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "check",
        "check all of a table in one go before it opens: every device there, calibrated and proved",
        "dealer-calibrate check --table r1 --resume",
        check,
    )
    add_bench_options(parser, device=False)


def check(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the table may open, 1 something is wrong, 2 the configuration is, 3 the station is not there."""
    from dealer_calibration.bench import run_bench
    from dealer_calibration.checking.table_check import check_table

    return run_bench(arguments, check_table)
