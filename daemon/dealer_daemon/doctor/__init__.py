"""Whether this PC is fit for a station, and how to mend what is not. Opens no device, and changes nothing."""

from __future__ import annotations

from dealer_daemon.doctor.examine import examine
from dealer_daemon.doctor.finding import Finding, State
from dealer_daemon.doctor.machine import Machine

__all__ = ["Finding", "Machine", "State", "examine"]
