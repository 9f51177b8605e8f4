"""The shoe at a table: when one begins and ends, which hand it is, what may still come out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from dealer_daemon.commands import ErrorCode
from dealer_daemon.events import CardDrawn, ShoeBegan, ShoeCutCard, ShoeEnded
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound, Shoe, TableState
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.common import STATION
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import unit_text
from dealer_drivers.shoe.readings import CardRead


class NoShoe(Refusal):
    """No hand may be dealt: there is no shoe, and none may begin by itself. The text says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.NOT_NOW, message)


def decks_of(procedure: Procedure, rules: ShoeRules) -> int:
    """Decks in the shoe."""
    return rules.decks or procedure.decks


def one_deck(procedure: Procedure, rules: ShoeRules) -> bool:
    """Every round is dealt from a deck shuffled for it (``games.md`` §10)."""
    return decks_of(procedure, rules) == 1


def begin(turn: Turn, decks: int, by: str = STATION, deck_set: str | None = None, verified: bool = False) -> None:
    """A new shoe is in play."""
    shoe_id = f"{turn.state.table}-shoe-{turn.state.shoes + 1}"
    turn.emit(ShoeBegan(shoe_id=shoe_id, hand_in_shoe=0, decks=decks, deck_set=deck_set, verified=verified, by=by))


def end(turn: Turn, reason: str, by: str) -> None:
    """No more hands from this shoe."""
    shoe = turn.state.shoe
    if shoe is not None:
        turn.emit(ShoeEnded(shoe_id=shoe.id, hand_in_shoe=shoe.hands, reason=reason, by=by))


def for_hand(turn: Turn, procedure: Procedure, rules: ShoeRules) -> dict[str, Any]:
    """``shoe_id`` and ``hand_in_shoe`` of the next hand; begins a shoe where none needs a verified set.

    Raises ``NoShoe``.
    """
    shoe = turn.state.shoe
    if shoe is not None and shoe.cut_card and shoe.hands > 0:
        raise NoShoe(f"the cut card of {shoe.id} was seen: change the shoe")
    if shoe is None:
        if rules.require_verified:
            raise NoShoe("no verified deck set is in the shoe: verify one and change the shoe (shoe.change)")
        begin(turn, decks_of(procedure, rules))
        shoe = turn.state.shoe
    assert shoe is not None
    return {"shoe_id": shoe.id, "hand_in_shoe": shoe.hands + 1}


def cut_card(turn: Turn) -> None:
    """The cut card was seen: announced once a shoe."""
    shoe = turn.state.shoe
    if shoe is not None and not shoe.cut_card:
        turn.emit(ShoeCutCard(shoe_id=shoe.id, hand_in_shoe=shoe.hands))


def after_hand(turn: Turn, procedure: Procedure) -> None:
    """A hand ended: the last one of a shoe ends it, and a deck shuffled for one round is used up."""
    shoe = turn.state.shoe
    if shoe is None:
        return
    if shoe.cut_card:
        end(turn, "cut_card", STATION)
    elif shoe.decks == 1 and procedure.composition == "round":
        end(turn, "one_round", STATION)


def composition(
    state: TableState, current: OpenRound, procedure: Procedure, rules: ShoeRules
) -> tuple[Mapping[str, int], Collection[str], int]:
    """What came out already, counted by card and by unit, and how many copies of a card there are."""
    if procedure.composition == "shoe" and state.shoe is not None:
        return state.shoe.drawn, state.shoe.units, state.shoe.decks
    drawn = Counter(step.card for step in current.steps if step.card is not None)
    units = [step.unit for step in current.steps if step.unit is not None]
    return drawn, units, decks_of(procedure, rules)


def burns_left(state: TableState, rules: ShoeRules) -> bool:
    """Whether the next card of this shoe is burnt."""
    shoe = state.shoe
    if shoe is None:
        return (rules.burn > 0 or rules.burn_by_first) and state.round is None
    if shoe.hands > 0 or state.round is not None:
        return False
    return len(shoe.burnt) < _burns_due(shoe, rules)


def _burns_due(shoe: Shoe, rules: ShoeRules) -> int:
    if not rules.burn_by_first:
        return rules.burn
    return 1 if not shoe.burnt else 1 + Card.parse(shoe.burnt[0]).points


def burn(turn: Turn, reading: CardRead, evidence: list[str]) -> None:
    """A card is burnt: it came out of the shoe and lies nowhere."""
    turn.emit(CardDrawn(card=reading.card, position="burn", unit=unit_text(reading.unit), evidence=evidence))
