"""A camera's new calibration into the store, and the result of the work beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2

from dealer_calibration.bench import BenchCommand, Finding, Result, keep_result
from dealer_calibration.bench import keeping as bench_keeping
from dealer_calibration.cameras.figures import Bgr
from dealer_drivers.calibration import Calibration
from dealer_drivers.calibration.identity import serial_of_port

RESTART = "the station takes it up when it is started again"


def keep_calibration(
    command: BenchCommand, kind: str, files: Mapping[str, bytes], values: Mapping[str, Any]
) -> Calibration:
    """The device's calibration from now on (``bench.keeping``), with the serial number that the camera's port names."""
    device, by = command.device, command.arguments.by
    return bench_keeping.keep_calibration(
        device, kind=kind, by=by, serial=serial_of_port(device.port), values=values, files=files
    )


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
