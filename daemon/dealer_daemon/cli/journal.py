"""``dealer-daemon journal``: verify and export, also beside a running daemon."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain
from dealer_daemon.cli.journal_adopt import add_adopt
from dealer_daemon.cli.journal_checks import HeadNotSigned, add_checks, checks_of
from dealer_daemon.cli.journal_salvage import add_salvage
from dealer_drivers.instant import Instant


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser(
        "journal", help="verify or export a journal, also beside a running daemon; go on after a loss"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    checker = add_command(
        actions,
        "verify",
        "check that every row is what was written, and that none is missing",
        "dealer-daemon journal verify /var/lib/dealer-station/journal.sqlite3",
        verify,
    )
    checker.add_argument("file", type=Path, metavar="F", help="the journal's file")
    checker.add_argument("--json", action="store_true", help="print the report as a JSON object")
    add_checks(checker)
    add_salvage(actions)
    add_adopt(actions)
    exporter = add_command(
        actions,
        "export",
        "print the events in order",
        "dealer-daemon journal export /var/lib/dealer-station/journal.sqlite3 --json > events.jsonl",
        export,
    )
    exporter.add_argument("file", type=Path, metavar="F", help="the journal's file")
    exporter.add_argument(
        "--json", action="store_true", help="print every row as one JSON line with all that is hashed"
    )
    exporter.add_argument("--table", metavar="T", help="one table only")
    exporter.add_argument("--evidence", action="store_true", help="with --json: the raw frames too, in base64")


def verify(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 good, 1 not as it was written, 2 no such file, 3 the disk fails."""
    from dealer_daemon.cli.progress import progress
    from dealer_daemon.journal import JournalTooNew, JournalUnavailable, JournalUnreadable, verify_file

    try:
        checks = checks_of(arguments)
    except CommandWrong as error:
        return complain(str(error), WRONG)
    except HeadNotSigned as error:
        return complain(str(error), NO)
    try:
        with progress("verifying", enabled=not arguments.json) as advance:
            report = verify_file(arguments.file, advance, checks.expected, checks.signature, checks.signed_from)
    except (JournalUnreadable, JournalTooNew) as error:
        return complain(str(error), WRONG)
    except JournalUnavailable as error:
        return complain(str(error), UNREACHABLE)
    if arguments.json:
        print(json.dumps({"ok": report.ok, **asdict(report)}))
        return DONE if report.ok else NO
    for problem in report.problems:
        place = "" if problem.row is None else f"row {problem.row}: "
        print(f"{place}{problem.what}: {problem.action}", file=sys.stderr)
    if report.problems_not_listed:
        print(f"and {report.problems_not_listed} more", file=sys.stderr)
    events = ", ".join(f"{table} {count}" for table, count in report.events.items()) or "none"
    print(f"{arguments.file}: {'good' if report.ok else 'NOT as it was written'}")
    print(f"  rows {report.rows}, events: {events}, commands {report.commands}, evidence {report.evidence}")
    if report.removed_through:
        date = Instant(0, report.removed_wall_ns).rfc3339()[:10]
        print(f"  rows 1 to {report.removed_through} were removed by retention, the last of them on {date}")
    print(f"  head {report.head.row}:{report.head.hash}")
    if checks.signature is not None:
        print(f"  signatures checked {report.signed}, with {checks.compared}")
    return DONE if report.ok else NO


def export(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 done, 1 damaged, 2 no such file, 3 the disk fails."""
    from dealer_daemon.journal import (
        JournalDamaged,
        JournalTooNew,
        JournalUnavailable,
        JournalUnreadable,
        export_file,
    )

    try:
        for line in export_file(arguments.file, arguments.table, evidence=arguments.evidence):
            if arguments.json:
                print(json.dumps(line, ensure_ascii=False))
            elif line["kind"] == "event":
                data = json.dumps(line["data"], ensure_ascii=False)
                print(f"{line['time']}  {line['table']} {line['sequence']:>6}  {line['type']:<20} {data}")
    except (JournalUnreadable, JournalTooNew) as error:
        return complain(str(error), WRONG)
    except JournalDamaged as error:
        return complain(str(error), NO)
    except JournalUnavailable as error:
        return complain(str(error), UNREACHABLE)
    return DONE
