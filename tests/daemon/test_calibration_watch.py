"""The calibration of a running device: whose it is, how old, and what its health says."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_daemon.config import parse_config
from dealer_daemon.config.types import CalibrationInUse, Config
from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.station.calibration import CalibrationWatch, keep_calibrations
from dealer_daemon.station.device import DeviceHost
from dealer_drivers.calibration import KEEP, CalibrationStore, Draft
from dealer_drivers.calibration.drift import SAMPLES
from dealer_drivers.clock import SystemClock
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading

MADE = dt.datetime(2026, 1, 14, 12, 0, tzinfo=dt.UTC)
VALUES = {
    "points": [[5.0, 8.0], [12.0, 15.0]],
    "margin_laps": 1.0,
    "expect": {"rotor_rpm": {"value": 14.0, "tolerance": 1.0}},
}


def at(days: float) -> Instant:
    return Instant(round(days * 86_400 * NS_PER_S), round((MADE.timestamp() + days * 86_400) * NS_PER_S))


def draft(serial: str | None) -> Draft:
    return Draft(
        kind="lap-curve", table="r1", device="wheel", driver="cammegh-ss2", serial=serial, by="technician",
        tool="test 1", values=VALUES,
    )  # fmt: skip


def station(folder: Path, lines: tuple[bytes, ...] = (), serial: str | None = "S-77") -> Config:
    """A roulette table whose wheel is calibrated and plays a recording."""
    CalibrationStore(folder / "calibration").save(draft(serial), MADE)
    recording = folder / "wheel.rec.jsonl"
    head = {"recording": 1, "driver": "cammegh-ss2", "device": "wheel"}
    said = [{"t": n / 10, "rx": line.decode()} for n, line in enumerate(lines, 1)]
    recording.write_text("".join(json.dumps(line) + "\n" for line in (head, *said)))
    text = f"""
    [station]
    site = "s"
    state_dir = "{folder}"
    [tables.r1]
    game = "roulette"
    [[tables.r1.devices]]
    name = "wheel"
    driver = "cammegh-ss2"
    port = "recording:{recording}"
    calibration = "current"
    """
    return parse_config(text, folder / "station.toml")


def watch(folder: Path, serial: str | None = "S-77") -> CalibrationWatch:
    used = station(folder, serial=serial).tables["r1"].devices[0].calibration
    assert used is not None
    return CalibrationWatch(used, 180)


def test_another_serial_number_is_a_fault_until_the_right_one_is_back(tmp_path: Path) -> None:
    one = watch(tmp_path)
    begun = one.told("S-78", at(0))
    assert begun is not None
    assert (begun.fault, begun.cleared) == (Fault.CALIBRATION_MISMATCH, False)
    assert "S-77" in begun.detail
    assert "S-78" in begun.detail
    assert one.body(at(0)).fits == "other"
    over = one.told("S-77", at(0))
    assert over is not None
    assert over.cleared
    assert (one.body(at(0)).fits, one.warnings(at(0))) == ("same", {})


@pytest.mark.parametrize("serial", [None, "S-77"])
def test_what_is_not_known_is_said_and_stops_nothing(tmp_path: Path, serial: str | None) -> None:
    one = watch(tmp_path, serial)
    one.heard([], at(0))
    assert list(one.warnings(at(9.9 / 86_400))) == ([] if serial else ["serial"]), "it is given time to say it"
    assert list(one.warnings(at(10.1 / 86_400))) == ["serial"]
    if serial is None:
        assert one.told("S-78", at(0)) is None
        assert "names no serial number" in one.warnings(at(0))["serial"]
    else:
        assert "the device tells none" in one.warnings(at(1))["serial"]
    assert one.body(at(0)).fits == "unknown"


def test_an_old_one_is_warned_of(tmp_path: Path) -> None:
    one = watch(tmp_path)
    one.told("S-77", at(0))
    assert one.warnings(at(180.9)) == {}
    assert "181 days old" in one.warnings(at(181.1))["age"]
    assert one.body(at(181.1)).warnings == [one.warnings(at(181.1))["age"]]


def test_a_file_by_path_has_its_hash_and_no_warnings() -> None:
    one = CalibrationWatch(CalibrationInUse(ref=CalibrationRef(id=None, sha256="sha256:" + "0" * 64)), 1)
    body = one.body(at(1000))
    assert (body.id, body.made, body.warnings, body.fits) == (None, None, [], "unknown")


def test_what_the_station_works_with_stays(tmp_path: Path) -> None:
    config = station(tmp_path)
    store = CalibrationStore(config.calibrations)
    first = store.current("r1", "wheel")
    keep_calibrations(config)
    for _ in range(KEEP + 2):
        store.save(draft("S-77"), MADE)
    assert store.ids("r1", "wheel")[0] == first
    keep_calibrations(config)
    assert len(store.ids("r1", "wheel")) == KEEP + 1


def test_a_store_that_cannot_be_written_stops_no_station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = station(tmp_path)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(CalibrationStore, "mark_in_use", refused)
    keep_calibrations(config)


def frame(rpm: int) -> bytes:
    """A frame of the ball in the rim."""
    return f"*X;3;005;31;0;{rpm * 10};0\r\n".encode()


@pytest.mark.parametrize(("told", "fits"), [(b"*V V2.50 S/N: S-78\r\n", "other"), (b"*V V2.50 S/N: S-77\r\n", "same")])
async def test_a_wheel_says_who_it_is_before_anything_of_it_counts(tmp_path: Path, told: bytes, fits: str) -> None:
    """The driver, the link and the device's host are real; the wheel is a recording."""
    config = station(tmp_path, (told, *[frame(16)] * (SAMPLES + 4)))
    seen: list[Reading] = []
    host = DeviceHost(
        "r1", config.tables["r1"].devices[0], SystemClock(100.0), None, 0,
        readings=lambda _device, readings, _at: seen.extend(readings), changed=lambda _: None,
    )  # fmt: skip
    async with asyncio.timeout(20):
        await host.link.run()
    await host.stop()
    faults = [one for one in seen if isinstance(one, DeviceFault) and one.fault == Fault.CALIBRATION_MISMATCH]
    assert [one.cleared for one in faults] == [fits == "same"]
    body = host.message([])
    assert body["calibration"] == body["calibrated"]["id"] == "0001-20260114T120000Z"
    assert body["calibrated"]["fits"] == fits
    drifted = [text for text in body["calibrated"]["warnings"] if "rotor_rpm" in text]
    assert len(drifted) == (fits == "same"), "another wheel's readings are no drift of this one"


