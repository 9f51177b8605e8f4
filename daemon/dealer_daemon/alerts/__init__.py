"""What needs a person: pure functions from what is committed and how things are to alerts that begin and end."""

from __future__ import annotations

from dealer_daemon.alerts.codes import SPECS, AlertCode, AlertSpec, runbook, suggestion
from dealer_daemon.alerts.conditions import conditions
from dealer_daemon.alerts.health import DeviceHealth, HostHealth, TableHealth
from dealer_daemon.alerts.watch import AlertWatch

__all__ = [
    "SPECS",
    "AlertCode",
    "AlertSpec",
    "AlertWatch",
    "DeviceHealth",
    "HostHealth",
    "TableHealth",
    "conditions",
    "runbook",
    "suggestion",
]
