"""The shadow's own results out of a journal's export, and why there was none where there was none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

OUTCOME = "round.outcome"
_WHY = frozenset({"attempt.refused", "attempt.held", "violation", "round.voided", "table.paused", "device.fault"})
"""Events that say why a round gave no result, or not at once."""
_LASTS = frozenset({"table.paused", "device.fault"})
"""Of these, reasons that last until they are said to end: the others are about one round."""
_ENDS = frozenset({"table.resumed", "device.recovered"})


class NotShadow(ValueError):  # noqa: N818
    """The table is not in the export, or is no shadow. The text says what to do."""


class BadExport(ValueError):  # noqa: N818
    """The lines are no export. The text says which."""


@dataclass(frozen=True, slots=True)
class Ours:
    """One outcome as it was first published: what a person corrected later shows what the table first said wrong."""

    time: datetime
    sequence: int
    round: str | None
    facts: dict[str, Any]
    attempts: int | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Something that kept results back. ``text`` is for a person. ``lasts``: until ``end``, or still where that is
    ``None``; else it is about one round."""

    time: datetime
    sequence: int
    type: str
    text: str
    evidence: tuple[str, ...]
    lasts: bool = False
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shadow:
    """What a table did, in the order of its events. From ``first``, its own first event, to ``last``, the newest event
    of any table of its station, it is known to have been there."""

    table: str
    game: str
    outcomes: tuple[Ours, ...]
    whys: tuple[Why, ...]
    first: datetime
    last: datetime


class _Data(msgspec.Struct):
    game: str | None = None
    facts: dict[str, Any] | None = None
    attempts: int | None = None
    evidence: list[str] = []
    reason: str | None = None
    fault: str | None = None
    device: str | None = None
    detail: str | None = None
    shadow: bool = False


class _Line(msgspec.Struct):
    type: str
    table: str
    sequence: int
    time: datetime
    data: _Data
    subject: str | None = None


class _Head(msgspec.Struct):
    kind: str
    type: str | None = None
    table: str | None = None
    time: datetime | None = None


def read_shadow(lines: Iterable[bytes], table: str, *, any_table: bool = False) -> Shadow:
    """What ``table`` did by the lines of ``dealer-daemon journal export --json``.

    ``any_table`` takes one that is no shadow, too. Raises ``NotShadow`` and ``BadExport``.
    """
    outcomes: dict[int, Ours] = {}
    whys: dict[int, Why] = {}
    open_ = _Open(whys)
    game, shadow = "", False
    first: datetime | None = None
    last: datetime | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            head = msgspec.json.decode(line, type=_Head)
            if head.kind != "event":
                continue
            if head.time is not None:
                last = head.time if last is None else max(last, head.time)
                if head.table == table:
                    first = head.time if first is None else min(first, head.time)
            if not _wanted(head.type):
                continue
            row = msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError as error:
            raise BadExport(
                f"line {number} is no row of a journal's export ({error}): make it with "
                "`dealer-daemon journal export FILE --json`"
            ) from error
        if row.table != table:
            continue
        data = row.data
        open_.heard(row)
        if row.type == "table.started":
            shadow, game = data.shadow, data.game or game
        elif row.type == OUTCOME:
            facts, evidence = data.facts or {}, tuple(data.evidence)
            outcomes[row.sequence] = Ours(row.time, row.sequence, row.subject, facts, data.attempts, evidence)
        elif row.type in _WHY:
            reason = data.reason or f"{data.device}: {data.fault}"
            text = f"{reason}: {data.detail}" if data.detail else reason
            lasts = row.type in _LASTS
            found = Why(row.time, row.sequence, row.type, text, tuple(data.evidence), lasts)
            whys[row.sequence] = found
            if lasts:
                open_.add(row)
    if first is None or last is None:
        raise NotShadow(f"table {table} is not in the journal")
    if not shadow and not any_table:
        raise NotShadow(f"table {table} plays live, and is no shadow; --live compares it all the same")
    return Shadow(table, game, _in_time(outcomes.values()), _in_time(whys.values()), first, last)


def _wanted(word: str | None) -> bool:
    return word in _WHY or word in _ENDS or word in (OUTCOME, "table.started")


class _Open:
    """Reasons that last, until they end."""

    def __init__(self, whys: dict[int, Why]) -> None:
        self._whys = whys
        self._open: dict[tuple[str | None, str | None], int] = {}
        """Sequences by device and fault; the table's pause by neither."""

    def add(self, row: _Line) -> None:
        self._open[_key(row)] = row.sequence

    def heard(self, row: _Line) -> None:
        """What ends by this row does."""
        ended: list[tuple[str | None, str | None]] = []
        if row.type == "table.started":
            ended = [key for key in self._open if key != _PAUSE]  # faults are found anew; a pause stays
        elif row.type in _ENDS or row.type == "table.paused":
            ended = [_key(row)]
        for key in ended:
            sequence = self._open.pop(key, None)
            if sequence is not None:
                self._whys[sequence] = replace(self._whys[sequence], end=row.time)


_PAUSE = (None, None)


def _key(row: _Line) -> tuple[str | None, str | None]:
    return _PAUSE if row.type.startswith("table.") else (row.data.device, row.data.fault)


def _in_time(found: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(found, key=lambda one: (one.time, one.sequence)))
