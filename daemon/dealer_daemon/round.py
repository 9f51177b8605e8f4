"""The state of a table, which is nothing but the fold over its events.

``apply`` is the only way a state changes; recovery after a crash folds the journal with the same function.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    AttemptUnconfirmed,
    BettingClosed,
    DeviceFaulted,
    DeviceRecovered,
    Event,
    Facts,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    TableResumed,
    TableStarted,
    Violation,
)

STATE_VERSION = 1
"""Goes up when the meaning of the state changes, so that a stored one is folded anew."""


class OpenRound(msgspec.Struct, frozen=True, kw_only=True):
    """The round in play. ``attempt`` counts from 1 and is the one under way or the next one."""

    id: str
    source: str
    betting: Literal["open", "closed"] = "open"
    attempt: int = 1
    tries: int = 0
    """Refused attempts in a row since the round began or was resumed."""
    token: int | None = None
    """The device's own counter when the round opened."""
    phase: Literal["waiting", "running", "held", "unconfirmed"] = "waiting"
    seen: Facts = {}
    """What a held or unconfirmed attempt showed."""
    witnesses: list[str] = []
    evidence: list[str] = []
    """Evidence of a held or unconfirmed attempt."""
    last_refusal: str | None = None
    server: list[Facts] = []


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The newest final outcome, corrections included."""

    sequence: int
    round: str
    facts: Facts
    token: int | None


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that must survive a crash."""

    table: str
    sequence: int = 0
    rounds: int = 0
    round: OpenRound | None = None
    paused: str | None = None
    """Why the table stands; ``None`` when it does not."""
    outcome: Outcome | None = None
    faults: dict[str, list[str]] = {}
    """Standing faults by device."""


class FoldError(ValueError):
    """An event that cannot follow on this state: the journal is not what a table wrote."""


def fold(state: TableState, events: list[Event]) -> TableState:
    """The state after all of ``events``. Raises ``FoldError``."""
    for event in events:
        state = apply(state, event)
    return state


def apply(state: TableState, event: Event) -> TableState:
    """The state after one event. Raises ``FoldError`` when it cannot follow on ``state``."""
    if event.table != state.table or event.sequence != state.sequence + 1:
        raise FoldError(f"{event.table} {event.sequence} cannot follow {state.table} {state.sequence}")
    state = msgspec.structs.replace(state, sequence=event.sequence)
    match event.data:
        case RoundOpened() as data:
            if state.round is not None:
                raise FoldError(f"round {event.subject} opened while {state.round.id} is open")
            if event.subject is None:
                raise FoldError("round.opened without a subject")
            server = [] if data.server is None else [data.server]
            opened = OpenRound(id=event.subject, source=data.source, token=data.spin, server=server)
            return msgspec.structs.replace(state, rounds=state.rounds + 1, round=opened)
        case RoundOutcome() | RoundVoided():
            return _ended(state, event)
        case TablePaused() as data:
            return msgspec.structs.replace(state, paused=data.reason)
        case TableResumed():
            return msgspec.structs.replace(state, paused=None, round=_resumed(state.round))
        case OutcomeCorrected() as data:
            if state.outcome is not None and event.subject == state.outcome.round:
                corrected = msgspec.structs.replace(state.outcome, sequence=event.sequence, facts=data.facts)
                return msgspec.structs.replace(state, outcome=corrected)
            return state
        case DeviceFaulted() as data:
            return _faults(state, data.device, lambda names: [*names, data.fault])
        case DeviceRecovered() as data:
            return _faults(state, data.device, lambda names: [name for name in names if name != data.fault])
        case TableStarted():
            return msgspec.structs.replace(state, faults={})
        case Violation():
            return state
        case _:
            return msgspec.structs.replace(state, round=_in_round(state, event))


def _resumed(current: OpenRound | None) -> OpenRound | None:
    if current is None:
        return None
    phase = "waiting" if current.phase == "running" else current.phase
    return msgspec.structs.replace(current, tries=0, phase=phase)


def _ended(state: TableState, event: Event) -> TableState:
    current = _current(state, event)
    if isinstance(event.data, RoundOutcome):
        outcome = Outcome(
            sequence=event.sequence, round=current.id, facts=event.data.facts, token=event.data.facts.get("spin")
        )
        return msgspec.structs.replace(state, round=None, outcome=outcome)
    return msgspec.structs.replace(state, round=None)


def _in_round(state: TableState, event: Event) -> OpenRound:
    current = _current(state, event)
    match event.data:
        case BettingClosed() as data:
            server = current.server if data.server is None else [*current.server, data.server]
            return msgspec.structs.replace(current, betting="closed", server=server)
        case AttemptStarted():
            return msgspec.structs.replace(current, phase="running", seen={}, evidence=[], witnesses=[])
        case AttemptRefused() as data:
            return msgspec.structs.replace(
                current,
                attempt=current.attempt + 1,
                tries=current.tries + 1,
                phase="waiting",
                seen={},
                evidence=[],
                witnesses=[],
                last_refusal=data.reason,
            )
        case AttemptHeld() as data:
            return msgspec.structs.replace(current, phase="held", seen=data.seen, evidence=data.evidence)
        case AttemptUnconfirmed() as data:
            return msgspec.structs.replace(
                current, phase="unconfirmed", seen=data.facts, evidence=data.evidence, witnesses=data.witnesses
            )
        case other:
            raise FoldError(f"{other.type} is not known to this version")


def _current(state: TableState, event: Event) -> OpenRound:
    if state.round is None or event.subject != state.round.id:
        open_one = "none" if state.round is None else state.round.id
        raise FoldError(f"{event.data.type} for round {event.subject}, but the open round is {open_one}")
    return state.round


def _faults(state: TableState, device: str, change: Any) -> TableState:
    names = change(state.faults.get(device, []))
    faults = dict(state.faults)
    faults.pop(device, None)
    if names:
        faults[device] = sorted(set(names))
    return msgspec.structs.replace(state, faults=faults)
