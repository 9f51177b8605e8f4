"""A technician's bench takes a device out of the table, and gives it back. The table stands meanwhile.

What the device's absence means for the game is the matter of whoever judges the loss of a link: the bench changes
nothing about that.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

from dealer_daemon.commands import ErrorCode
from dealer_daemon.events import DeviceLent, DeviceReturned, EventData, RoundVoided, TablePaused, TableResumed
from dealer_daemon.state import TableState
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.common import STATION, Play, dealer_may_end, stands_for_bench
from dealer_daemon.table.turn import Turn

MAINTENANCE = "maintenance"
"""Why the table stands while a device of it is lent, and after that until a person lets it go on."""


def lend(turn: Turn, device: str, by: str) -> None:
    """The bench has the device from now on. Raises ``Refusal`` where the table cannot stand now, or it is lent."""
    state = turn.state
    if not by.strip() or by == STATION:
        raise Refusal(ErrorCode.NOT_ALLOWED, "say who takes the device (--by NAME)")
    check_unlent(state, device)
    if state.paused is None:
        current = state.round
        if current is not None and current.phase != "held":
            what = f"round {current.id} is open"
            raise Refusal(ErrorCode.NOT_NOW, f"{what}: wait for its end (--wait S), or have the table paused")
    if state.decks.scan is not None:
        what = f"the cards of set {state.decks.scan} are being scanned"
        raise Refusal(ErrorCode.NOT_NOW, f"{what}: wait for the end of that (--wait S)")
    pause = state.paused_at if stands_for_bench(state) else None
    if state.paused is None or dealer_may_end(state):
        turn.emit(TablePaused(reason=MAINTENANCE, by=by, detail=f"{device} is handed over to the technicians' bench"))
        pause = turn.state.paused_at
    turn.emit(DeviceLent(device=device, by=by, pause=pause))


def lend_as_wished(wishes: dict[str, str]) -> Callable[[Turn, EventData], None]:
    """What is done when a round is over: devices that benches wait for (who, by device) are lent, and the wishes end.

    Where a table opens its next round in the same moment there would else never be a time between two.
    """

    def ended(turn: Turn, data: EventData) -> None:
        if isinstance(data, RoundVoided) and data.by == STATION:
            return  # the device has begun the next attempt already
        for device, by in list(wishes.items()):
            with contextlib.suppress(Refusal):
                lend(turn, device, by)
                del wishes[device]

    return ended


def check_unlent(state: TableState, device: str) -> None:
    """Raises ``Refusal`` where a bench has the device."""
    if device in state.lent:
        raise Refusal(ErrorCode.NOT_NOW, f"{device} is in the hands of another bench ({state.lent[device]}): end it")


def check_unwished(wishes: Mapping[str, str], device: str) -> None:
    """Raises ``Refusal`` where a bench waits for the device: one at a time, so that what is lent is lent to it."""
    if device in wishes:
        raise Refusal(ErrorCode.NOT_NOW, f"another bench ({wishes[device]}) waits for {device}: let it, or end it")


def take_back(turn: Turn, play: Play, device: str, reason: str, *, resume: bool) -> None:
    """The bench has the device no more. With ``resume`` the table goes on, where it stands for the bench alone.

    A device that is not lent is none to take back: nothing happens.
    """
    by = turn.state.lent.get(device)
    if by is None:
        return
    turn.emit(DeviceReturned(device=device, reason=reason, by=by))
    if resume and stands_for_bench(turn.state) and not turn.state.lent:
        turn.emit(TableResumed(reason="maintenance_over", by=by))
        play.resumed(turn)
        play.go_on(turn)


def restarted(turn: Turn) -> None:
    """The daemon took the table up: leases ended with the connections that they were."""
    for device, by in sorted(turn.state.lent.items()):
        turn.emit(DeviceReturned(device=device, reason="restarted_while_lent", by=by))


def check_returned(state: TableState) -> None:
    """Raises ``Refusal`` while a device of the table is lent: it cannot go on without."""
    for device, by in sorted(state.lent.items()):
        message = f"{device} is in the hands of the technicians' bench ({by}): end that first"
        raise Refusal(ErrorCode.NOT_NOW, message)
