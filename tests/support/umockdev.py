"""Devices for the real libusb and the real evdev reader, without hardware: descriptions and captures for umockdev.

What runs under ``umockdev-run`` sees a ``/dev`` and a ``/sys`` with these devices in it. A USB device plays a capture
(usbmon in pcap, link type 220): what it answers is given once the host has asked for it, in the order of the capture.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent.parent
LINUX_USB_MMAPPED = 220
CONTROL, INTERRUPT = 2, 1
IN_PROGRESS, SHUT_DOWN = -115, -108
"""Linux errno: how a transfer stands when it is submitted, and after the plug was pulled."""
CONTROL_IN, REPORT_IN, REPORT_OUT = 0x80, 0x81, 0x02

HIDPOS_DESCRIPTOR = bytes.fromhex("058c 0902 a101 8502 1500 26ff00 7508 953f 0940 8102 c0")
"""Usage page bar code scanner, application collection, one input report."""
KEYBOARD_DESCRIPTOR = bytes.fromhex("0501 0906 a101 0507 7508 9508 0940 8102 c0")


def hid_report(data: bytes, aim: bytes = b"]C0", *, more: bool = False) -> bytes:
    """A scanner's report (``devices.md`` §3), not from the driver's own code."""
    return bytes([2, len(data)]) + aim + data.ljust(56, b"\0") + b"j\0" + bytes([more])


@dataclass(frozen=True)
class UsbDevice:
    """A HID device with an endpoint in each direction; ``played`` are the records of its capture."""

    played: Sequence[bytes] = ()
    vendor: int = 0x0C2E
    product: int = 0x0901
    address: int = 11
    serial: str | None = None
    report_descriptor: bytes = HIDPOS_DESCRIPTOR

    @property
    def path(self) -> str:
        """Below ``/sys``."""
        return f"/devices/pci0000:00/0000:00:14.0/usb1/1-{self.address}"

    def description(self) -> str:
        """As ``umockdev-record`` writes it."""
        ids = struct.pack("<HHH", self.vendor, self.product, 0x0100)
        device = bytes([18, 1, 0, 2, 0, 0, 0, 64]) + ids + bytes([0, 0, 3 if self.serial else 0, 1])
        interface = bytes([9, 4, 0, 0, 2, 3, 0, 0, 0])
        hid = bytes([9, 0x21, 0x11, 1, 0, 1, 0x22]) + struct.pack("<H", len(self.report_descriptor))
        ends = b"".join(bytes([7, 5, address, 3, 64, 0, 10]) for address in (REPORT_IN, REPORT_OUT))
        body = interface + hid + ends
        descriptors = device + bytes([9, 2]) + struct.pack("<H", 9 + len(body)) + bytes([1, 1, 0, 0x80, 50]) + body
        return (
            f"P: {self.path}\nN: bus/usb/001/{self.address:03d}={descriptors.hex().upper()}\n"
            f"E: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: BUSNUM=001\nE: DEVNUM={self.address:03d}\n"
            f"E: DEVNAME=/dev/bus/usb/001/{self.address:03d}\nE: PRODUCT={self.vendor:x}/{self.product:x}/100\n"
            f"A: busnum=1\nA: devnum={self.address}\nA: bConfigurationValue=1\nA: bNumConfigurations=1\n"
            f"A: bNumInterfaces= 1\nA: idVendor={self.vendor:04x}\nA: idProduct={self.product:04x}\nA: speed=12\n"
            f"A: version= 2.00\nH: descriptors={descriptors.hex().upper()}\n"
        )

    def capture(self) -> bytes:
        """The serial number where there is one, the report descriptor, then what is ``played``."""
        records: list[bytes] = []
        if self.serial is not None:
            text = self.serial.encode("utf-16-le")
            records += answer(0x80, 6, 0x0300, 0, 254, bytes([4, 3, 9, 4]))
            records += answer(0x80, 6, 0x0303, 0x0409, 254, bytes([2 + len(text), 3]) + text)
        wanted = len(self.report_descriptor)
        records += answer(0x81, 6, 0x2200, 0, wanted, self.report_descriptor)
        records += self.played
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINUX_USB_MMAPPED)
        packets = (
            struct.pack("<IIII", 1, number, len(record), len(record)) + _addressed(record, self.address)
            for number, record in enumerate(records)
        )
        return head + b"".join(packets)


_numbers = itertools.count(1)


def _pair(
    transfer: int,
    endpoint: int,
    wanted: int,
    data: bytes,
    *,
    sent: bytes = b"",
    setup: bytes = b"",
    status: int = 0,
) -> list[bytes]:
    """A transfer's two records: submitted with ``sent``, completed with ``data``; the device is filled in later."""
    number = next(_numbers)

    def record(kind: bytes, state: int, length: int, payload: bytes, asked: bytes) -> bytes:
        flags = (b"\0" if asked else b"-") + (b"\0" if payload else b"<" if endpoint & 0x80 else b">")
        head = struct.pack("<QcBBBH", number, kind, transfer, endpoint, 0, 1) + flags
        tail = struct.pack("<qiiII8sIIII", 1, 0, state, length, len(payload), asked, 10, 0, 0, 0)
        return head + tail + payload

    got = len(sent or data)
    return [record(b"S", IN_PROGRESS, wanted, sent, setup), record(b"C", status, got, data, b"")]


