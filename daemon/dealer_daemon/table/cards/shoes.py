"""The shoe at a table: when one begins and ends, which hand it is, what may still come out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from dealer_daemon.events import CardDrawn, ShoeBegan, ShoeCutCard, ShoeEnded
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import DeckSet, OpenRound, Shoe, TableState
from dealer_daemon.table.cards.decks import NoShoe, check_in_play, check_name, check_shufflers, choose, only_verified
from dealer_daemon.table.common import STATION
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import BURN, named_place, unit_text
from dealer_drivers.cards import CARDS_IN_DECK
from dealer_drivers.readings.shoe import CardRead, ShoeSlot


def decks_of(procedure: Procedure, rules: ShoeRules) -> int:
    """Decks in the shoe."""
    return rules.decks or procedure.decks


def begin(turn: Turn, decks: int, by: str = STATION, deck_set: str | None = None, proof: DeckSet | None = None) -> None:
    """A new shoe is in play, of a deck set that ``proof`` says is verified, or of cards of which nothing is known."""
    shoe_id = f"{turn.state.table}-shoe-{turn.state.shoes + 1}"
    turn.emit(
        ShoeBegan(
            shoe_id=shoe_id,
            hand_in_shoe=0,
            decks=decks,
            deck_set=deck_set,
            verified=proof is not None,
            verified_by=None if proof is None else proof.how,
            verification=None if proof is None else proof.verification,
            by=by,
        )
    )


def begin_by_itself(turn: Turn, procedure: Procedure, rules: ShoeRules) -> Shoe:
    """The shoe in play; where none is, one begins, from a verified set where the table asks for one.

    Raises ``NoShoe``, also for a shoe in play whose set failed meanwhile.
    """
    if turn.state.shoe is None:
        check_shufflers(turn.state)
        if rules.require_verified:
            deck_set, proof = choose(turn.state, rules, None)
            begin(turn, decks_of(procedure, rules), deck_set=deck_set, proof=proof)
        else:
            known, by = only_verified(turn.state, rules)
            begin(turn, decks_of(procedure, rules), deck_set=known, proof=by)
    check_in_play(turn.state, rules)
    assert turn.state.shoe is not None
    return turn.state.shoe


def change(turn: Turn, procedure: Procedure, rules: ShoeRules, deck_set: str | None, reason: str, by: str) -> Shoe:
    """The shoe in play ends and another begins, of the set that is named. Raises ``NoShoe`` and ``Refusal``."""
    check_shufflers(turn.state)
    proof: DeckSet | None
    if rules.require_verified:
        deck_set, proof = choose(turn.state, rules, deck_set)
    elif deck_set is None:
        deck_set, proof = only_verified(turn.state, rules)
    else:
        check_name(rules, deck_set)
        known = turn.state.decks.sets.get(deck_set)
        proof = known if known is not None and known.status == "verified" else None
    end(turn, reason, by)
    begin(turn, decks_of(procedure, rules), by, deck_set, proof)
    assert turn.state.shoe is not None
    return turn.state.shoe


def end(turn: Turn, reason: str, by: str) -> None:
    """No more hands from this shoe."""
    shoe = turn.state.shoe
    if shoe is not None:
        turn.emit(ShoeEnded(shoe_id=shoe.id, hand_in_shoe=shoe.hands, reason=reason, by=by))


def for_hand(turn: Turn, procedure: Procedure, rules: ShoeRules) -> dict[str, Any]:
    """``shoe_id`` and ``hand_in_shoe`` of the next hand; begins a shoe where one may. Raises ``NoShoe``.

    A shoe whose cut card was seen has one hand more at most: it ends with that hand (``after_hand``).
    """
    shoe = begin_by_itself(turn, procedure, rules)
    return {"shoe_id": shoe.id, "hand_in_shoe": shoe.hands + 1}


def cut_card(turn: Turn, procedure: Procedure, rules: ShoeRules) -> None:
    """The cut card was seen: announced at once (``games.md`` §5), and once a shoe.

    The round in play is the last of the shoe, or where none is in play the next one (§1). That holds before the first
    card of a shoe too: the card came out of the cards that are dealt next. Where it was the old shoe's, taken out for
    the shuffle, the new shoe's own start says so (``CardPlay._shoe_started``).
    """
    if turn.state.shoe is None and not rules.require_verified:
        with suppress(NoShoe):  # the first card of the next hand says so
            begin_by_itself(turn, procedure, rules)
    shoe = turn.state.shoe
    if shoe is not None and not shoe.cut_card:
        turn.emit(ShoeCutCard(shoe_id=shoe.id, hand_in_shoe=shoe.hands))


def is_last_hand(state: TableState, current: OpenRound, procedure: Procedure) -> bool:
    """Nothing more is dealt from the shoe that the round began with."""
    shoe = state.shoe
    return shoe is None or shoe.id != current.shoe_id or shoe.cut_card or _of_one_round(shoe, procedure)


def _of_one_round(shoe: Shoe, procedure: Procedure) -> bool:
    """A deck that is shuffled for every round."""
    return shoe.decks == 1 and procedure.composition == "round"


def is_continuous(procedure: Procedure, decks: int) -> bool:
    """Played cards go back into the shuffler, and may come again in the next round."""
    return procedure.composition == "round" and decks > 1


def after_hand(turn: Turn, procedure: Procedure) -> None:
    """A hand that took cards ended: the last one of a shoe ends it, and a deck shuffled for one round is used up."""
    shoe = turn.state.shoe
    if shoe is None:
        return
    if shoe.cut_card:
        end(turn, "cut_card", STATION)
    elif _of_one_round(shoe, procedure):
        end(turn, "one_round", STATION)


def composition(
    state: TableState, steps: Collection[Any], procedure: Procedure, rules: ShoeRules
) -> tuple[Mapping[str, int], Collection[str], int]:
    """What came out already, counted by card and by physical card, and how many copies of a card there are.

    To a continuous shuffler played cards go back: there only the cards of the round, ``steps``, are out. A physical
    card in whose place another lies, as a person said of this hand or of the newest that ended, may be the next one:
    the dealer passed over the one before it.
    """
    shoe = state.shoe
    decks = decks_of(procedure, rules) if shoe is None else shoe.decks
    if not is_continuous(procedure, decks):
        if shoe is None:
            return {}, [], decks
        before = [step for step in state.previous if step.shoe_id == shoe.id]
        here = {step.unit for step in (*before, *steps)}
        elsewhere = {step.misread_unit for step in (*before, *steps)} - here
        return shoe.drawn, [unit for unit in shoe.units if unit not in elsewhere], decks
    drawn = Counter(step.card for step in steps if step.card is not None)
    return drawn, [step.unit for step in steps if step.unit is not None], decks


def is_empty(state: TableState, procedure: Procedure) -> bool:
    """Every card of the shoe came out."""
    shoe = state.shoe
    if shoe is None or is_continuous(procedure, shoe.decks):
        return False
    return sum(shoe.drawn.values()) >= shoe.decks * CARDS_IN_DECK


def is_first_burn(reading: CardRead) -> bool:
    """The shoe burns the first of its cards (``devices.md`` §2): no hand of the cards before goes on."""
    return reading.hint is not None and reading.hint.slot is ShoeSlot.FIRST_BURN


def is_exchanged(state: TableState, reading: CardRead) -> bool:
    """The card is a first burn card, and the shoe in play had its own, or gave a hand: there is another in its place.

    The same telegram once more, after a restart of the station, is no other shoe.
    """
    shoe = state.shoe
    if shoe is None or not is_first_burn(reading):
        return False
    of_hands = shoe.hands if state.round is None else shoe.hands - 1
    laid = sum(shoe.drawn.values()) > len(shoe.burnt)  # of a hand that was skipped, where no hand was dealt
    return of_hands > 0 or laid or (bool(shoe.burnt) and shoe.burnt != [reading.card])


def burns_left(state: TableState, rules: ShoeRules) -> bool:
    """Whether the next card is burnt: by the table's setting, before the first hand of a shoe."""
    shoe = state.shoe
    if shoe is None:
        return state.round is None and (rules.burn > 0 or rules.burn_by_first)
    return shoe.hands == 0 and len(shoe.burnt) < _burns_due(shoe, rules)


def _burns_due(shoe: Shoe, rules: ShoeRules) -> int:
    if not rules.burn_by_first:
        return rules.burn
    return 1 if not shoe.burnt else 1 + Card.parse(shoe.burnt[0]).points


def burn(turn: Turn, reading: CardRead, evidence: list[str]) -> None:
    """A card is burnt: it came out of the shoe and lies nowhere, in no round."""
    turn.emit(
        CardDrawn(
            card=reading.card,
            position=BURN,
            unit=unit_text(reading.unit),
            evidence=evidence,
            place=named_place(reading),
        ),
        in_round=False,
    )
