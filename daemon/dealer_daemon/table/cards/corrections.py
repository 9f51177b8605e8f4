"""A service manager says by the video which card lies where: before the outcome, instead of it, and after it."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import (
    CardCorrected,
    CardDrawn,
    CardExpected,
    CardWithheld,
    Event,
    Facts,
    OutcomeCorrected,
    RoundOpened,
    ShoeBegan,
)
from dealer_daemon.games.cards.card import Card, CardNotationError
from dealer_daemon.games.cards.procedure import CardStep, ExpectStep, History, Procedure, describe
from dealer_daemon.games.cards.procedure import Refusal as Impossible
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound, Step
from dealer_daemon.table.arguments import Refusal, text
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.hand import due, history_of
from dealer_daemon.table.turn import Turn

SWAPPED = 'where two cards were swapped, name both in one command ("also")'


def card_named(command: Command) -> Card:
    """The argument ``card``. Raises ``Refusal``."""
    try:
        return Card.parse(text(command, "card"))
    except CardNotationError as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, str(error)) from error


def cards_beside(command: Command) -> dict[str, Card]:
    """The argument ``also``: further positions and their cards. Raises ``Refusal``."""
    also = command.args.get("also", {})
    if not isinstance(also, Mapping) or command.args.get("position") in also:
        message = '"also" maps the further positions that change in the same moment to their cards, {"banker.1": "8S"}'
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)
    try:
        return {position: Card.parse(str(card)) for position, card in also.items()}
    except CardNotationError as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"also: {error}") from error


def check_copies(
    turn: Turn, current: OpenRound, procedure: Procedure, rules: ShoeRules, position: str, card: Card
) -> None:
    """Raises ``Refusal`` where no copy of the card can lie on the position, because all are out already."""
    drawn, _, decks = shoes.composition(turn.state, current.steps, procedure, rules)
    if drawn.get(str(card), 0) >= decks:
        message = f"{card} cannot lie on {position}: as many as the shoe has ({decks}) came out before"
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)


def correct(
    turn: Turn,
    procedure: Procedure,
    rules: ShoeRules,
    position: str,
    card: Card,
    reason: str,
    by: str,
    also: Mapping[str, Card] = MappingProxyType({}),
) -> None:
    """Another card lies on a position, and those of ``also`` on theirs; a hand that was held goes on. Raises
    ``Refusal``, and then none of them changed."""
    current = turn.state.round
    assert current is not None
    cards = {**also, position: card}
    was = {named: _lying(current, procedure, named, there) for named, there in cards.items()}
    replayed = procedure.replace(history_of(current.steps), position, card, also)
    if isinstance(replayed, Impossible):
        how = "void the round instead"
        if replayed.reason == "copies_used_up":
            how = SWAPPED
        raise Refusal(ErrorCode.NOT_NOW, f"{replayed.reason}: {replayed.message}; {how}")
    shoe = turn.state.shoe
    drawn, _, decks = shoes.composition(turn.state, current.steps, procedure, rules)
    # A card of the shoe before is counted there no more.
    here = [named for named, step in was.items() if shoe is None or step.shoe_id == shoe.id]
    gone = Counter(was[named].card for named in here)
    for wanted, count in Counter(str(cards[named]) for named in here).items():
        if count > gone[wanted] and drawn.get(wanted, 0) - gone[wanted] + count > decks:
            message = f"{wanted} cannot lie there: as many as the shoe has ({decks}) came out before"
            raise Refusal(ErrorCode.BAD_ARGUMENT, f"{message}; {SWAPPED}")
    for named, there in cards.items():
        lay = was[named].card
        assert lay is not None
        turn.emit(CardCorrected(position=named, card=str(there), was=lay, reason=reason, by=by))


def _lying(current: OpenRound, procedure: Procedure, position: str, card: Card) -> Step:
    lies = next((step for step in current.steps if step.position == position), None)
    if lies is None or lies.card is None:
        # While betting is open, what is due next follows from cards that servers must not know.
        next_one = "" if current.betting == "open" else f"; {describe(due(procedure, current.steps))}"
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"no card lies on {position}{next_one}")
    if lies.withheld:
        raise Refusal(ErrorCode.NOT_NOW, f"the card on {position} is not known to servers yet: correct it after that")
    if lies.card == str(card):
        message = f"{card} lies on {position}: refuse the attempt, and the hand goes on with it"
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)
    return lies


def lay_out(turn: Turn, hand: History, reason: str, by: str) -> None:
    """The whole hand as a person says: each card that was missed or misread is put right.

    A card that lies where the hand has none stays: it did come out of the shoe.
    """
    for step in hand:
        if not isinstance(step, CardStep):
            continue
        position, card, current = step.position, str(step.card), turn.state.round
        assert current is not None
        lies = next((there for there in current.steps if there.position == position), None)
        if lies is None:
            turn.emit(CardDrawn(position=position, card=card, by=by, reason=reason))
            continue
        assert lies.card is not None
        if lies.withheld:
            turn.emit(CardDrawn(position=position, card=lies.card, unit=lies.unit, evidence=lies.evidence))
        if lies.card != card:
            turn.emit(CardCorrected(position=position, card=card, was=lies.card, reason=reason, by=by))


def check_decided(turn: Turn, procedure: Procedure, current: OpenRound, hand: History) -> None:
    """Raises ``Refusal`` where a whole hand contradicts what is known of it beside its cards: what the server said, on
    which stakes were laid, and how many copies of a card the shoe has."""
    said = [step.expect for step in current.steps if step.expect is not None]
    stated = [dict(step.args) for step in hand if isinstance(step, ExpectStep)]
    if stated[: len(said)] != said:
        words = json.dumps(said)
        raise Refusal(ErrorCode.BAD_ARGUMENT, f'the server said {words}: "expects" begins with that; else void')
    shoe = turn.state.shoe
    if shoe is None:
        return
    cards = {step.position: str(step.card) for step in hand if isinstance(step, CardStep)}
    lie = {step.position: step for step in current.steps if step.position in cards}
    beside = {
        "shoe_id": shoe.id,
        "cards": cards,
        "was": {position: step.card for position, step in lie.items()},
        "dealt_from": {position: step.shoe_id for position, step in lie.items() if step.shoe_id != shoe.id},
    }
    check_corrected(turn, procedure, beside)


def check_expects(procedure: Procedure, said: Sequence[Facts], hand: History) -> None:
    """Raises ``Refusal`` where a corrected hand has the server say something else than it ``said`` in the round. What
    the right cards make impossible is left out: a hit for a hand that was bust."""
    left = deque(said)
    history: History = ()
    for step in hand:
        if isinstance(step, ExpectStep):
            while left and isinstance(procedure.expect(history, left[0]), Impossible):
                left.popleft()
            if left and dict(step.args) != left.popleft():
                message = f"the server said {json.dumps(list(said))} in this round, on which stakes were laid"
                raise Refusal(ErrorCode.BAD_ARGUMENT, f'{message}: "expects" says that, as far as the cards allow it')
        history = (*history, step)


def check_corrected(turn: Turn, procedure: Procedure, beside: Mapping[str, Any]) -> None:
    """Raises ``Refusal`` where a correction names a card more often than the shoe in play has it. Of a shoe that ended
    nothing is known any more."""
    shoe = turn.state.shoe
    if shoe is None or shoes.is_continuous(procedure, shoe.decks):
        return
    was, cards = (hand_cards(beside.get(key, {}), beside, shoe.id) for key in ("was", "cards"))
    for card, count in Counter(cards).items():
        out = shoe.drawn.get(card, 0) - was.count(card) + count
        if count > was.count(card) and out > shoe.decks:
            message = f"{card} cannot lie there: as many as the shoe has ({shoe.decks}) came out beside this hand's"
            raise Refusal(ErrorCode.BAD_ARGUMENT, message)


def hand_cards(laid: Mapping[str, str], beside: Mapping[str, Any], shoe_id: str) -> list[str]:
    """The cards of a corrected hand that came out of this shoe."""
    dealt_from, its_own = beside.get("dealt_from", {}), beside.get("shoe_id")
    return [card for position, card in laid.items() if dealt_from.get(position, its_own) == shoe_id]


def of_hand(replaced: Event, event_at: Callable[[int], Event | None], cards: Mapping[str, str]) -> dict[str, Any]:
    """What a correction says beside its facts: the hand's shoe, the ``cards`` as they are, the cards ``was`` that lie
    there by the outcome or correction ``replaced``, and which positions are ``dealt_from`` another shoe."""
    if isinstance(replaced.data, OutcomeCorrected):
        before = replaced.data
        return {"shoe_id": before.shoe_id, "cards": dict(cards), "was": before.cards, "dealt_from": before.dealt_from}
    was: dict[str, str] = {}
    shoes: list[str] = []
    """Those that were begun in the hand, newest first, and the one that it began with."""
    came: dict[str, int] = {}
    """By position, which of them was in play when its card came."""
    sequence = replaced.sequence
    while (event := event_at(sequence)) is not None:
        data = event.data
        if isinstance(data, CardDrawn | CardCorrected | CardWithheld) and event.subject == replaced.subject:
            was.setdefault(data.position, data.card)
            came[data.position] = len(shoes)
        elif isinstance(data, ShoeBegan):
            shoes.append(data.shoe_id)
        elif isinstance(data, RoundOpened) and event.subject == replaced.subject:
            assert data.shoe_id is not None, "every hand has a shoe"
            shoes.append(data.shoe_id)
            break
        sequence -= 1
    else:
        return {"cards": dict(cards)}
    dealt_from = {position: shoes[came.get(position, 0)] for position in was.keys() | cards.keys()}
    return {
        "shoe_id": shoes[-1],
        "cards": dict(cards),
        "was": dict(reversed(was.items())),
        "dealt_from": {
            position: shoe for position, shoe in sorted(dealt_from.items()) if shoe not in (shoes[-1], None)
        },
    }


def said_in(replaced: Event, event_at: Callable[[int], Event | None]) -> list[Facts]:
    """What the server said in the round of an outcome or correction, in order (``card.expect``), as far as the journal
    still has it from its end."""
    said: list[Facts] = []
    sequence = replaced.sequence
    while (event := event_at(sequence)) is not None:
        if event.subject == replaced.subject and isinstance(event.data, RoundOpened):
            return said[::-1]
        if event.subject == replaced.subject and isinstance(event.data, CardExpected):
            said.append(dict(event.data.args))
        sequence -= 1
    return []