def _addressed(record: bytes, address: int) -> bytes:
    return record[:11] + bytes([address]) + record[12:]


def answer(kind: int, request: int, value: int, index: int, wanted: int, data: bytes) -> list[bytes]:
    """A control transfer from the device."""
    setup = struct.pack("<BBHHH", kind, request, value, index, wanted)
    return _pair(CONTROL, CONTROL_IN, wanted, data, setup=setup)


def sends(report: bytes) -> list[bytes]:
    """The device gives a report."""
    return _pair(INTERRUPT, REPORT_IN, 64, report)


def waits_for(report: bytes) -> list[bytes]:
    """Nothing that follows is given before the host has sent ``report``, exactly."""
    return _pair(INTERRUPT, REPORT_OUT, len(report), b"", sent=report)


def unplugged() -> list[bytes]:
    """The plug is pulled while the host waits for a report."""
    return _pair(INTERRUPT, REPORT_IN, 64, b"", status=SHUT_DOWN)


KEYBOARD = """P: /devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/input/input5/event5
N: input/event5
S: input/by-id/usb-Scanner_0001-event-kbd
E: DEVNAME=/dev/input/event5
E: MAJOR=13
E: MINOR=69
E: SUBSYSTEM=input
E: ID_INPUT=1
A: dev=13:69

P: /devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/input/input5
E: SUBSYSTEM=input
E: PRODUCT=3/c2e/901/111
E: NAME="Scanner"
E: EV=120013
A: name=Scanner
"""
KEYBOARD_PORT = "/dev/input/by-id/usb-Scanner_0001-event-kbd"


def key_events(events: Iterable[tuple[int, int, int]]) -> str:
    """Type, code and value of each event, as ``evemu-record`` writes them; all within a millisecond or two."""
    lines = (f"E: 0.{number:06d} {kind:04x} {code:04x} {value}\n" for number, (kind, code, value) in enumerate(events))
    return "# EVEMU 1.2\n" + "".join(lines)


def host(folder: Path, usb: Sequence[UsbDevice], keys: str | None, *arguments: str) -> list[dict[str, Any]]:
    """Runs ``support.scan_host`` among these devices; what it said. Fails when it did not end well, by itself."""
    run = shutil.which("umockdev-run")
    if run is None:
        pytest.fail("umockdev-run is missing: sudo apt-get install umockdev libusb-1.0-0")
    command = [run]
    for number, device in enumerate(usb):
        described, captured = folder / f"usb{number}.umockdev", folder / f"usb{number}.pcap"
        described.write_text(device.description(), encoding="ascii")
        captured.write_bytes(device.capture())
        command += ["--device", str(described), "--pcap", f"/sys{device.path}={captured}"]
    if keys is not None:
        described, played = folder / "keyboard.umockdev", folder / "keyboard.events"
        described.write_text(KEYBOARD, encoding="ascii")
        played.write_text(keys, encoding="ascii")
        command += ["--device", str(described), "--evemu-events", f"/dev/input/event5={played}"]
    command += ["--", sys.executable, "-m", "support.scan_host", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=40, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
