"""A shuffler at a pair of USB bulk endpoints, as a description and a capture that umockdev plays to the real libusb.

See ``hw_sim/shoe/hidpos.py`` for why it is a capture and no port. The machine waits for the first question for its
state (``poll_s = 2.5`` at the station), then speaks as fast as the host reads.
"""

from __future__ import annotations

import shlex
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from hw_sim.shuffler.lines import QUESTION_LINE

VENDOR, PRODUCT = 0x1209, 0x5AF1
"""Of the vendor id that is shared by open projects."""
ADDRESS = 12
PORT = f"usb:{VENDOR:04x}:{PRODUCT:04x}"
SYS_PATH = "/devices/pci0000:00/0000:00:14.0/usb1/1-5"
BULK_IN, BULK_OUT = 0x81, 0x02
BULK = 3
"""usbmon's number of the kind of transfer."""
VENDOR_CLASS = 0xFF
PACKET_BYTES, ASKED_BYTES = 64, 4096
"""What one packet holds at full speed; what the station asks for at a time."""
IN_PROGRESS, SHUT_DOWN = -115, -108
LINKTYPE_USB = 220


def description(address: int = ADDRESS) -> str:
    """The device as ``umockdev-record`` writes one."""
    device = bytes([18, 1, 0, 2, 0, 0, 0, 64]) + struct.pack("<HHH", VENDOR, PRODUCT, 0x0100) + bytes([0, 0, 0, 1])
    ends = b"".join(bytes([7, 5, end, 2]) + struct.pack("<H", PACKET_BYTES) + bytes([0]) for end in (BULK_IN, BULK_OUT))
    body = bytes([9, 4, 0, 0, 2, VENDOR_CLASS, 0, 0, 0]) + ends
    whole = device + bytes([9, 2]) + struct.pack("<H", 9 + len(body)) + bytes([1, 1, 0, 0x80, 50]) + body
    return (
        f"P: {SYS_PATH}\nN: bus/usb/001/{address:03d}={whole.hex().upper()}\n"
        f"E: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: BUSNUM=001\nE: DEVNUM={address:03d}\n"
        f"E: DEVNAME=/dev/bus/usb/001/{address:03d}\nE: PRODUCT={VENDOR:x}/{PRODUCT:x}/100\n"
        f"A: busnum=1\nA: devnum={address}\nA: bConfigurationValue=1\nA: bNumConfigurations=1\n"
        f"A: bNumInterfaces= 1\nA: idVendor={VENDOR:04x}\nA: idProduct={PRODUCT:04x}\nA: speed=12\n"
        f"A: version= 2.00\nH: descriptors={whole.hex().upper()}\n"
    )


def capture(pieces: Sequence[bytes], *, address: int = ADDRESS, pulled: bool = True) -> bytes:
    """What the machine says once the host has asked for its state, one transfer a piece; with ``pulled`` the plug is
    out after it."""
    records = [*_transfer(1, BULK_OUT, address, sent=QUESTION_LINE)]
    for number, data in enumerate(pieces, 2):
        records += _transfer(number, BULK_IN, address, data)
    if pulled:
        records += _transfer(len(pieces) + 2, BULK_IN, address, status=SHUT_DOWN)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_USB)
    packets = (
        struct.pack("<IIII", 1, number, len(record), len(record)) + record for number, record in enumerate(records)
    )
    return head + b"".join(packets)


def _transfer(
    number: int, end: int, address: int, data: bytes = b"", *, sent: bytes = b"", status: int = 0
) -> Iterator[bytes]:
    """The two records of a transfer: asked for with what is ``sent``, and done with ``data``."""
    wanted, got = (len(sent), len(sent)) if sent else (ASKED_BYTES, len(data))
    for kind, state, length, payload in ((b"S", IN_PROGRESS, wanted, sent), (b"C", status, got, data)):
        flags = b"-" + (b"\0" if payload else b"<" if end & 0x80 else b">")
        head = struct.pack("<QcBBBH", number, kind, BULK, end, address, 1) + flags
        yield head + struct.pack("<qiiII8sIIII", 1, 0, state, length, len(payload), b"", 0, 0, 0, 0) + payload


def run_line(described: Path, captured: Path) -> str:
    """The command under which a host sees the shuffler; the host's own command follows."""
    return shlex.join(["umockdev-run", "--device", str(described), "--pcap", f"/sys{SYS_PATH}={captured}", "--"])
