"""The hand in play as its procedure sees it: from the folded steps to what is due, and what may be known."""

from __future__ import annotations

from collections.abc import Sequence

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    Due,
    Early,
    ExpectStep,
    Facts,
    GateStep,
    History,
    Procedure,
)
from dealer_daemon.state import OpenRound, Step, TableState
from dealer_daemon.validation.card import Lies, unit_text
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings.shoe import CardRead

SHUFFLED_S = 5.0
"""Nobody gathers the cards of a hand, shuffles the deck and passes one of them over a reader so soon after the hand, or
after the card that was read last. An assumption of ours: by hand and by machine it takes several times as long."""


def history_of(steps: Sequence[Step]) -> History:
    """The procedure's history of a round's steps."""
    return tuple(_step(step) for step in steps)


def _step(step: Step) -> CardStep | GateStep | ExpectStep:
    if step.position is not None and step.card is not None:
        return CardStep(step.position, Card.parse(step.card))
    if step.gate is not None:
        return GateStep(step.gate)
    return ExpectStep(step.expect or {})


def lying(steps: Sequence[Step]) -> list[Lies]:
    """The cards of the round, in order."""
    return [
        Lies(step.position, step.card, step.unit)
        for step in steps
        if step.position is not None and step.card is not None
    ]


def due(procedure: Procedure, steps: Sequence[Step]) -> Due:
    """What must come next."""
    return procedure.due(history_of(steps))


def known(procedure: Procedure, steps: Sequence[Step]) -> Facts:
    """The facts that servers may know: those of the cards that are not withheld."""
    return procedure.seen(history_of([step for step in steps if not step.withheld]))


def must_withhold(current: OpenRound, wanted: CardDue) -> bool:
    """The card for this position may be read now, and must not be known yet."""
    if wanted.reveal_gate is not None and wanted.reveal_gate not in _opened(current.steps):
        return True
    return current.betting == "open" and wanted.early is Early.WITHHOLD


def to_reveal(procedure: Procedure, steps: Sequence[Step]) -> list[Step]:
    """The withheld cards that may be known now that betting is closed: those whose own gate, if any, is open."""
    opened = _opened(steps)
    found = []
    for index, step in enumerate(steps):
        if not step.withheld:
            continue
        wanted = due(procedure, steps[:index])
        gate = wanted.reveal_gate if isinstance(wanted, CardDue) else None
        if gate is None or gate in opened:
            found.append(step)
    return found


def _opened(steps: Sequence[Step]) -> set[str]:
    return {step.gate for step in steps if step.gate is not None}


def newest_card(state: TableState) -> Step | None:
    """The card that was read last, as far as the journal knows."""
    current, shoe = state.round, state.shoe
    steps = [] if current is None else [step for step in current.steps if step.card is not None]
    if steps:
        return steps[-1]
    if shoe is not None and shoe.last_burn is not None:
        return shoe.last_burn
    return next((step for step in reversed(state.previous) if step.card is not None), None)


def looks_like(reading: CardRead, step: Step | None) -> bool:
    """Whether the reading may be of this step's card: of the very one where both are known by themselves."""
    if step is None:
        return False
    if reading.unit is not None and step.unit is not None:
        return unit_text(reading.unit) == step.unit
    return reading.card == step.card


def may_be_shuffled(state: TableState, at: Instant, hand_ended: Instant | None) -> bool:
    """Whether the cards that lay down last may have been shuffled since: since the newest reading, or since their hand
    ended where that is known. A clock that went back tells nothing."""
    if hand_ended is not None and at.mono_ns - hand_ended.mono_ns < SHUFFLED_S * NS_PER_S:
        return False
    wall_ns, mono_ns = state.read_ns, state.read_mono_ns
    if wall_ns is None or mono_ns is None or at.mono_ns < mono_ns or at.wall_ns < wall_ns:
        return True
    return max(at.wall_ns - wall_ns, at.mono_ns - mono_ns) >= SHUFFLED_S * NS_PER_S


def may_be_swapped(steps: Sequence[Step], card: str, unit: str, *, came_out: bool) -> bool:
    """Whether the physical card was read before on a place where another lies, as a person said, and a card like it
    lies elsewhere by a person's word. ``came_out``: it was read before, on whatever place."""
    if any(step.unit == unit for step in steps) or not (came_out or any(step.misread_unit == unit for step in steps)):
        return False
    return any(step.by is not None and step.unit is None and step.card == card for step in steps)
