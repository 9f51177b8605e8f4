"""``dealer-calibrate roulette``: a roulette wheel's settings, sensors, laps and pockets, with a technician."""

from __future__ import annotations

import argparse

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, count

STEPS = ("settings", "self-test", "direction", "spins", "pockets")


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "roulette",
        "check and calibrate a roulette wheel: settings, sensors, laps, pockets",
        'dealer-calibrate roulette --table r1 --device wheel --by "A. Technician"',
        roulette,
    )
    add_bench_options(parser)
    parser.add_argument(
        "--step",
        action="append",
        choices=STEPS,
        help="this step alone; may be given more than once (default: all but pockets)",
    )
    parser.add_argument(
        "--spins",
        type=count,
        metavar="N",
        help="spins whose laps you count (default: 10, and 30 where laps are estimated)",
    )
    parser.add_argument("--most-spins", type=count, default=300, metavar="N", help="for --step pockets (default 300)")
    parser.add_argument(
        "--new-settings", action="store_true", help="the wheel was set anew: its parameters become the accepted set"
    )


def roulette(arguments: argparse.Namespace) -> int:
    """Exit codes: those of every guided command (``run_bench``)."""
    from dealer_calibration.bench import run_bench
    from dealer_calibration.roulette.command import run_roulette

    return run_bench(arguments, run_roulette, calibrated=False)
