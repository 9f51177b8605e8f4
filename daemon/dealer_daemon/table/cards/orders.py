"""Commands that only card tables know: gates, what the server expects, corrections by the video, shoes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dealer_daemon.commands import Command, CommandName, ErrorCode, Role
from dealer_daemon.events import CardCorrected, CardExpected, GateOpened, GateVoided
from dealer_daemon.games.cards.card import Card, CardNotationError
from dealer_daemon.games.cards.procedure import Refusal as Impossible
from dealer_daemon.table.arguments import Refusal, open_round, server_object, text
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.hand import history_of
from dealer_daemon.table.turn import Turn

if TYPE_CHECKING:
    from dealer_daemon.table.cards.play import CardPlay


def carry_out(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any] | None:
    """The result, or ``None`` for a command that is not one of these. Raises ``Refusal``."""
    match command.name:
        case CommandName.GATE_OPEN:
            return _gate(play, turn, command)
        case CommandName.CARD_EXPECT:
            return _expect(play, turn, command)
        case CommandName.CARD_CORRECT:
            return _correct(play, turn, command)
        case CommandName.SHOE_CHANGE:
            return _change(play, turn, command)
        case _:
            return None


def _gate(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    gate = text(command, "gate")
    if current.gate != gate:
        waits = f"it waits at {current.gate}" if current.gate else "it waits at none"
        raise Refusal(ErrorCode.NOT_NOW, f"the round does not wait at the gate {gate}: {waits}")
    if command.args.get("void") is True:
        turn.emit(GateVoided(gate=gate, reason=text(command, "reason"), by=command.by))
    turn.emit(GateOpened(gate=gate, server=server_object(command)))
    play.advance(turn)
    return {"gate": gate}


def _expect(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    if current.betting == "open":
        raise Refusal(ErrorCode.NOT_NOW, "betting is open: close it before the players' decisions")
    args = {key: value for key, value in command.args.items() if key not in ("round", "server")}
    step = play.procedure.expect(history_of(current.steps), args)
    if isinstance(step, Impossible):
        raise Refusal(ErrorCode.NOT_NOW, f"{step.reason}: {step.message}")
    turn.emit(CardExpected(args=dict(step.args), server=server_object(command)))
    play.advance(turn)
    return {}


def _correct(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    position, reason = text(command, "position"), text(command, "reason")
    try:
        card = Card.parse(text(command, "card"))
    except CardNotationError as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, str(error)) from error
    lies = next((step for step in current.steps if step.position == position), None)
    if lies is None or lies.card is None:
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"no card lies on {position}")
    if lies.withheld:
        raise Refusal(ErrorCode.NOT_NOW, f"the card on {position} is not known to servers yet: correct it after that")
    replayed = play.procedure.replace(history_of(current.steps), position, card)
    if isinstance(replayed, Impossible):
        raise Refusal(ErrorCode.NOT_NOW, f"{replayed.reason}: {replayed.message}; void the round instead")
    drawn, _, decks = shoes.composition(turn.state, current, play.procedure, play.shoe)
    if str(card) != lies.card and drawn.get(str(card), 0) >= decks:
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"all {decks} copies of {card} came out of this shoe before")
    turn.emit(CardCorrected(position=position, card=str(card), was=lies.card, reason=reason, by=command.by))
    if turn.state.paused is None:
        play.advance(turn)
    return {"position": position}


def _change(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    shoe, reason = turn.state.shoe, text(command, "reason")
    if turn.state.round is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"round {turn.state.round.id} is open: end or void it first")
    if command.role is Role.SERVER:
        after = play.shoe.early_change_after
        if after is None:
            raise Refusal(ErrorCode.NOT_ALLOWED, "at this table a service manager changes the shoe")
        if shoe is not None and shoe.hands < after:
            raise Refusal(ErrorCode.NOT_NOW, f"the shoe may be changed after {after} hands; {shoe.hands} were dealt")
    verified = command.args.get("verified") is True
    if play.shoe.require_verified and not verified:
        raise Refusal(ErrorCode.BAD_ARGUMENT, 'this table takes only a verified deck set: "verified" must be true')
    deck_set = command.args.get("deck_set")
    if deck_set is not None and not isinstance(deck_set, str):
        raise Refusal(ErrorCode.BAD_ARGUMENT, '"deck_set" is a text')
    shoes.end(turn, reason, command.by)
    shoes.begin(turn, shoes.decks_of(play.procedure, play.shoe), command.by, deck_set, verified)
    assert turn.state.shoe is not None
    return {"shoe_id": turn.state.shoe.id}
