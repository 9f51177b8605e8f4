"""Which device it is: the serial number that it tells, or that its port names. Never a guess: a text without a label
is no serial number (``*V`` of a Cammegh wheel is its model and version)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

SERIAL_NOTICE = "serial_number"
"""The notice of a driver whose device tells its serial number."""
IDENTITY_NOTICE = "identity"
_LABELLED = re.compile(
    r"\b(?:S/?N|serial(?:[ -]?(?:number|no\.?|nr\.?))?)\s*[:#=]\s*([A-Za-z0-9][A-Za-z0-9./_-]*)", re.I
)

Fit = Literal["same", "other", "unknown"]


def serial_in(notice: str, detail: str) -> str | None:
    """The serial number that a notice of the device tells; ``None`` where it tells none."""
    if notice == SERIAL_NOTICE:
        return detail.strip() or None
    if notice == IDENTITY_NOTICE and (found := _LABELLED.search(detail)):
        return found[1]
    return None


def serial_of_port(port: str, sys_root: Path = Path("/sys")) -> str | None:
    """The serial number of the USB device behind the port: ``usb:VID:PID:SERIAL``, or a camera's. ``None`` where there
    is none; a serial port has none, since the adapter's is not the device's."""
    if port.startswith("usb:"):
        parts = port.split(":", 3)
        return parts[3] or None if len(parts) == 4 else None
    if not port.startswith("/"):
        return None
    name = Path(port).resolve().name
    if not re.fullmatch(r"video\d+", name):
        return None
    node = (sys_root / "class/video4linux" / name / "device").resolve()
    # The interface is below the USB device, which has the number.
    for place in (node, node.parent):
        try:
            return (place / "serial").read_text("utf-8", "replace").strip() or None
        except OSError:
            continue
    return None


def fit(calibrated: str | None, told: str | None) -> Fit:
    """Whether a calibration is of the device: ``unknown`` where one of both is not known."""
    if calibrated is None or told is None:
        return "unknown"
    return "same" if calibrated.strip() == told.strip() else "other"
