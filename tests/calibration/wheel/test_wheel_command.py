"""``dealer-calibrate wheel`` before simulated wheels, in virtual time: what it measures, and what it finds wrong."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_calibration.bench import BenchError, Finding, Result
from dealer_calibration.wheel.wheel_file import as_toml
from dealer_calibration.wheel.zero import around
from dealer_daemon.config import ConfigErrors, load_config
from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelFile, load_wheel, parse_wheel
from dealer_drivers.calibration import CalibrationStore, Draft
from hw_sim.wheel.device import ColourWheel
from support.wheel_bench import VirtualLink, WheelPerson, calibrate, simulated, wheel_table

BOTH = pytest.mark.parametrize("driver", ["wheel-modbus", "wheel-counter"])


def kept(folder: Path, result: Result) -> WheelFile:
    assert result.calibration is not None
    return load_wheel(folder / f"state/calibration/w1/encoder/{result.calibration}/wheel.toml").file


def of(result: Result, code: str) -> Finding:
    return next(finding for finding in result.findings if finding.code == code)


def wrong(result: Result) -> set[str]:
    return {finding.code for finding in result.findings if finding.ok is False}


def truth(wheel: ColourWheel) -> WheelFile:
    (text,) = wheel.files().values()
    return parse_wheel(text.encode(), Path("truth.toml")).file  # type: ignore[union-attr]


def accept(folder: Path, wheel: ColourWheel, **changes: Any) -> None:
    """A calibration from before, the wheel's own but for the changes."""
    file = msgspec.structs.replace(truth(wheel), **changes)
    CalibrationStore(folder / "state/calibration").save(
        Draft(
            kind="colour-wheel",
            table="w1",
            device="encoder",
            driver=wheel.driver,
            serial=None,
            by="Li",
            tool="test 1",
            files={"wheel.toml": as_toml(file)},
        ),
        dt.datetime(2026, 1, 14, tzinfo=dt.UTC),
    )


