"""The calibrations of a running station: is it this device's, is it old, do readings drift from it?"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

import structlog

from dealer_daemon.bodies import CalibrationBody
from dealer_daemon.config import Config
from dealer_daemon.config.types import CalibrationInUse
from dealer_drivers.calibration import CalibrationError, CalibrationStore
from dealer_drivers.calibration.drift import DriftMonitor
from dealer_drivers.calibration.form import made_at
from dealer_drivers.calibration.identity import Fit, fit
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading

AGE, SERIAL = "age", "serial"
"""Names of warnings, beside those of quantities that drift."""
TELLS_WITHIN_S = 10.0
"""A device that can say who it is is asked when it connects. One that has talked for so long without saying it does not
say it: far longer than any answer takes."""


class CalibrationWatch:
    """What is known of one device's calibration. Touches neither clock nor world."""

    def __init__(self, used: CalibrationInUse, max_age_days: int) -> None:
        self._used = used
        self.max_age_days = max_age_days
        self._device_serial: str | None = None
        self._heard_at: Instant | None = None
        self._drift = DriftMonitor(used.expected)
        envelope = None if used.stored is None else used.stored.envelope
        self._serial = None if envelope is None else envelope.serial
        self._made = None if envelope is None else made_at(envelope.made)

    @property
    def fits(self) -> Fit:
        """Whether the calibration is of the device, as far as both tell."""
        return fit(self._serial, self._device_serial)

    def told(self, serial: str, at: Instant) -> DeviceFault | None:
        """The device's serial number. The fault that begins with it, or the end of one; said each time."""
        self._device_serial = serial
        if self.fits == "unknown":
            return None
        detail = (
            f"its calibration {self._used.ref.id} was made with serial number {self._serial}, and this is "
            f"{self._device_serial}: put that device back, or calibrate this one and restart the station"
        )
        cleared = self.fits == "same"
        fault = Fault.CALIBRATION_MISMATCH
        return DeviceFault(at=at, raw=b"", fault=fault, detail="" if cleared else detail, cleared=cleared)

    def heard(self, readings: Iterable[Reading], at: Instant) -> None:
        """What the device read, for drift. Readings of another device than the calibrated one tell nothing."""
        self._heard_at = self._heard_at or at
        if self.fits != "other":
            self._drift.heard(readings)

    def warnings(self, at: Instant) -> dict[str, str]:
        """Sentences for a person, by what they are about."""
        found: dict[str, str] = {}
        if self._made is not None:
            days = (dt.datetime.fromtimestamp(at.wall_ns / NS_PER_S, dt.UTC) - self._made).days
            if days > self.max_age_days:
                found[AGE] = f"the calibration is {days} days old, more than {self.max_age_days}: calibrate anew"
        unknown = "whether the calibration is of this device is not known: "
        if self._used.stored is not None and self._serial is None:
            found[SERIAL] = unknown + "the calibration names no serial number"
        elif self._serial is not None and self._device_serial is None and self._silent_s(at) >= TELLS_WITHIN_S:
            found[SERIAL] = unknown + "the device tells none"
        return found | self._drift.warnings

    @property
    def drifts(self) -> Mapping[str, str]:
        """The warnings of quantities that drift."""
        return self._drift.warnings

    @property
    def drift_known(self) -> bool:
        """Enough was read to say that nothing drifts."""
        return self._drift.judged

    def _silent_s(self, at: Instant) -> float:
        """For how long the device has talked without saying who it is."""
        return 0.0 if self._heard_at is None else at.since_s(self._heard_at)

    def body(self, at: Instant) -> CalibrationBody:
        """For the device's health."""
        envelope = None if self._used.stored is None else self._used.stored.envelope
        return CalibrationBody(
            id=self._used.ref.id,
            sha256=self._used.ref.sha256,
            made=None if envelope is None else envelope.made,
            by=None if envelope is None else envelope.by,
            serial=self._serial,
            device_serial=self._device_serial,
            fits=self.fits,
            warnings=list(self.warnings(at).values()),
        )


def keep_calibrations(config: Config) -> None:
    """Tell the store what this station works with, so that it stays however many are made meanwhile.

    Where the store cannot be written the station runs all the same: it has read what it needs.
    """
    store, log = CalibrationStore(config.calibrations), structlog.get_logger()
    for table in config.tables.values():
        for device in table.devices:
            used = device.calibration
            if used is None or used.stored is None:
                continue
            try:
                store.mark_in_use(table.name, device.name, used.stored.id)
            except (OSError, CalibrationError) as error:
                detail = f"{error}: the calibration in use may be removed after 20 newer ones"
                log.warning("calibration_not_marked", table=table.name, device=device.name, detail=detail)
