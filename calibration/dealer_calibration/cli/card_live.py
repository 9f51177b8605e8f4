"""``dealer-calibrate card live``: a card window's camera, picture by picture, for focus and light."""

from __future__ import annotations

import argparse
import contextlib

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, add_live_options

HOW = (
    "lay a card in the window; turn the lens until edge_px is least and read_share is 1, then see that it stays so "
    "with cards in every place and way they may lie"
)


def add(actions: Subcommands) -> None:
    """Add the action to the ``card`` group."""
    parser = add_command(
        actions,
        "live",
        "show what a card window's camera reads and how sharp it sees, to focus it",
        "dealer-calibrate card live --table b1 --device window",
        live,
    )
    add_bench_options(parser)
    add_live_options(parser)


def live(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 shown, 2 the configuration is wrong, 3 the camera cannot be reached, 130 ended by Ctrl-C."""
    from dealer_calibration.bench import BenchCommand, BenchError, Result, run_bench
    from dealer_calibration.bench.keeping import with_own_options
    from dealer_calibration.cameras.live import live as show
    from dealer_calibration.cards.window import Window
    from dealer_drivers.codes.second_reader import NAMES, SecondReader
    from dealer_drivers.shoe.barcode_camera import BarcodeCameraOptions

    async def body(command: BenchCommand) -> Result:
        device = with_own_options(command.device)
        options = device.ready_options()
        if not isinstance(options, BarcodeCameraOptions):
            raise BenchError(
                f"device {device.name} of table {device.table} is no camera over a card window: its driver is "
                f"{device.driver.name}"
            )
        with contextlib.ExitStack() as stack:
            second = None
            if options.second_reader and options.symbology in NAMES:
                reader = stack.enter_context(SecondReader())
                reader.start()
                second = reader.read
            command.talk.say(f"{HOW}.")
            return await show(command, "card-live", Window(options, second).drawn)

    return run_bench(arguments, body, calibrated=False, keep=False)
