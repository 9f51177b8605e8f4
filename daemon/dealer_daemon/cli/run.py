"""``dealer-daemon run``: the station itself."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal

from dealer_daemon.cli.common import Subcommands, add_command, add_config, positive
from dealer_daemon.cli.exit_codes import DONE, INTERRUPTED, NO, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "run",
        "run the station until it is told to stop (SIGTERM, or Ctrl-C)",
        "dealer-daemon run --config /etc/dealer-station/station.toml",
        run,
    )
    add_config(parser, required=True)
    parser.add_argument(
        "--log-format", choices=("auto", "json", "text", "journald"), default="auto", help="default: auto"
    )
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="info")
    parser.add_argument(
        "--speed",
        type=positive,
        default=1.0,
        metavar="X",
        help="run the station's clock X times faster, for simulated devices that do; never with real ones",
    )


def run(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 stopped, 1 the journal refuses, 2 the configuration is wrong, 130 interrupted."""
    from dealer_daemon.config import ConfigErrors, load_config
    from dealer_daemon.log import configure
    from dealer_daemon.station.named_files import files_check

    try:
        config = load_config(arguments.config, files_check(starting=True))
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    configure(arguments.log_format, arguments.log_level)
    # Recordings show cards before anybody may know them: nothing that we make is for other users of this PC.
    os.umask(os.umask(0o077) | 0o027)
    return asyncio.run(_run(config, arguments.speed))


async def _run(config: object, speed: float) -> int:
    from dealer_daemon.config import Config
    from dealer_daemon.journal import JournalError, StateDirUnusable
    from dealer_daemon.round import FoldError
    from dealer_daemon.signing import KeyFileError
    from dealer_daemon.station import RulesChanged, ShadowChanged, Station
    from dealer_daemon.web import BindError
    from dealer_drivers.secret_files import CredentialMissing

    assert isinstance(config, Config)
    stop = asyncio.Event()
    caught: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        caught.append(number)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    try:
        await Station(config, clock_speed=speed).run(stop)
    except (KeyFileError, CredentialMissing, RulesChanged, ShadowChanged, StateDirUnusable) as error:
        return complain(str(error), WRONG)
    except BindError as error:
        return complain(f"[screen] listen: {error}", WRONG)
    except (JournalError, FoldError) as error:
        return complain(str(error), NO)
    return INTERRUPTED if signal.SIGINT in caught else DONE
