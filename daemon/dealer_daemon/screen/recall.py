"""What a screen keeps of the newest events beside the table's state: the words of the last refusal and of the pause.

A fold like the state's own, over committed events; never more than a handful of texts. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    AttemptUnconfirmed,
    CardDrawn,
    CardWithheld,
    EntryAllowed,
    Event,
    HandSkipped,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    TableResumed,
    Violation,
)

ENOUGH = 200
"""Events from before the start that are looked at: what is kept is of the round in play and the one before."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """What ``attempt.refused`` said, without its evidence."""

    sequence: int
    reason: str
    remedy: str
    detail: str
    position: str | None
    figures: dict[str, int | float]


class Recall(msgspec.Struct, frozen=True, kw_only=True):
    """See the module."""

    refused: Refused | None = None
    """The last refusal, until what it asks for was done."""
    violation: str | None = None
    """The reason of the newest violation, until the table goes on, or the game does."""
    paused_for: str = ""
    """The sentence of the pause that stands."""
    void: str | None = None
    """The reason of the newest void, until the next round."""
    played: str | None = None
    """The game of the newest outcome: a table may play another since."""
    skipped: str | None = None
    """Why the hand in progress gives no result."""


def recall(before: Recall, events: Iterable[Event]) -> Recall:
    """What is kept after ``events``, in order."""
    for event in events:
        before = _after(before, event)
    return before


def _after(kept: Recall, event: Event) -> Recall:
    match event.data:
        case AttemptRefused() as data:
            refused = Refused(
                sequence=event.sequence,
                reason=data.reason,
                remedy=data.remedy,
                detail=data.detail,
                position=data.position,
                figures=data.figures,
            )
            return replace(kept, refused=refused)
        case CardDrawn() | CardWithheld() | AttemptStarted() | AttemptUnconfirmed() | AttemptHeld() | EntryAllowed():
            return replace(kept, refused=None, violation=None)
        case RoundOpened():
            return replace(kept, refused=None, violation=None, void=None, skipped=None)
        case RoundOutcome() as data:
            return replace(kept, refused=None, violation=None, void=None, played=data.game)
        case RoundVoided() as data:
            return replace(kept, refused=None, void=data.reason)
        case HandSkipped() as data:
            return replace(kept, skipped=data.reason)
        case Violation() as data:
            return replace(kept, violation=data.reason)
        case TablePaused() as data:
            return replace(kept, paused_for=data.detail)
        case TableResumed():
            return replace(kept, paused_for="", violation=None)
        case _:
            return kept
