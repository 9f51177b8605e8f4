"""What a card table asks of its readers: to look for a code while a card is due, and to give none while it stands.

Nothing is asked of a device that cannot do it, or that its options forbid it (``TableDevice.actions``). What was asked
is no part of the journal: after a restart, and whenever a device may have forgotten it, it is asked again.
"""

from __future__ import annotations

from collections.abc import Sequence

from dealer_daemon.games.game import TableDevice
from dealer_daemon.table.turn import Turn
from dealer_drivers.driver import DeviceAction


class Wishes:
    """See the module. ``lock_when_paused``: a shoe that lets itself be locked is, as long as the table is paused."""

    def __init__(self, devices: Sequence[TableDevice], *, lock_when_paused: bool) -> None:
        self._scanners = [device.name for device in devices if DeviceAction.SCAN_ON in device.actions]
        self._shoes = [
            device.name for device in devices if lock_when_paused and DeviceAction.LOCK_SHOE in device.actions
        ]
        self._asked: dict[str, DeviceAction] = {}
        self._heard: set[str] = set()
        """Devices that said something in this run. Before the first word a link may not have been up."""

    def hear(self, device: str, *, anew: bool) -> None:
        """The device said something. ``anew``: it may have forgotten what it was asked."""
        if anew or device not in self._heard:
            self._asked.pop(device, None)
        self._heard.add(device)

    def ask(self, turn: Turn, *, due: bool) -> None:
        """Asks what is not asked yet. ``due``: a card may come now."""
        for device in self._scanners:
            self._ask(turn, device, DeviceAction.SCAN_ON if due else DeviceAction.SCAN_OFF)
        for device in self._shoes:
            paused = turn.state.paused is not None
            self._ask(turn, device, DeviceAction.LOCK_SHOE if paused else DeviceAction.UNLOCK_SHOE)

    def _ask(self, turn: Turn, device: str, action: DeviceAction) -> None:
        if self._asked.get(device) is not action:
            self._asked[device] = action
            turn.ask(device, action)
