"""Devices that are known to be read by measures that are not their own: nobody plays on what they say."""

from __future__ import annotations

from dealer_daemon.commands import ErrorCode
from dealer_daemon.round import TableState
from dealer_daemon.table.arguments import Refusal
from dealer_drivers.readings import Fault

TO_DO = {
    Fault.CALIBRATION_MISMATCH: (
        "the calibration of {} is another device's: put the right device back, or calibrate this one and restart the "
        "station"
    ),
    Fault.CALIBRATION_WITHDRAWN: (
        "{} was changed since the calibration was made with which the station works: calibrate it to the end and "
        "restart the station"
    ),
}
"""The faults for which a table stands whatever anybody asks, and what ends each."""


def miscalibrated(state: TableState, device: str) -> bool:
    """Whether the device is read by measures that are not its own."""
    return any(fault in TO_DO for fault in state.faults.get(device, []))


def all_calibrated(state: TableState) -> bool:
    """Whether no device of the table is ``miscalibrated``."""
    return not any(miscalibrated(state, device) for device in state.faults)


def check_calibrated(state: TableState) -> None:
    """Raises ``Refusal`` where a device of the table is ``miscalibrated``."""
    found = []
    for fault, to_do in TO_DO.items():
        devices = [device for device, faults in sorted(state.faults.items()) if fault in faults]
        found += [to_do.format(", ".join(devices))] if devices else []
    if found:
        raise Refusal(ErrorCode.NOT_NOW, "; ".join(found))
