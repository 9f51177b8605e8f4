"""USB ports: what a port may be, whom it finds, how each failure is told, and a channel that ends cleanly."""

from __future__ import annotations

import asyncio
import errno
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import usb.backend.libusb1
import usb.core
import usb.util
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import (
    DeviceError,
    FixConfigError,
    LinkLost,
    OptionError,
    PortAbsent,
    PortBusy,
    PortForbidden,
    RetryableError,
)
from dealer_drivers.transports.factory import make_transport, port_kind
from dealer_drivers.transports.hid_descriptor import application_pages
from dealer_drivers.transports.usb import UsbChannel, UsbTransport, open_scanner
from dealer_drivers.transports.usb_device import UsbName
from dealer_drivers.transports.usb_hid import HidDevice
from support.umockdev import HIDPOS_DESCRIPTOR, KEYBOARD_DESCRIPTOR, UsbDevice, host, unplugged

NAME = UsbName(0x0C2E, 0x0901)


@pytest.mark.parametrize("port", ["usb:0c2e:0901", "usb:0c2e:0901:SN:1/2-3"])
def test_a_port_is_vendor_and_product_and_perhaps_a_serial_number(port: str) -> None:
    transport = make_transport(port, SerialSettings())
    assert isinstance(transport, UsbTransport)
    assert transport.name == port
    assert port_kind(port) == "usb"


@pytest.mark.parametrize(
    "port", ["usb:", "usb:0c2e", "usb:0C2E:0901", "usb:c2e:901", "usb:0c2e:0901:", "usb:001/011", "usb:0c2e:0901:a b"]
)
def test_another_form_is_refused_with_what_would_be_right(port: str) -> None:
    with pytest.raises(OptionError, match="usb:VID:PID") as caught:
        make_transport(port, SerialSettings())
    assert caught.value.key == "port"


@pytest.mark.parametrize(
    ("descriptor", "pages"),
    [
        (HIDPOS_DESCRIPTOR, {0x8C}),
        (KEYBOARD_DESCRIPTOR, {0x01}),
        (KEYBOARD_DESCRIPTOR + HIDPOS_DESCRIPTOR, {0x01, 0x8C}),
        (bytes.fromhex("0b02008c00 a101 c0"), {0x8C}),  # the usage names its page
        (bytes.fromhex("0501 0906 a101 058c 0902 a102 c0 c0"), {0x01}),  # inside another collection
        (bytes.fromhex("fe0299 058c 058c 0902 a101 c0"), {0x8C}),  # a long item before it
        (bytes.fromhex("058c 0902 a1"), set()),
        (b"", set()),
    ],
)
def test_the_page_of_an_interface_is_that_of_its_outermost_collections(descriptor: bytes, pages: set[int]) -> None:
    assert application_pages(descriptor) == pages


@given(descriptor=st.binary(max_size=200))
def test_no_descriptor_stops_the_search(descriptor: bytes) -> None:
    application_pages(descriptor)


# --- through the real libusb


def opened(folder: Path, port: str, *devices: UsbDevice) -> dict[str, Any]:
    """What the first attempt to open ``port`` among ``devices`` says last, before it is stopped."""
    return host(folder, devices, None, "barcode-hidpos", port, json.dumps({"codebook": "rank-suit"}), "1")[-2]


def test_a_device_that_is_not_plugged_in(tmp_path: Path) -> None:
    told = opened(tmp_path, "usb:0c2e:0902", UsbDevice())
    assert told["state"] == "waiting"
    assert "usb:0c2e:0902 is not there" in told["reason"]


def test_two_of_a_kind_are_not_chosen_between(tmp_path: Path) -> None:
    told = opened(tmp_path, "usb:0c2e:0901", UsbDevice(address=11), UsbDevice(address=12))
    assert "2 devices answer" in told["reason"]
    assert "SERIAL" in told["reason"]


def test_a_serial_number_tells_two_of_a_kind_apart(tmp_path: Path) -> None:
    devices = [UsbDevice(address=address, serial=serial) for address, serial in ((11, "left"), (12, "right"))]
    told = opened(tmp_path, "usb:0c2e:0901:right", *devices)
    assert told["reading"] == "DeviceNotice"
    told = opened(tmp_path, "usb:0c2e:0901:middle", *devices)
    assert "is not there" in told["reason"]


def test_a_scanner_in_another_mode_is_said_to_be(tmp_path: Path) -> None:
    told = opened(tmp_path, "usb:0c2e:0901", UsbDevice(report_descriptor=KEYBOARD_DESCRIPTOR))
    assert "no HID-POS bar code scanner interface: set the device to that mode" in told["reason"]


