"""From conditions that come and go to alerts that are raised once and cleared once. Pure: time is an argument.

What was raised is in the table's committed state, so that a restart neither says it again nor forgets to clear it; only
for how long a condition has stood, or has been gone, is counted here and begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dealer_daemon.alerts.codes import SPECS, runbook, suggestion
from dealer_daemon.alerts.conditions import AlertId, Conditions
from dealer_daemon.events import AlertCleared, AlertRaised
from dealer_daemon.state import StandingAlert
from dealer_drivers.instant import Instant


class AlertWatch:
    """One table's alerts."""

    def __init__(self) -> None:
        self._stood: dict[AlertId, Instant] = {}
        self._over: dict[AlertId, Instant] = {}

    def step(
        self, found: Conditions, raised: Mapping[str, StandingAlert], at: Instant
    ) -> list[AlertRaised | AlertCleared]:
        """What is to be raised and cleared now, where ``raised`` are the alerts that stand in the table's state. Called
        again and again; what it answers must be in ``raised`` by the next call."""
        standing = {AlertId(alert.code, alert.device, alert.about): alert for alert in raised.values()}
        # What is not known for a moment stood all the same: a broker that is lost every few seconds must not begin the
        # wait anew each time.
        unseen = {alert: since for alert, since in self._stood.items() if found.is_unknown(alert)}
        self._stood = unseen | {alert: self._stood.get(alert, at) for alert in found.stands if alert not in standing}
        self._over = {alert: self._over.get(alert, at) for alert in standing if found.is_over(alert)}
        return [*self._ended(standing, at), *self._begun(found, at)]

    def _begun(self, found: Conditions, at: Instant) -> Iterator[AlertRaised]:
        for alert, since in self._stood.items():
            if alert in found.stands and at.since_s(since) >= SPECS[alert.code].raise_after_s:
                yield AlertRaised(
                    code=alert.code,
                    severity=SPECS[alert.code].severity,
                    device=alert.device,
                    about=alert.about,
                    detail=found.stands[alert],
                    suggestion=suggestion(alert.code),
                    runbook=runbook(alert.code),
                )

    def _ended(self, standing: Mapping[AlertId, StandingAlert], at: Instant) -> Iterator[AlertCleared]:
        for alert, since in self._over.items():
            spec = SPECS.get(alert.code)  # none: a code that an older version had
            if spec is None or at.since_s(since) >= spec.clear_after_s:
                raised = standing[alert].sequence
                yield AlertCleared(code=alert.code, device=alert.device, about=alert.about, raised=raised)
