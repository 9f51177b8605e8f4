"""The shadow's own results out of a journal's export, and why there was none where there was none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

OUTCOME = "round.outcome"
_WHY = frozenset({"attempt.refused", "attempt.held", "violation", "round.voided", "table.paused", "device.faulted"})
"""Events that say why a round gave no result, or not at once."""


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
    """Something that kept a result back. ``text`` is for a person."""

    time: datetime
    sequence: int
    type: str
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """What a table did, in the order of its events."""

    table: str
    game: str
    outcomes: tuple[Ours, ...]
    whys: tuple[Why, ...]


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


def read_shadow(lines: Iterable[bytes], table: str, *, any_table: bool = False) -> Shadow:
    """What ``table`` did by the lines of ``dealer-daemon journal export --json``.

    ``any_table`` takes one that is no shadow, too. Raises ``NotShadow`` and ``BadExport``.
    """
    outcomes: dict[int, Ours] = {}
    whys: dict[int, Why] = {}
    game, shadow, seen = "", False, False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            head = msgspec.json.decode(line, type=_Head)
            if head.kind != "event" or not _wanted(head.type):
                continue
            row = msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError as error:
            raise BadExport(
                f"line {number} is no row of a journal's export ({error}): make it with "
                "`dealer-daemon journal export FILE --json`"
            ) from error
        if row.table != table:
            continue
        seen, data = True, row.data
        if row.type == "table.started":
            shadow, game = data.shadow, data.game or game
        elif row.type == OUTCOME:
            facts, evidence = data.facts or {}, tuple(data.evidence)
            outcomes[row.sequence] = Ours(row.time, row.sequence, row.subject, facts, data.attempts, evidence)
        else:
            reason = data.reason or f"{data.device}: {data.fault}"
            text = f"{reason}: {data.detail}" if data.detail else reason
            whys[row.sequence] = Why(row.time, row.sequence, row.type, text, tuple(data.evidence))
    if not seen:
        raise NotShadow(f"table {table} is not in the journal")
    if not shadow and not any_table:
        raise NotShadow(f"table {table} plays live, and is no shadow; --live compares it all the same")
    return Shadow(table, game, _in_time(outcomes.values()), _in_time(whys.values()))


def _wanted(word: str | None) -> bool:
    return word in _WHY or word in (OUTCOME, "table.started")


def _in_time(found: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(found, key=lambda one: (one.time, one.sequence)))
