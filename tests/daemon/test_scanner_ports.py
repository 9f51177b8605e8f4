"""A driver takes only the kinds of port that its device can have, and no two devices share one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import Config, ConfigErrors, parse_config

TABLE = """
[station]
site = "studio-1"
state_dir = "state"
[tables.n1]
game = "niu-niu"
round_source = "server"
[tables.n1.shoe]
decks = 1
require_verified = false
"""
DEVICE = """
[[tables.n1.devices]]
name = "{name}"
driver = "{driver}"
port = "{port}"
codebook = "rank-suit"
"""


def config(*devices: tuple[str, str]) -> Config:
    listed = [DEVICE.format(name=f"scanner{n}", driver=driver, port=port) for n, (driver, port) in enumerate(devices)]
    return parse_config(TABLE + "".join(listed), Path("station.toml"))


@pytest.mark.parametrize(
    ("driver", "port"),
    [
        ("barcode-hidpos", "usb:0c2e:0901"),
        ("barcode-hidpos", "recording:night.rec.jsonl"),
        ("barcode-keyboard", "/dev/input/by-id/usb-Scanner-event-kbd"),
        ("barcode-keyboard", "input:/dev/dealer/scanner"),
        ("barcode-serial", "/dev/dealer/scanner"),
    ],
)
def test_ports_that_a_driver_takes(driver: str, port: str) -> None:
    assert config((driver, port)).tables["n1"].devices[0].port == port


@pytest.mark.parametrize(
    ("driver", "port", "takes"),
    [
        ("barcode-hidpos", "/dev/dealer/scanner", "recording, usb"),
        ("barcode-keyboard", "usb:0c2e:0901", "input, recording"),
        ("barcode-serial", "/dev/input/event5", "recording, serial, tcp"),
    ],
)
def test_a_port_of_another_kind_is_refused_with_those_that_are_taken(driver: str, port: str, takes: str) -> None:
    with pytest.raises(ConfigErrors, match=takes):
        config((driver, port))


def test_one_input_device_by_two_names_is_one_port() -> None:
    with pytest.raises(ConfigErrors, match="scanner0 already"):
        config(("barcode-keyboard", "/dev/input/event5"), ("barcode-keyboard", "input:/dev/input//event5"))
