"""One device in two tables, written in two ways, is found: each would take the other's words for its own."""

from __future__ import annotations

import pytest

from dealer_daemon.config.places import place

SAME = [
    ("mqtt://127.0.0.1:1883/shaker/1", "mqtt://127.0.0.1/shaker/1"),
    ("mqtt://127.0.0.1:1883/shaker/1", "mqtt://localhost:1883/shaker/1"),
    ("mqtt://127.0.0.1:1883/shaker/1", "mqtt://[::1]/shaker/1/"),
    ("mqtt://broker.pit/shaker/1", "mqtt://Broker.Pit:1883/shaker/1"),
    ("mqtts://broker.pit/shaker/1", "mqtts://broker.pit:8883/shaker/1"),
    ("http://10.0.0.5/video.mjpg", "http://10.0.0.5:80/video.mjpg"),
    ("http://cam-s1.pit/video.mjpg", "camera:http://CAM-S1.pit/video.mjpg"),
    ("http://cam-s1.pit", "http://cam-s1.pit/"),
    ("/dev/v4l/by-id/usb-cam", "camera:/dev/v4l/by-id/usb-cam"),
    ("/dev/input/by-id/scanner", "input:/dev/input/../input/by-id/scanner"),
    ("tcp://Moxa.pit:4001", "tcp://moxa.pit:4001"),
]
OTHERS = [
    "mqtt://127.0.0.1:1883/shaker/1",
    "mqtt://127.0.0.1:1883/shaker/2",
    "mqtt://127.0.0.1:1883/Shaker/1",
    "mqtt://127.0.0.1:1884/shaker/1",
    "mqtt://127.0.0.2:1883/shaker/1",
    "http://10.0.0.5/video.mjpg",
    "http://10.0.0.5/Video.mjpg",
    "http://10.0.0.5/video.mjpg?channel=1",
    "http://10.0.0.5/video.mjpg?channel=2",
    "http://10.0.0.5:8080/video.mjpg",
    "/dev/dealer/a",
    "/dev/dealer/A",
    "tcp://10.0.0.5:4001",
    "tcp://10.0.0.5:4002",
    "usb:0c2e:0901",
    "usb:0c2e:0901:A1",
    "usb:0c2e:0901:a1",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_device_written_in_two_ways(one: str, other: str) -> None:
    assert place(one) == place(other)


def test_other_devices_are_others() -> None:
    assert len({place(port) for port in OTHERS}) == len(OTHERS)


@pytest.mark.parametrize("port", ["http://[::1", "mqtt://h:99999/x", "", "nonsense"])
def test_what_is_no_port_is_the_drivers_to_refuse(port: str) -> None:
    assert place(port) == port
