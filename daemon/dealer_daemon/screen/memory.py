"""What a service manager goes back to: the newest outcomes, and what led to them and to the round in play.

A fold over committed events, of a bounded size. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptUnconfirmed,
    CardCorrected,
    CardDrawn,
    CardExpected,
    Event,
    Facts,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    Violation,
)
from dealer_daemon.screen.sight import Sight

MOST_ENDED = 12
"""Outcomes that can be corrected at the screen; older ones over MQTT."""
MOST_EVIDENCE = 60
"""Of one round: the newest."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A round with an outcome, as it stands now."""

    sequence: int
    """Of the outcome, or of the newest correction: what the next one replaces."""
    round: str
    game: str
    facts: Facts
    wall_ns: int
    corrected: bool = False
    evidence: tuple[str, ...] = ()
    cards: Mapping[str, str] = {}
    """At a card table, by position."""
    expects: tuple[Facts, ...] = ()
    """What the server said of the hand."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """See the module. Of the round in play: ``evidence`` is what events named, ``kept`` what they must not name yet."""

    begun: bool = False
    """Its beginning was seen: of a round from before what is folded the cards are not all known, so none is said."""
    evidence: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    cards: Mapping[str, str] = {}
    expects: tuple[Facts, ...] = ()
    ended: tuple[Ended, ...] = ()
    """The newest first."""


def remember(before: Memory, events: Iterable[Event]) -> Memory:
    """What is kept after ``events``, in order."""
    for event in events:
        before = _after(before, event)
    return before


def _after(kept: Memory, event: Event) -> Memory:
    match event.data:
        case RoundOpened():
            return Memory(ended=kept.ended, begun=True)
        case RoundVoided():
            return Memory(ended=kept.ended)
        case AttemptRefused() | AttemptHeld() | Violation() as data:
            return _named(replace(kept, kept=_newest(kept.kept, data.kept)), data.evidence)
        case AttemptUnconfirmed() as data:
            return _named(kept, data.evidence)
        case CardDrawn() as data if event.subject is not None:
            return _named(replace(kept, cards={**kept.cards, data.position: data.card}), data.evidence)
        case CardCorrected() as data:
            return replace(kept, cards={**kept.cards, data.position: data.card})
        case CardExpected() as data:
            return replace(kept, expects=(*kept.expects, data.args))
        case RoundOutcome() as data:
            ended = Ended(
                sequence=event.sequence,
                round=event.subject or "",
                game=data.game,
                facts=data.facts,
                wall_ns=event.wall_ns,
                evidence=_newest(kept.evidence, data.evidence),
                cards=kept.cards if kept.begun else {},
                expects=kept.expects if kept.begun else (),
            )
            return Memory(ended=(ended, *kept.ended)[:MOST_ENDED])
        case OutcomeCorrected() as data:
            return replace(kept, ended=tuple(_corrected(one, event, data) for one in kept.ended))
        case _:
            return kept


def _named(kept: Memory, evidence: Iterable[str]) -> Memory:
    return replace(kept, evidence=_newest(kept.evidence, evidence))


def _newest(before: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))[-MOST_EVIDENCE:]


def _corrected(one: Ended, event: Event, data: OutcomeCorrected) -> Ended:
    if one.round != event.subject:
        return one
    return replace(one, sequence=event.sequence, facts=data.facts, corrected=True, cards=data.cards or one.cards)


def may_be_seen(sight: Sight, memory: Memory) -> dict[str, str]:
    """The evidence that a service manager may look at, and of which round it is.

    Of the round in play none while betting is open. After that what its events named; what they kept back for the
    betting alone, too, but not at a card table, where a card may be withheld for longer.
    """
    seen = {name: one.round for one in reversed(memory.ended) for name in one.evidence}
    current = sight.state.round
    if current is not None and current.betting == "closed":
        kept = memory.kept if sight.face.procedure is None else ()
        seen |= dict.fromkeys((*memory.evidence, *kept), current.id)
    return seen
