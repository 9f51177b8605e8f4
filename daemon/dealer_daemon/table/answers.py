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


def check_resume(state: TableState, command: Command) -> None:
    """Raises ``Refusal`` where the command may have been sent before this pause. A question on where the next card
    belongs is answered by who has seen it, so there one of the two must show that: the pause's number, or the time."""
    named, here = command.args.get("pause"), f"({state.paused}, pause {state.paused_at})"
    if named is not None:
        if named != state.paused_at:
            message = f"the table does not stand for pause {named}, but for another {here}: look at it, then name that"
            raise Refusal(ErrorCode.NOT_NOW, message)
        return
    silent = command.sent_ns is None and state.paused in QUESTIONS and state.paused_by == STATION
    if silent or not is_after_pause(state, command):
        when = "does not say when it was sent" if silent else "was sent before the table asked"
        message = f"this {when}, and answers a question {here}: look at the table, then name its pause"
        raise Refusal(ErrorCode.NOT_NOW, message)


def is_after_pause(state: TableState, command: Command) -> bool:
    """Whether the station's own pause was there when the command was sent, as far as that says. A person's pause asks
    nothing."""
    if state.paused_by != STATION or state.paused_ns is None or command.sent_ns is None:
        return True
    return command.sent_ns >= state.paused_ns


def check_round(state: TableState, command: Command) -> None:
    """Raises ``Refusal`` for a person's word on a round, or on an attempt that waits for one, from before it was there.
    ``round`` names the round that is meant, whenever it was said."""
    current, sent_ns = state.round, command.sent_ns
    if current is None or sent_ns is None or command.name not in _OF_ROUND:
        return
    if current.opened_ns is not None and sent_ns < current.opened_ns and command.args.get("round") is None:
        message = f'this was sent before round {current.id} was opened: if it is meant, name it ("round")'
        raise Refusal(ErrorCode.NOT_NOW, message)
    waits = command.name in _OF_ATTEMPT and current.phase in ("held", "unconfirmed")
    if waits and current.asked_ns is not None and sent_ns < current.asked_ns:
        what = f"attempt {current.attempt} of round {current.id} is {current.phase} since"
        raise Refusal(
            ErrorCode.NOT_NOW, f"this was sent before the table asked, and {what}: look at it, then say it again"
        )
