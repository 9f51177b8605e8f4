"""Options that both Cammegh models share, and what follows from them."""

from __future__ import annotations

from typing import Literal

import msgspec

from dealer_drivers.driver import DeviceAction, DriverOptions, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.roulette.cammegh_parameters import OPTION, parameter_problems


class CammeghOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As written beside name, driver and port of the device."""

    control: bool = False
    """May the station set anything or acknowledge voids? Without it, it only asks: ``*V``, ``*G?`` and ``*T X``."""
    ask: bool = True
    """May the station ask at connect? ``false`` where another host owns the line: then not a byte is sent."""
    zeros: Literal[1, 2, 3, 4] = 1
    """Zero pockets of this wheel: 1 (0), 2 (and 00), 3 (and 000), 4 (and 0000)."""
    expected_parameters: dict[str, str] = msgspec.field(default_factory=dict)
    """The calibrated parameters, letter to value as the wheel prints it (``m = "2.0"``), compared at connect."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = parameter_problems(self.expected_parameters)
        if self.expected_parameters and not self.ask:
            problems.append(OptionError(OPTION, "the wheel must be asked for its parameters: set ask = true"))
        if self.control and not self.ask:
            problems.append(
                OptionError("control", "a wheel that may not be asked cannot be controlled: set ask = true")
            )
        return problems

    def zero_pockets(self) -> int:
        """As it is set."""
        return self.zeros


def actions(options: CammeghOptions) -> frozenset[DeviceAction]:
    """Voids are acknowledged, and self-tests begun, under ``control`` only."""
    return frozenset({DeviceAction.ACKNOWLEDGE_VOID, DeviceAction.SELF_TEST} if options.control else ())


def serial_settings(_options: CammeghOptions) -> SerialSettings:
    """9600 8N1, three wires, no flow control."""
    return SerialSettings(baud=9600, data_bits=8, parity="N", stop_bits=1)
