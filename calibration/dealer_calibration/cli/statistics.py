"""``dealer-calibrate statistics``: are the wheels and dice fair, by what was published."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG, complain

if TYPE_CHECKING:
    from dealer_calibration.statistics.health import Answer, TableHealth
    from dealer_calibration.statistics.outcomes import Export


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "statistics",
        "say whether wheels and dice are fair, by the outcomes in a journal; also beside a running daemon",
        "dealer-calibrate statistics --config /etc/dealer-station/station.toml --table r1 --html r1.html",
        statistics,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--journal", type=Path, metavar="FILE", help="the journal's file")
    source.add_argument("--config", type=Path, metavar="F", help="the station's configuration, which names the journal")
    source.add_argument(
        "--export", metavar="FILE|-", help="what `dealer-daemon journal export --json` printed; - is standard input"
    )
    parser.add_argument("--table", metavar="T", help="one table only")
    parser.add_argument(
        "--since",
        type=_since,
        metavar="TIME",
        help="only rounds decided then or later, as 2026-01-31 or 2026-01-31T20:15:00Z (UTC where it says no zone): "
        "when the wheel was last worked on or changed, not where the figures look interesting",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--html", type=Path, metavar="OUT", help="write a page with charts, over a file that is there")


def _since(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text} is no date or time: write 2026-01-31 or 2026-01-31T20:15:00Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def statistics(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 nothing to be looked at, 1 something is, or the journal is damaged, 2 wrong input, 3 the disk."""
    from dealer_calibration.journal_export import NoExportError
    from dealer_calibration.statistics.health import Health, examine
    from dealer_calibration.statistics.outcomes import BadExportError
    from dealer_calibration.statistics.page import make_page
    from dealer_calibration.statistics.words import BEGINNING_MOVES
    from dealer_daemon.config import ConfigErrors
    from dealer_drivers.whole_files import write_whole

    try:
        export = _read(arguments)
        tables = examine(export.series)
    except ConfigErrors as errors:
        return complain(str(errors), WRONG)
    except NoExportError as error:
        return complain(error.text, error.code)
    except BadExportError as error:
        return complain(str(error), WRONG)
    except OSError as error:
        return complain(f"{arguments.export}: cannot be read: {error.strerror or error}", WRONG)
    if arguments.html is not None:
        try:
            write_whole(
                arguments.html,
                make_page(tables, datetime.now(UTC), beginning_moves=export.beginning_moves),
                replace=True,
            )
        except OSError as error:
            return complain(f"{arguments.html}: cannot be written: {error.strerror or error}", WRONG)
    if arguments.json:
        said = {"beginning_moves": export.beginning_moves, "tables": [_as_json(table) for table in tables]}
        print(json.dumps(said, ensure_ascii=False))
    else:
        _show(tables)
        if export.beginning_moves:
            print(BEGINNING_MOVES)
    worrying = (Health.LOOK_AT_IT, Health.CALL_TECHNICIAN)
    return NO if any(table.health in worrying for table in tables) else DONE


def _read(arguments: argparse.Namespace) -> Export:
    from dealer_calibration.journal_export import export_of, journal_of
    from dealer_calibration.statistics.outcomes import BadExportError, read_outcomes

    table, since = arguments.table, arguments.since
    if arguments.export is not None:
        if arguments.export == "-":
            found = read_outcomes(sys.stdin.buffer, table, since)
        else:
            with Path(arguments.export).open("rb") as lines:
                found = read_outcomes(lines, table, since)
        if not found.rows:
            raise BadExportError(
                f"{arguments.export}: is empty: export with `dealer-daemon journal export FILE --json`"
            )
        return found
    with export_of(arguments.journal or journal_of(arguments.config), table) as lines:
        return read_outcomes(lines, table, since)


def _as_json(table: TableHealth) -> dict[str, Any]:
    return {
        "table": table.table,
        "game": table.game,
        "wheel": table.wheel,
        "rounds": table.rounds,
        "first": table.first.isoformat(),
        "last": table.last.isoformat(),
        "first_sequence": table.first_sequence,
        "health": table.health,
        "p_value": table.p_value,
        "questions": [_answer_as_json(answer) for answer in table.answers],
        "left_out": list(table.left_out),
    }


def _answer_as_json(answer: Answer) -> dict[str, Any]:
    return {
        "name": answer.question.name,
        "what": answer.question.what,
        "health": answer.health,
        "p_value": answer.p_value,
        "draws": answer.draws,
        "draws_needed": answer.needed,
        "smallest_bias": answer.smallest_bias,
        "bias_of": answer.question.watched_label,
        "one_look": None if answer.figures is None else asdict(answer.figures),
        "cells": list(answer.question.labels),
        "counts": answer.counts.tolist(),
    }


def _show(tables: list[TableHealth]) -> None:
    from rich.table import Table

    from dealer_calibration.statistics.words import VERDICTS, bias, percent, stands_out
    from dealer_drivers.console import console as plain_console

    console = plain_console()
    if not tables:
        console.print("no outcome of a wheel or of dice")
    for table in tables:
        wheel = "" if table.wheel is None else f", wheel {table.wheel[:19]}"
        said = f"{table.table} ({table.game}{wheel}): {VERDICTS[table.health][0]}; p {percent(table.p_value)}, "
        console.print(
            f"{said}{table.rounds} rounds since {table.first:%Y-%m-%d %H:%M} UTC", highlight=False, markup=False
        )
        grid = Table(box=None, pad_edge=False)
        for column in ("question", "verdict", "p", "counted", "enough from", "seen with 80 % power", "stands out"):
            grid.add_column(column, overflow="fold")
        for answer in table.answers:
            grid.add_row(
                answer.question.name,
                VERDICTS[answer.health][0],
                percent(answer.p_value),
                str(answer.draws),
                str(answer.needed),
                bias(answer),
                stands_out(answer),
            )
        console.print(grid)
        for each in table.left_out:
            console.print(f"not asked: {each}", highlight=False, markup=False)
