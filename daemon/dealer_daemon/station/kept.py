"""The state of a table as it is kept when the events that led to it are gone.

A snapshot of another ``STATE_VERSION`` is thrown away and folded anew. A kept state cannot be: its events are gone. So
whoever raises ``STATE_VERSION`` adds a step here that makes the older form into the newer one; where only fields with
defaults were added, the step changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from dealer_daemon.journal import Journal, JournalTooNew, Snapshot
from dealer_daemon.round import STATE_VERSION, TableState

FIRST_KEPT = 6
"""The ``STATE_VERSION`` of the first program that removed events."""

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]

UPGRADES: Mapping[int, Upgrade] = {
    6: lambda body: body,  # whose pause it is was not kept: a service manager ends it
    7: lambda body: body,  # when a card was read last was not kept: a start in a hand is a long gap
    8: lambda body: body,  # when the open round was opened, and asked about, was not kept: any answer is one
    9: lambda body: body,  # what a person said was misread, and by which rules was played, was not kept: none is known
    10: lambda body: body,  # which alerts stood, and what had expired, was not kept: what stands is raised anew
    11: lambda body: body,  # what the shoe had said of a hand, and still had to say, was not kept: it is not compared
}
"""From a version to the next one: every version from ``FIRST_KEPT`` up to the one before ``STATE_VERSION``."""


def snapshot_of(state: TableState) -> Snapshot:
    """The state as the journal keeps it."""
    return Snapshot(state.table, state.sequence, msgspec.json.encode(state), STATE_VERSION)


def kept_state(journal: Journal, table: str) -> TableState:
    """The state after the table's last event that is gone; the empty state when none is.

    Raises ``JournalTooNew`` when it is of a version that this program does not know, and ``JournalDamaged``.
    """
    kept = journal.kept_state(table)
    if kept is None:
        return TableState(table=table)
    return upgraded(kept, UPGRADES, STATE_VERSION)


def upgraded(kept: Snapshot, upgrades: Mapping[int, Upgrade], wanted: int) -> TableState:
    """The state of a snapshot, step by step in the form of version ``wanted``. Raises ``JournalTooNew``."""
    body: dict[str, Any] = msgspec.json.decode(kept.body)
    for version in range(kept.state_version, wanted):
        body = upgrades[version](body)
    if kept.state_version > wanted:
        raise JournalTooNew(
            f"the state of table {kept.table} after event {kept.sequence} was kept by a newer version of "
            f"dealer-station (its form is {kept.state_version}, known up to {wanted}). Install that version, or a "
            "newer one"
        )
    return msgspec.convert(body, type=TableState)
