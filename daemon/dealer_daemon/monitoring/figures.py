"""What the station knows of itself at one moment, as figures are made of it. The station fills it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dealer_daemon.bodies import ConsumerBody
from dealer_daemon.monitoring.histogram import Histogram
from dealer_daemon.monitoring.tally import Tally
from dealer_daemon.state import StandingAlert
from dealer_drivers.supervised import LinkHealth


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFigures:
    """One device. Times since are seconds, ``None`` for never since the station started."""

    driver: str
    maturity: str
    link: str
    health: LinkHealth
    readings: int
    since_byte_s: float | None
    since_frame_s: float | None
    since_reading_s: float | None
    faults: Sequence[str]
    lent: bool
    recorder_writes: bool | None
    """``None`` where no raw bytes are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFigures:
    """One table."""

    game: str
    shadow: bool
    phase: str
    paused: bool
    held: str | None
    """Why the station may not speak for it."""
    stalled: str | None
    """Why nothing can be committed."""
    failed: bool
    """The journal is not what it was, and the station ends."""
    taken_up: bool
    last_sequence: int
    tally: Tally
    commit: Histogram
    acknowledged: Histogram
    connected: bool
    published: int
    oldest_waits_s: float | None
    consumers: Mapping[str, ConsumerBody]
    alerts: Sequence[StandingAlert]
    devices: Mapping[str, DeviceFigures] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StationFigures:
    """The whole station."""

    site: str
    version: str
    boot: str
    started_ns: int
    """Unix ns."""
    late: Histogram
    """How late the station's own clock work ran: the event loop had something else to do."""
    since_tick_s: float
    """Since that work ran last, in seconds of this computer."""
    free_bytes: int | None
    disk_bytes: int | None
    journal_bytes: int | None
    clock_synchronised: bool | None
    clock_error_s: float | None
    clock_jumps: int
    tables: Mapping[str, TableFigures]
