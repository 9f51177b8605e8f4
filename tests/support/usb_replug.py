"""A shuffler that is plugged out and in again, before the driver on its real transport: pyusb and libusb see it go and
come, and umockdev stands for the kernel. Says on standard output what was read.

``umockdev-wrapper python -m support.usb_replug FOLDER ADDRESS...``: it is plugged in at each of these addresses of the
bus, one after the other; it answers a question, and then the plug is out. Ends when the last one is out.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
from pathlib import Path

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings.shuffler import DeckReport, ShufflerTampered
from dealer_drivers.shuffler.generic import DRIVER
from dealer_drivers.transports.factory import device_transport
from hw_sim.shuffler import lines, usb

_Bed, _Text = ctypes.c_void_p, ctypes.c_char_p


class Bus:
    """The kernel's part, by libumockdev (its C interface)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = ctypes.CDLL("libumockdev.so.0")
        self._library.umockdev_testbed_new.restype = _Bed
        self._bed = _Bed(self._library.umockdev_testbed_new())

    def _call(self, function: str, *texts: str) -> None:
        called = self._library[f"umockdev_testbed_{function}"]
        called(self._bed, *(_Text(text.encode()) for text in texts), None)

    def plug_in(self, address: int) -> None:
        """The machine is at this address of the bus, and says its state when asked."""
        capture = self._folder / f"{address}.pcap"
        capture.write_bytes(usb.capture([lines.status(1, "idle", 7)], address=address))
        self._call("add_from_string", usb.description(address))
        self._call("load_pcap", f"/sys{usb.SYS_PATH}", str(capture))
        self._call("uevent", f"/sys{usb.SYS_PATH}", "add")

    def pull_out(self) -> None:
        """It is nowhere."""
        self._call("uevent", f"/sys{usb.SYS_PATH}", "remove")
        self._call("remove_device", f"/sys{usb.SYS_PATH}")


async def main(folder: Path, addresses: list[int]) -> None:
    bus = Bus(folder)
    bus.plug_in(addresses.pop(0))
    out, over = asyncio.Event(), False

    def on_output(output: Output, at: Instant) -> None:  # noqa: ARG001
        for reading in output.readings:
            if isinstance(reading, DeckReport | ShufflerTampered):
                print(type(reading).__name__, flush=True)

    def on_state(state: LinkState) -> None:
        print(state.state, flush=True)
        if state.state == "waiting":
            out.set()

    options = DRIVER.parse_options({"poll_s": 2.5})
    transport = device_transport(DRIVER, usb.PORT, options)
    link = Link(transport, DRIVER.session(options), SystemClock(), on_output=on_output, on_state=on_state)
    running = asyncio.create_task(link.run())
    while not over:
        await out.wait()
        bus.pull_out()
        over = not addresses
        if addresses:
            out.clear()
            bus.plug_in(addresses.pop(0))
    await link.stop()
    await running


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), [int(text) for text in sys.argv[2:]]))
