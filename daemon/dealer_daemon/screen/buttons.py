"""What the dealer may ask for now: the acts of the page, and the commands that they are. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dealer_daemon.commands import CommandName
from dealer_daemon.games.cards.procedure import CardDue
from dealer_daemon.games.roulette import WHEEL_ORDER
from dealer_daemon.games.sic_bo import FACES
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.texts import say
from dealer_daemon.screen.view import Button, Keypad
from dealer_daemon.table.cards.hand import due as cards_due
from dealer_daemon.table.common import dealer_may_end, gives_way
from dealer_daemon.validation.turn_map import SEGMENTS

REFUSES = {"roulette": "no_spin", "sic-bo": "no_shake", "rainbow-wheel": "no_turn", "fan-tan": "no_layout"}
MANAGER_CALLED = "manager_called"


@dataclass(frozen=True, slots=True)
class DealerAct:
    """A press of a button: the command that it is. ``about`` are the keys that come back from the page."""

    command: CommandName
    about: tuple[str, ...] = ()
    args: Mapping[str, Any] | None = None


ACTS: dict[str, DealerAct] = {
    "confirm": DealerAct(CommandName.ATTEMPT_CONFIRM, ("round",)),
    "refuse": DealerAct(CommandName.ATTEMPT_REFUSE, ("round",)),
    "resume": DealerAct(CommandName.TABLE_RESUME, ("pause",), {"reason": "answered at the screen"}),
    "call_manager": DealerAct(CommandName.TABLE_PAUSE, (), {"reason": MANAGER_CALLED}),
}
"""By the word in the address, ``POST /tables/{table}/acts/{act}``."""


def buttons_of(sight: Sight) -> list[Button]:
    """In the order in which they stand: what is asked for first, the call at the end."""
    return list(_buttons(sight))


def _buttons(sight: Sight) -> Iterator[Button]:
    state, current = sight.state, sight.state.round
    if state.paused is not None:
        if dealer_may_end(state):
            yield Button(act="resume", text=say("button", "resume"), about={"pause": state.paused_at}, weight="main")
    elif current is not None and sight.face.procedure is None:
        about = {"round": current.id}
        if current.phase == "unconfirmed":
            yield Button(act="confirm", text=say("button", "confirm"), about=about, weight="main")
        if current.phase in ("running", "unconfirmed"):
            yield Button(act="refuse", text=say("button", REFUSES[sight.face.game.name]), about=about)
    elif current is not None and current.phase != "held" and _card_is_due(sight):
        yield Button(act="refuse", text=say("button", "ask_rescan"), about={"round": current.id})
    if state.paused is None or gives_way(state):
        yield Button(act="call_manager", text=say("button", "call_manager"), about={}, weight="alarm")


def _card_is_due(sight: Sight) -> bool:
    current, procedure = sight.state.round, sight.face.procedure
    assert current is not None
    assert procedure is not None
    if current.betting == "open":  # whether one is due may follow from cards that nobody may know
        return False
    return isinstance(cards_due(procedure, current.steps), CardDue)


_FIELDS: dict[str, tuple[str, int, Callable[[], list[str]]]] = {
    "roulette": ("number", 1, lambda: [str(n) for n in sorted(WHEEL_ORDER)]),
    "sic-bo": ("dice", 3, lambda: [str(n) for n in FACES]),
    "rainbow-wheel": ("segment", 1, lambda: [str(n) for n in range(SEGMENTS)]),
    "fan-tan": ("remainder", 1, lambda: [str(n) for n in range(1, 5)]),
}


def keys_of(game: str) -> tuple[str, int, list[str]] | None:
    """How a result of a game is keyed in: the field, of how many keys, out of which. ``None`` for a card game."""
    if game not in _FIELDS:
        return None
    field, count, choices = _FIELDS[game]
    return field, count, choices()


def keypad_of(sight: Sight) -> Keypad | None:
    """The keypad, while a result may be keyed in: betting closed, and the table has no sensor or its manager let it."""
    face, current = sight.face, sight.state.round
    if face.entry_device is None or current is None or face.game.name not in _FIELDS or sight.state.paused is not None:
        return None
    if current.betting == "open" or not (face.by_hand or current.by_hand) or current.phase != "waiting":
        return None
    field, count, choices = _FIELDS[face.game.name]
    return Keypad(
        device=face.entry_device,
        round=current.id,
        title=say("button", f"key_in_{field}"),
        once=say("button", "key_once"),
        again=say("button", "key_again"),
        undo=say("button", "key_undo"),
        field=field,  # type: ignore[arg-type]
        count=count,
        choices=choices(),
    )