def test_a_device_pulled_out_while_it_is_opened(tmp_path: Path) -> None:
    told = opened(tmp_path, "usb:0c2e:0901", UsbDevice(played=unplugged()))
    assert told["state"] == "waiting"
    assert "usb:0c2e:0901" in told["reason"]


# --- what only a fake can do


class Device:
    """As pyusb gives it: a boot keyboard's interface and a scanner's. ``fail`` are errors by call."""

    bus, address = 1, 11
    iSerialNumber = 0  # noqa: N815

    def __init__(self, *, out: bool = False) -> None:
        ends = [SimpleNamespace(bEndpointAddress=address, bmAttributes=3) for address in (0x81, 0x02)[: 1 + out]]
        self.interfaces = [_Interface(0, 1, ends), _Interface(1, 0, ends)]
        self.kernel = {0, 1}
        self.claimed: set[int] = set()
        self.fail: dict[str, usb.core.USBError] = {}
        self.answers: deque[bytes | usb.core.USBError] = deque()
        self.sent: list[tuple[object, ...]] = []
        self.disposed = False

    def _call(self, name: str) -> None:
        if name in self.fail:
            raise self.fail[name]

    def get_active_configuration(self) -> list[Any]:
        self._call("configuration")
        return self.interfaces

    def is_kernel_driver_active(self, number: int) -> bool:
        self._call("active")
        return number in self.kernel

    def detach_kernel_driver(self, number: int) -> None:
        self.kernel.remove(number)

    def attach_kernel_driver(self, number: int) -> None:
        self._call("attach")
        self.kernel.add(number)

    def ctrl_transfer(self, kind: int, request: int, value: int, index: int, data: Any, timeout_ms: int) -> bytes:
        assert timeout_ms
        self._call("control")
        if kind == 0x81:
            assert (request, value, data) == (6, 0x2200, 22)
            return HIDPOS_DESCRIPTOR if index == 1 else KEYBOARD_DESCRIPTOR
        self.sent.append((kind, request, value, index, data))
        return b""

    def read(self, endpoint: int, size: int, timeout_ms: int) -> bytes:
        assert (endpoint, size) == (0x81, 64)
        assert 0 < timeout_ms <= 250, "closing waits for it"
        answer = (
            self.answers.popleft() if self.answers else usb.core.USBTimeoutError("timed out", None, errno.ETIMEDOUT)
        )
        if isinstance(answer, usb.core.USBError):
            raise answer
        return answer

    def write(self, endpoint: int, data: bytes, timeout_ms: int) -> None:
        assert timeout_ms
        self._call("write")
        self.sent.append((endpoint, data))

    def clear_halt(self, endpoint: int) -> None:
        self.sent.append(("clear", endpoint))


class _Interface:
    bInterfaceClass = 3  # noqa: N815

    def __init__(self, number: int, subclass: int, ends: list[Any]) -> None:
        self.bInterfaceNumber, self.bInterfaceSubClass = number, subclass
        self.extra_descriptors = list(b"\x09\x21\x11\x01\x00\x01\x22\x16\x00")
        self._ends = ends

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ends)


def failure(number: int | None) -> usb.core.USBError:
    return usb.core.USBError("it failed", None, number)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Device]:
    """Puts the given devices on the bus; answers with the last."""

    def put(*devices: Device) -> Device:
        def claim(device: Device, number: int) -> None:
            device._call("claim")
            assert number not in device.kernel, "the kernel's driver has it"
            device.claimed.add(number)

        def dispose(device: Device) -> None:
            device.disposed = True

        monkeypatch.setattr(usb.backend.libusb1, "get_backend", object)
        monkeypatch.setattr(usb.core, "find", lambda **_: iter(devices))
        monkeypatch.setattr(usb.util, "claim_interface", claim)
        monkeypatch.setattr(usb.util, "release_interface", lambda device, number: device.claimed.discard(number))
        monkeypatch.setattr(usb.util, "dispose_resources", dispose)
        return devices[-1]

    return put


