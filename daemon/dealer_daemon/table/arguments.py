"""Arguments of commands, checked; and the refusal that ends a command without an event."""

from __future__ import annotations

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import Facts
from dealer_daemon.games.game import BadFacts
from dealer_daemon.state import OpenRound
from dealer_daemon.table.common import Play
from dealer_daemon.table.turn import Turn

LARGEST = 2**63 - 1
"""Sequences have 64 bits, as the journal has."""


class Refusal(Exception):  # noqa: N818
    """The command is not carried out."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def open_round(turn: Turn, command: Command) -> OpenRound:
    current = turn.state.round
    if current is None:
        raise Refusal(ErrorCode.NOT_NOW, "no round is open")
    named = command.args.get("round")
    if named is not None and named != current.id:
        raise Refusal(ErrorCode.WRONG_ROUND, f"round {named} is not open; {current.id} is")
    return current


def stated(play: Play, command: Command) -> Facts:
    try:
        return play.rules.game.stated(play.rules.settings, command.args)
    except BadFacts as error:
        raise Refusal(ErrorCode.BAD_ARGUMENT, str(error)) from error


def server_object(command: Command) -> Facts | None:
    value = command.args.get("server")
    if value is not None and not isinstance(value, dict):
        raise Refusal(ErrorCode.BAD_ARGUMENT, '"server" must be an object')
    return value


def text(command: Command, key: str) -> str:
    value = command.args.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Refusal(ErrorCode.BAD_ARGUMENT, f'"{key}" is needed, a text that says why')
    return value


def flag(command: Command, key: str) -> bool:
    value = command.args.get(key, False)
    if not isinstance(value, bool):
        raise Refusal(ErrorCode.BAD_ARGUMENT, f'"{key}" is true or false')
    return value


def integer(command: Command, key: str) -> int:
    value = command.args.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise Refusal(ErrorCode.BAD_ARGUMENT, f'"{key}" is needed, a whole number from 0 to {LARGEST}')
    return value
