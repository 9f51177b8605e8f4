"""Driver ``manual-entry``: a result keyed in twice, the same both times, by a signed-in dealer (``games.md`` §9).

Maturity: generic. The table's screen is the other side of its socket, and answers for who is signed in.
"""

from __future__ import annotations

from dealer_drivers.clock import Clock
from dealer_drivers.driver import Driver, DriverOptions, Maturity, Observes, SerialSettings
from dealer_drivers.entry.session import EntrySession
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.listening import UNIX, ListeningTransport


class ManualEntryOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of entries by hand."""

    again_s: float = 60.0
    """The second entry must follow the first within this time."""

    def problems(self) -> list[OptionError]:
        """A time out of range."""
        if 1 <= self.again_s <= 600:
            return []
        return [OptionError("again_s", f"{self.again_s:g} is out of range; it must be 1 to 600")]


def _transport(port: str, options: ManualEntryOptions, clock: Clock) -> Transport:  # noqa: ARG001
    path = port.removeprefix(UNIX)
    if not path.startswith("/"):
        raise OptionError(
            "port", f"{port!r}: write unix: and the whole path of the socket, unix:/run/.../r1-entry.sock"
        )
    return ListeningTransport(path)


DRIVER = Driver(
    name="manual-entry",
    summary="results that a signed-in dealer keys in twice, at tables without a sensor",
    maturity=Maturity.GENERIC,
    provenance="lines of our own, see the reference; the table's screen writes them",
    options=ManualEntryOptions,
    session=lambda options: EntrySession(options.again_s),
    observes=lambda options: frozenset({Observes.ENTRY}),  # noqa: ARG005
    serial=lambda options: SerialSettings(),  # noqa: ARG005
    transport=_transport,
    offline_after_s=5.0,
    transports=frozenset({"unix", "recording"}),
)
