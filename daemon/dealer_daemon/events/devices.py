"""What is wrong with a device, and when it is over."""

from __future__ import annotations

from typing import ClassVar

from dealer_daemon.events.base import EventData


class DeviceFaulted(EventData, frozen=True, kw_only=True):
    """A device cannot be relied on now. Raised once, cleared once by ``device.recovered``."""

    type: ClassVar[str] = "device.fault"
    device: str
    fault: str
    detail: str


class DeviceRecovered(EventData, frozen=True, kw_only=True):
    """The device's fault of that name is over."""

    type: ClassVar[str] = "device.recovered"
    device: str
    fault: str
