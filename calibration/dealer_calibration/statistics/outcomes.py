"""Outcomes out of the lines of ``dealer-daemon journal export --json``: the last word on each round, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

OUTCOME, CORRECTED = "round.outcome", "outcome.corrected"
BEGINNING, _REMOVED = "journal.begun", b'"removed_through"'
"""The first line of an export, and what it has where retention removed rows."""
LOST = "events.lost"
"""Beginning with 1: a person gave up all before it, and went on with another copy of the journal (`journal adopt`)."""
_TYPES = {f'"{word}"'.encode(): word for word in (OUTCOME, CORRECTED, BEGINNING, LOST)}


class BadExportError(ValueError):
    """The lines are no export of one station, or an outcome in them is none. The text says which, and what to do."""


@dataclass(frozen=True)
class Outcome:
    """The facts that stand for a round, a correction counted in, and when the round was decided."""

    sequence: int
    time: datetime
    facts: dict[str, Any]


@dataclass(frozen=True)
class Series:
    """All outcomes of a table in one game, in the order of their sequence."""

    table: str
    game: str
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Export:
    """What was read of one or several exports."""

    series: tuple[Series, ...]
    beginning_moves: bool
    """Retention took older rounds than these and will take more: each look begins at another one. Then the chances of
    a false alarm hold for each beginning, and not over all looks together."""
    rows: int = 0
    """Rows of whatever kind."""


class _Data(msgspec.Struct):
    game: str
    facts: dict[str, Any]
    replaces: int | None = None


class _Line(msgspec.Struct):
    """What is read of a line; its other members are left alone."""

    kind: Literal["event"]
    type: str
    table: str
    sequence: int
    time: Annotated[datetime, msgspec.Meta(tz=True)]
    """With its zone: times without one cannot be compared with it."""
    data: _Data


class _GivenUp(msgspec.Struct):
    from_sequence: int
    to_sequence: int


class _LostLine(msgspec.Struct):
    table: str
    data: _GivenUp


class _Row(msgspec.Struct):
    """What every line of an export has."""

    kind: Literal["event", "command", "anchor", "journal", "evidence"]
    type: str


@dataclass(slots=True)
class _Held:
    """A row, and the exports that it is in, a bit for each."""

    row: _Line
    exports: int


@dataclass
class _Rows:
    """The outcomes and corrections of several exports. Two copies of a journal may have different events under one
    number, up to the last that was given up: all were played."""

    given_up: dict[str, int] = field(default_factory=dict)
    found: dict[tuple[str, int], list[_Held]] = field(default_factory=dict)
    """By table and sequence: each event that has it."""
    twice: dict[tuple[str, int], int] = field(default_factory=dict)
    """Where there are two: the line of the second."""

    def add(self, row: _Line, export: int, number: int) -> None:
        """A row of the export that began as the ``export``-th, on that line."""
        there = self.found.setdefault((row.table, row.sequence), [])
        for known in there:
            if known.row == row:
                known.exports |= 1 << export
                return
            if known.exports & 1 << export:
                raise _two_events(row.table, row.sequence, number)
        if there:
            self.twice.setdefault((row.table, row.sequence), number)
        there.append(_Held(row, 1 << export))

    def see_that_they_fit(self) -> None:
        """Raises ``BadExportError`` for two events under a number that nobody gave up."""
        for (table, sequence), number in self.twice.items():
            if sequence > self.given_up.get(table, 0):
                raise _two_events(table, sequence, number)

    def in_order(self) -> Iterator[_Held]:
        """By table, then by sequence, then as they came."""
        for key in sorted(self.found):
            yield from self.found[key]


def _two_events(table: str, sequence: int, number: int) -> BadExportError:
    return BadExportError(
        f"line {number}: there are two different events {sequence} of table {table}: "
        "give the exports of one station and one journal at a time"
    )


def read_outcomes(lines: Iterable[bytes], table: str | None = None, since: datetime | None = None) -> Export:
    """The outcomes in an export, by table and game, of one ``table`` or all, decided at ``since`` or later.

    Exports that overlap may follow each other: an event that comes twice counts once. Where a journal was adopted in
    between, the events that were given up and those that have their numbers now both count: both were played. A
    correction takes the place of what it replaces, whenever it was made. Raises ``BadExportError``.
    """
    decoder, rows, export, count = msgspec.json.Decoder(_Line), _Rows(), 0, 0
    cut: list[bool] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        _see_that_it_is_a_row(line, number, first=not count)
        count += 1
        # A journal has some ten lines an outcome: only those are decoded.
        if not any(word in line for word in _TYPES):
            continue
        try:
            word = _type(line)
            row = decoder.decode(line) if word in (OUTCOME, CORRECTED) else None
            lost = msgspec.json.decode(line, type=_LostLine) if word == LOST else None
        except msgspec.MsgspecError as error:
            raise BadExportError(f"line {number} is no row of a journal's export: {error}; export it again") from error
        if word == BEGINNING:
            cut.append(_REMOVED in line)
            export += 1
        if lost is not None and lost.data.from_sequence == 1:
            rows.given_up[lost.table] = max(lost.data.to_sequence, rows.given_up.get(lost.table, 0))
        if row is not None and table in (None, row.table):
            rows.add(row, export, number)
    rows.see_that_they_fit()
    ordered = list(rows.in_order())
    oldest = min((each.row.time for each in ordered), default=None)
    moves = bool(cut) and all(cut) and (since is None or oldest is None or oldest > since)
    return Export(tuple(_series(ordered, since)), moves, count)


def _see_that_it_is_a_row(line: bytes, number: int, *, first: bool) -> None:
    """That it may be a row of an export; of the first all that every row has."""
    how = "export with `dealer-daemon journal export FILE --json`"
    if not line.startswith(b"{"):
        raise BadExportError(f"line {number} is no JSON object: {how}")
    if b'"kind"' not in line:
        raise BadExportError(f"line {number} is no row of a journal's export: it has no kind; {how}")
    if first:
        try:
            msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError as error:
            raise BadExportError(f"line {number} is no row of a journal's export: {error}; {how}") from error


def _type(line: bytes) -> str | None:
    """Which of ``_TYPES`` it is; ``None`` for what only speaks of one (a command, a person's text)."""
    head = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    word = _TYPES.get(bytes(head.get("type", b"")))
    kind = b'"journal"' if word == BEGINNING else b'"event"'
    return word if bytes(head.get("kind", b"")) == kind else None


def _series(rows: list[_Held], since: datetime | None) -> list[Series]:
    """``rows`` by table and then by sequence."""
    standing: dict[int, Outcome] = {}
    games: dict[int, tuple[str, str]] = {}
    first: dict[tuple[str, int], list[tuple[int, int]]] = {}
    """By table and sequence: exports, and the place in ``standing`` of the outcome that a correction of it replaces."""
    for place, each in enumerate(rows):
        row = each.row
        places = first.setdefault((row.table, row.sequence), [])
        if row.type == OUTCOME:
            places.append((each.exports, place))
            standing[place] = Outcome(row.sequence, row.time, row.data.facts)
            games[place] = (row.table, row.data.game)
            continue
        if row.data.replaces is None:
            raise BadExportError(
                f"event {row.sequence} of table {row.table} does not say what it replaces; export it again"
            )
        # A correction replaces the newest: an outcome, or the correction before it.
        origin = _origin(first.get((row.table, row.data.replaces), ()), each.exports)
        if origin is not None:  # else retention took the outcome, or it is of another export
            places.append((each.exports, origin))
            before = standing[origin]
            standing[origin] = Outcome(before.sequence, before.time, row.data.facts)
    by_game: dict[tuple[str, str], list[Outcome]] = {}
    for place, outcome in standing.items():
        if since is None or outcome.time >= since:
            by_game.setdefault(games[place], []).append(outcome)
    return [Series(table, game, tuple(outcomes)) for (table, game), outcomes in by_game.items()]


def _origin(places: Iterable[tuple[int, int]], exports: int) -> int | None:
    """Which of the outcomes of that number a correction is of: the one in an export that it is in, or the only one."""
    mine = {place for of, place in places if of & exports}
    found = mine or {place for _, place in places}
    return found.pop() if len(found) == 1 else None
