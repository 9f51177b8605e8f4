"""The blocking side of a USB HID device: find it, take one interface of it, read and write reports (pyusb over libusb).

Everything here is called from one thread, the transport's own. Traps that it is built round (``devices.md`` §7): the
kernel's driver has the interface until it is detached; pyusb answers a missing right to read a serial number with a
``ValueError``; a time-out is no error; the scanner keeps what it read while nobody listened.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from typing import Any

import usb.core
import usb.util

from dealer_drivers.errors import FixConfigError, LinkLost, PortAbsent
from dealer_drivers.transports.hid_descriptor import application_pages
from dealer_drivers.transports.usb_device import (
    UsbName,
    detach_kernel,
    dispose,
    error_text,
    give_back,
    taken,
)

REPORT_BYTES = 64
FILL = b"\xff"
"""Stands where a shorter report has nothing, so that every report is of one length and a stream can be cut anywhere.

A HID-POS report so filled says that more follows, and is taken for no whole text."""
READ_TIMEOUT_MS = 100
"""How long one read waits; writing and closing wait for it."""
ANSWER_TIMEOUT_MS = 1000
STALE_REPORTS = 16
"""Reports thrown away at open, at most: more than a scanner keeps."""
HID_CLASS = 3
GET_DESCRIPTOR, SET_REPORT = 6, 9
REPORT_DESCRIPTOR, OUTPUT_REPORT = 0x2200, 0x0200
FROM_INTERFACE, TO_INTERFACE = 0x81, 0x21
"""Request types: standard, device to host; class, host to device; both to an interface."""


class HidDevice:
    """One claimed interface. Nothing else may use the device meanwhile."""

    def __init__(self, name: UsbName, device: Any, interface: Any, *, kernel_had_it: bool) -> None:
        self._name = name
        self._device = device
        self._number: int = interface.bInterfaceNumber
        self._in: int = _endpoint(interface, usb.util.ENDPOINT_IN)
        self._out: int = _endpoint(interface, usb.util.ENDPOINT_OUT)
        self._kernel_had_it = kernel_had_it

    def read(self) -> bytes:
        """The next report, 64 bytes, or nothing when none came in a tenth of a second. Raises ``LinkLost``."""
        try:
            report = bytes(self._device.read(self._in, REPORT_BYTES, READ_TIMEOUT_MS))
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            if error.errno == errno.EPIPE:  # it would stay so over the next open
                with suppress(usb.core.USBError):
                    self._device.clear_halt(self._in)
            raise LinkLost(f"{self._name}: reading failed: {error_text(error)}") from error
        return report.ljust(REPORT_BYTES, FILL) if report else b""

    def write(self, report: bytes) -> None:
        """Sends an output report, its id first. Raises ``LinkLost``."""
        try:
            if self._out:
                self._device.write(self._out, report, ANSWER_TIMEOUT_MS)
            else:
                value = OUTPUT_REPORT | report[0]
                self._device.ctrl_transfer(TO_INTERFACE, SET_REPORT, value, self._number, report, ANSWER_TIMEOUT_MS)
        except usb.core.USBError as error:
            raise LinkLost(f"{self._name}: writing failed: {error_text(error)}") from error

    def close(self) -> None:
        """Gives the interface back to the kernel."""
        give_back(self._device, self._number, kernel_had_it=self._kernel_had_it)
        dispose(self._device)


def open_hid(name: UsbName, page: int, kind: str) -> HidDevice:
    """Takes the interface of usage page ``page`` of the device ``name``; ``kind`` is what to call such an interface.

    Reports that waited in the device are thrown away: stale ones must not be taken as fresh. Raises ``PortAbsent``,
    ``PortBusy``, ``PortForbidden``, ``OptionError`` when several devices answer to the name, ``FixConfigError`` for a
    missing libusb and for a device without such an interface.
    """
    hid = taken(name, lambda device: _take(name, device, page, kind))
    try:
        for _ in range(STALE_REPORTS):
            if not hid.read():
                break
    except LinkLost as error:
        hid.close()
        raise PortAbsent(str(error)) from error
    return hid


def _take(name: UsbName, device: Any, page: int, kind: str) -> HidDevice:
    candidates = [
        interface
        for interface in device.get_active_configuration()
        if interface.bInterfaceClass == HID_CLASS and _endpoint(interface, usb.util.ENDPOINT_IN)
    ]
    for interface in sorted(candidates, key=lambda interface: interface.bInterfaceSubClass):  # boot keyboards last
        number = interface.bInterfaceNumber
        kernel_had_it = detach_kernel(device, number)
        taken = False
        try:
            usb.util.claim_interface(device, number)
            taken = page in application_pages(_report_descriptor(device, interface))
        finally:
            if not taken:
                give_back(device, number, kernel_had_it=kernel_had_it)
        if taken:
            return HidDevice(name, device, interface, kernel_had_it=kernel_had_it)
    raise FixConfigError(
        f"{name} has no {kind} interface: set the device to that mode (its manual has a programming code for it)"
    )


def _report_descriptor(device: Any, interface: Any) -> bytes:
    """The interface's own; empty when the device does not tell, which is then no interface of ours."""
    extra = bytes(interface.extra_descriptors)
    place = extra.find(b"\x21", 1)  # the HID descriptor, behind its length
    size = int.from_bytes(extra[place + 6 : place + 8], "little") if place > 0 else 0
    try:
        answer = device.ctrl_transfer(
            FROM_INTERFACE, GET_DESCRIPTOR, REPORT_DESCRIPTOR, interface.bInterfaceNumber, size, ANSWER_TIMEOUT_MS
        )
    except usb.core.USBError as error:
        if error.errno not in (errno.EPIPE, errno.ETIMEDOUT):
            raise
        return b""
    return bytes(answer)


def _endpoint(interface: Any, direction: int) -> int:
    """The address of the interrupt endpoint in that direction, 0 for none."""
    for endpoint in interface:
        address: int = endpoint.bEndpointAddress
        interrupt = usb.util.endpoint_type(endpoint.bmAttributes) == usb.util.ENDPOINT_TYPE_INTR
        if interrupt and usb.util.endpoint_direction(address) == direction:
            return address
    return 0
