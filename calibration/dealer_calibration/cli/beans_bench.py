"""``dealer-calibrate beans live``, ``calibrate`` and ``check``: a table's own camera, guided."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_calibration.cli.bench_options import add_bench_options
from dealer_calibration.cli.common import Subcommands, add_command, add_live_options, count

if TYPE_CHECKING:
    from dealer_calibration.bench import BenchCommand
    from dealer_calibration.cameras.figures import Bgr
    from dealer_drivers.beans.profile import BeansProfile

WHICH = "--table f1 --device beans"


def add(actions: Subcommands, add_how: Any) -> None:
    """Add the actions to the ``beans`` group. ``add_how``: adds the options of how beans are laid out."""
    viewer = add_command(
        actions,
        "live",
        "show what both readings see on the camera's picture, in a browser on this machine",
        f"dealer-calibrate beans live {WHICH}",
        live,
    )
    add_bench_options(viewer)
    add_live_options(viewer)
    maker = add_command(
        actions,
        "calibrate",
        "calibrate a camera over beans, guided: exposure, empty cloth, counted layouts; kept when nothing is wrong",
        f"dealer-calibrate beans calibrate {WHICH} --by NAME",
        calibrate,
    )
    add_bench_options(maker)
    add_how(maker)
    maker.add_argument("--pictures", type=count, default=4, metavar="N", help="layouts for the profile (4)")
    maker.add_argument("--layouts", type=count, default=10, metavar="N", help="layouts to be read and counted (10)")
    maker.add_argument(
        "--truth", type=Path, metavar="FILE", help="how many beans lie in each layout, a line each, in place of typing"
    )
    checker = add_command(
        actions,
        "check",
        "say whether a cloth's calibration still holds: moved, blurred, lit otherwise, dirty",
        f"dealer-calibrate beans check {WHICH}",
        check,
    )
    add_bench_options(checker)
    checker.add_argument("--no-layout", action="store_true", help="look at the empty cloth alone")
    checker.add_argument("--beans", metavar="N", help="how many beans lie in the layout, in place of typing")
    for parser in (maker, checker):
        parser.add_argument(
            "--patience", type=float, default=600.0, metavar="S", help="wait so long for each layout (600)"
        )


def live(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 shown, 2 the configuration is wrong, 3 the camera cannot be reached, 130 ended by Ctrl-C."""
    from dealer_calibration.bean_cloth.draw import drawn
    from dealer_calibration.bench import Result, run_bench
    from dealer_calibration.cameras.live import live as show

    async def body(command: BenchCommand) -> Result:
        _quiet_s(command)
        profile = None if command.device.options is None else _profile(command)
        if profile is None:
            command.talk.say("no calibration: focus and light alone are shown", warn=True)
        return await show(command, "beans-live", lambda picture: drawn(picture, profile))

    return run_bench(arguments, body, calibrated=False, keep=False)


def calibrate(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 kept, 1 something is wrong and nothing was kept, 2 the configuration is wrong, 3 the camera cannot
    be reached, 130 interrupted."""
    from dealer_calibration.bean_cloth import guide
    from dealer_calibration.bean_cloth.layouts import counts_of
    from dealer_calibration.bench import BenchError, Result, run_bench
    from dealer_calibration.cameras.camera import camera_taken
    from dealer_calibration.cameras.truth import read_truth

    async def body(command: BenchCommand) -> Result:
        if arguments.pictures < guide.PICTURES_LEAST:
            raise BenchError(f"--pictures: {guide.PICTURES_LEAST} or more are needed")
        counts = None
        if arguments.truth is not None:
            counts = read_truth(arguments.truth, counts_of)
            wanted = arguments.pictures + arguments.layouts
            if len(counts) < wanted:
                raise BenchError(f"--truth {arguments.truth}: has {len(counts)} layouts, {wanted} are asked for")
        how = {key: getattr(arguments, key) for key in ("region", "rows", "line", "columns", "stack")}
        plan = guide.Plan(
            pictures=arguments.pictures,
            layouts=arguments.layouts,
            how=how,
            counts=counts,
            quiet_s=_quiet_s(command),
            patience_s=arguments.patience,
        )
        async with camera_taken(command) as camera:
            return command.judged(await guide.calibrate(command, camera, plan))

    return run_bench(arguments, body, calibrated=False, keep=False)


def check(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 it holds, 1 it does not, 2 the configuration is wrong, 3 the camera cannot be reached, 130
    interrupted."""
    from dealer_calibration.bean_cloth import guide
    from dealer_calibration.bean_cloth.layouts import counted_of
    from dealer_calibration.bench import BenchError, Result, run_bench
    from dealer_calibration.cameras.camera import camera_taken

    async def body(command: BenchCommand) -> Result:
        try:
            counted: int | str | None = "unasked" if arguments.beans is None else counted_of(arguments.beans)
        except ValueError as error:
            raise BenchError(f"--beans: {error}") from error
        quiet_s = _quiet_s(command)
        profile, cloth = _profile(command), _cloth(command)
        plan = guide.Plan(pictures=0, layouts=1, quiet_s=quiet_s, patience_s=arguments.patience)
        async with camera_taken(command) as camera:
            found = await guide.check(
                command, camera, profile, cloth, plan, layout=not arguments.no_layout, counted=counted
            )
            return command.judged(found)

    return run_bench(arguments, body, keep=False)


def _quiet_s(command: BenchCommand) -> float:
    """How long nothing may have moved, by the device's options. Raises ``BenchError`` for another device."""
    from dealer_calibration.bean_cloth.guide import KIND
    from dealer_calibration.bench import BenchError
    from dealer_calibration.cameras.camera import quiet_s

    device = command.device
    slot = device.driver.calibration
    if slot is None or slot.kind != KIND:
        raise BenchError(
            f"device {device.name} of table {device.table} is no camera over beans: its driver is {device.driver.name}"
        )
    return quiet_s(command)


def _profile(command: BenchCommand) -> BeansProfile:
    """The profile that the station would use. Raises ``BenchError``."""
    from dealer_calibration.bench import BenchError
    from dealer_drivers.beans.bean_camera import BeanCameraOptions
    from dealer_drivers.beans.camera_reader import find_profile
    from dealer_drivers.beans.profile import BadProfile

    options = command.device.ready_options()
    assert isinstance(options, BeanCameraOptions)
    try:
        return find_profile(options.profile)
    except BadProfile as error:
        raise BenchError(str(error)) from error


def _cloth(command: BenchCommand) -> Bgr | None:
    """The picture of the empty cloth; ``None`` where the calibration has none. Raises ``BenchError``."""
    from dealer_calibration.bean_cloth.guide import CLOTH
    from dealer_calibration.bench import BenchError
    from dealer_calibration.picture_files import bytes_of, picture_of_file

    calibration = command.device.calibration
    if calibration is None or CLOTH not in calibration.envelope.files:
        return None
    path = calibration.file(CLOTH)
    picture = picture_of_file(bytes_of(path))
    if picture is None:
        raise BenchError(f"{path}: is no picture: roll back, or calibrate again")
    return picture
