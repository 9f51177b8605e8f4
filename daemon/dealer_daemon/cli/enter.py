"""``dealer-daemon enter``: a result keyed in twice, at a table without a sensor or whose sensor is in doubt."""

from __future__ import annotations

import argparse
import asyncio
import sys
import uuid
from typing import Any

import msgspec

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command, add_table, table_of
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "enter",
        "key in a result, twice, where the table has a manual-entry device",
        'dealer-daemon enter --config station.toml --table r1 --by "D. Li" --round r1-17',
        enter,
    )
    add_table(parser)
    parser.add_argument("--by", required=True, metavar="NAME", help="who keys it in")
    parser.add_argument("--round", metavar="ROUND", help="the open round (default: none is open)")


def enter(arguments: argparse.Namespace) -> int:
    """Reads the result twice from standard input, as ``number=17`` or ``dice=1,3,6``. Exit codes: 0 entered, 1 refused
    or the two differ, 2 the configuration is wrong, 3 the station does not listen."""
    from dealer_drivers.transports.listening import UNIX

    try:
        _, table = table_of(arguments)
    except CommandWrong as error:
        return complain(str(error), WRONG)
    device = next((device for device in table.devices if device.port.startswith(UNIX)), None)
    if device is None:
        return complain(f"{arguments.config}: table {table.name} has no manual-entry device", WRONG)
    entries = []
    entry_id = uuid.uuid4().hex
    prompts = ("result, such as number=17 or dice=1,3,6: ", "the same once more: ")
    for nth, prompt in enumerate(prompts, start=1):
        if sys.stdin.isatty():
            print(prompt, end="", file=sys.stderr, flush=True)
        try:
            result = parse_result(sys.stdin.readline())
        except ValueError as error:
            return complain(str(error), WRONG)
        entry = {"id": entry_id, "nth": nth, "by": arguments.by, "round": arguments.round, "result": result}
        entries.append(msgspec.json.encode(entry))
    try:
        answers = _entered(device.port.removeprefix(UNIX), entry_id, entries)
    except (OSError, TimeoutError) as error:
        return complain(f"the station does not listen at {device.port}: {error}. Does it run?", UNREACHABLE)
    if answers[-1]["state"] != "entered":
        return complain(f"{answers[-1]['state']}: {answers[-1]['reason']}", NO)
    print("entered; the table says what becomes of it")
    return DONE


def parse_result(line: str) -> dict[str, Any]:
    """``number=17`` or ``dice=1,3,6 …`` as the game's keys. Raises ``ValueError``."""
    result: dict[str, Any] = {}
    for pair in line.split():
        key, equals, value = pair.partition("=")
        if not key or not equals or not value:
            raise ValueError(f"{pair!r} is no result: write KEY=VALUE, such as number=17 or dice=1,3,6")
        result[key] = _value(key, value)
    if not result:
        raise ValueError("no result was entered: write KEY=VALUE, such as number=17 or dice=1,3,6")
    return result


def _value(key: str, value: str) -> Any:
    if key == "number":
        return value  # a text in every message: "00" is another pocket than "0"
    parts = [int(part) if part.isascii() and part.isdigit() else part for part in value.split(",")]
    return parts if len(parts) > 1 else parts[0]


def _entered(path: str, entry_id: str, entries: list[bytes]) -> list[dict[str, Any]]:
    from dealer_daemon.entering import enter_lines

    try:
        return asyncio.run(enter_lines(path, entry_id, entries))
    except ConnectionError:
        # The answer was lost, perhaps not the entry: with the same id it is entered once.
        return asyncio.run(enter_lines(path, entry_id, entries))
