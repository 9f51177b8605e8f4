"""``dealer-calibrate shadow-report`` and ``shadow-listen``: a shadow table against the studio's other system."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dealer_calibration.shadow.compare import Comparison
    from dealer_calibration.shadow.ours import Shadow

WINDOW_S = 15.0
"""How far two results of one round may be apart: less than half of the fastest game's round."""


def add(commands: Subcommands) -> None:
    """Add the subcommands."""
    _add_report(commands)
    _add_listen(commands)


def _add_report(commands: Subcommands) -> None:
    parser = add_command(
        commands,
        "shadow-report",
        "compare a shadow table with the results of the studio's other system",
        "dealer-calibrate shadow-report --config station.toml --table r1-shadow --html report.html results.csv",
        report,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=Path, metavar="F", help="the station's configuration, which names the journal")
    source.add_argument("--journal", type=Path, metavar="FILE", help="the journal's file")
    source.add_argument(
        "--export", type=Path, metavar="FILE", help="what `dealer-daemon journal export --json` printed"
    )
    parser.add_argument("--table", required=True, metavar="T", help="the shadow table")
    parser.add_argument("--live", action="store_true", help="compare a table that is no shadow")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        type=_renamed,
        metavar="THEIRS=OURS",
        help="a column of the CSV is ours under another name: Ergebnis=number, at=time",
    )
    parser.add_argument("--compare", metavar="FACT,…", help="only these facts (all columns but the time)")
    parser.add_argument("--zone", metavar="ZONE", help="time zone of times that name none: Asia/Shanghai")
    parser.add_argument(
        "--window",
        type=_seconds,
        default=WINDOW_S,
        metavar="S",
        help=f"seconds that two results of one round may be apart ({WINDOW_S:g})",
    )
    parser.add_argument(
        "--offset",
        type=float,
        metavar="S",
        help="seconds by which the other system's results come later (the median of what is seen)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--html", type=Path, metavar="OUT", help="write a page, over a file that is there")
    parser.add_argument("results", type=Path, metavar="CSV", help="the other system's results; first line: time,number")


def _add_listen(commands: Subcommands) -> None:
    parser = add_command(
        commands,
        "shadow-listen",
        "write down the results that the other system publishes over MQTT, for shadow-report; ends with Ctrl-C",
        "dealer-calibrate shadow-listen mqtt://10.0.0.5:1883/old/r1/result --value number=result.number results.csv",
        listen,
    )
    parser.add_argument("topic", metavar="URL", help="mqtt://host:port/topic (mqtts with TLS); no wildcards")
    parser.add_argument(
        "--value",
        action="append",
        required=True,
        type=_renamed,
        metavar="FACT=MEMBER",
        help="a fact of ours, and the member of the message that has it: number=result.number",
    )
    parser.add_argument("--time", default=None, metavar="MEMBER", help="the member that has the time (else of arrival)")
    parser.add_argument("--username", metavar="NAME", help="the broker's user")
    parser.add_argument("--password-file", metavar="FILE", help="a file with the password")
    parser.add_argument("--ca-file", metavar="FILE", help="the certificate that signed the broker's")
    parser.add_argument("--count", type=int, metavar="N", help="end after N results")
    parser.add_argument("out", type=Path, metavar="CSV", help="where they are written; added to where it is there")


def _renamed(text: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not equals or not left or not right:
        raise argparse.ArgumentTypeError(f"{text!r}: write two names with = between them")
    return left, right


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"{text}: seconds, more than 0, at most 3600")
    return value


