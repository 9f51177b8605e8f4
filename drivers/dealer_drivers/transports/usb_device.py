"""Any USB device by vendor and product, as pyusb over libusb gives it: finding it, and taking an interface of it.

Everything here blocks, and is called from one thread. Traps that it is built round (``devices.md`` §7): the kernel's
driver has the interface until it is detached; pyusb answers a missing right to read a serial number with a
``ValueError``.
"""

from __future__ import annotations

import ctypes.util
import errno
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import usb.backend.libusb1
import usb.core
import usb.util

from dealer_drivers.errors import (
    DeviceError,
    FixConfigError,
    OptionError,
    PortAbsent,
    PortBusy,
    PortForbidden,
    RetryableError,
)
from dealer_drivers.transports.holders import holder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UsbName:
    """A device by vendor and product, and by its serial number where two of a kind are plugged in."""

    vendor: int
    product: int
    serial: str | None = None

    def __str__(self) -> str:
        """As the configuration has it."""
        return f"usb:{self.vendor:04x}:{self.product:04x}" + ("" if self.serial is None else f":{self.serial}")


def find_device(name: UsbName) -> Any:
    """The device of that name. Raises ``PortAbsent``, ``PortForbidden``, ``OptionError`` when several answer to the
    name, ``RetryableError`` when they cannot be listed, and ``FixConfigError`` for a missing libusb."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        if ctypes.util.find_library("usb-1.0") is None:
            raise FixConfigError(f"{name}: libusb is not installed: `sudo apt-get install libusb-1.0-0`")
        raise RetryableError(f"{name}: libusb cannot start: is there a USB host here (/dev/bus/usb)?")
    try:
        found = list(usb.core.find(find_all=True, backend=backend, idVendor=name.vendor, idProduct=name.product))
    except usb.core.USBError as error:
        raise RetryableError(f"{name}: USB devices cannot be listed: {error_text(error)}") from error
    if name.serial is not None:
        found = [device for device in found if _serial(name, device) == name.serial]
    if not found:
        raise PortAbsent(f"{name} is not there: is the device plugged in and powered? `lsusb` lists what is")
    if len(found) > 1:
        pair = f"{name.vendor:04x}:{name.product:04x}"
        remedy = f"name one by its serial number, usb:{pair}:SERIAL (`lsusb -v -d {pair}` shows it)"
        if name.serial is not None:
            remedy = "unplug all but one, they cannot be told apart"
        raise OptionError("port", f"{len(found)} devices answer to {name}: {remedy}")
    return found[0]


def _serial(name: UsbName, device: Any) -> str | None:
    """The serial number; ``None`` where the device has none or went away meanwhile."""
    if not device.iSerialNumber:
        return None
    try:
        device.get_active_configuration()  # opens the device, so that a missing right is known as one
        serial: str | None = device.serial_number
    except usb.core.USBError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            raise refusal(name, device, error) from error
        return None
    except ValueError:  # no language, no text
        return None
    finally:
        dispose(device)
    return serial


def detach_kernel(device: Any, number: int) -> bool:
    """Whether the kernel's driver had the interface and gave it up. What else stands in the way, claiming tells."""
    with suppress(usb.core.USBError, NotImplementedError):
        if device.is_kernel_driver_active(number):
            device.detach_kernel_driver(number)
            return True
    return False


def give_back(device: Any, number: int, *, kernel_had_it: bool) -> None:
    """An interface goes back to the kernel."""
    with suppress(usb.core.USBError):
        usb.util.release_interface(device, number)
    if kernel_had_it:
        with suppress(usb.core.USBError):
            device.attach_kernel_driver(number)


def dispose(device: Any) -> None:
    """Closes the device."""
    with suppress(usb.core.USBError):
        usb.util.dispose_resources(device)


def refusal(name: UsbName, device: Any, error: usb.core.USBError) -> DeviceError:
    """Why the device could not be taken, by the reaction that it calls for."""
    path = f"/dev/bus/usb/{device.bus:03d}/{device.address:03d}"
    if error.errno in (errno.ENODEV, errno.ENOENT, errno.ENXIO, errno.EIO):
        return PortAbsent(f"{name} went away while it was opened: is the plug loose?")
    if error.errno == errno.EBUSY:
        who = holder(path)
        if who == "this process":
            return PortBusy(f"{name} is in use by this station: two devices name the same port")
        if who is None:
            return PortBusy(f"{name} is in use by another process: `sudo fuser -v {path}` names it")
        return PortBusy(f"{name} is in use by {who}: stop it, or check that two tables do not name the same port")
    if error.errno in (errno.EACCES, errno.EPERM):
        rule = (
            f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{name.vendor:04x}", ATTR{{idProduct}}=="{name.product:04x}", '
            'GROUP="plugdev", MODE="0660"'
        )
        return PortForbidden(
            f"{name} ({path}) may not be opened by this user: write {rule} into /etc/udev/rules.d/60-dealer-usb.rules, "
            "add the station's user to that group (`sudo usermod -aG plugdev USER`), run `sudo udevadm control "
            "--reload`, plug the device in again and restart the station"
        )
    return RetryableError(f"{name} could not be opened: {error_text(error)}")


def error_text(error: usb.core.USBError) -> str:
    """In libusb's words."""
    return error.strerror or str(error)


def taken(name: UsbName, take: Callable[[Any], T]) -> T:
    """What ``take`` makes of the device of that name; the device is given back when it cannot. Raises what
    ``find_device`` and ``take`` raise, and ``refusal`` for an error of USB."""
    device = find_device(name)
    try:
        return take(device)
    except usb.core.USBError as error:
        dispose(device)
        raise refusal(name, device, error) from error
    except DeviceError:
        dispose(device)
        raise
