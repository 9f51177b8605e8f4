"""A guided command's calibration: checked, kept whole, current from the station's next start on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dealer_calibration.bench.device import BenchDevice, BenchError
from dealer_calibration.calibration_files import TOOL
from dealer_calibration.cli.exit_codes import WRONG
from dealer_drivers.calibration import Calibration, CalibrationError, Draft
from dealer_drivers.calibration.drift import expectations
from dealer_drivers.calibration.identity import serial_in, serial_of_port


def with_own_options(device: BenchDevice) -> BenchDevice:
    """The device ready to be opened though its game lacks the calibration that is about to be made: the driver itself
    needs none. Raises ``BenchError`` where it does."""
    slot = device.driver.calibration
    if device.options is not None or (slot is not None and slot.key):
        return device
    return replace(device, options=device.driver.parse_options(device.written))


def serial_told(device: BenchDevice, notices: Mapping[str, str]) -> str | None:
    """The serial number that the device told in its notices, or that its port names; ``None`` where neither does."""
    told = [serial for notice, detail in notices.items() if (serial := serial_in(notice, detail)) is not None]
    return told[0] if told else serial_of_port(device.port)


def keep_calibration(
    device: BenchDevice,
    *,
    kind: str,
    by: str,
    serial: str | None,
    values: Mapping[str, Any],
    files: Mapping[str, bytes] | None = None,
) -> Calibration:
    """Keep it. It is there whole or not at all, and counts from the station's next start on. Raises ``BenchError``."""
    try:
        expectations(values)
        draft = Draft(
            kind=kind,
            table=device.table,
            device=device.name,
            driver=device.driver.name,
            serial=serial,
            by=by,
            tool=TOOL,
            based_on=device.store.current(device.table, device.name),
            values=values,
            files=files or {},
        )
        return device.store.save(draft, dt.datetime.now(dt.UTC))
    except CalibrationError as error:
        raise BenchError(f"the calibration cannot be kept: {error}", WRONG) from error
    except OSError as error:
        where = error.filename or device.store.root
        raise BenchError(f"the calibration cannot be kept: {where}: {error.strerror}", WRONG) from error