@pytest.mark.parametrize("used", ["id", "path"])
def test_what_was_withdrawn_is_a_fault_until_it_is_chosen_again(used: str, tmp_path: Path) -> None:
    """Of the store or by path, and whatever was kept after it: what the station has in memory is the old one."""
    device = station(tmp_path).tables["r1"].devices[0]
    if used == "path":
        device = replace(device, calibration=CalibrationInUse(ref=CalibrationRef(id=None, sha256="sha256:" + "0" * 64)))
    store, seen = CalibrationStore(tmp_path / "calibration"), list[Reading]()
    before = store.current("r1", "wheel")
    host = DeviceHost(
        "r1", device, SystemClock(1.0), None, 0, readings=lambda _device, readings, _at: seen.extend(readings),
        changed=lambda _: None, store=store,
    )  # fmt: skip

    def told() -> list[bool]:
        host.look_at_calibration()
        return [one.cleared for one in seen if isinstance(one, DeviceFault) and one.fault == "calibration_withdrawn"]

    assert told() == []
    store.save(draft("S-77"), MADE)
    assert told() == [], "a newer one may be a trial"
    store.withdraw("r1", "wheel")
    assert told() == [False]
    store.save(draft("S-77"), MADE)
    assert told() == [False], "said once, and it stands"
    assert "withdrawn" in str(host.newer_calibration())
    (store.folder("r1", "wheel") / "withdrawn").rename(tmp_path / "away")
    (store.folder("r1", "wheel") / "withdrawn").write_text("not to be read")
    assert told() == [False], "nobody can tell: as it was"
    (tmp_path / "away").rename(store.folder("r1", "wheel") / "withdrawn")
    assert before is not None
    store.choose("r1", "wheel", before)
    assert told() == ([False, True] if used == "id" else [False]), "what is used by path cannot be chosen"
