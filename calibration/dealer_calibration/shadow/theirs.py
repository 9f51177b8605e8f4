"""The other system's results: a CSV file with a time and at least one fact in each line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

TIME = "time"
_MOST_SAID = 20


class BadResultsError(ValueError):
    """The file is no list of results. The text says line by line what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Theirs:
    """One result of the other system. ``facts`` are its words, by the dotted name of the fact of ours; ``line`` is
    where it stands in the file; ``rest`` are the columns that are not compared, a round number perhaps."""

    time: datetime
    facts: Mapping[str, str]
    line: int
    rest: Mapping[str, str]


def read_results(
    lines: Iterable[str], columns: Mapping[str, str], compared: Iterable[str] | None, zone: tzinfo | None
) -> list[Theirs]:
    """The results in the order of their time.

    The first line names the columns. ``columns`` gives a column of the file another name; one must then be ``time``,
    RFC 3339 or seconds or milliseconds since 1970, and the others are dotted names of facts. ``compared`` says which
    of them are compared: all but ``time`` where it is ``None``. ``zone`` is that of times that name none. Raises
    ``BadResultsError`` with everything that is wrong.
    """
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, None)
        if not header:
            raise BadResultsError("the file is empty: its first line names the columns, as in: time,number")
        names = _names(header, columns)
        facts = _compared(names, compared)
        found, wrong = [], []
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            try:
                found.append(
                    _result(dict(zip(names, _cells(row, len(names)), strict=True)), facts, reader.line_num, zone)
                )
            except BadResultsError as error:
                wrong.append(f"line {reader.line_num}: {error}")
    except csv.Error as error:
        raise BadResultsError(f"line {reader.line_num}: is no CSV: {error}") from error
    if wrong:
        more = [f"and {len(wrong) - _MOST_SAID} lines more"] if len(wrong) > _MOST_SAID else []
        raise BadResultsError("\n".join([*wrong[:_MOST_SAID], *more]))
    return sorted(found, key=lambda one: one.time)


def _names(header: list[str], columns: Mapping[str, str]) -> list[str]:
    given = [cell.strip().removeprefix("\ufeff") for cell in header]
    absent = [name for name in columns if name not in given]
    if absent:
        raise BadResultsError(f"no column {', '.join(absent)}; the first line names: {', '.join(given)}")
    names = [columns.get(name, name) for name in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadResultsError(f"two columns are named {', '.join(twice)}")
    if TIME not in names:
        raise BadResultsError(f'no column "{TIME}"; name it with --column THEIRS={TIME}. There are: {", ".join(given)}')
    return names


def _compared(names: list[str], compared: Iterable[str] | None) -> list[str]:
    wanted = [name for name in names if name != TIME] if compared is None else list(compared)
    absent = [name for name in wanted if name not in names]
    if absent or not wanted:
        raise BadResultsError(
            f"no column {', '.join(absent)}" if absent else "no column beside the time: there is nothing to compare"
        )
    return wanted


def _cells(row: list[str], wanted: int) -> list[str]:
    if len(row) != wanted:
        raise BadResultsError(f"{len(row)} columns, {wanted} are named in the first line")
    return [cell.strip() for cell in row]


def _result(cells: Mapping[str, str], facts: list[str], line: int, zone: tzinfo | None) -> Theirs:
    absent = [name for name in facts if not cells[name]]
    if absent:
        raise BadResultsError(f"no {', '.join(absent)}; leave the line out where there was no result")
    rest = {name: cell for name, cell in cells.items() if name not in facts and name != TIME}
    return Theirs(_time(cells[TIME], zone), {name: cells[name] for name in facts}, line, rest)


def _time(text: str, zone: tzinfo | None) -> datetime:
    try:
        if text.replace(".", "", 1).isdecimal():
            seconds = float(text)
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        raise BadResultsError(f"{text!r} is no time: write 2026-01-31T20:15:00Z") from None
    if moment.tzinfo is None:
        if zone is None:
            raise BadResultsError(f"{text!r} names no zone: add one, or say it for all with --zone Asia/Shanghai")
        moment = _in_zone(text, moment, zone)
    return moment.astimezone(UTC)


def _in_zone(text: str, moment: datetime, zone: tzinfo) -> datetime:
    """The moment in that zone, where its clocks have shown it once."""
    first, second = moment.replace(tzinfo=zone, fold=0), moment.replace(tzinfo=zone, fold=1)
    if first.utcoffset() != second.utcoffset():
        raise BadResultsError(
            f"{text!r}: the clocks of {zone} were changed then and showed this hour twice or never: write times with "
            "their offset, as +01:00"
        )
    return first
