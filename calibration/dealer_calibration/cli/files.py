"""``dealer-calibrate files``: the calibrations of a device; look at them, go back, take one in."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG, complain

if TYPE_CHECKING:
    from dealer_drivers.calibration import CalibrationStore

DEFAULT_CONFIG = Path("/etc/dealer-station/station.toml")
RESTART = "the station takes it up when it is started again"


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("files", help="the calibrations of a device: list, show, diff, rollback, import")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    which = "--table r1 --device camera"
    _action(actions, "list", "list what is kept of a device", f"dealer-calibrate files list {which}", list_)
    shown = _action(
        actions, "show", "show a calibration", f"dealer-calibrate files show {which} 0007-20260114T093000Z", show
    )
    shown.add_argument("id", nargs="?", default="current", metavar="ID", help="the calibration (the current one)")
    differ = _action(
        actions, "diff", "say key by key how two calibrations differ", f"dealer-calibrate files diff {which}", diff
    )
    differ.add_argument("before", nargs="?", metavar="BEFORE", help="the one before AFTER where it is not given")
    differ.add_argument("after", nargs="?", default="current", metavar="AFTER", help="the current one")
    back = _action(
        actions,
        "rollback",
        "let an earlier calibration count again",
        f"dealer-calibrate files rollback {which}",
        rollback,
    )
    back.add_argument("--to", metavar="ID", help="this one; else the one before the current one")
    taken = _action(
        actions,
        "import",
        "keep files that were made before, or by hand, as a calibration",
        f"dealer-calibrate files import {which} --driver sicbo-camera --kind dice-rig --by NAME rig.json rig.plate.png",
        import_,
    )
    taken.add_argument("--driver", required=True, metavar="D", help="the device's driver")
    taken.add_argument("--kind", required=True, metavar="K", help="what is calibrated: dice-rig, bean-cloth, …")
    taken.add_argument("--by", required=True, metavar="NAME", help="who answers for it")
    taken.add_argument("--serial", metavar="S", help="serial number of the device it was made with, where known")
    taken.add_argument("file", type=Path, metavar="FILE", help="the profile, the wheel's file, or values as JSON")
    taken.add_argument("beside", nargs="*", type=Path, metavar="BESIDE", help="files that FILE needs beside it")


def _action(
    actions: Subcommands, name: str, help_text: str, example: str, handler: Callable[..., int]
) -> argparse.ArgumentParser:
    parser = add_command(actions, name, help_text, example, _told(handler))
    parser.add_argument("--config", type=Path, metavar="F", help=f"the station's TOML file (default: {DEFAULT_CONFIG})")
    parser.add_argument(
        "--dir", type=Path, metavar="D", help="the folder of calibrations, instead of the station's own"
    )
    parser.add_argument("--table", required=True, metavar="T", help="the table")
    parser.add_argument("--device", required=True, metavar="D", help="the device of that table")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _told(handler: Callable[[CalibrationStore, argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The handler with the store that is meant. Exit codes of all: 0 done, 1 a calibration cannot be used, 2 the
    configuration or a file cannot be read or written."""

    def run(arguments: argparse.Namespace) -> int:
        from dealer_calibration.calibration_place import WrongPlace
        from dealer_daemon.config import ConfigErrors, calibrations_of
        from dealer_drivers.calibration import CalibrationError, CalibrationStore

        try:
            if arguments.dir:
                store = CalibrationStore(arguments.dir)
            else:
                store = calibrations_of(arguments.config or DEFAULT_CONFIG)
            return handler(store, arguments)
        except (ConfigErrors, WrongPlace) as error:
            return complain(str(error), WRONG)
        except CalibrationError as error:
            for problem in error.problems:
                complain(f"{error.path}: {problem}", NO)
            return NO
        except OSError as error:
            return complain(f"{error.filename or arguments.dir or ''}: {error.strerror or error}", WRONG)

    return run


def list_(store: CalibrationStore, arguments: argparse.Namespace) -> int:
    """Every calibration, the newest first; one that cannot be used says why."""
    from dealer_calibration.calibration_files import Line, lines, pointer_problem
    from dealer_calibration.calibration_place import see_device

    found = lines(store, arguments.table, arguments.device)
    if not found and (config := _config(arguments)) is not None:
        see_device(config, arguments.table, arguments.device)
    if arguments.json:
        for line in found:
            print(json.dumps(line.as_json(), ensure_ascii=False))
    elif not found:
        print(f"{store.folder(arguments.table, arguments.device)}: no calibration yet")
    else:
        show_rows([Line.COLUMNS, *(line.cells() for line in found)])
    problem = pointer_problem(store, arguments.table, arguments.device)
    if problem is not None:
        return complain(problem, NO)
    return NO if any(line.problems for line in found) else DONE


