"""``dealer-daemon reload``: the running station reads its configuration again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dealer_daemon.cli.common import Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "reload",
        "let the running station read its configuration again; says key by key what counts and what needs a restart",
        "dealer-daemon reload --config station.toml",
        reload,
    )
    add_config(parser)
    parser.add_argument("--state-dir", type=Path, metavar="D", help="the state directory, instead of --config")
    parser.add_argument("--json", action="store_true", help="print a JSON object: ok, applied, refused, errors")


def reload(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 all of it counts, 1 something needs a restart, 2 the configuration is wrong and the station goes
    on by the old one, 3 no daemon answers."""
    import asyncio
    import json

    from dealer_daemon.config import ConfigErrors
    from dealer_daemon.config.outline import state_dir_in
    from dealer_daemon.station.control import DaemonUnreachable, ask_daemon

    try:
        # A file with errors in it is the station's to complain of; here it only says where the station is.
        state_dir = arguments.state_dir or state_dir_in(arguments.config)
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    try:
        answer = asyncio.run(ask_daemon(state_dir, "reload"))
    except DaemonUnreachable as error:
        return complain(str(error), UNREACHABLE)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        _show(answer)
    if answer["errors"]:
        return WRONG
    return DONE if answer["ok"] else NO


def _show(answer: dict[str, Any]) -> None:
    for error in answer["errors"]:
        complain(error, WRONG)
    if answer["errors"]:
        complain("nothing was taken up: the station goes on by the configuration that it has", WRONG)
        return
    for one in answer["applied"]:
        print(f"{one['key']}: was {one['was']}, is {one['now']} from {one['since']} on")
    for one in answer["refused"]:
        print(f"{one['key']}: not taken up: {one['reason']}")
    if not answer["applied"] and not answer["refused"]:
        print("nothing has changed")
