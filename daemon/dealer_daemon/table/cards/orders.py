"""Commands that card tables know in their own way: gates, what the server expects, corrections and decisions by the
video, shoes and their deck sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dealer_daemon.commands import Command, CommandName, ErrorCode, Role
from dealer_daemon.events import CardDrawn, CardExpected, CardWithheld, GateOpened, GateVoided
from dealer_daemon.games.cards.game import keyed_in
from dealer_daemon.games.cards.procedure import Refusal as Impossible
from dealer_daemon.games.game import BadFacts
from dealer_daemon.state import OpenRound
from dealer_daemon.table.arguments import Refusal, flag, open_round, server_object, text
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.corrections import (
    card_named,
    cards_beside,
    check_copies,
    check_decided,
    correct,
    lay_out,
)
from dealer_daemon.table.cards.hand import history_of, must_withhold
from dealer_daemon.table.common import emit_outcome, refuse
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import CardReason
from dealer_daemon.verdicts import Refused, Remedy

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
        case CommandName.DECK_VERIFY:
            return play.scan.order(turn, command)
        case CommandName.DECK_INSERT:
            return play.shufflers.insert(turn, command)
        case CommandName.ATTEMPT_REFUSE:
            return _refuse(play, turn, command)
        case CommandName.ATTEMPT_DECIDE:
            return _decide(play, turn, command)
        case _:
            return None


def _gate(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    gate, server = text(command, "gate"), server_object(command)
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    voided = flag(command, "void")
    if current.gate != gate:
        waits = f"it waits at {current.gate}" if current.gate else "it waits at none"
        raise Refusal(ErrorCode.NOT_NOW, f"the round does not wait at the gate {gate}: {waits}")
    if voided:
        turn.emit(GateVoided(gate=gate, reason=text(command, "reason"), by=command.by))
    turn.emit(GateOpened(gate=gate, server=server))
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
    open_round(turn, command)
    position, card, reason = text(command, "position"), card_named(command), text(command, "reason")
    correct(turn, play.procedure, play.shoe, position, card, reason, command.by, cards_beside(command))
    play.advance(turn)
    return {"position": position}


def _refuse(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    """A manager lets a held hand go on with the card that is due; a dealer asks for a card that nobody read."""
    current = open_round(turn, command)
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    if current.phase == "held" and command.role is not Role.MANAGER:
        raise Refusal(ErrorCode.NOT_ALLOWED, "a held hand is decided by a service manager")
    wanted = play.card_due(current)
    if wanted is None:
        raise Refusal(
            ErrorCode.NOT_NOW, "no card is due that could be scanned again: decide the hand or void the round"
        )
    reason = "manager_refused" if current.phase == "held" else str(CardReason.DEALER_RESCAN)
    play.answer_doubt()
    refuse(
        turn,
        current,
        Refused(reason, Remedy.RESCAN, f"called by {command.by}"),
        [],
        play.rules.tries_before_pause,
        wanted.position,
    )
    play.refused(turn)
    play.advance(turn)
    return {"attempt": current.attempt, "position": wanted.position}


def _decide(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    """By the video: the card of one position, after which the hand goes on, or with ``cards`` the whole hand."""
    current = open_round(turn, command)
    if current.phase != "held":
        raise Refusal(ErrorCode.NOT_NOW, "no hand is held")
    if current.betting == "open":
        raise Refusal(ErrorCode.NOT_NOW, "betting is open: nothing may be published before it closes")
    reason = text(command, "reason")
    if "cards" not in command.args:
        return _decide_card(play, turn, command, current, reason)
    try:
        hand = keyed_in(play.procedure, command.args, shoes.decks_of(play.procedure, play.shoe))
    except BadFacts as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, str(error)) from error
    check_decided(turn, play.procedure, current, hand)
    rest = play.rest_is_left(current)  # by what was read, and not by what is named now
    lay_out(turn, hand, reason, command.by)
    evidence = [name for step in current.steps for name in step.evidence]
    emit_outcome(
        turn,
        play.rules.game.name,
        play.procedure.facts(hand),
        "manager",
        command.by,
        ["manager"],
        evidence,
        reason,
        last_hand=shoes.is_last_hand(turn.state, current, play.procedure),
        rest_left=rest,
    )
    sequence = turn.state.sequence
    play.decided(turn)
    return {"sequence": sequence}


def _decide_card(play: CardPlay, turn: Turn, command: Command, current: OpenRound, reason: str) -> dict[str, Any]:
    position, card = text(command, "position"), card_named(command)
    wanted = play.card_due(current)
    if wanted is None or wanted.position != position:
        correct(turn, play.procedure, play.shoe, position, card, reason, command.by)
    else:
        check_copies(turn, current, play.procedure, play.shoe, position, card)
        kind = CardWithheld if must_withhold(current, wanted) else CardDrawn
        asked = current.asked  # the physical card that was read, and is another than the one before it
        unit = asked.unit if asked is not None and asked.card == str(card) else None
        turn.emit(kind(position=position, card=str(card), unit=unit, by=command.by, reason=reason))
    play.advance(turn)
    return {"position": position}


def _change(play: CardPlay, turn: Turn, command: Command) -> dict[str, Any]:
    shoe, reason = turn.state.shoe, text(command, "reason")
    if turn.state.round is not None and (turn.state.paused is None or command.role is not Role.MANAGER):
        raise Refusal(
            ErrorCode.NOT_NOW,
            f"round {turn.state.round.id} is open: end or void it first, or pause the table and let a service manager"
            " change the shoe, and the round goes on from the new one",
        )
    if command.role is Role.SERVER:
        after = play.shoe.early_change_after
        if after is None:
            raise Refusal(ErrorCode.NOT_ALLOWED, "at this table a service manager changes the shoe")
        if shoe is not None and shoe.hands < after:
            raise Refusal(ErrorCode.NOT_NOW, f"the shoe may be changed after {after} hands; {shoe.hands} were dealt")
    deck_set = command.args.get("deck_set")
    if deck_set is not None and not isinstance(deck_set, str):
        raise Refusal(ErrorCode.BAD_ARGUMENT, '"deck_set" is a text')
    return {"shoe_id": shoes.change(turn, play.procedure, play.shoe, deck_set, reason, command.by).id}
