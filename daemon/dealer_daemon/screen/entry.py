"""A result keyed in at the page, handed to the table's ``manual-entry`` device at its socket, both entries as made."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dealer_daemon.entering import enter_lines
from dealer_daemon.screen.view import Keypad


class Entered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the page sends: both entries, as keyed in. ``id`` is of this result: sent again it is entered once."""

    id: str
    round: str
    first: list[str]
    second: list[str]


class EntryAnswer(msgspec.Struct, frozen=True):
    """What the device answers."""

    state: Literal["again", "entered", "differ", "expired", "refused"]
    reason: str


class BadEntry(ValueError):  # noqa: N818
    """It is none that this keypad can have sent."""


def result_of(keypad: Keypad, keyed: list[str]) -> dict[str, Any]:
    """The game's own keys. Raises ``BadEntry``."""
    if len(keyed) != keypad.count or any(one not in keypad.choices for one in keyed):
        raise BadEntry(f"{keypad.count} of {', '.join(keypad.choices[:6])} … are expected")
    match keypad.field:
        case "number":
            return {"number": keyed[0]}  # a text in every message
        case "dice":
            return {"dice": [int(one) for one in keyed]}
        case field:
            return {field: int(keyed[0])}


async def enter(socket: str, by: str, keypad: Keypad, entered: Entered) -> EntryAnswer:
    """Both entries, in order. Raises ``BadEntry``, and ``OSError`` where the device does not answer (in time)."""
    lines = [
        msgspec.json.encode(
            {"id": entered.id, "nth": nth, "by": by, "round": entered.round, "result": result_of(keypad, keyed)}
        )
        for nth, keyed in enumerate((entered.first, entered.second), start=1)
    ]
    *_, answer = await enter_lines(socket, entered.id, lines)
    return msgspec.convert(answer, EntryAnswer)
