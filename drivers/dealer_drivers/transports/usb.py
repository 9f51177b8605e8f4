"""A bar code scanner in USB HID-POS mode, by vendor and product: a stream of its 64-byte reports (``devices.md`` §3).

libusb blocks, and nothing that blocks may run in the event loop: each open device has one worker thread, which makes
every call to it, one after the other, each bounded in time. It ends with the channel.

The boundaries of reports do not have to survive the stream: every report is of 64 bytes, and the stream begins with
one at each open.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from dealer_drivers.errors import LinkLost, OptionError
from dealer_drivers.transports.usb_device import UsbName
from dealer_drivers.transports.usb_hid import HidDevice, open_hid

FORM = "write usb:VID:PID or usb:VID:PID:SERIAL, the numbers as `lsusb` prints them (usb:0c2e:0901)"
PORT = re.compile(r"usb:([0-9a-f]{4}):([0-9a-f]{4})(?::([!-~]+))?")
BAR_CODE_SCANNER_PAGE = 0x8C
"""HID Point of Sale Usage Tables 1.02: the usage page of bar code scanners."""


class ReportDevice(Protocol):
    """The blocking side; see ``HidDevice``."""

    def read(self) -> bytes: ...

    def write(self, report: bytes) -> None: ...

    def close(self) -> None: ...


def open_scanner(name: UsbName) -> HidDevice:
    """See ``open_hid``."""
    return open_hid(name, BAR_CODE_SCANNER_PAGE, "HID-POS bar code scanner")


class UsbTransport:
    """The device that ``port`` names, ``usb:VID:PID`` or ``usb:VID:PID:SERIAL``, wherever it is plugged in.

    Raises ``OptionError`` for another form. ``opener`` is the blocking call that opens it.
    """

    def __init__(self, port: str, opener: Callable[[UsbName], ReportDevice] = open_scanner) -> None:
        match = PORT.fullmatch(port)
        if match is None:
            raise OptionError("port", f"{port!r} is no USB port: {FORM}")
        vendor, product, serial = match.groups()
        self.name = port
        self.hint = "is the scanner in its USB HID-POS mode?"
        self.warning: str | None = None
        self._device = UsbName(int(vendor, 16), int(product, 16), serial)
        self._opener = opener

    async def open(self) -> UsbChannel:
        """Takes the device's HID-POS interface. Raises what ``open_hid`` does."""
        worker = ThreadPoolExecutor(1, thread_name_prefix=self.name)
        opening = worker.submit(self._opener, self._device)
        try:
            return UsbChannel(await asyncio.wrap_future(opening), worker, self.name)
        except BaseException:
            worker.submit(_close_opened, opening)  # behind an opening that goes on though nobody waits for it
            worker.shutdown(wait=False)
            raise


class UsbChannel:
    """Reports of one open device, 64 bytes each."""

    def __init__(self, device: ReportDevice, worker: ThreadPoolExecutor, name: str) -> None:
        self._device = device
        self._worker = worker
        self._name = name
        self._reading: asyncio.Future[bytes] | None = None
        self._lost: str | None = None
        self._closed = False

    async def read(self) -> bytes:
        """The next report. Raises ``LinkLost``."""
        while True:
            if self._reading is None:
                if self._lost is not None:
                    raise LinkLost(self._lost)
                self._reading = asyncio.wrap_future(self._worker.submit(self._device.read))
            reading = self._reading
            try:
                report = await asyncio.shield(reading)  # one that was cancelled is taken up by the next call
            except LinkLost as error:
                self._lost = str(error)
                report = b""
            self._reading = None
            if self._closed:
                raise LinkLost(f"{self._name}: closed by the station")
            if report:
                return report

    async def write(self, data: bytes) -> None:
        """Sends ``data`` as one output report, its id first. Raises ``LinkLost``."""
        if self._lost is not None:
            raise LinkLost(self._lost)
        try:
            await asyncio.wrap_future(self._worker.submit(self._device.write, data))
        except LinkLost as error:
            self._lost = str(error)
            raise

    async def close(self) -> None:
        """Gives the device back and ends its thread, within the time of one read. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._lost = self._lost or f"{self._name}: closed by the station"
        closing = self._worker.submit(self._device.close)
        self._worker.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closing))
        if self._reading is not None and self._reading.done():
            self._reading.exception()  # nobody will ask for it any more


def _close_opened(opening: Future[ReportDevice]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