def test_the_scanners_interface_is_taken_and_all_is_given_back(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    hid = open_scanner(NAME)
    assert device.claimed == {1}
    assert device.kernel == {0}, "the keyboard beside it stays the kernel's"
    hid.close()
    assert (device.claimed, device.kernel, device.disposed) == (set(), {0, 1}, True)


def test_an_interface_of_another_kind_goes_back_to_the_kernel(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    device.interfaces = device.interfaces[:1]
    with pytest.raises(FixConfigError, match="no HID-POS"):
        open_scanner(NAME)
    assert (device.claimed, device.kernel, device.disposed) == (set(), {0, 1}, True)


def test_a_system_that_knows_no_kernel_drivers_is_no_hindrance(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    device.kernel = set()
    for error in (failure(None), NotImplementedError()):
        device.fail = {"active": error}  # type: ignore[dict-item]
        open_scanner(NAME).close()
        assert device.kernel == set()


@pytest.mark.parametrize("call", ["configuration", "claim", "control"])
@pytest.mark.parametrize(
    ("number", "kind", "says"),
    [
        (errno.EBUSY, PortBusy, "sudo fuser -v /dev/bus/usb/001/011"),
        (errno.EACCES, PortForbidden, 'ATTR{idVendor}=="0c2e", ATTR{idProduct}=="0901", GROUP="plugdev"'),
        (errno.ENODEV, PortAbsent, "went away"),
        (None, RetryableError, "it failed"),
    ],
)
def test_what_fails_at_open_says_what_to_do(
    plug: Callable[..., Device], call: str, number: int | None, kind: type[DeviceError], says: str
) -> None:
    device = plug(Device())
    device.fail[call] = failure(number)
    with pytest.raises(DeviceError) as caught:
        open_scanner(NAME)
    assert type(caught.value) is kind
    assert says in str(caught.value)
    assert "usb:0c2e:0901" in str(caught.value)
    assert (device.claimed, device.kernel, device.disposed) == (set(), {0, 1}, True)


def test_a_device_that_does_not_describe_itself_is_not_guessed_at(plug: Callable[..., Device]) -> None:
    for error in (failure(errno.EPIPE), usb.core.USBTimeoutError("timed out", None, errno.ETIMEDOUT)):
        plug(Device()).fail["control"] = error
        with pytest.raises(FixConfigError, match="no HID-POS"):
            open_scanner(NAME)


def test_no_libusb_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb.backend.libusb1, "get_backend", lambda: None)
    monkeypatch.setattr("ctypes.util.find_library", lambda _: None)
    with pytest.raises(FixConfigError, match=r"apt-get install libusb-1\.0-0"):
        open_scanner(NAME)
    monkeypatch.setattr("ctypes.util.find_library", lambda _: "libusb-1.0.so.0")
    with pytest.raises(RetryableError, match="/dev/bus/usb"):
        open_scanner(NAME)


def test_two_with_one_serial_number_cannot_be_told_apart(plug: Callable[..., Device]) -> None:
    alike = [Device(), Device()]
    for device in alike:
        device.iSerialNumber = 3
        device.serial_number = "0001"  # type: ignore[attr-defined]
    plug(*alike)
    with pytest.raises(OptionError, match="unplug all but one"):
        open_scanner(UsbName(NAME.vendor, NAME.product, "0001"))


def test_a_serial_number_that_may_not_be_read_is_a_missing_right(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    device.iSerialNumber = 3
    device.fail["configuration"] = failure(errno.EACCES)
    with pytest.raises(PortForbidden):
        open_scanner(UsbName(NAME.vendor, NAME.product, "0001"))


def test_reports_that_waited_in_the_device_are_thrown_away(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    device.answers.extend([bytes(64)] * 3)
    hid = open_scanner(NAME)
    device.answers.append(b"\x02" * 64)
    assert hid.read() == b"\x02" * 64
    assert hid.read() == b"", "a time-out is no error"
    hid.close()


def test_every_report_is_of_one_length(plug: Callable[..., Device]) -> None:
    device = plug(Device())
    hid = open_scanner(NAME)
    device.answers.extend([b"\x02abc", b""])
    assert hid.read() == b"\x02abc" + b"\xff" * 60
    assert hid.read() == b""
    hid.close()


@pytest.mark.parametrize("number", [errno.ENODEV, errno.EIO, errno.EPIPE, errno.EOVERFLOW])
def test_a_failed_read_is_a_lost_link(plug: Callable[..., Device], number: int) -> None:
    device = plug(Device())
    hid = open_scanner(NAME)
    device.answers.append(failure(number))
    with pytest.raises(LinkLost, match="usb:0c2e:0901: reading failed"):
        hid.read()
    assert (("clear", 0x81) in device.sent) == (number == errno.EPIPE)
    hid.close()


def test_an_output_report_goes_by_its_endpoint_or_as_a_request(plug: Callable[..., Device]) -> None:
    for out, sent in ((True, (0x02, b"\x04\x01")), (False, (0x21, 9, 0x0204, 1, b"\x04\x01"))):
        device = plug(Device(out=out))
        hid = open_scanner(NAME)
        hid.write(b"\x04\x01")
        assert device.sent == [sent]
        device.fail = {"write": failure(errno.ENODEV), "control": failure(errno.ENODEV)}
        with pytest.raises(LinkLost, match="writing failed"):
            hid.write(b"\x04\x01")
        hid.close()


# --- the channel


class Scripted:
    """A blocking device: ``read`` waits on ``gate`` for a moment, then gives the next answer."""

    def __init__(self) -> None:
        self.answers: deque[bytes | LinkLost] = deque()
        self.news = threading.Event()
        self.threads: set[int] = set()
        self.closed = 0
        self.written: list[bytes] = []
        self.write_error: LinkLost | None = None

    def put(self, answer: bytes | LinkLost) -> None:
        self.answers.append(answer)
        self.news.set()

    def read(self) -> bytes:
        self.threads.add(threading.get_ident())
        assert not self.closed
        if not self.answers:
            self.news.clear()
            self.news.wait(0.05)
        answer = self.answers.popleft() if self.answers else b""
        if isinstance(answer, LinkLost):
            raise answer
        return answer

    def write(self, report: bytes) -> None:
        self.threads.add(threading.get_ident())
        if self.write_error is not None:
            raise self.write_error
        self.written.append(report)

    def close(self) -> None:
        self.threads.add(threading.get_ident())
        self.closed += 1


async def channel_of(device: Scripted) -> UsbChannel:
    return await UsbTransport("usb:0c2e:0901", lambda _: device).open()


async def test_reports_come_one_by_one_and_a_cancelled_read_loses_none() -> None:
    device = Scripted()
    channel = await channel_of(device)
    got: list[bytes] = []
    for number in range(20):
        waiting = asyncio.create_task(channel.read())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        if not waiting.cancelled():  # a report was there already
            got.append(waiting.result())
        device.put(bytes([number]))
    while len(got) < 20:
        got.append(await channel.read())
    assert got == [bytes([number]) for number in range(20)]
    await channel.write(b"\x04\x01")
    assert device.written == [b"\x04\x01"]
    await channel.close()
    assert len(device.threads) == 1
    assert threading.get_ident() not in device.threads


async def test_a_loss_comes_after_what_had_arrived_and_stays() -> None:
    device = Scripted()
    channel = await channel_of(device)
    device.put(b"last")
    device.put(LinkLost("unplugged"))
    assert await channel.read() == b"last"
    for _ in range(2):
        with pytest.raises(LinkLost, match="unplugged"):
            await channel.read()
    with pytest.raises(LinkLost, match="unplugged"):
        await channel.write(b"\x04")
    await channel.close()


async def test_a_failed_write_is_a_lost_link_for_both() -> None:
    device = Scripted()
    channel = await channel_of(device)
    device.write_error = LinkLost("no more")
    with pytest.raises(LinkLost, match="no more"):
        await channel.write(b"\x04")
    with pytest.raises(LinkLost, match="no more"):
        await channel.read()
    await channel.close()


async def test_closing_wakes_a_reader_and_is_done_once() -> None:
    device = Scripted()
    channel = await channel_of(device)
    waiting = asyncio.create_task(channel.read())
    await asyncio.sleep(0)
    await channel.close()
    await channel.close()
    with pytest.raises(LinkLost, match="closed by the station"):
        await waiting
    with pytest.raises(LinkLost, match="closed by the station"):
        await channel.read()
    assert device.closed == 1


async def test_closing_after_a_read_that_was_given_up_and_failed_says_nothing() -> None:
    device = Scripted()
    channel = await channel_of(device)
    waiting = asyncio.create_task(channel.read())
    await asyncio.sleep(0)
    waiting.cancel()
    device.put(LinkLost("unplugged"))
    await asyncio.wait({waiting})
    await channel.close()


async def test_an_open_that_is_given_up_still_gives_the_device_back() -> None:
    device, may_open, closed = Scripted(), threading.Event(), threading.Event()

    def slow(_: UsbName) -> Scripted:
        assert may_open.wait(5)
        return device

    device.close = closed.set  # type: ignore[method-assign]
    opening = asyncio.create_task(UsbTransport("usb:0c2e:0901", slow).open())
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.wait({opening})
    assert opening.cancelled()
    may_open.set()
    assert closed.wait(5)


async def test_a_refused_open_leaves_no_thread() -> None:
    """That no thread is left, the check after every test says."""

    def refuse(_: UsbName) -> HidDevice:
        raise PortAbsent("not there")

    with pytest.raises(PortAbsent, match="not there"):
        await UsbTransport("usb:0c2e:0901", refuse).open()
