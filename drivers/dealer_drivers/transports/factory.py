"""From the ``port`` of a device's configuration to a transport."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from dealer_drivers.clock import Clock, SystemClock
from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.replay import ReplayTransport
from dealer_drivers.transports.serial import SerialTransport
from dealer_drivers.transports.tcp import TcpTransport

FORMS = "write a path such as /dev/dealer/wheel, tcp://host:port, or recording:path"
RECORDING = "recording:"
SCHEME = re.compile(r"[a-z]+:")


def make_transport(port: str, serial: SerialSettings, *, clock: Clock | None = None) -> Transport:
    """The transport that ``port`` names; opens nothing.

    A path is a serial port, ``tcp://host:port`` a serial server, ``recording:path`` a recording that is played at
    its own pace on ``clock``. Raises ``OptionError`` for ``port`` and for impossible serial settings.
    """
    if port.startswith(RECORDING):
        path = port.removeprefix(RECORDING)
        if not path:
            raise OptionError("port", f"{port!r} names no file: {FORMS}")
        return ReplayTransport(Path(path), clock or SystemClock())
    if port.startswith("tcp://"):
        host, number = _address(port)
        return TcpTransport(host, number, serial)
    if "/" not in port or SCHEME.match(port) or "\0" in port:
        raise OptionError("port", f"{port!r} is no port: {FORMS}")
    return SerialTransport(port, serial)


def _address(port: str) -> tuple[str, int]:
    try:
        parts = urlsplit(port)
        host, number = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError("port", f"{port!r}: {error}: write tcp://host:port") from error
    if not host or not number or parts.path or parts.query or parts.fragment or parts.username is not None:
        raise OptionError("port", f"{port!r} is not of the form tcp://host:port")
    return host, number
