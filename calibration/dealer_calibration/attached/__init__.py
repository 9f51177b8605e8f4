"""What is plugged into this machine, under which stable name, and which driver fits."""

from __future__ import annotations

from dealer_calibration.attached.fit import Fit, fits_of
from dealer_calibration.attached.station_file import StationFile, first_station
from dealer_drivers.attached import Attached, find_attached

__all__ = ["Attached", "Fit", "StationFile", "find_attached", "first_station", "fits_of"]
