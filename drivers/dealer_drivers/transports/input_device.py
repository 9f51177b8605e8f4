"""A keyboard, or a scanner that types: its key events as the kernel gives them, 24 bytes each (evdev, 64-bit Linux).

The device is grabbed, so that what it types reaches the station and nothing else: no console, no login prompt.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dealer_drivers.errors import DeviceError, OptionError, PortAbsent, PortBusy, PortForbidden, RetryableError
from dealer_drivers.transports.fd import FdChannel
from dealer_drivers.transports.holders import holder

EVIOCGRAB = 0x40044590
"""Linux, ``input.h``: ``_IOW('E', 0x90, int)``."""
GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR, errno.EIO})
NO_INPUT_DEVICE = frozenset({errno.ENOTTY, errno.EINVAL})
NUMBERED = re.compile(r"/dev/input/event\d+")


def grab(fd: int) -> None:
    """Takes the events of ``fd`` away from everybody else until it is closed. Raises ``OSError``."""
    fcntl.ioctl(fd, EVIOCGRAB, 1)


class InputDeviceTransport:
    """The input device at ``path``, followed anew at each open. ``grabber`` takes its events for us alone."""

    def __init__(self, path: str, grabber: Callable[[int], None] = grab) -> None:
        self.name = path
        self.hint = "is it this scanner, and does it type as a keyboard?"
        self._grab = grabber

    @property
    def warning(self) -> str | None:
        """Says so when the name is a number that changes with the order of plugging in."""
        if not NUMBERED.fullmatch(self.name):
            return None
        return (
            f"{self.name} is a number that changes when devices are plugged in another order: "
            "use the name under /dev/input/by-id that ends in -event-kbd"
        )

    async def open(self) -> FdChannel:
        """Opens and grabs. Raises ``PortAbsent``, ``PortBusy``, ``PortForbidden``, ``OptionError``."""
        try:
            fd = os.open(self.name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            raise self._refusal(error) from error
        try:
            if not stat.S_ISCHR(os.fstat(fd).st_mode):
                raise OptionError("port", f"{self.name} is no input device")
            self._grab(fd)
        except OSError as error:
            os.close(fd)
            raise self._refusal(error) from error
        except DeviceError:
            os.close(fd)
            raise
        return FdChannel(fd, f"input device {self.name}", lambda: os.close(fd))

    def _refusal(self, error: OSError) -> DeviceError:
        if error.errno in GONE:
            return PortAbsent(f"input device {self.name} is not there: is the scanner plugged in, in keyboard mode?")
        if error.errno == errno.EBUSY:
            who = holder(self.name) or "another program"
            if who == "this process":
                return PortBusy(f"input device {self.name} is grabbed by this station: two devices name the same port")
            return PortBusy(
                f"input device {self.name} is grabbed by {who}, which gets its keys instead of the station: stop it "
                f"(`sudo fuser -v {self.name}` names those who have it open)"
            )
        if error.errno in (errno.EACCES, errno.EPERM):
            return PortForbidden(self._forbidden())
        if error.errno in NO_INPUT_DEVICE:
            return OptionError("port", f"{self.name} is no input device: it cannot be grabbed")
        return RetryableError(f"input device {self.name} could not be opened: {error.strerror}")

    def _forbidden(self) -> str:
        group = "input"
        with suppress(OSError, KeyError):
            group = grp.getgrgid(Path(self.name).stat().st_gid).gr_name
        if group == "root":
            return (
                f"input device {self.name} belongs to root alone: give it a group with a udev rule "
                f'(`GROUP="input", MODE="0660"`), and make the station\'s user a member of that group'
            )
        return (
            f"input device {self.name} may not be opened by this user: add the station's user to the group {group} "
            f"(`sudo usermod -aG {group} USER`), then restart the station"
        )
