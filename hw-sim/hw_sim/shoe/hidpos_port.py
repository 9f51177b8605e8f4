"""The port of a device that only umockdev can show to a host: its name, and nothing behind it."""

from __future__ import annotations

from hw_sim.adapter import Port


class CapturedPort(Port):
    """What a host opens; what comes of it is in the capture."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__(lambda _data: None, lambda: None)

    @property
    def address(self) -> str:
        """``usb:VID:PID``."""
        return self._address

    @property
    def plugged(self) -> bool:
        """For hosts under ``umockdev-run``."""
        return True

    async def plug(self) -> None:
        """Nothing: umockdev plugs it in."""

    def unplug(self) -> None:
        """Nothing: the capture pulls the plug at its end."""

    def write(self, data: bytes) -> None:
        """Nobody hears it."""
        self.unheard += len(data)
