"""Outcomes out of the lines of ``dealer-daemon journal export --json``: the last word on each round, in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

OUTCOME, CORRECTED = "round.outcome", "outcome.corrected"
BEGINNING, _REMOVED = "journal.begun", b'"removed_through"'
"""The first line of an export, and what it has where retention removed rows."""
_TYPES = {f'"{word}"'.encode(): word for word in (OUTCOME, CORRECTED, BEGINNING)}


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
    time: datetime
    data: _Data


def read_outcomes(lines: Iterable[bytes], table: str | None = None, since: datetime | None = None) -> Export:
    """The outcomes in an export, by table and game, of one ``table`` or all, decided at ``since`` or later.

    Exports that overlap may follow each other: an event that comes twice counts once. A correction takes the place of
    what it replaces, whenever it was made. Raises ``BadExportError``.
    """
    decoder = msgspec.json.Decoder(_Line)
    found: dict[tuple[str, int], _Line] = {}
    cut: list[bool] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not line.startswith(b"{"):
            raise BadExportError(
                f"line {number} is no JSON object: export with `dealer-daemon journal export FILE --json`"
            )
        # A journal has some ten lines an outcome: only those are decoded.
        if not any(word in line for word in _TYPES):
            continue
        try:
            word = _type(line)
            row = decoder.decode(line) if word in (OUTCOME, CORRECTED) else None
        except msgspec.MsgspecError as error:
            raise BadExportError(f"line {number} is no row of a journal's export: {error}; export it again") from error
        if word == BEGINNING:
            cut.append(_REMOVED in line)
        if row is None or table not in (None, row.table):
            continue
        key = (row.table, row.sequence)
        if found.setdefault(key, row) != row:
            raise BadExportError(
                f"line {number}: there are two different events {row.sequence} of table {row.table}: "
                "give the exports of one station and one journal at a time"
            )
    oldest = min((row.time for row in found.values()), default=None)
    moves = bool(cut) and all(cut) and (since is None or oldest is None or oldest > since)
    return Export(tuple(_series([found[key] for key in sorted(found)], since)), moves)


def _type(line: bytes) -> str | None:
    """Which of the three it is; ``None`` for what only speaks of one (a command, a person's text)."""
    head = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    word = _TYPES.get(bytes(head.get("type", b"")))
    kind = b'"journal"' if word == BEGINNING else b'"event"'
    return word if bytes(head.get("kind", b"")) == kind else None


def _series(rows: list[_Line], since: datetime | None) -> list[Series]:
    """``rows`` by table and then by sequence."""
    standing: dict[tuple[str, int], Outcome] = {}
    games: dict[tuple[str, int], str] = {}
    first: dict[tuple[str, int], tuple[str, int]] = {}
    for row in rows:
        key = (row.table, row.sequence)
        if row.type == OUTCOME:
            first[key] = key
            standing[key] = Outcome(row.sequence, row.time, row.data.facts)
            games[key] = row.data.game
            continue
        if row.data.replaces is None:
            raise BadExportError(
                f"event {row.sequence} of table {row.table} does not say what it replaces; export it again"
            )
        # A correction replaces the newest: an outcome, or the correction before it.
        origin = first.get((row.table, row.data.replaces))
        if origin is not None:  # else retention took the outcome, or it is of another export
            first[key] = origin
            standing[origin] = Outcome(origin[1], standing[origin].time, row.data.facts)
    by_game: dict[tuple[str, str], list[Outcome]] = {}
    for key, outcome in standing.items():
        if since is None or outcome.time >= since:
            by_game.setdefault((key[0], games[key]), []).append(outcome)
    return [Series(table, game, tuple(outcomes)) for (table, game), outcomes in by_game.items()]
