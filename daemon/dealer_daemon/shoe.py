"""The shoe's part of the fold: which cards came out, which hand it is, whether the cut card was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from dealer_daemon.deck_sets import played
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    CardCorrected,
    CardDrawn,
    CardSkipped,
    CardWithheld,
    OutcomeCorrected,
    ShoeBegan,
    ShoeCutCard,
    ShoeEnded,
)
from dealer_daemon.state import FoldError, OpenRound, Shoe, Step, TableState

MOST_STEPS = 64
"""Kept of the hand before, and of one that was skipped; no hand but blackjack's has so many."""

CardEvent = CardDrawn | CardWithheld | CardCorrected
ShoeEvent = ShoeBegan | ShoeCutCard | ShoeEnded


def counted(shoe: Shoe | None, hand_in_shoe: int | None) -> Shoe | None:
    """The shoe when hand ``hand_in_shoe`` was opened."""
    return shoe if shoe is None or hand_in_shoe is None else replace(shoe, hands=hand_in_shoe)


def shoe_event(state: TableState, data: ShoeEvent) -> TableState:
    """The table after a shoe began, ended, or showed its cut card. Raises ``FoldError``."""
    if isinstance(data, ShoeBegan):
        if state.shoe is not None:
            raise FoldError(f"shoe {data.shoe_id} began while {state.shoe.id} is in play")
        begun = Shoe(id=data.shoe_id, decks=data.decks, deck_set=data.deck_set, hands=data.hand_in_shoe)
        decks = played(state.decks, data.deck_set, ended=False)
        return replace(state, shoe=begun, shoes=state.shoes + 1, decks=decks)
    if state.shoe is None or state.shoe.id != data.shoe_id:
        raise FoldError(f"{data.type} of shoe {data.shoe_id}, which is not in play")
    if isinstance(data, ShoeEnded):
        return replace(state, shoe=None, decks=played(state.decks, state.shoe.deck_set, ended=True))
    return replace(state, shoe=replace(state.shoe, cut_card=True))


def card_steps(steps: list[Step], data: CardEvent, shoe: Shoe | None) -> list[Step]:
    """The round's steps after a card came out of ``shoe``, was made known, or was corrected. Raises ``FoldError``."""
    at = _index(steps, data.position)
    if isinstance(data, CardCorrected):
        if at is None:
            raise FoldError(f"a card on {data.position} was corrected and none lay there")
        return _another(steps, at, data.card, data.by, data.reason)
    if at is None:
        withheld = isinstance(data, CardWithheld)
        step = Step(
            position=data.position,
            card=data.card,
            unit=data.unit,
            shoe_id=None if shoe is None else shoe.id,
            evidence=data.evidence,
            withheld=withheld,
            by=data.by,
            reason=data.reason,
        )
        return [*steps, step]
    if isinstance(data, CardWithheld) or not steps[at].withheld or steps[at].card != data.card:
        raise FoldError(f"a second card on {data.position}")
    return [*steps[:at], replace(steps[at], withheld=False), *steps[at + 1 :]]


def _another(steps: list[Step], at: int, card: str | None, by: str, reason: str) -> list[Step]:
    """The steps once a person said that ``card`` lies there. Back to the one that was read, it is that physical card,
    unless that has come by right since."""
    step = steps[at]
    unit, read = (step.misread_unit, step.misread_card) if step.unit is None else (step.unit, step.card)
    is_back = card == read and all(other.unit != unit for other in steps[:at] + steps[at + 1 :])
    units = {"unit": unit} if is_back else {"unit": None, "misread_unit": unit, "misread_card": read}
    cleared = replace(step, misread_unit=None, misread_card=None)
    return [*steps[:at], replace(cleared, card=card, by=by, reason=reason, **units), *steps[at + 1 :]]


def doubted(data: AttemptHeld) -> Step | None:
    """The card that a hold keeps for later."""
    if data.card is None or data.position is None:
        return None
    return Step(position=data.position, card=data.card, unit=data.unit, evidence=data.kept)


def asked(data: AttemptHeld) -> Step | None:
    """The physical card that a hold asks about."""
    return Step(card=data.card, unit=data.unit) if data.unit is not None and data.position is None else None


