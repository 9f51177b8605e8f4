"""What every driver of a camera shares: its options, and the transport of its port."""

from __future__ import annotations

import math
from urllib.parse import urlsplit

from dealer_drivers.camera.settings import CameraSettings, Task
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DriverOptions
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.camera import CAMERA, CameraTransport

OWN_SETTINGS = ("exposure", "focus", "width", "height")


class CameraOptions(DriverOptions, frozen=True, kw_only=True):
    """How the camera itself is set. V4L cameras only; each is read back, and a camera that keeps another is refused."""

    exposure: float | None = None
    """In the camera's own units, with its automatic exposure off."""
    focus: float | None = None
    """In the camera's own units, with its automatic focus off."""
    width: int | None = None
    """Pixels of the picture."""
    height: int | None = None
    """Pixels of the picture."""

    def camera_problems(self) -> list[OptionError]:
        """Sizes out of range, and settings that are no numbers."""
        problems = [
            OptionError(key, f"{value} is no number that a camera can be set to")
            for key, value in (("exposure", self.exposure), ("focus", self.focus))
            if value is not None and not math.isfinite(value)
        ]
        return problems + [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (("width", self.width, 160, 8_192), ("height", self.height, 120, 8_192))
            if value is not None and not low <= value <= high
        ]


def camera_transport(port: str, options: CameraOptions, task: Task, clock: Clock) -> CameraTransport:
    """The transport of ``port``; opens nothing. Raises ``OptionError``."""
    settings = CameraSettings(
        source=camera_address(port),
        task=task,
        exposure=options.exposure,
        focus=options.focus,
        width=options.width,
        height=options.height,
        speed=clock.speed,
    )
    if settings.is_stream:
        for key in OWN_SETTINGS:
            if getattr(options, key) is not None:
                raise OptionError(key, "a camera on the network is set at the camera: leave this out")
    return CameraTransport(settings)


def camera_address(port: str) -> str:
    """Where the camera of ``port`` is: a path, or an http address. Raises ``OptionError``."""
    source = port.removeprefix(CAMERA)
    if source.startswith(("http://", "https://")):
        _check_address(source)
    elif not source.startswith("/"):
        raise OptionError("port", f"{port!r} is no camera: write camera:/dev/..., a path under /dev/v4l, or http://...")
    return source


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise OptionError("port", f"{address!r} is no address: {error}") from error
    if not whole:
        raise OptionError("port", f"{address!r} is no address: write http://host:port/path")
    if parts.username is not None or parts.password is not None:
        # It would stand in every log line and in the list of processes.
        raise OptionError("port", "the address holds a user name or password: open the stream to the table's network")
