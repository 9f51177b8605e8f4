"""A scanner in USB HID-POS mode, as a description and a capture that umockdev plays to the real libusb.

It cannot be a port that appears: that takes a USB gadget of the kernel, which most machines have not, and root. What
umockdev can do without either is to give a process a bus with a device on it whose answers were written down before.
So the hands are dealt beforehand, and the host runs under ``umockdev-run`` (``run_line``). Nobody can tell this
scanner's dealer anything: he goes on by himself. Once the host asks for scanning, the codes come as fast as it reads.
"""

from __future__ import annotations

import itertools
import shlex
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

VENDOR, PRODUCT, ADDRESS = 0x0C2E, 0x0901, 11
PORT = f"usb:{VENDOR:04x}:{PRODUCT:04x}"
SYS_PATH = "/devices/pci0000:00/0000:00:14.0/usb1/1-4"
REPORT_BYTES = 64
DATA_BYTES = 56
"""Of a report of 64: id, length, three of AIM identifier, data, the maker's symbology, nothing, more follows."""
REPORT_ID = 2
NO_AIM = b"\0\0\0"
SYMBOLOGY = b"j"
LINKTYPE_USB = 220
"""usbmon with the long head (``pcap``)."""
CONTROL, INTERRUPT = 2, 1
REPORT_IN, REPORT_OUT = 0x81, 0x02
IN_PROGRESS, SHUT_DOWN = -115, -108
"""Linux errno of a transfer that is submitted, and of one whose device is gone."""
REPORT_DESCRIPTOR = bytes.fromhex("058c 0902 a101 8502 1500 26ff00 7508 953f 0940 8102 c0")
"""Usage page bar code scanner; one application with one input report."""
TRIGGER_ON = bytes.fromhex("0401")
"""The report that starts scanning; the station's ``trigger_on`` must be the same."""


def reports(text: bytes, aim: bytes) -> list[bytes]:
    """A text as input reports; ``aim`` is three bytes, zeros for none."""
    pieces = [text[at : at + DATA_BYTES] for at in range(0, max(len(text), 1), DATA_BYTES)]
    last = len(pieces) - 1
    return [
        bytes([REPORT_ID, len(piece)]) + aim + piece.ljust(DATA_BYTES, b"\0") + SYMBOLOGY + b"\0" + bytes([at < last])
        for at, piece in enumerate(pieces)
    ]


def description() -> str:
    """The device as ``umockdev-record`` writes one."""
    ids = struct.pack("<HHH", VENDOR, PRODUCT, 0x0100)
    device = bytes([18, 1, 0, 2, 0, 0, 0, 64]) + ids + bytes([0, 0, 0, 1])
    interface = bytes([9, 4, 0, 0, 2, 3, 0, 0, 0])
    hid = bytes([9, 0x21, 0x11, 1, 0, 1, 0x22]) + struct.pack("<H", len(REPORT_DESCRIPTOR))
    body = interface + hid + b"".join(bytes([7, 5, end, 3, 64, 0, 10]) for end in (REPORT_IN, REPORT_OUT))
    whole = device + bytes([9, 2]) + struct.pack("<H", 9 + len(body)) + bytes([1, 1, 0, 0x80, 50]) + body
    return (
        f"P: {SYS_PATH}\nN: bus/usb/001/{ADDRESS:03d}={whole.hex().upper()}\n"
        f"E: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: BUSNUM=001\nE: DEVNUM={ADDRESS:03d}\n"
        f"E: DEVNAME=/dev/bus/usb/001/{ADDRESS:03d}\nE: PRODUCT={VENDOR:x}/{PRODUCT:x}/100\n"
        f"A: busnum=1\nA: devnum={ADDRESS}\nA: bConfigurationValue=1\nA: bNumConfigurations=1\n"
        f"A: bNumInterfaces= 1\nA: idVendor={VENDOR:04x}\nA: idProduct={PRODUCT:04x}\nA: speed=12\n"
        f"A: version= 2.00\nH: descriptors={whole.hex().upper()}\n"
    )


def capture(sent: Sequence[bytes]) -> bytes:
    """A pcap: nothing is given before the host asked for scanning (``TRIGGER_ON``), then every report as soon as it is
    read, for umockdev keeps no times; at last the plug is pulled."""
    numbers = itertools.count(1)
    get_descriptor = struct.pack("<BBHHH", 0x81, 6, 0x2200, 0, len(REPORT_DESCRIPTOR))
    records = [*_transfer(next(numbers), CONTROL, 0x80, len(REPORT_DESCRIPTOR), REPORT_DESCRIPTOR, get_descriptor)]
    records += _transfer(next(numbers), INTERRUPT, REPORT_OUT, len(TRIGGER_ON), b"", out=TRIGGER_ON)
    for report in sent:
        records += _transfer(next(numbers), INTERRUPT, REPORT_IN, 64, report)
    records += _transfer(next(numbers), INTERRUPT, REPORT_IN, 64, b"", status=SHUT_DOWN)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_USB)
    packets = (struct.pack("<IIII", 1, at, len(record), len(record)) + record for at, record in enumerate(records))
    return head + b"".join(packets)


def _transfer(
    number: int,
    kind: int,
    endpoint: int,
    wanted: int,
    data: bytes,
    setup: bytes = b"",
    *,
    out: bytes = b"",
    status: int = 0,
) -> Iterator[bytes]:
    """What the host submits, with ``out`` where it sends, and how that is completed."""
    for step, state, length, payload, asked in (
        (b"S", IN_PROGRESS, wanted, out, setup),
        (b"C", status, len(out or data), data, b""),
    ):
        flags = (b"\0" if asked else b"-") + (b"\0" if payload else b"<" if endpoint & 0x80 else b">")
        head = struct.pack("<QcBBBH", number, step, kind, endpoint, ADDRESS, 1) + flags
        yield head + struct.pack("<qiiII8sIIII", 1, 0, state, length, len(payload), asked, 10, 0, 0, 0) + payload


def run_line(described: Path, captured: Path) -> str:
    """The command under which a host sees the scanner; the host's own command follows."""
    words = ["umockdev-run", "--device", str(described), "--pcap", f"/sys{SYS_PATH}={captured}", "--"]
    return shlex.join(words)
