"""What several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dealer_daemon.config import Config, DeviceConfig, TableConfig

Subcommands = Any
"""argparse keeps the type of its subcommands private."""

DEFAULT_CONFIG = Path("/etc/dealer-station/station.toml")


LARGEST = 100_000.0
"""Of seconds, and of times real speed."""


def add_command(
    commands: Subcommands, name: str, help_text: str, example: str, handler: Any
) -> argparse.ArgumentParser:
    """One subcommand with its example in the help."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_text,
        description=help_text[0].upper() + help_text[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(handler=handler)
    return parser


def add_config(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """``--config F``."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="F",
        required=required,
        default=None if required else DEFAULT_CONFIG,
        help="the station's TOML file" + ("" if required else f" (default: {DEFAULT_CONFIG})"),
    )


def add_table(parser: argparse.ArgumentParser, *, device: bool = False) -> None:
    """``--config F --table T``, and ``--device D``."""
    add_config(parser)
    parser.add_argument("--table", required=True, metavar="T", help="the table of the configuration")
    if device:
        parser.add_argument("--device", required=True, metavar="D", help="the device of that table")


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and at most {LARGEST:g}")
    return value


def seconds(text: str) -> float:
    """A number of seconds, 0 or more, for argparse."""
    value = float(text)
    if not 0 <= value <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to {LARGEST:g}")
    return value


class CommandWrong(Exception):  # noqa: N818
    """What the command was given, or its configuration, is wrong. The text says what would be right."""


def table_of(arguments: argparse.Namespace) -> tuple[Config, TableConfig]:
    """The configuration and the table that ``--config`` and ``--table`` name. Raises ``CommandWrong``."""
    from dealer_daemon.config import ConfigErrors, load_config

    try:
        config = load_config(arguments.config)
    except ConfigErrors as errors:
        raise CommandWrong(str(errors)) from errors
    table = config.tables.get(arguments.table)
    if table is None:
        known = ", ".join(config.tables)
        raise CommandWrong(f"{arguments.config}: no table {arguments.table!r}; there are: {known}")
    return config, table


def device_of(arguments: argparse.Namespace, table: TableConfig, name: str) -> DeviceConfig:
    """The table's device of that name. Raises ``CommandWrong``."""
    devices = {device.name: device for device in table.devices}
    if name not in devices:
        known = ", ".join(devices)
        raise CommandWrong(f"{arguments.config}: table {table.name} has no device {name!r}; it has: {known}")
    return devices[name]
