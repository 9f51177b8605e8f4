"""Results by hand where a table has a device for them: a service manager allows it for a round (``games.md`` §9)."""

from __future__ import annotations

from typing import Any, Protocol

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import EntryAllowed
from dealer_daemon.table.arguments import Refusal, open_round, text
from dealer_daemon.table.turn import Turn


class ByHand(Protocol):
    """A play whose result may be keyed in."""

    @property
    def has_fallback(self) -> bool: ...
    def discard(self) -> None: ...


def allow_entry(play: ByHand, turn: Turn, command: Command) -> dict[str, Any]:
    """From now on the open round's result is keyed in; raises ``Refusal``."""
    if not play.has_fallback:
        raise Refusal(ErrorCode.NOT_NOW, 'this table has no device with role = "fallback" to key a result in at')
    current = open_round(turn, command)
    if turn.state.paused is not None:
        raise Refusal(ErrorCode.NOT_NOW, f"the table is paused ({turn.state.paused}): a manager must resume it")
    if current.by_hand:
        raise Refusal(ErrorCode.NOT_NOW, f"the result of round {current.id} may be keyed in already")
    turn.emit(EntryAllowed(reason=text(command, "reason"), by=command.by))
    play.discard()
    return {"round": current.id}
