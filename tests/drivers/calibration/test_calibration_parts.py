"""Whose a calibration is, and whether readings drift from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dealer_drivers.calibration.drift import SAMPLES, DriftMonitor, expectations
from dealer_drivers.calibration.identity import fit, serial_in, serial_of_port
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.dice import DiceSeen, Face
from dealer_drivers.readings.roulette import BallLaps, WheelPhase, WheelStatus
from dealer_drivers.readings.shoe import CardRead, CardTrouble, CardUnreadable
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

AT = Instant(0, 0)


@pytest.mark.parametrize(
    ("notice", "detail", "serial"),
    [
        ("serial_number", " 4711 ", "4711"),
        ("serial_number", " ", None),
        ("identity", "V2.50 wheel S/N: 12-34", "12-34"),
        ("identity", "Serial number=A7, V1", "A7"),
        ("identity", "V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18", None),
        ("identity", "serial output on", None),
        ("camera", "serial: 5", None),
    ],
)
def test_a_serial_number_is_told_or_it_is_none(notice: str, detail: str, serial: str | None) -> None:
    assert serial_in(notice, detail) == serial


def test_a_port_names_the_usb_device_behind_it(tmp_path: Path) -> None:
    assert serial_of_port("usb:0c2e:0b61:XYZ:1") == "XYZ:1"
    for port in ("usb:0c2e:0b61", "tcp://h:1", "/dev/ttyUSB0", "recording:/dev/video0", "http://camera/video0"):
        assert serial_of_port(port, tmp_path) is None
    device = tmp_path / "devices/usb1/1-2/1-2:1.0"
    device.mkdir(parents=True)
    (device.parent / "serial").write_text("4C00117\n")
    node = tmp_path / "class/video4linux/video7"
    node.mkdir(parents=True)
    (node / "device").symlink_to(device)
    assert serial_of_port("/dev/video7", tmp_path) == "4C00117"
    assert serial_of_port("/dev/video8", tmp_path) is None


def test_what_is_not_known_fits_nothing_and_contradicts_nothing() -> None:
    assert [fit("1", "1"), fit("1", "2"), fit(None, "2"), fit("1", None)] == ["same", "other", "unknown", "unknown"]


def rotor(rpm: float, phase: WheelPhase = WheelPhase.RIM) -> Reading:
    return WheelStatus(at=AT, raw=b"", phase=phase, spin=1, number_shown=None, rotor_rpm=rpm, rotor=None)


def dice(size: float) -> Reading:
    face = Face(1, 0, 0, size, 0, True, 1)
    return DiceSeen(at=AT, raw=b"", ask=1, first=AT, last=AT, frames=3, faces=(face,))


def card(read: bool) -> Reading:
    if read:
        return CardRead(at=AT, raw=b"", card="8S")
    return CardUnreadable(at=AT, raw=b"", reason=CardTrouble.NO_READ, detail="")


def monitor(name: str, value: float, tolerance: float) -> DriftMonitor:
    return DriftMonitor(expectations({"expect": {name: {"value": value, "tolerance": tolerance}}}))


def test_a_mean_that_strays_is_warned_of_once_and_comes_back() -> None:
    watch = monitor("rotor_rpm", 14.0, 1.0)
    assert watch.heard([rotor(30.0)] + [rotor(14.0)] * SAMPLES) == []  # one odd reading is no drift
    assert watch.heard([rotor(15.1)] * SAMPLES) == ["rotor_rpm"]
    assert "15.1" in watch.warnings["rotor_rpm"]
    assert watch.heard([rotor(15.2)] * SAMPLES) == []
    assert watch.heard([rotor(14.9)] * SAMPLES) == []
    assert "rotor_rpm" in watch.warnings  # not far enough back
    watch.heard([rotor(14.1)] * SAMPLES)
    assert watch.warnings == {}


def test_the_rotor_counts_while_the_ball_is_in_play() -> None:
    watch = monitor("rotor_rpm", 14.0, 1.0)
    watch.heard([rotor(20.0, phase) for phase in (WheelPhase.IDLE, WheelPhase.BETTING) for _ in range(SAMPLES)])
    assert watch.warnings == {}


def laps(growth: float) -> list[Reading]:
    return [BallLaps(at=AT, raw=b"", laps=n, lap_time_s=growth**n) for n in range(1, 8)] * SAMPLES


def index(off_deg: float) -> list[Reading]:
    found: list[Reading] = [
        WheelAngle(at=AT, raw=b"", count=0, per_turn=3600, wraps_at=3600, absolute=True),
        IndexMark(at=AT, raw=b"", passes=0, count=1800),  # of yesterday
    ]
    for number in range(1, SAMPLES + 1):
        found += [IndexMark(at=AT, raw=b"", passes=number, count=round(off_deg * 10) % 3600)] * 3
    return found


@pytest.mark.parametrize(
    ("name", "value", "tolerance", "good", "bad"),
    [
        ("die_px", 86.7, 0.5, [dice(86.6)] * SAMPLES, [dice(86.1)] * SAMPLES),
        ("read_rate", 0.99, 0.05, [card(n % 60 != 0) for n in range(SAMPLES)], [card(n % 10 != 0) for n in range(60)]),
        ("lap_growth", 1.05, 0.02, laps(1.06), laps(1.08)),
        ("index_deg", 0.0, 0.25, index(-0.2), index(-0.4)),
    ],
)
def test_each_quantity_has_its_readings(
    name: str, value: float, tolerance: float, good: list[Reading], bad: list[Reading]
) -> None:
    assert monitor(name, value, tolerance).heard(good) == []
    assert monitor(name, value, tolerance).heard(bad) == [name]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"expect": 3}, "values.expect"),
        ({"expect": {"heat": {"value": 1, "tolerance": 1}}}, "values.expect.heat"),
        ({"expect": {"die_px": {"value": 1, "tolerance": 0}}}, "values.expect.die_px"),
        ({"expect": {"die_px": {"value": "1", "tolerance": 1}}}, "values.expect.die_px"),
    ],
)
def test_what_cannot_be_expected_is_named(values: dict[str, object], key: str) -> None:
    with pytest.raises(ValueError, match=key):
        expectations(values)


def test_nothing_expected_is_nothing_watched() -> None:
    make: Callable[[], DriftMonitor] = lambda: DriftMonitor(expectations({}))  # noqa: E731
    assert make().heard([rotor(99.0)] * 200) == []
