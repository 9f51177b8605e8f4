"""Driver ``generic-shuffler``: any shuffler that says its state in our lines, by serial line, TCP or a USB bulk pair.

No public protocol exists for any of the common machines (``devices.md`` §6), so the format is ours, documented in
``docs/reference/generic-shuffler.md``. A make with a format of its own gets a driver by ``shuffler_driver`` and a
``ShufflerFormat``; everything else is the same.
"""

from __future__ import annotations

from collections.abc import Callable

from dealer_drivers.clock import Clock
from dealer_drivers.driver import Driver, DriverOptions, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shuffler.codec import GenericFormat, ShufflerFormat
from dealer_drivers.shuffler.guard import GuardedTransport
from dealer_drivers.shuffler.session import SILENT_AFTER_S, ShufflerSession
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.factory import make_transport, port_kind
from dealer_drivers.transports.usb_bulk import UsbBulkTransport

BAUD_RATES = frozenset({9600, 19200, 38400, 57600, 115200})


class ShufflerOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of a shuffler."""

    baud: int = 115200
    """Speed of a serial line; of no meaning over USB."""
    poll_s: float = 0.0
    """Seconds between two questions for the state, for a machine that does not speak by itself. 0: it does."""
    low_level: int = 0
    """Cards below which a continuous shuffler is said to run low; 0 for never."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = []
        if self.baud not in BAUD_RATES:
            problems.append(OptionError("baud", f"must be one of {', '.join(map(str, sorted(BAUD_RATES)))}"))
        if self.poll_s and not 0.2 <= self.poll_s < SILENT_AFTER_S:
            reason = f"must be 0, or from 0.2 to less than {SILENT_AFTER_S:g}, after which silence is told"
            problems.append(OptionError("poll_s", reason))
        if not 0 <= self.low_level <= 832:
            problems.append(OptionError("low_level", "must be 0 to 832 cards"))
        return problems


def shuffler_driver(
    name: str,
    summary: str,
    maturity: Maturity,
    provenance: str,
    make_format: Callable[[], ShufflerFormat],
    options: type[ShufflerOptions] = ShufflerOptions,
) -> Driver:
    """The driver of a make of shuffler: its format is all that differs."""

    def transport(port: str, chosen: ShufflerOptions, clock: Clock) -> Transport:
        inner = (
            UsbBulkTransport(port) if port_kind(port) == "usb" else make_transport(port, _serial(chosen), clock=clock)
        )
        return GuardedTransport(inner, make_format)

    return Driver(
        name=name,
        summary=summary,
        maturity=maturity,
        provenance=provenance,
        options=options,
        session=_session,
        observes=_observes,
        serial=_serial,
        offline_after_s=SILENT_AFTER_S,
        transport=transport,
        transports=frozenset({"serial", "tcp", "usb", "recording"}),
    )


def _session(options: ShufflerOptions) -> ShufflerSession:
    return ShufflerSession(poll_s=options.poll_s, low_level=options.low_level)


def _observes(options: ShufflerOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.DECK})


def _serial(options: ShufflerOptions) -> SerialSettings:
    return SerialSettings(baud=options.baud)


DRIVER = shuffler_driver(
    name="generic-shuffler",
    summary="card shuffler: whether a set of cards is whole, jams, doors, levels; never the order of the cards",
    maturity=Maturity.GENERIC,
    provenance="a line format of ours, docs/reference/generic-shuffler.md",
    make_format=GenericFormat,
)
