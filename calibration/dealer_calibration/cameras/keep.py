"""A camera's new calibration into the store, and the result of the work beside it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import cv2

from dealer_calibration.bench import BenchCommand, BenchError, Finding, Result, keep_result
from dealer_calibration.calibration_files import TOOL
from dealer_calibration.cameras.figures import Bgr
from dealer_drivers.calibration import Calibration, CalibrationError, Draft
from dealer_drivers.calibration.identity import serial_of_port

RESTART = "the station takes it up when it is started again"


def keep_calibration(
    command: BenchCommand, kind: str, files: Mapping[str, bytes], values: Mapping[str, Any]
) -> Calibration:
    """The device's calibration from now on, whole or not at all. Raises ``BenchError`` where it cannot be kept."""
    device = command.device
    try:
        draft = Draft(
            kind=kind,
            table=device.table,
            device=device.name,
            driver=device.driver.name,
            serial=serial_of_port(device.port),
            by=command.arguments.by,
            tool=TOOL,
            based_on=device.store.current(device.table, device.name),
            values=values,
            files=files,
        )
        return device.store.save(draft, dt.datetime.now(dt.UTC))
    except CalibrationError as error:
        raise BenchError(f"the calibration cannot be kept: {error}") from error
    except OSError as error:
        raise BenchError(
            f"the calibration cannot be kept: {error.filename or device.store.root}: {error.strerror}"
        ) from error


def kept(command: BenchCommand, made: Calibration) -> Finding:
    """Where it is, and what the station needs to use it."""
    key = device_key(command)
    told = RESTART if key is None else f'write `calibration = "current"` in the place of `{key}` in station.toml'
    return Finding(code="kept", ok=True, said=f"{made.id} is kept, and current", do_next=told)


def device_key(command: BenchCommand) -> str | None:
    """The key of the configuration that stands where ``calibration`` should; ``None`` where it is right already."""
    slot = command.device.driver.calibration
    return slot.key if slot is not None and slot.key in command.device.written else None


def finished(
    command: BenchCommand,
    name: str,
    findings: Sequence[Finding],
    *,
    figures: Mapping[str, Any] | None = None,
    pictures: Mapping[str, Bgr] | None = None,
    made: Calibration | None = None,
) -> Result:
    """The result, kept with its pictures (file names without ending)."""
    device = command.device
    current = made or device.calibration
    result = Result(
        command=name,
        table=device.table,
        device=device.name,
        by=command.arguments.by,
        findings=list(findings),
        figures=dict(figures or {}),
        calibration=None if current is None else current.id,
    )
    return keep_result(device, result, {f"{each}.png": png_of(picture) for each, picture in (pictures or {}).items()})


def png_of(picture: Bgr) -> bytes:
    """The picture's file."""
    good, data = cv2.imencode(".png", picture)
    assert good
    return data.tobytes()
