"""What a configuration says of the wheel, beside name, driver and port."""

from __future__ import annotations

from typing import Literal

from dealer_drivers.driver import DriverOptions
from dealer_drivers.errors import OptionError

SPEEDS = (9600, 19200)


class AcmeOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of ``acme-wheel``."""

    baud: int = 19200
    """As set on the wheel's second switch: 9600 or 19200."""
    zeros: Literal[1, 2] = 1
    """Zero pockets of this wheel: 1 (0) or 2 (and 00)."""
    control: bool = False
    """May the station acknowledge voids? Without it not a byte is sent."""

    def problems(self) -> list[OptionError]:
        """Everything that the types let through and that cannot be."""
        if self.baud in SPEEDS:
            return []
        return [OptionError("baud", f"{self.baud} is no speed of this wheel; write {' or '.join(map(str, SPEEDS))}")]

    def zero_pockets(self) -> int:
        """So that no table plays a game without 00 on a wheel with one."""
        return self.zeros