def show(store: CalibrationStore, arguments: argparse.Namespace) -> int:
    """The calibration's envelope and where it is."""
    import msgspec

    found = store.load(arguments.table, arguments.device, arguments.id)
    said = {"folder": str(found.folder), "sha256": found.sha256} | msgspec.to_builtins(found.envelope)
    print(json.dumps(said, ensure_ascii=False, indent=None if arguments.json else 2))
    return DONE


def diff(store: CalibrationStore, arguments: argparse.Namespace) -> int:
    """What is different from the first to the second."""
    from dealer_calibration.calibration_files import one_before
    from dealer_drivers.calibration.compare import changes

    table, device = arguments.table, arguments.device
    after = store.load(table, device, arguments.after)
    before = store.load(table, device, arguments.before or one_before(store, table, device, after.id))
    found = changes(before, after)
    if arguments.json:
        said = [{"key": one.key, "before": one.before, "after": one.after} for one in found]
        print(json.dumps({"before": before.id, "after": after.id, "changes": said}, ensure_ascii=False))
    elif found:
        print(f"from {before.id} to {after.id}")
        show_rows([("key", "before", "after"), *((one.key, _shown(one.before), _shown(one.after)) for one in found)])
    else:
        print(f"{before.id} and {after.id} say the same")
    return DONE


def rollback(store: CalibrationStore, arguments: argparse.Namespace) -> int:
    """Another calibration counts from the station's next start on."""
    from dealer_calibration.calibration_files import one_before, pointer_problem

    table, device = arguments.table, arguments.device
    if arguments.to is None and (problem := pointer_problem(store, table, device)) is not None:
        return complain(problem, NO)
    wanted = arguments.to or one_before(store, table, device, store.current(table, device))
    before = store.choose(table, device, wanted)
    now = store.current(table, device)
    if arguments.json:
        print(json.dumps({"before": before, "current": now}))
    else:
        print(f"{now} counts instead of {before or 'none'}: {RESTART}")
    return DONE


def import_(store: CalibrationStore, arguments: argparse.Namespace) -> int:
    """A new calibration from files that are there. They are checked as the station will check them."""
    from dealer_calibration.calibration_files import BadImport, take_in
    from dealer_calibration.calibration_place import see_place

    config = _config(arguments)
    if config is not None:
        see_place(config, arguments.table, arguments.device, arguments.driver, arguments.kind)
    try:
        made = take_in(
            store,
            table=arguments.table,
            device=arguments.device,
            driver_name=arguments.driver,
            kind=arguments.kind,
            by=arguments.by,
            serial=arguments.serial,
            file=arguments.file,
            beside=arguments.beside,
        )
    except BadImport as error:
        return complain(str(error), NO)
    if arguments.json:
        checked = None if config is None else str(config)
        said = {"id": made.id, "sha256": made.sha256, "folder": str(made.folder), "checked_against": checked}
        print(json.dumps(said))
        return DONE
    print(f"{made.folder}: kept, and current: {RESTART}")
    if config is None:
        print(
            f"NOT checked: whether a station has this device; there is no {DEFAULT_CONFIG}, and no --config was given"
        )
    else:
        print(f"checked: {config} has this device with this driver, and its table takes a {arguments.kind}")
    return DONE


def _config(arguments: argparse.Namespace) -> Path | None:
    """The configuration to compare with: the one that is given, or the station's where there is one."""
    given: Path | None = arguments.config
    return given or (DEFAULT_CONFIG if DEFAULT_CONFIG.exists() else None)


def _shown(value: Any) -> str:
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def show_rows(rows: list[tuple[str, ...]]) -> None:
    """A grid, the first row its head."""
    from rich.table import Table
    from rich.text import Text

    from dealer_drivers.console import console

    grid = Table(box=None, pad_edge=False)
    for column in rows[0]:
        grid.add_column(column, overflow="fold", no_wrap=column == "id")
    for row in rows[1:]:
        grid.add_row(*map(Text, row))
    console().print(grid)
