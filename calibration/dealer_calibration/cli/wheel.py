"""``dealer-calibrate wheel``: a colour wheel's zero, map, friction and encoder, measured with a technician."""

from __future__ import annotations

import argparse

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, count

STEPS = ("friction", "segments", "zero")


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "wheel",
        "calibrate a colour wheel: friction, encoder, segments, zero",
        'dealer-calibrate wheel --table w1 --device encoder --by "A. Technician"',
        wheel,
    )
    add_bench_options(parser)
    parser.add_argument(
        "--step",
        action="append",
        choices=STEPS,
        help="this step alone; may be given more than once. What is not measured stays as in the accepted file",
    )
    parser.add_argument("--spins", type=count, default=4, metavar="N", help="free spins to measure (default 4)")
    parser.add_argument(
        "--set-zero", action="store_true", help="first let the encoder take the place of segment 0 as its zero"
    )
    parser.add_argument(
        "--new-map", action="store_true", help="the wheel was rebuilt: do not hold the map against the accepted file"
    )
    parser.add_argument("--name", metavar="NAME", help="the wheel's name in its file (default: as accepted)")


def wheel(arguments: argparse.Namespace) -> int:
    """Exit codes: those of every guided command (``run_bench``)."""
    from dealer_calibration.bench import run_bench
    from dealer_calibration.wheel.command import run_wheel

    return run_bench(arguments, run_wheel, calibrated=False)