@BOTH
@pytest.mark.parametrize("kind", ["casino", "light"])
def test_the_file_is_the_wheel_s_and_the_daemon_takes_it_up(driver: str, kind: str, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, driver), simulated(driver, kind=kind)
    result = calibrate(config, wheel)
    assert result.passed, result.findings
    file, true, dynamics = kept(tmp_path, result), truth(wheel), wheel.table.dynamics
    assert file.segments == true.segments
    assert file.direction == true.direction
    for deg in range(0, 360, 5):
        pointer = [
            (1 if one.direction == "up" else -1) * (deg + one.correction_deg[deg // 5]) + one.offset_deg
            for one in (file, true)
        ]
        assert abs(around(pointer[0] - pointer[1])) < 0.25
    assert file.reference_deg is not None
    assert true.reference_deg is not None
    assert abs(around(file.reference_deg - true.reference_deg)) < 0.2
    assert file.least_slowing_deg_s2 is not None
    assert file.most_slowing_deg_s2 is not None
    assert file.least_slowing_deg_s2 < math.degrees(dynamics.c0) < file.most_slowing_deg_s2
    assert file.least_slowing_per_s < dynamics.c1 < file.slowing_per_s
    assert file.imbalance_deg_s2 == pytest.approx(math.degrees(dynamics.g), abs=1.0, rel=0.06)
    assert file.roll_back_deg >= min(350, dynamics.roll_back_deg())
    assert of(result, "unevenness").figures["uneven_deg"] > 1.0

    config.write_text(config.read_text() + 'calibration = "current"\n')
    used = load_config(config).tables["w1"].devices[0].calibration
    assert used is not None
    assert used.ref.id == result.calibration
    assert ("index_deg" in used.expected) is (driver == "wheel-modbus")


@BOTH
def test_the_same_again_and_a_step_by_itself(driver: str, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, driver), simulated(driver, seed=4)
    first = calibrate(config, wheel)
    again = calibrate(config, wheel)
    assert again.passed
    assert {"map", "zero_since", "friction_since"} <= {finding.code for finding in again.findings if finding.ok}
    alone = calibrate(config, wheel, None, "--step", "zero")
    assert alone.passed
    files = [kept(tmp_path, result) for result in (first, again, alone)]
    assert len({result.calibration for result in (first, again, alone)}) == 3
    assert files[2].slowing_deg_s2 == files[1].slowing_deg_s2
    assert files[2].segments == files[0].segments
    spun = calibrate(config, wheel, None, "--step", "friction", "--spins", "3")
    assert spun.passed
    assert kept(tmp_path, spun).offset_deg == pytest.approx(files[2].offset_deg, abs=0.2)


def test_a_step_by_itself_without_a_file_keeps_nothing(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-counter"), simulated("wheel-counter")
    person = WheelPerson(wheel)
    result = calibrate(config, wheel, person, "--step", "friction")
    assert result.passed
    assert result.calibration is None
    assert any("segments, zero" in text for text in person.said)
    with pytest.raises(BenchError, match="no wheel file"):
        calibrate(config, wheel, None, "--step", "zero")


def swapped(segments: list[str]) -> list[str]:
    """Two neighbours of different colours changed places."""
    other = list(segments)
    place = next(n for n in range(51) if other[n] != other[n + 1])
    other[place], other[place + 1] = other[place + 1], other[place]
    return other


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("wrong_map", lambda file: {"segments": swapped(file.segments)}),
        ("map_shifted", lambda file: {"segments": file.segments[3:] + file.segments[:3]}),
        ("map_reversed", lambda file: {"segments": [file.segments[0], *reversed(file.segments[1:])]}),
        ("direction_swapped", lambda file: {"direction": "down" if file.direction == "up" else "up"}),
    ],
)
def test_a_file_that_is_not_this_wheel_s_is_named(code: str, change: Any, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    accept(tmp_path, wheel, **change(truth(wheel)))
    result = calibrate(config, wheel)
    assert code in wrong(result)
    assert of(result, code).do_next
    assert result.calibration is not None
    assert result.calibration.startswith("0001-"), "nothing was kept"
    if code != "direction_swapped":
        rebuilt = calibrate(config, wheel, None, "--new-map")
        assert rebuilt.passed
        assert kept(tmp_path, rebuilt).segments == truth(wheel).segments


def test_a_zero_that_moved_is_said(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    accept(tmp_path, wheel, offset_deg=(truth(wheel).offset_deg + 3 * SEGMENT_DEG) % 360)
    result = calibrate(config, wheel)
    assert result.passed
    assert of(result, "zero_moved").figures["moved_deg"] == pytest.approx(-3 * SEGMENT_DEG, abs=0.3)
    assert kept(tmp_path, result).offset_deg == pytest.approx(truth(wheel).offset_deg, abs=0.2)


@BOTH
def test_an_encoder_that_slips_is_named(driver: str, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, driver), simulated(driver)
    wheel.inject("encoder_slip")
    result = calibrate(config, wheel)
    assert "encoder_slips" in wrong(result)
    assert result.calibration is None


def test_a_dead_mark_is_named(tmp_path: Path) -> None:
    class Blind(WheelPerson):
        def do(self, word: str, *, rest: bool = True) -> None:
            if word == "spin":
                self.wheel.inject("index_missing")
            super().do(word, rest=rest)

    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    result = calibrate(config, wheel, Blind(wheel))
    assert wrong(result) == {"mark_dead"}


def test_a_wheel_that_a_hand_stopped_is_no_friction(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    wheel.inject("stopped_by_hand")
    result = calibrate(config, wheel)
    assert "friction_differs" in wrong(result)


def test_a_colour_that_was_typed_wrongly_is_noticed_by_its_count(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-counter"), simulated("wheel-counter")
    place = wheel.table.segments.index("yellow")
    result = calibrate(config, wheel, WheelPerson(wheel, colors={place: "red"}))
    assert wrong(result) == {"wrong_map"}
    assert "23 yellow for 24" in of(result, "wrong_map").said
    short = calibrate(config, wheel, WheelPerson(wheel, colors={place: "yel"}))
    assert short.passed


def test_a_skipped_segment_and_a_wrong_peg_are_asked_again(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-counter"), simulated("wheel-counter")
    person = WheelPerson(wheel)
    person.words = {"segment.7": "step 2", "boundary.13": "boundary 16"}
    away = iter(["boundary 16", "boundary 13"])

    class Late(WheelPerson):
        def do(self, word: str, *, rest: bool = True) -> None:
            super().do(next(away) if word == "boundary 16" else word, rest=rest)

    late = Late(wheel)
    late.words = person.words
    result = calibrate(config, wheel, late)
    assert result.passed, result.findings
    assert any("turn it back" in text for text in late.said)
    assert any("3 segments away" in text for text in late.said)


def test_wrong_speed_is_named_before_anybody_is_asked(tmp_path: Path) -> None:
    def spoil(link: VirtualLink) -> None:
        link.garble = lambda data: bytes(byte ^ 0x5A for byte in data)

    config, wheel = wheel_table(tmp_path, "wheel-counter"), simulated("wheel-counter")
    person = WheelPerson(wheel)
    with pytest.raises(BenchError, match="wrong speed") as caught:
        calibrate(config, wheel, person, spoil=spoil)
    assert caught.value.code == 1
    assert person.asked == []


def test_nothing_answers(tmp_path: Path) -> None:
    def spoil(link: VirtualLink) -> None:
        link.garble = lambda data: b""  # noqa: ARG005

    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    with pytest.raises(BenchError, match="does not answer"):
        calibrate(config, wheel, spoil=spoil)


def test_zero_is_set_with_consent_alone(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    before = wheel.table.encoder.zero_deg
    no = WheelPerson(wheel)
    no.words = {"set_zero": "n"}
    calibrate(config, wheel, no, "--set-zero")
    assert wheel.table.encoder.zero_deg == before
    result = calibrate(config, wheel, None, "--set-zero")
    assert result.passed, result.findings
    assert wheel.table.encoder.zero_deg != before
    assert abs(around(kept(tmp_path, result).offset_deg)) < 4.0, "an uneven encoder's zero is its own"
    config.write_text(config.read_text().replace("control = true", ""))
    with pytest.raises(BenchError, match="control = true"):
        calibrate(config, wheel, None, "--set-zero")


@pytest.mark.parametrize("question", [0, 1, 2, 20, 58])
def test_an_encoder_with_another_zero_is_never_read_by_what_was_measured_before(question: int, tmp_path: Path) -> None:
    """Left at any question. Where the zero may be another already nothing counts; it is there to be chosen again."""
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    accept(tmp_path, wheel)
    config.write_text(config.read_text() + 'calibration = "current"\n')
    store, zero = CalibrationStore(tmp_path / "state/calibration"), wheel.table.encoder.zero_deg
    before = store.current("w1", "encoder")
    assert before is not None
    person = WheelPerson(wheel)
    person.leaves_at = question
    with pytest.raises(KeyboardInterrupt):
        calibrate(config, wheel, person, "--set-zero")
    set_anew = wheel.table.encoder.zero_deg != zero
    assert set_anew is (question >= 2)
    assert store.current("w1", "encoder") == (None if set_anew else before)
    assert store.ids("w1", "encoder") == [before]
    if set_anew:
        with pytest.raises(ConfigErrors, match="were withdrawn"):
            load_config(config)
        assert any("no calibration of this wheel counts" in text for text in person.said)
    again = calibrate(config, wheel, None, "--set-zero")
    assert again.passed, again.findings
    assert store.current("w1", "encoder") == again.calibration
    load_config(config)


@pytest.mark.parametrize("used", ["id", "path"])
def test_what_is_used_by_id_or_path_ends_with_the_old_zero_too(used: str, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    accept(tmp_path, wheel)
    store = CalibrationStore(tmp_path / "state/calibration")
    before = store.current("w1", "encoder")
    old = tmp_path / "old.toml"
    old.write_bytes(as_toml(truth(wheel)))
    text = config.read_text()
    by_path = f'[tables.w1.turn]\nwheel = "{old}"\n'
    config.write_text(text + (f'calibration = "{before}"\n' if used == "id" else by_path))
    load_config(config)
    person = WheelPerson(wheel)
    person.leaves_at = 2
    with pytest.raises(KeyboardInterrupt):
        calibrate(config, wheel, person, "--set-zero")
    with pytest.raises(ConfigErrors, match="changed"):
        load_config(config)
    with pytest.raises(BenchError, match="no wheel file to go by"):
        calibrate(config, wheel, None, "--step", "zero")
    assert calibrate(config, wheel, None).passed
    with pytest.raises(ConfigErrors, match="changed"):
        load_config(config)  # what is made then counts, and not this
    config.write_text(text + 'calibration = "current"\n')
    load_config(config)


def test_another_zero_makes_all_steps_needed(tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-modbus"), simulated("wheel-modbus")
    with pytest.raises(BenchError, match="leave --step out"):
        calibrate(config, wheel, None, "--set-zero", "--step", "zero")


@pytest.mark.parametrize("question", [0, 1, 26, 51, 52, 53, 54, 55, 56])
def test_left_at_any_question_everything_is_as_it_was(question: int, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, "wheel-counter"), simulated("wheel-counter")
    accept(tmp_path, wheel)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    person = WheelPerson(wheel)
    person.leaves_at = question
    with pytest.raises(KeyboardInterrupt):
        calibrate(config, wheel, person)
    assert len(person.asked) == question + 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_wrong_table_and_the_wrong_device_are_refused(tmp_path: Path) -> None:
    from dealer_calibration.wheel.command import run_wheel
    from support.bench import wheel_config
    from support.virtual_bench import virtual

    wheel = simulated("wheel-counter")
    config = wheel_config(tmp_path, "/dev/wheel")
    words = ["wheel", "--config", str(config), "--table", "r1", "--device", "wheel"]
    with pytest.raises(BenchError, match="plays roulette"):
        virtual(run_wheel, words, config, wheel, WheelPerson(wheel))


class WaitsToBeAsked(WheelPerson):
    """Turns to segment 0 only when the bench waits for it, and says so with Enter."""

    def hears(self, text: str) -> None:
        if not text.startswith("Walk through"):
            super().hears(text)

    def answers(self, key: str, prompt: str) -> str:
        if key == "first_segment":
            self.do("segment 0")
            return ""
        return super().answers(key, prompt)


@BOTH
def test_a_technician_has_time_to_turn_to_the_segment_in_which_he_begins(driver: str, tmp_path: Path) -> None:
    config, wheel = wheel_table(tmp_path, driver), simulated(driver)
    accept(tmp_path, wheel)
    result = calibrate(config, wheel, WaitsToBeAsked(wheel))
    assert of(result, "map").ok, result.findings
    assert kept(tmp_path, result).segments == truth(wheel).segments
