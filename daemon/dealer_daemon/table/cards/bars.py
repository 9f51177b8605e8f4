"""Why no card may lie down: no round is open, betting is, a gate is shut, the hand is complete (``games.md`` §3)."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_daemon.games.cards.procedure import CardDue, Complete, Due, Early, ExpectDue, GateDue, Procedure
from dealer_daemon.state import OpenRound, TableState
from dealer_daemon.table.cards.hand import due
from dealer_daemon.validation.card import WHILE_BETTING, CardReason


@dataclass(frozen=True, slots=True)
class Bar:
    """A reason, and a sentence."""

    reason: CardReason
    detail: str


BETWEEN_ROUNDS = Bar(CardReason.CARD_BETWEEN_ROUNDS, "a card was drawn and no round is open")
WHILE_HELD = Bar(CardReason.CARD_WHILE_HELD, "a card was drawn while the hand waits for a person")
WHILE_PAUSED = Bar(CardReason.CARD_WHILE_PAUSED, "a card was drawn while the table is paused")
OLD_HAND = Bar(CardReason.CARD_NOT_DUE, "a card was drawn in a hand that ended meanwhile")
OLD_SHOE = Bar(CardReason.CARD_BETWEEN_ROUNDS, "a card was drawn before the shoe was changed")


def bar(procedure: Procedure, state: TableState, *, opens_by_card: bool) -> Bar | None:
    """Why no card may lie down on any place; ``None`` where one may. ``opens_by_card``: without a round, one may."""
    current = state.round
    if state.paused is not None:
        return WHILE_PAUSED
    if current is None:
        return None if opens_by_card else BETWEEN_ROUNDS
    return WHILE_HELD if current.phase == "held" else not_due(current, due(procedure, current.steps))


def not_due(current: OpenRound, wanted: Due) -> Bar | None:
    """Why no card may lie down in the open round, where ``wanted`` is what must come next."""
    match wanted:
        case _ if must_not_tell(current, wanted):
            return Bar(CardReason.CARD_WHILE_BETTING, WHILE_BETTING)
        case GateDue(gate=gate):
            return Bar(CardReason.CARD_BEFORE_GATE, f"no card is due before the server opens {gate}")
        case ExpectDue():
            return Bar(CardReason.CARD_NOT_EXPECTED, "the server has not said whose card is next")
        case Complete():
            return Bar(CardReason.CARD_NOT_DUE, "the hand is complete and no card is due")
        case CardDue() if current.betting == "open" and wanted.early is Early.FORBID:
            return Bar(CardReason.CARD_WHILE_BETTING, f"the card for {wanted.position} was drawn while betting is open")
        case CardDue():
            return None


def must_not_tell(current: OpenRound, wanted: Due) -> bool:
    """No card may be read, and which one would be due next follows from cards that are withheld."""
    hidden = current.betting == "open" and any(step.withheld for step in current.steps)
    return hidden and not (isinstance(wanted, CardDue) and wanted.early is not Early.FORBID)
