"""``dealer-daemon udev``: udev's rules for the devices of this version, or of one PC."""

from __future__ import annotations

import argparse
from pathlib import Path

from dealer_daemon.cli.common import Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, NO, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "udev",
        "print udev's rules: those of all devices that the drivers know, or with --config those of [ports] of a file",
        "dealer-daemon udev --config station.toml > /etc/udev/rules.d/99-dealer-station-ports.rules",
        udev,
    )
    parser.add_argument("--config", type=Path, metavar="F", help="the station's TOML file")
    parser.add_argument(
        "--check", type=Path, metavar="RULES", help="say whether this file has them; print nothing else"
    )


def udev(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 printed, or the file has them; 1 the file has others; 2 the configuration is wrong."""
    from dealer_daemon.config import ConfigErrors, load_config
    from dealer_daemon.udev import general_rules, port_rules
    from dealer_drivers.driver import installed_drivers

    named = arguments.config
    try:
        text = general_rules(installed_drivers()) if named is None else port_rules(load_config(named))
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    if arguments.check is None:
        print(text, end="")
        return DONE
    try:
        same = arguments.check.read_text("utf-8") == text
    except (OSError, ValueError) as error:
        return complain(f"{arguments.check}: cannot be read: {error}", NO)
    if same:
        return DONE
    given = "" if named is None else f" --config {named}"
    how = f"dealer-daemon udev{given} > {arguments.check}; then: udevadm control --reload; udevadm trigger"
    return complain(f"{arguments.check}: has other rules than these; write them anew: {how}", NO)
