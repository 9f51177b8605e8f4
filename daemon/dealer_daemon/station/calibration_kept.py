"""Whether what a running station took up for a device counts still: the bench may have changed both meanwhile."""

from __future__ import annotations

from dealer_daemon.config import DeviceConfig
from dealer_drivers.calibration import CalibrationError, CalibrationStore
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault


class Kept:
    """The store's word on the calibration of one device, since it was taken up: of the store, or by path."""

    def __init__(self, store: CalibrationStore, table: str, config: DeviceConfig) -> None:
        assert config.calibration is not None
        self._store, self._table, self._device = store, table, config.name
        self._id = config.calibration.ref.id
        self._current = self._current_now()
        self._times = self._times_now()
        self._told = False

    def newer(self) -> str | None:
        """In words, what began to count since; ``None`` where nothing did, or the calibration is used by path."""
        if self._is_withdrawn():
            return f"the calibration of {self._device} with which the station works was withdrawn"
        now = self._current_now()
        if self._id is None or now == self._current:
            return None
        if now is None:
            return f"no calibration of {self._device} counts any more"
        return f"the station has not taken up calibration {now} of {self._device}"

    def look(self, at: Instant) -> DeviceFault | None:
        """The fault that begins where it was withdrawn, or the end of one where it was chosen again."""
        withdrawn = self._is_withdrawn()
        if withdrawn == self._told:
            return None
        self._told = withdrawn
        fault = Fault.CALIBRATION_WITHDRAWN
        return DeviceFault(
            at=at, raw=b"", fault=fault, detail=self._detail() if withdrawn else "", cleared=not withdrawn
        )

    def _detail(self) -> str:
        which = "its calibration" if self._id is None else f"its calibration {self._id}"
        first = f"{which} was withdrawn, for the device was changed since it was made: calibrate it to the end"
        if self._id is None:
            return f"{first}, and restart the station with what was made then"
        return (
            f"{first} and restart the station (if it was not changed after all: dealer-calibrate files rollback --to "
            f"{self._id})"
        )

    def _is_withdrawn(self) -> bool:
        try:
            if self._id is not None:
                return self._store.is_withdrawn(self._table, self._device, self._id)
            return self._store.withdrawal(self._table, self._device).times != self._times
        except CalibrationError:
            return self._told  # nobody can tell now: as it was

    def _times_now(self) -> int | None:
        try:
            return self._store.withdrawal(self._table, self._device).times
        except CalibrationError:
            return None

    def _current_now(self) -> str | None:
        try:
            return self._store.current(self._table, self._device)
        except CalibrationError as error:
            return f"at {error.path}, which cannot be read"
