"""An answer comes after its question. A broker keeps a command while the station is away, and buttons are pressed
twice: what was said of one question is none to the next, of which the person had seen nothing.

A client that says no time is taken at its word, but where cards may have passed unseen (decision 0019).
"""

from __future__ import annotations

from dealer_daemon.commands import Command, CommandName, ErrorCode
from dealer_daemon.state import TableState
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.cards.unseen import QUESTIONS
from dealer_daemon.table.common import STATION
from dealer_drivers.instant import NS_PER_S, Instant

_OF_ATTEMPT = frozenset(
    {
        CommandName.ATTEMPT_CONFIRM,
        CommandName.ATTEMPT_REFUSE,
        CommandName.ATTEMPT_DECIDE,
        CommandName.CARD_CORRECT,
    }
)
"""What people say of an attempt that waits for them. A corrected card lets a held hand go on too."""
_OF_ROUND = _OF_ATTEMPT | {CommandName.ROUND_VOID, CommandName.ENTRY_ALLOW}
"""What people say of a round. What servers say of it follows on each other's replies: no clock is asked there."""

_NAMES_ROUND = _OF_ROUND | {CommandName.BETTING_CLOSE, CommandName.GATE_OPEN}
"""What may say which round is meant."""

FRESH_S = 10.0
"""A word that was sent so near to now by the clock as it goes now is one of now."""


def was_before(sent_ns: int, asked_ns: int, now: Instant) -> bool:
    """Whether a word was sent before the table asked, both by their wall clocks.

    A question that lies ahead of ``now`` was asked while the station's clock went wrong, a computer's that keeps local
    time, say, before it was put right. Then no order can be told by it: a word of just now is an answer, and an older
    one none.
    """
    if asked_ns <= now.wall_ns:
        return sent_ns < asked_ns
    return abs(now.wall_ns - sent_ns) > FRESH_S * NS_PER_S


def check_resume(state: TableState, command: Command, at: Instant) -> None:
    """Raises ``Refusal`` where the command may have been sent before this pause. A question on where the next card
    belongs is answered by who has seen it, so there one of the two must show that: the pause's number, or the time."""
    named, here = command.args.get("pause"), f"({state.paused}, pause {state.paused_at})"
    if named is not None:
        if named != state.paused_at:
            message = f"the table does not stand for pause {named}, but for another {here}: look at it, then name that"
            raise Refusal(ErrorCode.NOT_NOW, message)
        return
    silent = command.sent_ns is None and state.paused in QUESTIONS and state.paused_by == STATION
    if silent or not is_after_pause(state, command, at):
        when = "does not say when it was sent" if silent else "was sent before the table asked"
        message = f"this {when}, and answers a question {here}: look at the table, then name its pause"
        raise Refusal(ErrorCode.NOT_NOW, message)


def is_after_pause(state: TableState, command: Command, at: Instant) -> bool:
    """Whether the station's own pause was there when the command was sent, as far as that says. A person's pause asks
    nothing."""
    if state.paused_by != STATION or state.paused_ns is None or command.sent_ns is None:
        return True
    return not was_before(command.sent_ns, state.paused_ns, at)


def check_round(state: TableState, command: Command, at: Instant) -> None:
    """Raises ``Refusal`` for a person's word on a round, or on an attempt that waits for one, from before it was there.
    ``round`` names the round that is meant, whenever it was said."""
    current, sent_ns = state.round, command.sent_ns
    if current is None or sent_ns is None or command.name not in _OF_ROUND:
        return
    early = current.opened_ns is not None and was_before(sent_ns, current.opened_ns, at)
    if early and command.args.get("round") is None:
        message = f'this was sent before round {current.id} was opened: if it is meant, name it ("round")'
        raise Refusal(ErrorCode.NOT_NOW, message)
    waits = command.name in _OF_ATTEMPT and current.phase in ("held", "unconfirmed")
    if waits and current.asked_ns is not None and was_before(sent_ns, current.asked_ns, at):
        what = f"attempt {current.attempt} of round {current.id} is {current.phase} since"
        raise Refusal(
            ErrorCode.NOT_NOW, f"this was sent before the table asked, and {what}: look at it, then say it again"
        )


def clock_is_behind(state: TableState, command: Command, at: Instant, slack_s: float) -> str | None:
    """Why the age of a command cannot be told: the clock stands before what the table has already done, by more than
    ``slack_s``. A word of long ago may be one of now by it. ``None`` where it can be told, and where the command names
    the round, or the pause, that it is about: then it is about no other."""
    if command.args.get("round") is not None or command.args.get("pause") is not None:
        return None
    current = state.round
    times: tuple[int | None, ...]
    if command.name is CommandName.TABLE_RESUME:
        times, name = (state.paused_ns,), f'its pause ("pause": {state.paused_at})'
    elif current is not None and command.name in _NAMES_ROUND:
        times, name = (current.opened_ns, current.asked_ns), f'the round ("round": "{current.id}")'
    else:
        return None
    ahead_s = (max((ns for ns in times if ns is not None), default=at.wall_ns) - at.wall_ns) / NS_PER_S
    if ahead_s <= slack_s:
        return None
    return (
        f"the station's clock is {ahead_s:.1f} s behind what stands in its journal, so it cannot tell how old this is: "
        f"look at the table, then name {name}; set the station's clock (NTP)"
    )