def is_the_named(state: TableState, data: AttemptRefused) -> TableState:
    """The table once a manager said that the hand goes on with the card that is due: the physical card that was asked
    about is the one that a person named, where one did, and lies there."""
    current = state.round
    if current is None or current.asked is None or data.reason != "manager_refused":
        return state
    steps, previous = _known(current.steps, current.asked), state.previous
    if steps is current.steps:
        previous = _known(previous, current.asked)
        if previous is state.previous:
            return state  # nobody named it: it lies nowhere yet, and is scanned again
    shoe, unit = state.shoe, current.asked.unit
    here = shoe is not None and all(step.unit != unit or step.shoe_id == shoe.id for step in (*steps, *previous))
    if shoe is not None and here and unit is not None and unit not in shoe.units:
        shoe = replace(shoe, units=[*shoe.units, unit])
    return replace(state, round=replace(current, steps=steps), previous=previous, shoe=shoe)


def _known(steps: list[Step], card: Step) -> list[Step]:
    for at in reversed(range(len(steps))):
        step = steps[at]
        if step.card == card.card and step.by is not None and step.unit is None:
            cleared = replace(step, unit=card.unit, misread_unit=None, misread_card=None)
            return [*steps[:at], cleared, *steps[at + 1 :]]
    return steps


def card_event(shoe: Shoe | None, data: CardEvent, before: OpenRound | None) -> Shoe | None:
    """The shoe after a card came out, or turned out to be another."""
    if shoe is None:
        return None
    at = None if before is None else _index(before.steps, data.position)
    if isinstance(data, CardCorrected):
        if before is None or at is None or before.steps[at].shoe_id != shoe.id:
            return shoe  # the shoe was changed in the hand, and the card is of the one before
        return _counted_anew(shoe, [data.was], [data.card])
    if at is not None:
        return shoe  # a withheld card is made known: it came out before
    return _one_more(shoe, data.card, data.unit)


def _one_more(shoe: Shoe, card: str, unit: str | None) -> Shoe:
    # From a continuous shuffler the same card comes again and again; it is kept once.
    units = shoe.units if unit is None or unit in shoe.units else [*shoe.units, unit]
    drawn = shoe.drawn | {card: shoe.drawn.get(card, 0) + 1}
    return replace(shoe, drawn=drawn, units=units, last_burn=None)


def skipped(state: TableState, data: CardSkipped) -> TableState:
    """The table after a card of a hand that gives no result. Raises ``FoldError``."""
    if state.shoe is None:
        raise FoldError("a card of a skipped hand came and no shoe is in play")
    newest = Step(position=data.position, card=data.card, unit=data.unit, shoe_id=state.shoe.id)
    previous = [*state.previous, newest][-MOST_STEPS:]
    whole = state.previous_round if len(state.previous) < MOST_STEPS else None
    after = _one_more(state.shoe, data.card, data.unit)
    return replace(state, shoe=after, previous=previous, previous_round=whole)


def laid_anew(steps: list[Step], data: OutcomeCorrected) -> list[Step]:
    """The steps of the newest hand that ended, after its outcome was corrected: a physical card that was scanned for
    another lies there no more. A plain code names no physical card, and a shoe sends again what it read itself."""
    for position in data.was.keys() | data.cards.keys():
        at, card = _index(steps, position), data.cards.get(position)
        if at is None or steps[at].card != data.was.get(position) or card == steps[at].card:
            continue
        if steps[at].unit is not None or steps[at].misread_unit is not None:
            steps = _another(steps, at, card, data.by, data.reason)
    return steps


def recounted(shoe: Shoe | None, data: OutcomeCorrected) -> Shoe | None:
    """The shoe after the cards of one of its hands turned out to be others, after the outcome."""
    if shoe is None:
        return shoe
    was, cards = (
        [card for position, card in laid.items() if data.dealt_from.get(position, data.shoe_id) == shoe.id]
        for laid in (data.was, data.cards)
    )
    return _counted_anew(shoe, was, cards)


def _counted_anew(shoe: Shoe, was: Iterable[str], cards: Iterable[str]) -> Shoe:
    drawn = Counter(shoe.drawn)
    drawn.subtract(was)
    drawn.update(cards)
    return replace(shoe, drawn={card: count for card, count in drawn.items() if count > 0})


def burnt(shoe: Shoe | None, data: CardDrawn) -> Shoe:
    """The shoe after a card was burnt between hands: it came out and lies nowhere. Raises ``FoldError``."""
    if shoe is None:
        raise FoldError("a card was burnt and no shoe is in play")
    after = card_event(shoe, data, None)
    assert after is not None
    newest = Step(position=data.place or data.position, card=data.card, unit=data.unit, shoe_id=shoe.id)
    return replace(after, burnt=[*shoe.burnt, data.card], last_burn=newest)


def _index(steps: list[Step], position: str) -> int | None:
    return next((index for index, step in enumerate(steps) if step.position == position), None)
