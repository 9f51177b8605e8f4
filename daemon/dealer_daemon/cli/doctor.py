"""``dealer-daemon doctor``: whether this PC is fit for a station, and how to mend what is not."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import DEFAULT_CONFIG, Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.doctor import Finding

STATION_USER = "dealer"


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "doctor",
        "look whether this PC is fit for a station, and say how to mend what is not; opens no device, changes nothing",
        "dealer-daemon doctor --config /etc/dealer-station/station.toml",
        doctor,
    )
    add_config(parser)
    parser.add_argument(
        "--user",
        metavar="U",
        help=f"whose rights are looked at (default: {STATION_USER} where root asks and he is there; else yours)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each finding")


def doctor(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 nothing is wrong (warnings are none), 1 something is, 2 the configuration is wrong, 3 a device or
    the broker does not answer, and nothing else is wrong."""
    from dealer_daemon.config import ConfigErrors, load_config
    from dealer_daemon.doctor import Machine, examine
    from dealer_daemon.doctor.machine import this_user, user_named
    from dealer_daemon.log import configure
    from dealer_daemon.station.named_files import files_check

    user = this_user()
    if arguments.user is not None or user.uid == 0:
        found = user_named(arguments.user or STATION_USER)
        if found is None and arguments.user is not None:
            return complain(f"--user {arguments.user}: there is no such user here", WRONG)
        user = found or user
    config = None
    if arguments.config != DEFAULT_CONFIG or DEFAULT_CONFIG.exists():
        try:
            config = load_config(arguments.config, files_check(starting=False))
        except ConfigErrors as errors:
            return complain(str(errors), WRONG)
    else:
        complain(f"{DEFAULT_CONFIG} is not there: only the PC itself is looked at", DONE)
    configure("text", "critical")  # what the broker's client says to a log is in the finding
    return _tell(examine(config, Machine(user=user)), as_json=arguments.json)


def _tell(findings: Iterable[Finding], *, as_json: bool) -> int:
    import json

    import msgspec
    from rich.text import Text

    from dealer_daemon.doctor import State
    from dealer_drivers.console import console

    colours = {State.GOOD: "green", State.WARNING: "yellow", State.UNKNOWN: "yellow"}
    out, states = console(highlight=False), set()
    for finding in findings:
        states.add(finding.state)
        if as_json:
            print(json.dumps(msgspec.to_builtins(finding), ensure_ascii=False), flush=True)
            continue
        out.print(Text(f"{finding.state:<12}", style=colours.get(finding.state, "red")), end="")
        out.print(Text(f"{finding.check}: {finding.what}"), soft_wrap=True)
        if finding.mend:
            out.print(Text(f"{'':<12}  → {finding.mend}"), soft_wrap=True)
    if State.WRONG in states:
        return NO
    return UNREACHABLE if State.UNREACHABLE in states else DONE
