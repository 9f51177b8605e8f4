"""What is kept of a table's results for its board: a fold over committed events. Pure.

Outcomes add a play, corrections change one, and a round that is void never was one. The roads need every hand of a
shoe: where one may be missing that is kept, too, until the next shoe.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dealer_daemon.events import (
    Event,
    EventsLost,
    Facts,
    OutcomeCorrected,
    RoundOutcome,
    ShoeBegan,
    ShoeEnded,
)

KEPT_PLAYS = 500
"""Results kept, and folded anew at a start: more than any shoe has hands, and enough for a share to mean something."""

FOLDED = tuple(sorted(cls.type for cls in (EventsLost, OutcomeCorrected, RoundOutcome, ShoeBegan, ShoeEnded)))
"""The types of the events that change a board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One result that stands. ``sequence`` is of the outcome, or of its newest correction."""

    sequence: int
    round: str | None
    facts: Facts
    shoe_id: str | None = None
    hand_in_shoe: int | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeKept:
    """The shoe in play, or the last one. ``whole``: all its results are among the plays."""

    id: str
    whole: bool
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """See the module. ``plays`` of ``game`` alone, oldest first, at most ``KEPT_PLAYS``; ``with_shoe`` where its board
    is of a shoe. ``sequence`` and ``wall_ns`` (Unix) are of the newest event that is in it."""

    game: str
    with_shoe: bool = False
    plays: tuple[Play, ...] = ()
    shoe: ShoeKept | None = None
    sequence: int = 0
    wall_ns: int | None = None


def keep(kept: Kept, events: Iterable[Event]) -> Kept:
    """After ``events`` of the table, in order. Others than those of ``FOLDED`` change nothing, and give ``kept``."""
    for event in events:
        after = _after(kept, event)
        kept = kept if after is kept else replace(after, sequence=event.sequence, wall_ns=event.wall_ns)
    return kept


def _after(kept: Kept, event: Event) -> Kept:
    match event.data:
        case RoundOutcome() as data if data.game == kept.game:
            return _with(kept, _play(event, data))
        case OutcomeCorrected() as data if data.game == kept.game:
            return _corrected(kept, event, data)
        case ShoeBegan() as data if kept.with_shoe:
            return replace(kept, shoe=ShoeKept(id=data.shoe_id, whole=data.hand_in_shoe == 0))
        case ShoeEnded() as data if kept.shoe is not None and kept.shoe.id == data.shoe_id:
            return replace(kept, shoe=replace(kept.shoe, over=True))
        case EventsLost() as data if data.from_sequence == 1:
            # Given up: servers may know others under these numbers.
            return replace(kept, plays=(), shoe=None)
        case EventsLost() if kept.shoe is not None:
            return replace(kept, shoe=replace(kept.shoe, whole=False))
        case _:
            return kept


def _play(event: Event, data: RoundOutcome) -> Play:
    return Play(
        sequence=event.sequence,
        round=event.subject,
        facts=data.facts,
        shoe_id=data.shoe_id,
        hand_in_shoe=data.hand_in_shoe,
    )


def _with(kept: Kept, play: Play) -> Kept:
    shoe = kept.shoe
    if shoe is None and kept.with_shoe and play.shoe_id is not None:
        shoe = ShoeKept(id=play.shoe_id, whole=False)  # it began before what is still known
    plays = (*kept.plays, play)
    gone, plays = plays[:-KEPT_PLAYS], plays[-KEPT_PLAYS:]
    if shoe is not None and any(one.shoe_id == shoe.id for one in gone):
        shoe = replace(shoe, whole=False)
    return replace(kept, plays=plays, shoe=shoe)


def _corrected(kept: Kept, event: Event, data: OutcomeCorrected) -> Kept:
    """By what it replaces: an outcome, or the correction before this one."""
    for at, play in enumerate(kept.plays):
        if play.sequence == data.replaces:
            now = replace(play, sequence=event.sequence, facts=data.facts, corrected=True)
            return replace(kept, plays=(*kept.plays[:at], now, *kept.plays[at + 1 :]))
    return kept
