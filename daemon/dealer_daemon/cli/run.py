"""``dealer-daemon run``: the station itself."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import faulthandler
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import Subcommands, add_command, add_config, positive, seconds
from dealer_daemon.cli.exit_codes import DONE, INTERRUPTED, NO, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.config import Config
    from dealer_daemon.service.notify import Notifier
    from dealer_daemon.service.starts import Starts

STDERR = 2


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
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), help="default: the file's")
    parser.add_argument(
        "--finish-s",
        type=seconds,
        default=0.0,
        metavar="N",
        help="when told to stop, wait at most so long for spins and shakes that are under way (default: 0); "
        "told again, it stops at once",
    )
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
    from dealer_daemon.service.notify import Notifier
    from dealer_daemon.service.starts import Starts
    from dealer_daemon.station.named_files import files_check

    notifier = Notifier.from_environment()
    faulthandler.enable(file=STDERR)  # what the watchdog kills says first where it stood
    try:
        config = load_config(arguments.config, files_check(starting=True))
    except ConfigErrors as errors:
        notifier.status(f"the configuration is wrong: {errors.errors[0]}")
        return complain(str(errors), WRONG)
    configure(arguments.log_format, arguments.log_level or config.station.log_level)
    # Recordings show cards before anybody may know them: nothing that we make is for other users of this PC.
    os.umask(os.umask(0o077) | 0o027)
    folder = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    starts = Starts(Path(folder) if folder else None)
    code = asyncio.run(_run(config, arguments, notifier, starts))
    if code in (DONE, INTERRUPTED):
        starts.steady()
    return code


async def _run(config: Config, arguments: argparse.Namespace, notifier: Notifier, starts: Starts) -> int:
    from dealer_daemon.config import load_config
    from dealer_daemon.journal import JournalError, StateDirUnusable
    from dealer_daemon.people import PeopleFileError
    from dealer_daemon.round import FoldError
    from dealer_daemon.service.starts import STEADY_S
    from dealer_daemon.signing import KeyFileError
    from dealer_daemon.station import RulesChanged, ShadowChanged, Station
    from dealer_daemon.station.named_files import files_check
    from dealer_daemon.station.reload import reload
    from dealer_daemon.web import BindError
    from dealer_drivers.secret_files import CredentialMissing

    stop, hurry = asyncio.Event(), asyncio.Event()
    caught: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            hurry.set()
        caught.append(number)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    await _after_failures(starts, notifier, stop)
    steady = loop.call_later(STEADY_S, starts.steady)
    station = Station(
        config,
        clock_speed=arguments.speed,
        finish_s=arguments.finish_s,
        notifier=notifier,
        read=lambda: load_config(arguments.config, files_check(starting=True)),
        log_level_given=arguments.log_level is not None,
    )
    loop.add_signal_handler(signal.SIGHUP, reload, station)
    try:
        await station.run(stop, hurry)
    except (KeyFileError, PeopleFileError, CredentialMissing, RulesChanged, ShadowChanged, StateDirUnusable) as error:
        notifier.status(str(error))
        return complain(str(error), WRONG)
    except BindError as error:
        return complain(f"[screen] listen: {error}", WRONG)
    except (JournalError, FoldError) as error:
        notifier.status(str(error))
        return complain(str(error), NO)
    finally:
        steady.cancel()
    return INTERRUPTED if signal.SIGINT in caught else DONE


async def _after_failures(starts: Starts, notifier: Notifier, stop: asyncio.Event) -> None:
    """Wait before a start that comes after failed ones; a stop ends the wait."""
    import structlog

    from dealer_daemon.service.starts import wait_s

    failed = starts.begin()
    if (pause_s := wait_s(failed)) > 0:
        why = f"{failed} starts in a row failed; the journal of the system says why"
        notifier.status(f"waits {pause_s:g} s: {why}")
        structlog.get_logger().warning("start_waits", wait_s=pause_s, detail=why)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await stop.wait()
