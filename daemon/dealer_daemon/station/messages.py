"""The retained messages that say what a table is doing and how its devices are, and the status of the station.

All of it comes from committed state or from the links' counters; nothing here can reveal a reading while
betting is open, because what an attempt showed is not part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from dealer_daemon.alerts import runbook, suggestion
from dealer_daemon.bodies import AlertBody, CalibrationBody, ConsumerBody, HeldBody
from dealer_daemon.round import TableState
from dealer_daemon.state import StandingAlert, phase_of
from dealer_drivers.driver import Driver
from dealer_drivers.instant import Instant
from dealer_drivers.link import LinkState
from dealer_drivers.supervised import LinkHealth


def state_message(
    state: TableState,
    game: str,
    boot: str,
    at: Instant,
    stalled: str | None,
    consumers: Mapping[str, ConsumerBody] = MappingProxyType({}),
    held: HeldBody | None = None,
) -> dict[str, Any]:
    """What the table is doing. ``stalled`` says why nothing can be committed at the moment, else ``None``; ``held`` why
    the station may not speak for the table."""
    current = state.round
    return {
        "table": state.table,
        "game": game,
        "boot": boot,
        "time": at.rfc3339(),
        "phase": phase_of(state),
        "round": None if current is None else current.id,
        "betting": None if current is None else current.betting,
        "attempt": None if current is None else current.attempt,
        "last_refusal": None if current is None else current.last_refusal,
        "paused": state.paused,
        "paused_at": state.paused_at,
        "stalled": stalled,
        "held": msgspec.to_builtins(held),
        "shoe_id": None if state.shoe is None else state.shoe.id,
        "hand_in_shoe": None if state.shoe is None else state.shoe.hands,
        "last_sequence": state.sequence,
        "last_outcome": None if state.outcome is None else state.outcome.sequence,
        "faults": state.faults,
        "alerts": [msgspec.to_builtins(alert) for alert in alert_bodies(state.alerts.values())],
        "maintenance": state.lent,
        "consumers": msgspec.to_builtins(dict(consumers)),
        "shadow": state.shadow,
    }


def alert_bodies(alerts: Iterable[StandingAlert]) -> list[AlertBody]:
    """For people: the worst first, then the oldest."""
    bodies = [
        AlertBody(
            code=alert.code,
            severity=alert.severity,
            device=alert.device,
            about=alert.about,
            detail=alert.detail,
            suggestion=suggestion(alert.code),
            runbook=runbook(alert.code),
            since=Instant(0, alert.since_ns).rfc3339(),
            sequence=alert.sequence,
        )
        for alert in alerts
    ]
    return sorted(bodies, key=lambda body: (body.severity != "error", body.sequence))


def device_message(
    driver: Driver,
    port: str,
    link: LinkState,
    health: LinkHealth,
    faults: list[str],
    notices: Mapping[str, str],
    at: Instant,
    calibrated: CalibrationBody | None = None,
    held: str | None = None,
    maintenance: str | None = None,
) -> dict[str, Any]:
    """A device's health in four steps: link, bytes, valid frames, readings."""
    return {
        "driver": driver.name,
        "maturity": str(driver.maturity),
        "port": port,
        "time": at.rfc3339(),
        "link": link.state,
        "link_reason": link.reason,
        "link_since": link.since.rfc3339(),
        "bytes_in": health.bytes_in,
        "bytes_out": health.bytes_out,
        "valid_frames": health.valid_frames,
        "rejected_bytes": health.rejected_bytes,
        "opens": health.opens,
        "last_byte": _time(health.last_byte),
        "last_valid_frame": _time(health.last_frame),
        "last_reading": _time(health.last_reading),
        "faults": faults,
        "held": held,
        "notices": dict(notices),
        "calibration": None if calibrated is None else calibrated.id,
        "calibrated": None if calibrated is None else msgspec.to_builtins(calibrated),
        "maintenance": maintenance,
    }


def _time(at: Instant | None) -> str | None:
    return None if at is None else at.rfc3339()
