"""A pair of USB bulk endpoints, by vendor and product: a stream of bytes both ways (pyusb over libusb).

The packets' boundaries mean nothing: what is sent has its own framing. That the device left the bus and came back is
counted, for a device at whose port nobody has business that is news in itself (``devices.md`` §6). See ``usb_hid.py``
for the traps of the host, which are the same.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import usb.core
import usb.util

from dealer_drivers.errors import FixConfigError, LinkLost
from dealer_drivers.transports.usb import UsbTransport
from dealer_drivers.transports.usb_device import (
    UsbName,
    detach_kernel,
    dispose,
    error_text,
    give_back,
    taken,
)

READ_BYTES = 4096
"""More than one packet of any speed has, and a multiple of all their sizes: libusb overflows on less."""
READ_TIMEOUT_MS = 100
"""How long one read waits; writing and closing wait for it."""
WRITE_TIMEOUT_MS = 1000
STALE_READS = 64
"""What waited in the device is thrown away at open, at most so many reads of it."""


class BulkDevice:
    """One claimed interface with a bulk endpoint each way. ``place`` is bus and address: new after each enumeration."""

    def __init__(self, name: UsbName, device: Any, interface: Any, *, kernel_had_it: bool) -> None:
        self.place: tuple[int, int] = (device.bus, device.address)
        self._name = name
        self._device = device
        self._number: int = interface.bInterfaceNumber
        self._in = bulk_endpoint(interface, usb.util.ENDPOINT_IN)
        self._out = bulk_endpoint(interface, usb.util.ENDPOINT_OUT)
        self._kernel_had_it = kernel_had_it

    def read(self) -> bytes:
        """What came, or nothing when nothing came in a tenth of a second. Raises ``LinkLost``."""
        try:
            return bytes(self._device.read(self._in, READ_BYTES, READ_TIMEOUT_MS))
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as error:
            if error.errno == errno.EPIPE:  # it would stay so over the next open
                with suppress(usb.core.USBError):
                    self._device.clear_halt(self._in)
            raise LinkLost(f"{self._name}: reading failed: {error_text(error)}") from error

    def write(self, data: bytes) -> None:
        """Sends all of ``data``. Raises ``LinkLost``, also when the device does not take it in a second."""
        try:
            while data:
                data = data[self._device.write(self._out, data, WRITE_TIMEOUT_MS) :]
        except usb.core.USBError as error:
            raise LinkLost(f"{self._name}: writing failed: {error_text(error)}") from error

    def close(self) -> None:
        """Gives the interface back to the kernel."""
        give_back(self._device, self._number, kernel_had_it=self._kernel_had_it)
        dispose(self._device)


def open_bulk(name: UsbName) -> BulkDevice:
    """Takes the first interface of the device ``name`` that has a bulk endpoint each way.

    Raises ``PortAbsent``, ``PortBusy``, ``PortForbidden``, ``OptionError`` when several devices answer to the name,
    ``FixConfigError`` for a missing libusb and for a device without such an interface.
    """
    bulk = taken(name, lambda device: _take(name, device))
    try:
        for _ in range(STALE_READS):
            if not bulk.read():
                break
    except LinkLost:
        bulk.close()
        raise
    return bulk


def _take(name: UsbName, device: Any) -> BulkDevice:
    for interface in device.get_active_configuration():
        if bulk_endpoint(interface, usb.util.ENDPOINT_IN) and bulk_endpoint(interface, usb.util.ENDPOINT_OUT):
            number = interface.bInterfaceNumber
            kernel_had_it = detach_kernel(device, number)
            try:
                usb.util.claim_interface(device, number)
            except usb.core.USBError:
                give_back(device, number, kernel_had_it=kernel_had_it)
                raise
            return BulkDevice(name, device, interface, kernel_had_it=kernel_had_it)
    raise FixConfigError(f"{name} has no interface with a pair of bulk endpoints: is it this device?")


def bulk_endpoint(interface: Any, direction: int) -> int:
    """The address of the bulk endpoint in that direction, 0 for none."""
    for endpoint in interface:
        address: int = endpoint.bEndpointAddress
        bulk = usb.util.endpoint_type(endpoint.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK
        if bulk and usb.util.endpoint_direction(address) == direction:
            return address
    return 0


class UsbBulkTransport(UsbTransport):
    """The device that ``port`` names, ``usb:VID:PID`` or ``usb:VID:PID:SERIAL``. Raises ``OptionError``.

    ``opener`` is the blocking call that opens it.
    """

    def __init__(self, port: str, opener: Callable[[UsbName], BulkDevice] = open_bulk) -> None:
        super().__init__(port, self._open_place)
        self.hint = "is it this device, and its own firmware?"
        self.reenumerations = 0
        """How often the device was found at a new place since this transport first opened it."""
        self._open_bulk = opener
        self._place: tuple[int, int] | None = None

    def _open_place(self, name: UsbName) -> BulkDevice:
        device = self._open_bulk(name)
        if self._place is not None and device.place != self._place:
            self.reenumerations += 1
        self._place = device.place
        return device
