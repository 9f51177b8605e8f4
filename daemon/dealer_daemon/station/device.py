"""One device of a table: its link, its flight recorder, and what is known of its health."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog

from dealer_daemon.config import DeviceConfig
from dealer_daemon.station.messages import device_message
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.flight_recorder import FlightRecorder
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.transports.factory import device_transport


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
    ) -> None:
        self.config = config
        self._clock = clock
        self._readings = readings
        self._changed = changed
        self._notices: dict[str, str] = {}
        self._log = structlog.get_logger().bind(table=table, device=config.name)
        transport = device_transport(config.driver, config.port, config.options, clock=clock)
        if transport.warning:
            self._log.warning("port_name", port=config.port, detail=transport.warning)
        self.recorder = (
            FlightRecorder(recordings / table / config.name, config.driver.name, config.name, keep_days)
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

    def message(self, faults: list[str]) -> dict[str, Any]:
        """The retained message of its health."""
        config = self.config
        message = device_message(
            config.driver, config.port, self.link.state, self.link.health, faults, self._notices, self._clock.now()
        )
        message["flight_recorder"] = None if self.recorder is None else self.recorder.problem or "recording"
        return message

    async def stop(self) -> None:
        """Close the link, then the recorder."""
        await self.link.stop()
        if self.recorder is not None:
            self.recorder.close()

    def _output(self, output: Output, at: Instant) -> None:
        for reading in output.readings:
            if isinstance(reading, DeviceNotice) and self._notices.get(reading.notice) != reading.detail:
                self._notices[reading.notice] = reading.detail
                self._log.info("device_notice", name=reading.notice, detail=reading.detail)
        if output.readings:
            self._readings(self.config.name, output.readings, at)

    def _state(self, state: LinkState) -> None:
        log = self._log.warning if state.state in ("waiting", "given_up") else self._log.info
        log("link", state=state.state, port=self.config.port, **({"detail": state.reason} if state.reason else {}))
        self._changed(self.config.name)
