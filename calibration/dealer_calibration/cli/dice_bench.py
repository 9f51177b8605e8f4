"""``dealer-calibrate dice live``, ``calibrate`` and ``check``: a table's own camera, guided."""

from __future__ import annotations

import argparse
from pathlib import Path

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, add_live_options, count

WHICH = "--table s1 --device camera"


def add(actions: Subcommands) -> None:
    """Add the actions to the ``dice`` group."""
    viewer = add_command(
        actions,
        "live",
        "show what both readers see on the camera's picture, in a browser on this machine",
        f"dealer-calibrate dice live {WHICH}",
        live,
    )
    add_bench_options(viewer)
    add_live_options(viewer)
    maker = add_command(
        actions,
        "calibrate",
        "calibrate a rig, guided: exposure, empty plate, dice, a set of shakes; kept when nothing is wrong",
        f"dealer-calibrate dice calibrate {WHICH} --by NAME",
        calibrate,
    )
    add_bench_options(maker)
    maker.add_argument("--shown", type=count, default=12, metavar="N", help="pictures of dice for the profile (12)")
    maker.add_argument("--shakes", type=count, metavar="N", help="shakes to be read and typed (60)")
    maker.add_argument(
        "--truth", type=Path, metavar="FILE", help="what the dice of each shake show, a line each, in place of typing"
    )
    maker.add_argument(
        "--circle",
        nargs=3,
        type=float,
        metavar=("X", "Y", "RADIUS"),
        help="look at this part of the picture only, in pixels; the whole picture by default",
    )
    maker.add_argument("--translucent", action="store_true", help="the plate shines through the dice")
    maker.add_argument("--patience", type=float, default=600.0, metavar="S", help="wait so long for dice to move (600)")
    checker = add_command(
        actions,
        "check",
        "say whether a rig's calibration still holds: moved, blurred, lit otherwise, dirty",
        f"dealer-calibrate dice check {WHICH}",
        check,
    )
    add_bench_options(checker)
    checker.add_argument("--no-shake", action="store_true", help="look at the empty plate alone")
    checker.add_argument("--dice", metavar="DICE", help="what the dice of the shake show, as 1-3-6, in place of typing")
    checker.add_argument("--patience", type=float, default=600.0, metavar="S", help="wait so long for a shake (600)")
    for parser in (maker, checker):
        parser.add_argument(
            "--shaker", metavar="D", help="the bench starts this shaker of the table (else a person does)"
        )


def live(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 shown, 2 the configuration is wrong, 3 the camera cannot be reached, 130 ended by Ctrl-C."""
    from dealer_calibration.bench import BenchCommand, Result, run_bench
    from dealer_calibration.cameras.live import live as show
    from dealer_calibration.dice_rig.checked import reader_or_none
    from dealer_calibration.dice_rig.draw import drawn, drawn_still
    from dealer_calibration.dice_rig.guide import plan_of

    async def body(command: BenchCommand) -> Result:
        reader = reader_or_none(command)
        dice = plan_of(command, shown=0, shakes=0).dice
        if reader is None:
            command.talk.say("no calibration: the strict rules for any camera are shown", warn=True)
        return await show(
            command,
            "dice-live",
            lambda picture: drawn_still(picture, dice) if reader is None else drawn(picture, reader),
        )

    return run_bench(arguments, body, calibrated=False, keep=False)


def calibrate(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 kept, 1 something is wrong and nothing was kept, 2 the configuration is wrong, 3 the camera cannot
    be reached, 130 interrupted."""
    from dealer_calibration.bench import BenchCommand, BenchError, Result, run_bench
    from dealer_calibration.cameras.camera import camera_taken
    from dealer_calibration.cameras.truth import read_truth
    from dealer_calibration.dice_rig import guide
    from dealer_calibration.dice_rig.shaker import shaker_taken
    from dealer_calibration.dice_rig.shakes import SHAKES, truth_of
    from dealer_drivers.dice.profile import Circle

    async def body(command: BenchCommand) -> Result:
        truth = None
        if arguments.truth is not None:
            truth = read_truth(arguments.truth, truth_of)
        shakes = arguments.shakes or (SHAKES if truth is None else len(truth))
        if truth is not None and len(truth) < shakes:
            raise BenchError(f"--truth {arguments.truth}: has {len(truth)} shakes, --shakes asks for {shakes}")
        x_y_radius = arguments.circle
        plan = guide.plan_of(
            command,
            shown=arguments.shown,
            shakes=shakes,
            region=None if x_y_radius is None else Circle(x=x_y_radius[0], y=x_y_radius[1], radius=x_y_radius[2]),
            translucent=arguments.translucent,
            truth=truth,
            patience_s=arguments.patience,
        )
        async with camera_taken(command) as camera, shaker_taken(command, arguments.shaker) as shaker:
            return command.judged(await guide.calibrate(command, camera, plan, shaker))

    return run_bench(arguments, body, calibrated=False, keep=False)


def check(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 it holds, 1 it does not, 2 the configuration is wrong, 3 the camera cannot be reached, 130
    interrupted."""
    from dealer_calibration.bench import BenchCommand, BenchError, Result, run_bench
    from dealer_calibration.cameras.camera import camera_taken
    from dealer_calibration.dice_rig import checked
    from dealer_calibration.dice_rig.shaker import shaker_taken
    from dealer_calibration.dice_rig.shakes import typed_dice

    async def body(command: BenchCommand) -> Result:
        try:
            typed = "unasked" if arguments.dice is None else typed_dice(arguments.dice)
        except ValueError as error:
            raise BenchError(f"--dice: {error}") from error
        profile = checked.rig_of(command)
        async with camera_taken(command) as camera, shaker_taken(command, arguments.shaker) as shaker:
            found = await checked.check(
                command,
                camera,
                profile,
                shake=not arguments.no_shake,
                typed=typed,
                patience_s=arguments.patience,
                shaker=shaker,
            )
            return command.judged(found)

    return run_bench(arguments, body, keep=False)
