"""A service manager puts another card on a position by the video, before the outcome."""

from __future__ import annotations

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import CardCorrected
from dealer_daemon.games.cards.card import Card, CardNotationError
from dealer_daemon.games.cards.procedure import Procedure, describe
from dealer_daemon.games.cards.procedure import Refusal as Impossible
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound
from dealer_daemon.table.arguments import Refusal, text
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.hand import due, history_of
from dealer_daemon.table.turn import Turn


def card_named(command: Command) -> Card:
    """The argument ``card``. Raises ``Refusal``."""
    try:
        return Card.parse(text(command, "card"))
    except CardNotationError as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, str(error)) from error


def check_copies(
    turn: Turn, current: OpenRound, procedure: Procedure, rules: ShoeRules, position: str, card: Card
) -> None:
    """Raises ``Refusal`` where no copy of the card can lie on the position, because all are out already."""
    drawn, _, decks = shoes.composition(turn.state, current.steps, procedure, rules)
    if drawn.get(str(card), 0) >= decks:
        message = f"{card} cannot lie on {position}: as many as the shoe has ({decks}) came out before"
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)


def correct(
    turn: Turn, procedure: Procedure, rules: ShoeRules, position: str, card: Card, reason: str, by: str
) -> None:
    """Another card lies on a position; a hand that was held goes on. Raises ``Refusal``."""
    current = turn.state.round
    assert current is not None
    lies = next((step for step in current.steps if step.position == position), None)
    if lies is None or lies.card is None:
        message = f"no card lies on {position}; {describe(due(procedure, current.steps))}"
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)
    if lies.withheld:
        raise Refusal(ErrorCode.NOT_NOW, f"the card on {position} is not known to servers yet: correct it after that")
    if lies.card == str(card):
        message = f"{card} lies on {position}: refuse the attempt, and the hand goes on with it"
        raise Refusal(ErrorCode.BAD_ARGUMENT, message)
    replayed = procedure.replace(history_of(current.steps), position, card)
    if isinstance(replayed, Impossible):
        raise Refusal(ErrorCode.NOT_NOW, f"{replayed.reason}: {replayed.message}; void the round instead")
    check_copies(turn, current, procedure, rules, position, card)
    turn.emit(CardCorrected(position=position, card=str(card), was=lies.card, reason=reason, by=by))
