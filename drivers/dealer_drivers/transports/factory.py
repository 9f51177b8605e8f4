"""From the ``port`` of a device's configuration to a transport."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from dealer_drivers.clock import Clock, SystemClock
from dealer_drivers.driver import Driver, DriverOptions, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.camera import CAMERA
from dealer_drivers.transports.input_device import InputDeviceTransport
from dealer_drivers.transports.replay import ReplayTransport
from dealer_drivers.transports.serial import SerialTransport
from dealer_drivers.transports.tcp import TcpTransport
from dealer_drivers.transports.usb import UsbTransport

FORMS = (
    "write a path such as /dev/dealer/wheel, tcp://host:port, usb:VID:PID, input:path, camera:path, "
    "an http address, mqtt://host:port/topic, unix:path, or recording:path"
)
RECORDING = "recording:"
INPUT = "input:"
CAMERAS = ("/dev/v4l/", "/dev/video", "http://", "https://")
INPUT_DEVICES = "/dev/input/"
"""What is there is no serial port."""
SCHEME = re.compile(r"[a-z]+:")


def port_kind(port: str) -> str:
    """The kind of transport that ``port`` names, as in ``Driver.transports``. Raises ``OptionError`` for no port."""
    if port.startswith(RECORDING):
        return "recording"
    if port.startswith("tcp://"):
        return "tcp"
    if port.startswith("usb:"):
        return "usb"
    if port.startswith((INPUT, INPUT_DEVICES)) and "\0" not in port:
        return "input"
    if port.startswith((CAMERA, *CAMERAS)) and "\0" not in port:
        return "camera"
    if port.startswith("unix:") and "\0" not in port:
        return "unix"
    if port.startswith(("mqtt://", "mqtts://")) and "\0" not in port:
        return "mqtt"
    if "/" not in port or SCHEME.match(port) or "\0" in port:
        raise OptionError("port", f"{port!r} is no port: {FORMS}")
    return "serial"


def device_transport(driver: Driver, port: str, options: DriverOptions, *, clock: Clock | None = None) -> Transport:
    """The transport of a device of ``driver`` at ``port``; opens nothing. Raises ``OptionError``."""
    if driver.transport is None or port_kind(port) == "recording":
        return make_transport(port, driver.serial(options), clock=clock)
    return driver.transport(port, options, clock or SystemClock())


def make_transport(port: str, serial: SerialSettings, *, clock: Clock | None = None) -> Transport:
    """The transport that ``port`` names; opens nothing.

    A path is a serial port, or a keyboard's when it is under ``/dev/input`` or written ``input:path``;
    ``tcp://host:port`` is a serial server, ``usb:VID:PID`` or ``usb:VID:PID:SERIAL`` a USB HID-POS scanner,
    ``recording:path`` a recording that is played at its own pace on ``clock``. Raises ``OptionError`` for ``port``
    and for impossible serial settings.
    """
    match port_kind(port):
        case "recording":
            return ReplayTransport(_path(port, RECORDING), clock or SystemClock())
        case "tcp":
            host, number = _address(port)
            return TcpTransport(host, number, serial)
        case "usb":
            return UsbTransport(port)
        case "input":
            return InputDeviceTransport(str(_path(port, INPUT)))
        case "camera":
            raise OptionError("port", f"{port!r} is a camera's: a driver of cameras opens it")
        case "unix":
            raise OptionError("port", f"{port!r} is a socket that the station listens at: manual-entry has such a port")
        case "mqtt":
            raise OptionError("port", f"{port!r} is a broker's: a driver of devices that speak MQTT opens it")
    return SerialTransport(port, serial)


def _path(port: str, scheme: str) -> Path:
    path = port.removeprefix(scheme)
    if not path:
        raise OptionError("port", f"{port!r} names no file: {FORMS}")
    return Path(path)


def _address(port: str) -> tuple[str, int]:
    try:
        parts = urlsplit(port)
        host, number = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError("port", f"{port!r}: {error}: write tcp://host:port") from error
    if not host or not number or parts.path or parts.query or parts.fragment or parts.username is not None:
        raise OptionError("port", f"{port!r} is not of the form tcp://host:port")
    return host, number
