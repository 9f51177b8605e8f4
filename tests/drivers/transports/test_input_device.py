"""Scanners that type: what a port may be, the grab, and how each failure is told. Pseudo-terminals stand for evdev."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import LinkLost, OptionError, PortAbsent, PortBusy, PortForbidden, RetryableError
from dealer_drivers.transports.factory import make_transport, port_kind
from dealer_drivers.transports.input_device import InputDeviceTransport

BY_ID = "/dev/input/by-id/usb-Scanner_0001-event-kbd"


@pytest.mark.parametrize(
    ("port", "name", "warned"),
    [
        (BY_ID, BY_ID, False),
        ("input:/dev/dealer/scanner", "/dev/dealer/scanner", False),
        ("/dev/input/event5",) * 2 + (True,),
    ],
)
def test_a_port_is_a_name_below_dev_input_or_says_so(port: str, name: str, warned: bool) -> None:
    transport = make_transport(port, SerialSettings())
    assert isinstance(transport, InputDeviceTransport)
    assert transport.name == name
    assert port_kind(port) == "input"
    assert ("by-id" in (transport.warning or "")) == warned


@pytest.mark.parametrize("port", ["input:", "/dev/input/a\0b", "input:a\0b"])
def test_what_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(OptionError):
        make_transport(port, SerialSettings())


async def test_events_come_once_the_device_is_grabbed(device: Any) -> None:
    grabbed: list[int] = []
    channel = await InputDeviceTransport(device.path, grabbed.append).open()
    assert os.fstat(grabbed[0]).st_rdev == os.stat(device.path).st_rdev  # noqa: PTH116
    assert not os.get_blocking(grabbed[0])
    event = bytes(range(24))
    device.write(event)
    assert await channel.read() == event
    device.unplug()
    with pytest.raises(LinkLost, match=device.path):
        await channel.read()
    await channel.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(grabbed[0])


@pytest.mark.parametrize(
    ("number", "kind", "says"),
    [
        (errno.EBUSY, PortBusy, "this station: two devices name the same port"),
        (errno.EACCES, PortForbidden, "group"),
        (errno.ENODEV, PortAbsent, "plugged in"),
        (errno.ENOTTY, OptionError, "no input device"),
        (errno.ENOMEM, RetryableError, "Cannot allocate memory"),
    ],
)
async def test_a_grab_that_fails_says_what_to_do(device: Any, number: int, kind: type, says: str) -> None:
    held: list[int] = []

    def grab(fd: int) -> None:
        held.append(fd)
        raise OSError(number, os.strerror(number))

    other = os.open(device.path, os.O_RDONLY | os.O_NOCTTY)
    with pytest.raises(kind, match=says) as caught:
        await InputDeviceTransport(device.path, grab).open()
    os.close(other)
    assert type(caught.value) is kind
    assert device.path in str(caught.value)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(held[0])


async def test_what_is_no_input_device_cannot_be_grabbed(device: Any, tmp_path: Path) -> None:
    """The kernel's own answer to the real grab."""
    with pytest.raises(OptionError, match="no input device"):
        await InputDeviceTransport(device.path).open()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OptionError, match="no input device"):
        await InputDeviceTransport(str(file)).open()


@pytest.mark.parametrize(
    ("owner", "says"), [("input", "usermod -aG input USER"), ("root", 'GROUP="input", MODE="0660"')]
)
async def test_a_forbidden_device_says_which_group(
    device: Any, monkeypatch: pytest.MonkeyPatch, owner: str, says: str
) -> None:
    def forbid(_: int) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr("grp.getgrgid", lambda _: SimpleNamespace(gr_name=owner))
    with pytest.raises(PortForbidden, match=says):
        await InputDeviceTransport(device.path, forbid).open()


async def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PortAbsent, match="in keyboard mode"):
        await InputDeviceTransport(str(tmp_path / "none")).open()
