"""What is wrong with a device and when it is over, and what it is calibrated by."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from dealer_daemon.events.base import EventData


class CalibrationRef(msgspec.Struct, frozen=True, kw_only=True):
    """A calibration in use, as outcomes name it."""

    id: str | None
    """Its id in the store; null for a file that the configuration names by its path."""
    sha256: str
    """``sha256:…``: of its ``calibration.json``, of the file by path, or of values that stand in the configuration."""


class DeviceFaulted(EventData, frozen=True, kw_only=True):
    """A device cannot be relied on now. Raised once, cleared once by ``device.recovered``."""

    type: ClassVar[str] = "device.fault"
    device: str
    fault: str
    detail: str


class DeviceLent(EventData, frozen=True, kw_only=True):
    """The station closes the device's link: a technician's bench has the device, and the table stands meanwhile."""

    type: ClassVar[str] = "device.lent"
    device: str
    by: str
    pause: int | None = None
    """Sequence of the ``table.paused`` that was made for the bench; null where the table stood for another reason."""


class DeviceReturned(EventData, frozen=True, kw_only=True):
    """The bench has the device no more, and the station opens it anew. The table stands until it is resumed."""

    type: ClassVar[str] = "device.returned"
    device: str
    reason: str
    by: str


class DeviceRecovered(EventData, frozen=True, kw_only=True):
    """The device's fault of that name is over."""

    type: ClassVar[str] = "device.recovered"
    device: str
    fault: str