def report(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every round that was compared agrees and none is missed without a reason, 1 not so, or nothing
    could be compared, 2 wrong input, 3 the disk."""
    from dealer_calibration.journal_export import NoExportError
    from dealer_calibration.shadow.compare import compare
    from dealer_calibration.shadow.ours import BadExport, NotShadow
    from dealer_calibration.shadow.page import make_page
    from dealer_calibration.shadow.theirs import BadResultsError, read_results
    from dealer_daemon.config import ConfigErrors
    from dealer_drivers.whole_files import write_whole

    compared = None if arguments.compare is None else [name.strip() for name in arguments.compare.split(",")]
    try:
        zone = None if arguments.zone is None else _zone(arguments.zone)
        with arguments.results.open(encoding="utf-8-sig", newline="") as lines:
            theirs = read_results(lines, dict(arguments.column), compared, zone)
        found = compare(_shadow(arguments), theirs, window_s=arguments.window, offset_s=arguments.offset)
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    except NoExportError as error:
        return complain(error.text, error.code)
    except BadResultsError as error:
        return complain(f"{arguments.results}: {error}", WRONG)
    except UnicodeDecodeError:
        return complain(f"{arguments.results}: is not UTF-8 text; save it as UTF-8", WRONG)
    except (NotShadow, BadExport, _NoZone) as error:
        return complain(str(error), WRONG)
    except OSError as error:
        return complain(f"{error.filename}: cannot be read: {error.strerror or error}", WRONG)
    if arguments.html is not None:
        try:
            write_whole(arguments.html, make_page(found, datetime.now(UTC)), replace=True)
        except OSError as error:
            return complain(f"{arguments.html}: cannot be written: {error.strerror or error}", WRONG)
    if arguments.json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
    else:
        _show(found)
    return DONE if found.pairs and found.agree == found.pairs and not found.unexplained else NO


class _NoZone(ValueError):  # noqa: N818
    pass


def _zone(name: str) -> Any:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise _NoZone(f"--zone {name}: no such time zone: write one as Asia/Shanghai or UTC") from error


def _shadow(arguments: argparse.Namespace) -> Shadow:
    from dealer_calibration.journal_export import export_of, journal_of
    from dealer_calibration.shadow.ours import read_shadow

    if arguments.export is not None:
        with arguments.export.open("rb") as lines:
            return read_shadow(lines, arguments.table, any_table=arguments.live)
    with export_of(arguments.journal or journal_of(arguments.config), arguments.table) as lines:
        return read_shadow(lines, arguments.table, any_table=arguments.live)


def _show(found: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from dealer_calibration.shadow.words import line, verdict

    console = Console()
    for sentence in verdict(found):
        console.print(Text(sentence), soft_wrap=True)
    if found.differences:
        grid = Table(box=None, pad_edge=False)
        for column in ("time (UTC)", "what", "ours", "theirs", "evidence, or why there is none of ours"):
            grid.add_column(column, overflow="fold")
        for one in found.differences:
            grid.add_row(*map(Text, line(one)))
        console.print(grid)


def listen(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the count was reached, 2 wrong arguments, 3 the broker cannot be reached, 130 ended by a person;
    what was heard is in the file."""
    import asyncio

    from dealer_calibration.shadow.listening import RECEIVED
    from dealer_calibration.shadow.theirs import TIME
    from dealer_drivers.errors import DeviceError, FixConfigError

    wanted = {TIME: arguments.time or RECEIVED} | dict(arguments.value)
    try:
        return asyncio.run(_listen(arguments, wanted))
    except FixConfigError as error:
        return complain(str(error), WRONG)
    except DeviceError as error:
        return complain(str(error), UNREACHABLE)
    except OSError as error:
        return complain(f"{arguments.out}: cannot be written: {error.strerror or error}", WRONG)


async def _listen(arguments: argparse.Namespace, wanted: Mapping[str, str]) -> int:
    import asyncio
    from dataclasses import replace

    from dealer_calibration.shadow.listening import MOST_PAYLOAD, NoResult, columns_line, result_line
    from dealer_drivers.errors import LinkLost
    from dealer_drivers.transports.mqtt import MqttTransport, mqtt_settings
    from dealer_drivers.transports.mqtt_lines import MqttLines, MqttMessage

    base, _, last = arguments.topic.rpartition("/")
    settings = mqtt_settings(
        base,
        (last,),
        username=arguments.username,
        password_file=arguments.password_file,
        ca_file=arguments.ca_file,
    )
    transport = MqttTransport(replace(settings, most_payload=MOST_PAYLOAD))
    head = columns_line(wanted)
    with _continued(arguments.out, head) as out:
        channel = await transport.open()
        print(f"listening to {arguments.topic}; Ctrl-C ends it", file=sys.stderr, flush=True)
        heard = 0
        lines = MqttLines(4 * MOST_PAYLOAD)
        try:
            while True:
                try:
                    data = await channel.read()
                except LinkLost as error:
                    print(f"{error}; opening it again", file=sys.stderr, flush=True)
                    channel = await _opened_again(transport, channel)
                    lines.reset()
                    continue
                for message in lines.feed(data):
                    try:
                        if not isinstance(message, MqttMessage):
                            raise NoResult("it is too long")
                        out.write(result_line(message, wanted, datetime.now(UTC)))
                    except NoResult as error:
                        print(f"left out: {error}", file=sys.stderr, flush=True)
                        continue
                    out.flush()
                    heard += 1
                    if arguments.count is not None and heard >= arguments.count:
                        return DONE
                await asyncio.sleep(0)
        finally:
            await channel.close()


async def _opened_again(transport: Any, channel: Any) -> Any:
    import asyncio

    from dealer_drivers.errors import RetryableError
    from dealer_drivers.link import BackOff

    await channel.close()
    back_off = BackOff()
    while True:
        try:
            return await transport.open()
        except RetryableError:
            await asyncio.sleep(back_off.next_s())


def _continued(path: Path, head: str) -> Any:
    """The file, to be added to. Raises ``OptionError`` where it has other columns."""
    from dealer_drivers.errors import OptionError

    out = path.open("a+", encoding="utf-8", newline="")
    out.seek(0)
    first = out.readline()
    if first and first != head:
        out.close()
        raise OptionError("CSV", f"{path} has the columns {first.strip()}, not {head.strip()}: name another file")
    if not first:
        out.write(head)
        out.flush()
    return out
