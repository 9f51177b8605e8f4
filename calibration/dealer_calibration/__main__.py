"""``python -m dealer_calibration``."""

from dealer_calibration.cli import entry

entry()
