"""How a table and its computer are, gathered for alerts and for figures, and the alerts that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dealer_daemon.alerts import AlertWatch, HostHealth, TableHealth, conditions
from dealer_daemon.config import Config, TableConfig
from dealer_daemon.config.broker import broker_address
from dealer_daemon.journal import Journal, JournalError
from dealer_daemon.monitoring import Histogram, StationFigures, TableFigures
from dealer_daemon.monitoring.histogram import LATE_S
from dealer_daemon.mqtt.head_body import BEHIND, OTHER
from dealer_daemon.mqtt.heads import UNCHECKED
from dealer_daemon.mqtt.scout import CONTESTED
from dealer_daemon.mqtt.uplink import Uplink
from dealer_daemon.state import phase_of
from dealer_daemon.station.clock_watch import ClockState, JumpWatch, clock_state, disk_bytes
from dealer_daemon.station.device import DeviceHost
from dealer_daemon.station.host import TableHost
from dealer_drivers.instant import NS_PER_S, Instant

SETTLED_S = 60.0
"""After a start: every device that speaks by itself has spoken, and none that is asked has kept silent."""
HOLDS = frozenset({BEHIND, OTHER, UNCHECKED, CONTESTED})
"""Problems that are told as what holds the table."""


class Parts(Protocol):
    """One table of the station."""

    config: TableConfig
    host: TableHost
    uplink: Uplink
    acknowledged: Histogram

    @property
    def devices(self) -> Mapping[str, DeviceHost]:
        """By name."""
        ...


class TableWatch:
    """One table's alerts and figures."""

    def __init__(self, parts: Parts, journal: Journal) -> None:
        self._parts = parts
        self._journal = journal
        self._watch = AlertWatch()
        self._oldest: tuple[int, int] | None = None

    def look(self, host: HostHealth, at: Instant) -> None:
        """Raise and clear what is due."""
        table = self._parts.host
        found = conditions(table.committed, self.health(at), host)
        table.alert(self._watch.step(found, table.alerts, at))

    def health(self, at: Instant) -> TableHealth:
        """As far as alerts depend on it."""
        uplink, status = self._parts.uplink, self._parts.uplink.status
        held = self._parts.host.held
        return TableHealth(
            devices={name: device.health(at) for name, device in self._parts.devices.items()},
            connected=status.connected if status.connected or status.problem is not None else None,
            broker_problem="" if status.problem is None else str(status.problem),
            problems={found.code: found.detail for found in uplink.problems if found.code not in HOLDS},
            held=held,
            published=uplink.published,
            oldest_waits_s=self._oldest_waits_s(at),
            consumers=uplink.consumers,
            stalled=self._parts.host.stalled,
        )

    def figures(self, at: Instant) -> TableFigures:
        """As figures are made of it."""
        host, uplink, state = self._parts.host, self._parts.uplink, self._parts.host.committed
        return TableFigures(
            game=self._parts.config.game,
            shadow=self._parts.config.shadow,
            phase=phase_of(state),
            paused=state.paused is not None,
            held=None if host.held is None else host.held.reason,
            stalled=host.stalled,
            failed=host.failed.done(),
            taken_up=host.taken_up,
            last_sequence=state.sequence,
            tally=host.tally,
            commit=host.commits,
            acknowledged=self._parts.acknowledged,
            connected=uplink.status.connected,
            published=uplink.published,
            oldest_waits_s=self._oldest_waits_s(at),
            consumers=uplink.consumers,
            alerts=list(host.alerts.values()),
            devices={
                name: device.figures(state.faults.get(name, []), at, lent=name in state.lent)
                for name, device in self._parts.devices.items()
            },
        )

    def _oldest_waits_s(self, at: Instant) -> float | None:
        """Age of the oldest event that waits for the broker; 0 where none does."""
        table = self._parts.config.name
        due = max(self._parts.uplink.published + 1, self._journal.first_sequence(table))
        if due > self._journal.last_sequence(table):
            return 0.0
        if self._oldest is None or self._oldest[0] != due:
            try:
                event = self._journal.event_at(table, due)
            except JournalError:  # the publisher meets the same, and says so
                event = None
            if event is None:
                return None
            self._oldest = (due, event.wall_ns)
        return max(0.0, (at.wall_ns - self._oldest[1]) / NS_PER_S)


class HostWatch:
    """The computer, and what belongs to no table."""

    def __init__(self, config: Config, started: Instant, *, boot: str, version: str, speed: float = 1.0) -> None:
        """``speed`` is the station clock's: one that runs faster than the computer's says nothing of that."""
        self._config = config
        self._started = started
        self._boot = boot
        self._speed = speed
        self._version = version
        self._jumps = JumpWatch()
        self._jump_s: float | None = None
        self._clock = ClockState(None, None)
        self._disk: tuple[int, int] | None = None
        self.late = Histogram(LATE_S)
        brokers = (config.mqtt.url, *config.mqtt.fallback_urls)
        away = not all(broker_address(url).on_loopback for url in brokers)
        self._unsigned_away = away and config.station.signing_key_file is None
        self.monitoring_problem: str | None = None

    def look_at_clock(self, at: Instant) -> None:
        """Often: a jump is between two looks."""
        self._jump_s = self._jumps.observe(at)

    def look_at_computer(self) -> None:
        """Now and then: asks the kernel."""
        if self._speed == 1:
            self._clock = clock_state()
        self._disk = disk_bytes(self._config.station.state_dir)

    def health(self, at: Instant) -> HostHealth:
        """As far as alerts depend on it."""
        return HostHealth(
            free_bytes=None if self._disk is None else self._disk[0],
            clock_synchronised=self._clock.synchronised,
            clock_jump_s=self._jump_s,
            unsigned_away=self._unsigned_away,
            monitoring_problem=self.monitoring_problem,
            settled=at.since_s(self._started) >= SETTLED_S,
        )

    def status(self) -> dict[str, object]:
        """For the status command."""
        free, size = self._disk or (None, None)
        return {
            "clock_synchronised": self._clock.synchronised,
            "clock_error_s": self._clock.error_s,
            "clock_jumps": self._jumps.jumps,
            "disk_free_bytes": free,
            "disk_size_bytes": size,
            "loop_late_p99_s": self.late.at_most_s(0.99),
            "monitoring_problem": self.monitoring_problem,
        }

    def figures(self, since_tick_s: float, journal: Path, tables: Mapping[str, TableFigures]) -> StationFigures:
        """As figures are made of it."""
        free, size = self._disk or (None, None)
        try:
            journal_bytes: int | None = journal.stat().st_size
        except OSError:  # it is gone: the next commit ends the station with words
            journal_bytes = None
        return StationFigures(
            site=self._config.station.site,
            version=self._version,
            boot=self._boot,
            started_ns=self._started.wall_ns,
            late=self.late,
            since_tick_s=since_tick_s,
            free_bytes=free,
            disk_bytes=size,
            journal_bytes=journal_bytes,
            clock_synchronised=self._clock.synchronised,
            clock_error_s=self._clock.error_s,
            clock_jumps=self._jumps.jumps,
            tables=tables,
        )
