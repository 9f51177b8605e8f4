"""A pair of bulk endpoints: what is read and written, what is lost, and that coming back elsewhere is counted."""

from __future__ import annotations

import errno
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
import usb.core
import usb.util

from dealer_drivers.errors import LinkLost, OptionError, PortAbsent
from dealer_drivers.transports.usb_bulk import BulkDevice, UsbBulkTransport, bulk_endpoint
from dealer_drivers.transports.usb_device import UsbName

NAME = UsbName(0x1209, 0x5AF1, None)
PORT = str(NAME)


def endpoint(address: int, kind: int = usb.util.ENDPOINT_TYPE_BULK) -> Any:
    return SimpleNamespace(bEndpointAddress=address, bmAttributes=kind)


class Interface(list[Any]):
    bInterfaceNumber = 0  # noqa: N815


class FakeUsb:
    """libusb's device: gives what it was told to, or fails so."""

    bus = 1

    def __init__(self, *answers: bytes | Exception, address: int = 11, takes: int = 64) -> None:
        self.address = address
        self._answers = deque(answers)
        self._takes = takes
        self.written: list[bytes] = []
        self.cleared: list[int] = []

    def read(self, end: int, size: int, timeout_ms: int) -> bytes:
        assert (end, size % 512) == (0x81, 0)
        assert timeout_ms <= 100
        answer = (
            self._answers.popleft() if self._answers else usb.core.USBTimeoutError("timed out", -7, errno.ETIMEDOUT)
        )
        if isinstance(answer, Exception):
            raise answer
        return answer

    def write(self, end: int, data: bytes, timeout_ms: int) -> int:
        assert end == 0x02
        assert timeout_ms <= 1000
        if not self._takes:
            raise usb.core.USBTimeoutError("timed out", -7, errno.ETIMEDOUT)
        self.written.append(bytes(data[: self._takes]))
        return len(self.written[-1])

    def clear_halt(self, end: int) -> None:
        self.cleared.append(end)


def bulk(device: FakeUsb) -> BulkDevice:
    ends = Interface([endpoint(0x83, usb.util.ENDPOINT_TYPE_INTR), endpoint(0x81), endpoint(0x02)])
    return BulkDevice(NAME, device, ends, kernel_had_it=False)


def test_bytes_come_in_and_a_time_out_is_none() -> None:
    device = bulk(FakeUsb(b"@S,1", usb.core.USBTimeoutError("timed out", -7, errno.ETIMEDOUT), b",idle"))
    assert [device.read() for _ in range(4)] == [b"@S,1", b"", b",idle", b""]


def test_all_is_written_however_little_the_device_takes_at_a_time() -> None:
    fake = FakeUsb(takes=3)
    bulk(fake).write(b"@Q*AB24\r\n")
    assert b"".join(fake.written) == b"@Q*AB24\r\n"
    with pytest.raises(LinkLost, match="writing failed"):
        bulk(FakeUsb(takes=0)).write(b"@Q")


@pytest.mark.parametrize(("number", "cleared"), [(errno.ENODEV, []), (errno.EPIPE, [0x81]), (errno.EOVERFLOW, [])])
def test_any_other_error_is_a_lost_link(number: int, cleared: list[int]) -> None:
    fake = FakeUsb(usb.core.USBError("no", -4, number))
    with pytest.raises(LinkLost, match="reading failed"):
        bulk(fake).read()
    assert fake.cleared == cleared


def test_the_pair_is_found_among_other_endpoints() -> None:
    ends = [endpoint(0x83, usb.util.ENDPOINT_TYPE_INTR), endpoint(0x84), endpoint(0x01)]
    assert bulk_endpoint(ends, usb.util.ENDPOINT_IN) == 0x84
    assert bulk_endpoint(ends, usb.util.ENDPOINT_OUT) == 0x01
    assert bulk_endpoint(ends[:1], usb.util.ENDPOINT_IN) == 0


class Opened:
    """A device as an opener gives it."""

    def __init__(self, address: int) -> None:
        self.place = (1, address)
        self.answers = deque([b"hello"])
        self.closed = False

    def read(self) -> bytes:
        if not self.answers:
            raise LinkLost("pulled out")
        return self.answers.popleft()

    def write(self, data: bytes) -> None:
        raise AssertionError(data)

    def close(self) -> None:
        self.closed = True


async def test_coming_back_at_another_place_is_counted_and_at_the_same_is_not() -> None:
    places = deque([11, 11, None, 12, 12, 14])
    opened: list[Opened] = []

    def opener(name: UsbName) -> Any:
        assert name == NAME
        place = places.popleft()
        if place is None:
            raise PortAbsent("gone")
        opened.append(Opened(place))
        return opened[-1]

    transport = UsbBulkTransport(PORT, opener)
    seen = []
    while places:
        try:
            channel = await transport.open()
        except PortAbsent:
            continue
        assert await channel.read() == b"hello"
        with pytest.raises(LinkLost, match="pulled out"):
            await channel.read()
        await channel.close()
        seen.append(transport.reenumerations)
    assert seen == [0, 0, 1, 1, 2]
    assert all(device.closed for device in opened)


@pytest.mark.parametrize("port", ["usb:1209", "usb:1209:5AF1", "usb:1209:5af1:", "usb:x"])
def test_ports_that_are_none(port: str) -> None:
    with pytest.raises(OptionError):
        UsbBulkTransport(port)
