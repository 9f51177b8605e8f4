"""One device of a table: its link, its flight recorder, and what is known of its health."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import structlog

from dealer_daemon.alerts import DeviceHealth
from dealer_daemon.config import DeviceConfig
from dealer_daemon.monitoring import DeviceFigures
from dealer_daemon.station.calibration import AGE, CalibrationWatch
from dealer_daemon.station.calibration_kept import Kept
from dealer_daemon.station.clock_watch import clock_state
from dealer_daemon.station.messages import device_message
from dealer_drivers.calibration import CalibrationStore
from dealer_drivers.calibration.identity import serial_in, serial_of_port
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.flight_recorder import FlightRecorder
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.transports.factory import device_transport
from dealer_drivers.transports.gate import GatedTransport


class DeviceHost:
    """See the module. ``readings`` gets the device's readings; ``changed`` is told when the link's state changed."""

    def __init__(
        self,
        table: str,
        config: DeviceConfig,
        clock: Clock,
        recordings: Path | None,
        keep_days: int,
        *,
        readings: Callable[[str, tuple[Reading, ...], Instant], None],
        changed: Callable[[str], None],
        calibration_max_age_days: int = 180,
        store: CalibrationStore | None = None,
    ) -> None:
        self.config = config
        self._clock = clock
        self._readings = readings
        self._changed = changed
        self._notices: dict[str, str] = {}
        self._calibration = (
            None if config.calibration is None else CalibrationWatch(config.calibration, calibration_max_age_days)
        )
        self._kept = None if config.calibration is None or store is None else Kept(store, table, config)
        self._warned: set[str] = set()
        self._readings_heard = 0
        self._log = structlog.get_logger().bind(table=table, device=config.name)
        transport = GatedTransport(device_transport(config.driver, config.port, config.options, clock=clock))
        self.gate = transport
        if transport.warning:
            self._log.warning("port_name", port=config.port, detail=transport.warning)
        self.recorder = (
            FlightRecorder(
                recordings / table / config.name,
                config.driver.name,
                config.name,
                keep_days,
                synchronised=lambda: bool(clock_state().synchronised),
            )
            if recordings is not None
            else None
        )
        self.link = Link(
            transport,
            config.driver.session(config.options),
            clock,
            on_output=self._output,
            on_state=self._state,
            recorder=self.recorder,
        )

    def request(self, action: DeviceAction) -> None:
        """Ask the device for something; whether it could is seen in its readings."""
        self.link.request(action)

    def newer_calibration(self) -> str | None:
        """In words, what began to count for this device since the station took up its calibration; ``None`` where that
        one counts still, or the device has none of the store."""
        return None if self._kept is None else self._kept.newer()

    def look_at_calibration(self) -> None:
        """Whether what the station works with was withdrawn: the table is told where that changed."""
        at = self._clock.now()
        fault = None if self._kept is None else self._kept.look(at)
        if fault is not None:
            self._readings(self.config.name, (fault,), at)

    def message(self, faults: list[str], held: str | None = None, maintenance: str | None = None) -> dict[str, Any]:
        """The retained message of its health. ``held``: why the station may not speak for the table; ``maintenance``:
        who has the device at a bench."""
        config, now = self.config, self._clock.now()
        calibrated = None if self._calibration is None else self._calibration.body(now)
        self._warn(now)
        message = device_message(
            config.driver,
            config.port,
            self.link.state,
            self.link.health,
            faults,
            self._notices,
            now,
            calibrated,
            held,
            maintenance,
        )
        message["flight_recorder"] = None if self.recorder is None else self.recorder.problem or "recording"
        return message

    def health(self, at: Instant) -> DeviceHealth:
        """As far as alerts depend on it."""
        state, watch = self.link.state, self._calibration
        warnings = {} if watch is None else watch.warnings(at)
        return DeviceHealth(
            link=state.state,
            link_reason=state.reason,
            heard=self.link.health.last_frame is not None,
            recorder=None if self.recorder is None else self.recorder.problem,
            calibration_old=warnings.get(AGE),
            drifts={} if watch is None else watch.drifts,
            drift_known=watch is None or watch.drift_known,
        )

    def figures(self, faults: Sequence[str], at: Instant, *, lent: bool) -> DeviceFigures:
        """As figures are made of it."""
        health = self.link.health
        return DeviceFigures(
            driver=self.config.driver.name,
            maturity=str(self.config.driver.maturity),
            link=self.link.state.state,
            health=health,
            readings=self._readings_heard,
            since_byte_s=_since_s(health.last_byte, at),
            since_frame_s=_since_s(health.last_frame, at),
            since_reading_s=_since_s(health.last_reading, at),
            faults=faults,
            lent=lent,
            recorder_writes=None if self.recorder is None else self.recorder.problem is None,
        )

    def keep(self, recordings_days: int, calibration_max_age_days: int) -> None:
        """Keep recordings for so many days, and take a calibration for old after so many."""
        if self.recorder is not None:
            self.recorder.keep_days(recordings_days)
        if self._calibration is not None:
            self._calibration.max_age_days = calibration_max_age_days
            self._warned.discard(AGE)

    @property
    def busy_s(self) -> float:
        """For how long its driver has been opening, writing or closing; one that is lent only waits."""
        return 0.0 if self.gate.lent else self.link.busy_s

    async def stop(self) -> None:
        """Close the link, then the recorder."""
        await self.link.stop()
        if self.recorder is not None:
            self.recorder.close()

    def _warn(self, at: Instant) -> None:
        """Each warning of the calibration once in the log."""
        for name, warning in {} if self._calibration is None else self._calibration.warnings(at).items():
            if name not in self._warned:
                self._warned.add(name)
                self._log.warning("calibration", name=name, detail=warning)

    def _told(self, serial: str | None, at: Instant) -> tuple[Reading, ...]:
        """The device, or its port, tells its serial number: the fault that begins or ends with that."""
        if serial is None or self._calibration is None:
            return ()
        fault = self._calibration.told(serial, at)
        return () if fault is None else (fault,)

    def _output(self, output: Output, at: Instant) -> None:
        found: list[Reading] = []
        for reading in output.readings:
            if isinstance(reading, DeviceNotice):
                found += self._told(serial_in(reading.notice, reading.detail), at)
            if isinstance(reading, DeviceNotice) and self._notices.get(reading.notice) != reading.detail:
                self._notices[reading.notice] = reading.detail
                self._log.info("device_notice", name=reading.notice, detail=reading.detail)
        if output.readings and self._calibration is not None:
            self._calibration.heard(output.readings, at)
        self._readings_heard += len(output.readings)
        if output.readings:
            # The fault first: what was read together with it counts no more than what comes after.
            self._readings(self.config.name, (*found, *output.readings), at)

    def _state(self, state: LinkState) -> None:
        log = self._log.warning if state.state in ("waiting", "given_up") else self._log.info
        log("link", state=state.state, port=self.config.port, **({"detail": state.reason} if state.reason else {}))
        if state.state == "up":
            at = self._clock.now()
            fault = self._told(serial_of_port(self.config.port), at)
            if fault:
                self._readings(self.config.name, fault, at)
        self._changed(self.config.name)


def _since_s(then: Instant | None, at: Instant) -> float | None:
    return None if then is None else at.since_s(then)
