"""What the ``port`` of a device may be."""

from __future__ import annotations

import pytest

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.factory import make_transport
from dealer_drivers.transports.replay import ReplayTransport
from dealer_drivers.transports.serial import SerialTransport
from dealer_drivers.transports.tcp import TcpTransport


@pytest.mark.parametrize(
    ("port", "kind", "name"),
    [
        ("/dev/dealer/wheel", SerialTransport, "/dev/dealer/wheel"),
        ("./wheel", SerialTransport, "./wheel"),
        ("tcp://10.0.0.9:4001", TcpTransport, "tcp://10.0.0.9:4001"),
        ("tcp://[fe80::9]:4001", TcpTransport, "tcp://[fe80::9]:4001"),
        ("tcp://shoe-server:4001", TcpTransport, "tcp://shoe-server:4001"),
        ("recording:night.rec.jsonl", ReplayTransport, "recording:night.rec.jsonl"),
        ("recording:/var/lib/a:b.jsonl", ReplayTransport, "recording:/var/lib/a:b.jsonl"),
    ],
)
def test_a_port_says_what_kind_of_transport_it_is(port: str, kind: type, name: str) -> None:
    transport = make_transport(port, SerialSettings())
    assert type(transport) is kind
    assert transport.name == name


@pytest.mark.parametrize(
    "port",
    [
        "",
        "COM3",
        "ttyUSB0",
        "recording:",
        "tcp:/host:1",
        "udp://10.0.0.9:4001",
        "tcp://10.0.0.9",
        "tcp://:4001",
        "tcp://10.0.0.9:0",
        "tcp://10.0.0.9:65536",
        "tcp://10.0.0.9:x",
        "tcp://10.0.0.9:4001/x",
        "tcp://10.0.0.9:4001?x=1",
        "tcp://user@10.0.0.9:4001",
        "tcp://[::1:4001",
        "/dev/a\0b",
    ],
)
def test_what_is_no_port_is_refused_with_the_key_and_what_would_be_right(port: str) -> None:
    with pytest.raises(OptionError, match=r"host:port|write a path") as caught:
        make_transport(port, SerialSettings())
    assert caught.value.key == "port"


def test_impossible_serial_settings_are_found_before_anything_is_opened() -> None:
    with pytest.raises(OptionError) as caught:
        make_transport("/dev/dealer/wheel", SerialSettings(parity="X"))
    assert caught.value.key == "parity"
