"""What a guided command found is kept whole, and found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealer_calibration.bench import BenchError, Finding, Result, device_of, keep_result, kept_results
from dealer_calibration.bench.results import picture_path
from support.bench import wheel_config

FINE = Finding(code="link", ok=True, said="the port is open")
UNKNOWN = Finding(code="laps", ok=None, said="laps were not observed", do_next="enter them by hand")
BAD = Finding(code="speed", ok=False, said="the speed is wrong", do_next="set 9600", figures={"baud": 4800})


def result(*findings: Finding) -> Result:
    return Result(command="roulette", table="r1", device="wheel", findings=list(findings), figures={"spins": 4})


@pytest.mark.parametrize(
    ("findings", "passed"),
    [((FINE,), True), ((FINE, UNKNOWN), True), ((FINE, BAD), False), ((UNKNOWN,), False), ((), False)],
)
def test_it_passes_when_something_is_right_and_nothing_wrong(findings: tuple[Finding, ...], passed: bool) -> None:
    found = result(*findings)
    assert (found.passed, found.code) == (passed, 0 if passed else 1)
    assert found.as_json()["passed"] is passed


def test_the_newest_of_each_command_is_kept_with_its_pictures(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    keep_result(device, result(BAD))
    kept = keep_result(device, result(FINE), {"curve.png": b"picture"})
    assert kept_results(device.state_dir, "r1") == [kept]
    assert kept_results(device.state_dir, "r1", "other") == []
    assert picture_path(device.state_dir, kept, kept.pictures[0]).read_bytes() == b"picture"
    body = json.loads((device.state_dir / "bench/r1/wheel/roulette.json").read_text())
    assert (body["passed"], body["findings"][0]["code"]) == (True, "link")


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    keep_result(device, result(FINE))
    (device.state_dir / "bench/r1/wheel/roulette.json").write_text("{")
    with pytest.raises(BenchError, match=r"roulette\.json"):
        kept_results(device.state_dir, "r1")


def test_a_picture_cannot_leave_the_folder(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    with pytest.raises(ValueError, match="no name"):
        keep_result(device, result(FINE), {"../../curve x.png": b""})
