"""``dealer-daemon demo``: the main job in one command, without devices, without root."""

from __future__ import annotations

import argparse

from dealer_daemon.cli.common import Subcommands, add_command, positive
from dealer_daemon.cli.exit_codes import DONE, INTERRUPTED, NO, UNREACHABLE, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "demo",
        "show the main job: simulated devices of every kind of table, an embedded broker, the station, and its "
        "outcomes as servers see them",
        "dealer-daemon demo --seconds 60 --speed 4",
        demo,
    )
    parser.add_argument(
        "--seconds", type=positive, metavar="N", help="end N seconds after all is up (default: at Ctrl-C)"
    )
    parser.add_argument(
        "--speed",
        type=positive,
        default=4.0,
        metavar="X",
        help="times real speed (default: 4); over 4 without the tables that a camera reads",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the simulated devices (default: 1)")
    parser.add_argument(
        "--broker",
        choices=("auto", "mosquitto", "amqtt"),
        default="auto",
        help="the embedded broker (default: mosquitto where it is installed, else amqtt)",
    )


def demo(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 shown, 1 no outcome came or the journal does not verify, 3 a part did not start, 130 interrupted
    before there was an outcome."""
    from rich.console import Console

    from dealer_daemon.demo.show import DemoFailed, Ending, show

    try:
        ending = show(arguments.seconds, arguments.speed, arguments.seed, arguments.broker, Console())
    except DemoFailed as error:
        return complain(str(error), UNREACHABLE)
    return {Ending.SHOWN: DONE, Ending.FAILED: NO, Ending.INTERRUPTED: INTERRUPTED}[ending]
