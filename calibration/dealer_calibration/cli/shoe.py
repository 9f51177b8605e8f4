"""``dealer-calibrate shoe`` and ``card check``: a reader proved on a whole shoe or deck."""

from __future__ import annotations

import argparse

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, count


def add(commands: Subcommands) -> None:
    """Add ``shoe``."""
    parser = add_command(
        commands,
        "shoe",
        "pass a whole shoe through its reader: every card seen, how many at the first pass, which not",
        "dealer-calibrate shoe --table b1 --device shoe",
        check_shoe,
    )
    _add_options(parser, "the table's")


def add_card_check(actions: Subcommands) -> None:
    """Add ``card check``."""
    parser = add_command(
        actions,
        "check",
        "pass a deck through a reader: every card seen, misreads, codes exchanged in the code book",
        "dealer-calibrate card check --table b1 --device scanner --sorted",
        check_deck,
    )
    _add_options(parser, "1")


def _add_options(parser: argparse.ArgumentParser, usual: str) -> None:
    add_bench_options(parser)
    parser.add_argument("--decks", type=count, metavar="N", help=f"how many decks pass ({usual})")
    parser.add_argument(
        "--sorted",
        action="store_true",
        help="they pass in order: ace to king of spades, hearts, clubs, diamonds, deck after deck; only so are codes "
        "that are exchanged in the code book found",
    )


def check_shoe(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every card was read well, 1 not so, 2 wrong arguments, 3 the reader or the station is not there."""
    from dealer_calibration.bench import BenchCommand, Result, run_bench
    from dealer_calibration.cards.passing import pass_pile
    from dealer_calibration.shufflers.walking import decks_of

    async def body(command: BenchCommand) -> Result:
        decks = arguments.decks or decks_of(command.device.game, command.device.settings)
        return await pass_pile(command, "shoe", decks, in_order=arguments.sorted)

    return run_bench(arguments, body, calibrated=False)


def check_deck(arguments: argparse.Namespace) -> int:
    """Exit codes as of ``check_shoe``."""
    from dealer_calibration.bench import BenchCommand, Result, run_bench
    from dealer_calibration.cards.passing import pass_pile

    async def body(command: BenchCommand) -> Result:
        return await pass_pile(command, "card-check", arguments.decks or 1, in_order=arguments.sorted)

    return run_bench(arguments, body, calibrated=False)
