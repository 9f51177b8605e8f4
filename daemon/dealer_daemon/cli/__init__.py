"""The ``dealer-daemon`` command. Each subcommand is one module; what it needs is imported when it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata

from dealer_daemon.cli import (
    acl,
    check,
    demo,
    doctor,
    enter,
    journal,
    keys,
    people,
    record,
    reload,
    replay,
    run,
    schema,
    status,
    udev,
)
from dealer_daemon.cli.exit_codes import DONE, EXIT_CODES, INTERRUPTED, WRONG, complain
from dealer_drivers.standard_output import forget_output, output_lost

_COMMANDS = (run, check, doctor, status, reload, enter, record, replay, journal, keys, people, acl, udev, schema, demo)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; man pages and completion are made from it."""
    parser = argparse.ArgumentParser(
        prog="dealer-daemon",
        description="From a dealer table's devices to the one canonical outcome of every round.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {metadata.version('dealer-station')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and answer its exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.handler(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain about it at exit.
        forget_output()
        return DONE
    except OSError as error:
        if not output_lost(error):
            raise
        forget_output()
        return complain(f"standard output cannot be written: {error.strerror}", WRONG)
    return code


def entry() -> None:
    """The console script."""
    sys.exit(main())
