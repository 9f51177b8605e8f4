"""What servers and people may ask of a table, who may ask it, and what follows (``games.md`` §11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer_daemon.commands import MAX_RESENT, Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import (
    BettingClosed,
    Event,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    TableResumed,
)
from dealer_daemon.table.answers import check_resume, check_round, is_after_pause
from dealer_daemon.table.arguments import Refusal, integer, open_round, server_object, stated, text
from dealer_daemon.table.calibrated import all_calibrated, check_calibrated
from dealer_daemon.table.common import (
    STATION,
    Play,
    dealer_may_end,
    emit_outcome,
    gives_way,
    next_round_id,
    refuse,
)
from dealer_daemon.table.maintenance import check_returned
from dealer_daemon.table.turn import Turn
from dealer_daemon.verdicts import Refused

_SERVER, _DEALER, _MANAGER = Role.SERVER, Role.DEALER, Role.MANAGER

MAY: dict[CommandName, frozenset[Role]] = {
    CommandName.ROUND_OPEN: frozenset({_SERVER, _MANAGER}),
    CommandName.BETTING_CLOSE: frozenset({_SERVER, _MANAGER}),
    CommandName.GATE_OPEN: frozenset({_SERVER, _MANAGER}),
    CommandName.CARD_EXPECT: frozenset({_SERVER}),
    CommandName.ROUND_VOID: frozenset({_MANAGER}),
    CommandName.OUTCOME_CORRECT: frozenset({_MANAGER}),
    CommandName.TABLE_PAUSE: frozenset({_SERVER, _DEALER, _MANAGER}),
    CommandName.TABLE_RESUME: frozenset({_DEALER, _MANAGER}),
    CommandName.SHOE_CHANGE: frozenset({_SERVER, _MANAGER}),
    CommandName.DECK_VERIFY: frozenset({_DEALER, _MANAGER}),
    CommandName.DECK_INSERT: frozenset({_DEALER, _MANAGER}),
    CommandName.CARD_CORRECT: frozenset({_MANAGER}),
    CommandName.EVENTS_RESEND: frozenset(Role),
    CommandName.ATTEMPT_CONFIRM: frozenset({_DEALER, _MANAGER}),
    CommandName.ATTEMPT_REFUSE: frozenset({_DEALER, _MANAGER}),
    CommandName.ATTEMPT_DECIDE: frozenset({_MANAGER}),
    CommandName.ENTRY_ALLOW: frozenset({_MANAGER}),
}
"""Who may ask what. Nobody but a service manager voids or corrects, or resumes (``games.md`` §2.2), but for
``DEALER_RESUMES`` (``common.py``)."""


def answer(turn: Turn, play: Play, command: Command, event_at: Callable[[int], Event | None]) -> Reply:
    """Carry the command out, or say why not. A refused command leaves no event."""
    try:
        if command.by == STATION:
            raise Refusal(ErrorCode.NOT_ALLOWED, f'"{STATION}" is the author of what no person did: say who asks')
        if command.role not in MAY[command.name]:
            may = ", ".join(sorted(MAY[command.name]))
            raise Refusal(ErrorCode.NOT_ALLOWED, f"a {command.role} may not: {command.name} is for {may}")
        check_round(turn.state, command, turn.at)
        result = _carry_out(turn, play, command, event_at)
    except Refusal as refusal:
        return Reply(command=command.id, ok=False, error=refusal.code, message=str(refusal))
    return Reply(command=command.id, ok=True, result=result)


def _carry_out(turn: Turn, play: Play, command: Command, event_at: Callable[[int], Event | None]) -> dict[str, Any]:
    own = play.order(turn, command)
    if own is not None:
        return own
    match command.name:
        case CommandName.ROUND_OPEN:
            return _open(turn, play, command)
        case CommandName.BETTING_CLOSE:
            return _close(turn, play, command)
        case CommandName.ROUND_VOID:
            return _void(turn, play, command)
        case CommandName.OUTCOME_CORRECT:
            return _correct(turn, play, command, event_at)
        case CommandName.TABLE_PAUSE:
            return _pause(turn, command)
        case CommandName.TABLE_RESUME:
            return _resume(turn, play, command)
        case CommandName.ATTEMPT_CONFIRM:
            return _confirm(turn, play, command)
        case CommandName.ATTEMPT_REFUSE:
            return _refuse(turn, play, command)
        case CommandName.ATTEMPT_DECIDE:
            return _decide(turn, play, command)
        case CommandName.EVENTS_RESEND:
            return _resend(turn, command)
        case _:
            raise Refusal(ErrorCode.NOT_NOW, f"{play.rules.game.name} has no use for {command.name}")


def _open(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    if play.rules.round_source != "server":
        raise Refusal(ErrorCode.NOT_NOW, 'the device opens the rounds of this table (round_source = "device")')
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    if turn.state.round is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"round {turn.state.round.id} is still open")
    round_id, server = next_round_id(turn), server_object(command)
    shoe = play.opened(turn)
    opened = RoundOpened(game=play.rules.game.name, source="server", spin=play.round_token(), server=server, **shoe)
    turn.emit(opened, subject=round_id)
    return {"round": round_id}


def _close(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    if play.rules.round_source != "server":
        raise Refusal(ErrorCode.NOT_NOW, 'the device closes betting at this table (round_source = "device")')
    current = open_round(turn, command)
    if current.betting == "closed":
        raise Refusal(ErrorCode.NOT_NOW, f"betting on round {current.id} is closed already")
    turn.emit(
        BettingClosed(
            game=play.rules.game.name,
            source="server",
            shoe_id=current.shoe_id,
            hand_in_shoe=current.hand_in_shoe,
            server=server_object(command),
        )
    )
    play.betting_closed(turn)
    return {"round": current.id}


def _void(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    reason = text(command, "reason")
    rest = play.leaves_rest(turn)
    turn.emit(RoundVoided(reason=reason, by=command.by, seen=play.seen(turn), rest_left=rest))
    play.voided(turn)
    # Voiding is one of the two ways on from trouble; a pause that somebody asked for stays, and one that came after it.
    # Nor does a table go on without a device that a bench has, or with one that is read wrong.
    trouble = turn.state.paused_by == STATION and turn.state.paused in ("tries_exhausted", "violation")
    whole = not turn.state.lent and all_calibrated(turn.state)
    if trouble and whole and is_after_pause(turn.state, command, turn.at):
        turn.emit(TableResumed(reason="round_voided", by=command.by), subject=current.id)
    play.go_on(turn)
    return {"round": current.id}


def _correct(turn: Turn, play: Play, command: Command, event_at: Callable[[int], Event | None]) -> dict[str, Any]:
    replaces = integer(command, "replaces")
    reason = text(command, "reason")
    replaced = event_at(replaces)
    if replaced is None or not isinstance(replaced.data, RoundOutcome | OutcomeCorrected):
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"sequence {replaces} is no outcome of this table")
    newest = turn.state.corrected.get(replaced.subject or "", replaces)
    if newest != replaces:
        raise Refusal(ErrorCode.NOT_NOW, f"that outcome was corrected already: name {newest}")
    if replaced.data.game != play.rules.game.name:
        message = (
            f"that was {replaced.data.game}, and this table plays {play.rules.game.name} now: its facts are others"
        )
        raise Refusal(ErrorCode.NOT_NOW, message)
    facts = stated(play, command)
    beside = play.correction(turn, command, replaced, event_at)
    turn.emit(
        OutcomeCorrected(
            replaces=replaces, game=play.rules.game.name, facts=facts, reason=reason, by=command.by, **beside
        ),
        subject=replaced.subject,
    )
    return {"sequence": turn.state.sequence}


def _pause(turn: Turn, command: Command) -> dict[str, Any]:
    if turn.state.paused is not None and not gives_way(turn.state):
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused already ({turn.state.paused})")
    reason = text(command, "reason")
    turn.emit(TablePaused(reason=reason, by=command.by))
    return {}


def _resume(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    if turn.state.paused is None:
        raise Refusal(ErrorCode.NOT_NOW, "the table is not paused")
    if command.role is not _MANAGER and not dealer_may_end(turn.state):
        may = f"a {command.role} may not end this pause ({turn.state.paused}): a service manager does"
        raise Refusal(ErrorCode.NOT_ALLOWED, may)
    check_resume(turn.state, command, turn.at)
    check_returned(turn.state)
    check_calibrated(turn.state)
    turn.emit(TableResumed(reason=text(command, "reason"), by=command.by))
    play.resumed(turn)
    play.go_on(turn)
    return {}


def _confirm(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    if current.phase != "unconfirmed":
        raise Refusal(ErrorCode.NOT_NOW, "no attempt waits for a confirmation")
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    emit_outcome(turn, play.rules.game.name, current.seen, "device", command.by, current.witnesses, current.evidence)
    sequence = turn.state.sequence
    play.discard()
    play.go_on(turn)
    return {"sequence": sequence}


def _refuse(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    if current.phase == "waiting":
        raise Refusal(ErrorCode.NOT_NOW, "no attempt is under way or waits for a decision")
    if current.phase == "held" and command.role is not Role.MANAGER:
        raise Refusal(ErrorCode.NOT_ALLOWED, "a held attempt is decided by a service manager")
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    evidence = current.evidence or turn.evidence()
    reason = "manager_refused" if command.role is Role.MANAGER else "dealer_no_spin"
    refuse(
        turn,
        current,
        Refused(reason, play.rules.game.remedy, f"called by {command.by}"),
        evidence,
        play.rules.tries_before_pause,
    )
    play.discard()
    play.go_on(turn)
    return {"attempt": current.attempt}


def _decide(turn: Turn, play: Play, command: Command) -> dict[str, Any]:
    current = open_round(turn, command)
    if current.phase != "held":
        raise Refusal(ErrorCode.NOT_NOW, "no attempt is held")
    if current.betting == "open":
        raise Refusal(ErrorCode.NOT_NOW, "betting is open: nothing may be published before it closes")
    reason = text(command, "reason")
    emit_outcome(
        turn, play.rules.game.name, stated(play, command), "manager", command.by, ["manager"], current.evidence, reason
    )
    sequence = turn.state.sequence
    play.go_on(turn)
    return {"sequence": sequence}


def _resend(turn: Turn, command: Command) -> dict[str, Any]:
    first = integer(command, "from")
    if not 1 <= first <= turn.state.sequence:
        raise Refusal(ErrorCode.BAD_ARGUMENT, f'"from" must be 1 to {turn.state.sequence}')
    return {"from": first, "to": min(first + MAX_RESENT - 1, turn.state.sequence)}
