"""Other settings that a serial line may have: tried one after another when bytes come and none is a frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dealer_drivers.driver import SerialSettings

SPEEDS = (9600, 4800, 19200, 115200, 38400, 57600, 2400, 1200)
"""Those of the devices that are known (``devices.md``), the usual ones first."""
FORMS = ((8, "N", 1), (7, "E", 1), (8, "E", 1), (7, "O", 1), (8, "O", 1), (8, "N", 2))
"""Data bits, parity, stop bits, as makers use them."""


def other_settings(own: SerialSettings, *, forms: bool = True) -> Iterator[SerialSettings]:
    """Every other speed in the device's own form, then with ``forms`` its own speed in every other form: a wrong speed
    is the likelier mistake. A pseudo-terminal or a network has no forms."""
    for speed in SPEEDS:
        if speed != own.baud:
            yield replace(own, baud=speed)
    if forms:
        for bits, parity, stop in FORMS:
            other = SerialSettings(own.baud, bits, parity, stop)
            if other != own:
                yield other
