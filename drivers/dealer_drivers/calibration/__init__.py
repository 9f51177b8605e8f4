"""Calibration files: their form, the store that keeps them, whose they are, and whether readings drift from them.

Shared by the bench, which makes them, and the daemon, which uses them (decision 0022).
"""

from __future__ import annotations

from dealer_drivers.calibration.form import Calibration, CalibrationError, Envelope
from dealer_drivers.calibration.slot import CalibrationSlot
from dealer_drivers.calibration.store import CURRENT, KEEP, CalibrationStore, Draft

__all__ = [
    "CURRENT",
    "KEEP",
    "Calibration",
    "CalibrationError",
    "CalibrationSlot",
    "CalibrationStore",
    "Draft",
    "Envelope",
]
