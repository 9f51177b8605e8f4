"""``dealer-calibrate shuffler``: a shuffler walked through its states."""

from __future__ import annotations

import argparse

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, count

STEP_S = 300
"""How long one step may take: two shuffles of eight decks."""


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "shuffler",
        "walk a shuffler through its states: a whole set, a card missing, the door",
        "dealer-calibrate shuffler --table b1 --device shuffler",
        shuffler,
    )
    add_bench_options(parser)
    parser.add_argument(
        "--step-s", type=count, default=STEP_S, metavar="S", help=f"how long a step may take, in seconds ({STEP_S})"
    )


def shuffler(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 it told everything rightly, 1 not so, 2 wrong arguments, 3 it or the station is not there."""
    from dealer_calibration.bench import BenchCommand, Result, run_bench
    from dealer_calibration.shufflers.walking import walk_through

    async def body(command: BenchCommand) -> Result:
        return await walk_through(command, step_s=arguments.step_s)

    return run_bench(arguments, body)
