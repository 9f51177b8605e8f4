"""``dealer-daemon check-config``: everything that is wrong with a configuration, at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from dealer_daemon.cli.common import Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "check-config",
        "say everything that is wrong with a configuration and the keys that it names; opens no device",
        "dealer-daemon check-config station.toml",
        check,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="F", help="the station's TOML file")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object: ok, errors (file, line, key, reason)")


def check(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 nothing is wrong: a station could start with it, 2 something is."""
    import json

    from dealer_daemon.config import ConfigErrors, load_config, report
    from dealer_daemon.station.named_files import files_check, remarks

    path = arguments.file or arguments.config
    try:
        config = load_config(path, files_check(starting=False))
    except ConfigErrors as errors:
        if arguments.json:
            print(json.dumps(report(errors.errors), ensure_ascii=False))
            return WRONG
        return complain(str(errors), WRONG)
    said = remarks(config)
    if arguments.json:
        print(json.dumps(report(()) | {"remarks": said}, ensure_ascii=False))
        return DONE
    print(f"{path}: good")
    for remark in said:
        print(f"  note: {remark}")
    for table in config.tables.values():
        for device in table.devices:
            print(f"  {table.name} ({table.game}): {device.name} = {device.driver.name} at {device.port}", end="")
            ref = None if device.calibration is None else device.calibration.ref
            calibrated = "" if ref is None else f", calibration {ref.id or ref.sha256[:19]}"
            print(f", {device.driver.maturity}{calibrated}")
    return DONE
