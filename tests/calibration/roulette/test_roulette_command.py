"""``dealer-calibrate roulette`` before simulated wheels, in virtual time: what it keeps, and what it finds wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.bench import BenchError, Finding, Result
from dealer_calibration.roulette.pockets import ORDER
from dealer_daemon.config import ConfigErrors, load_config
from dealer_daemon.validation.spin_rules import estimate_laps
from dealer_drivers.calibration import CalibrationStore
from hw_sim.roulette.options import M360Options, Ss2Options
from support.roulette_bench import (
    M360,
    SS2,
    BlindSensor,
    Croupier,
    Drops,
    Floor,
    OtherNumbers,
    SwappedDirection,
    bench,
    roulette_table,
)
from support.virtual_bench import VirtualLink


def ss2(**options: Any) -> Floor:
    return Floor(Ss2Options(name="wheel", **options))


def of(result: Result, code: str) -> Finding:
    return next(finding for finding in result.findings if finding.code == code)


def wrong(result: Result) -> set[str]:
    return {finding.code for finding in result.findings if finding.ok is False}


def values(folder: Path, result: Result) -> dict[str, Any]:
    store = CalibrationStore(folder / "state/calibration")
    assert result.calibration is not None
    return store.load("r1", "wheel", result.calibration).envelope.values


def through(line: Callable[[bytes], bytes]) -> Callable[[VirtualLink], None]:
    def spoil(link: VirtualLink) -> None:
        link.garble = line

    return spoil


@pytest.mark.parametrize(
    ("device", "options"),
    [(SS2, Ss2Options(name="wheel")), (M360, M360Options(name="wheel", extended=True))],
    ids=["ss2", "m360"],
)
def test_a_good_wheel_passes_and_its_calibration_is_taken_up(device: str, options: Any, tmp_path: Path) -> None:
    config, floor = roulette_table(tmp_path, device), Floor(options)
    result = bench(config, floor)
    assert result.passed, result.findings
    assert of(result, "laps").figures["spins"] == 10
    assert of(result, "laps").figures["exact"] + of(result, "laps").figures["off_by_one"] == 10
    assert of(result, "identity").figures["identity"]
    assert of(result, "self_test").ok
    assert of(result, "direction").ok
    assert 0.4 < of(result, "cadence").figures["median_s"] < 0.6
    found = values(tmp_path, result)
    assert found["parameters"]["z"] == "37"
    rotor = [record["rotor_rpm"] for record in floor.truth.records]
    expected = found["expect"]["rotor_rpm"]
    assert abs(expected["value"] - sum(rotor) / len(rotor)) < expected["tolerance"]
    assert ("lap_growth" in found["expect"]) is (device == M360)

    config.write_text(config.read_text() + 'calibration = "current"\n')
    used = load_config(config).tables["r1"].devices[0].calibration
    assert used is not None
    assert used.ref.id == result.calibration
    assert "rotor_rpm" in used.expected
    again = bench(config, floor, None, "--step", "settings")
    assert of(again, "settings").said.startswith("all ")


def test_a_table_that_estimates_gets_its_curve(tmp_path: Path) -> None:
    config = roulette_table(tmp_path, 'driver = "cammegh-ss2"\n', laps="estimated", more='calibration = "current"\n')
    with pytest.raises(ConfigErrors, match="there is none yet"):
        load_config(config)
    laps = (5, 6, 7, 8, 9, 10, 11, 12, 13, 14) * 4
    floor = ss2(laps=laps, table="standard")
    result = bench(config, floor, None, "--step", "spins", "--spins", "30")
    assert result.passed, result.findings
    settings = load_config(config).tables["r1"].settings
    curve = settings.spin.estimate
    assert curve is not None
    assert 0 < curve.margin_laps < 4
    judged = 0
    for record in floor.truth.records:
        rim_s = record["times_s"]["state_4"] - record["times_s"]["state_3"]
        estimated = estimate_laps(curve, rim_s)
        if estimated is not None:
            judged += 1
            assert abs(estimated - record["laps"]) <= curve.margin_laps + 0.6, "status comes every half second"
    assert judged >= 25
    assert of(result, "lap_curve").figures["miss_bound_part"] == pytest.approx(0.095, abs=0.01)
    scattered = bench(config, ss2(laps=laps), None, "--step", "spins", "--spins", "30")
    assert of(scattered, "lap_curve").ok is None, "on a fast table the rim says little of the laps"
    few = bench(config, ss2(laps=laps), None, "--step", "spins", "--spins", "12")
    assert of(few, "lap_curve").ok is None
    assert "count 8 more" in of(few, "lap_curve").do_next


@pytest.mark.parametrize("table", ["standard", "fast"])
@pytest.mark.parametrize(("count", "way"), [(lambda laps: laps * 2, "many"), (lambda laps: laps // 4, "few")])
def test_laps_counted_wrongly_throughout_make_no_curve(
    table: str, count: Callable[[int], int], way: str, tmp_path: Path
) -> None:
    class Mistaken(Croupier):
        def answers(self, key: str, prompt: str) -> str:
            said = super().answers(key, prompt)
            return str(count(int(said))) if key.startswith("laps.") else said

    config = roulette_table(tmp_path, 'driver = "cammegh-ss2"\n', laps="estimated", more='calibration = "current"\n')
    floor = ss2(laps=(6, 7, 8, 9, 10, 12, 14, 16) * 4, table=table)
    result = bench(config, floor, Mistaken(floor), "--step", "spins", "--spins", "24")
    assert f"too {way} laps" in of(result, "laps_miscounted").said
    assert result.calibration is None


def test_a_person_who_counts_half_laps_is_told_so(tmp_path: Path) -> None:
    class Twice(Croupier):
        def answers(self, key: str, prompt: str) -> str:
            said = super().answers(key, prompt)
            return str(2 * int(said)) if key.startswith("laps.") else said

    floor = ss2()
    result = bench(roulette_table(tmp_path), floor, Twice(floor))
    assert "past the same point" in of(result, "laps_by_factor").do_next
    assert "laps_undercounted" not in wrong(result)
    assert result.calibration is None


def test_a_blind_rim_sensor_makes_too_few_laps(tmp_path: Path) -> None:
    result = bench(roulette_table(tmp_path), ss2(), spoil=through(BlindSensor()))
    assert "laps_undercounted" in wrong(result)
    assert of(result, "laps_undercounted").figures["mean_off_laps"] < -2
    assert result.calibration is None


def test_a_person_who_miscounts_by_one_now_and_then_is_no_fault(tmp_path: Path) -> None:
    class Hasty(Croupier):
        def answers(self, key: str, prompt: str) -> str:
            said = super().answers(key, prompt)
            return str(int(said) + 1) if key in ("laps.2", "laps.5") else said

    floor = ss2()
    result = bench(roulette_table(tmp_path), floor, Hasty(floor))
    assert result.passed, result.findings
    assert of(result, "laps").figures["off_by_one"] >= 2


def test_a_sensor_that_its_own_test_finds_is_named(tmp_path: Path) -> None:
    floor = ss2()
    floor.sim.wheel.latched = 4
    result = bench(roulette_table(tmp_path), floor, None, "--step", "self-test")
    assert "dead_sensor" in wrong(result)
    assert "sensor 1 is blind" in of(result, "dead_sensor").said


def test_no_self_test_without_control_nor_consent(tmp_path: Path) -> None:
    floor = ss2()
    result = bench(
        roulette_table(tmp_path, 'driver = "cammegh-ss2"\n', laps="unobserved"), floor, None, "--step", "self-test"
    )
    assert of(result, "self_test").ok is None
    refusing = bench(roulette_table(tmp_path), floor, Croupier(floor, {"self_test": "n"}), "--step", "self-test")
    assert of(refusing, "self_test").ok is None


def test_a_swapped_direction_is_named(tmp_path: Path) -> None:
    result = bench(roulette_table(tmp_path), ss2(), None, "--step", "direction", spoil=through(SwappedDirection()))
    assert wrong(result) == {"direction_swapped"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("pockets_shifted", {name: ORDER[(place + 2) % 37] for place, name in enumerate(ORDER)}),
        ("pockets_reversed", {name: ORDER[-place % 37] for place, name in enumerate(ORDER)}),
        ("wrong_pocket", {"17": "34", "34": "17", "8": "30", "20": "14"} | {str(n): "3" for n in (9, 22, 31, 29, 7)}),
    ],
)
def test_wrong_pockets_are_named_by_their_rule(code: str, names: dict[str, str], tmp_path: Path) -> None:
    numbers = ("17", "8", "20", "9", "0", "22", "5", "31", "29", "7")
    result = bench(
        roulette_table(tmp_path), ss2(numbers=numbers), None, "--step", "spins", spoil=through(OtherNumbers(names))
    )
    assert code in wrong(result)
    if code == "pockets_shifted":
        assert of(result, code).figures["shift"] == 2


def test_pockets_that_never_come_are_told_from_those_that_did_not_yet(tmp_path: Path) -> None:
    config = roulette_table(tmp_path)
    everything = bench(config, ss2(numbers=ORDER), None, "--step", "pockets", "--most-spins", "60")
    assert of(everything, "pockets").ok
    dead = {"10": "5", "23": "5", "8": "5"}  # neighbours
    few = bench(config, ss2(numbers=ORDER), Croupier(ss2(), {"place": "-"}), "--step", "pockets", "--most-spins", "40",
                spoil=through(OtherNumbers(dead)))  # fmt: skip
    assert of(few, "pockets").ok is None
    floor = ss2(numbers=ORDER * 5)
    person = Croupier(floor, {"place": "-"})
    many = bench(config, floor, person, "--step", "pockets", "--most-spins", "180", spoil=through(OtherNumbers(dead)))
    assert of(many, "dead_pockets").ok is False
    assert set(of(many, "dead_pockets").figures["never"]) == set(dead)
    assert "side by side" in of(many, "dead_pockets").do_next


def test_settings_that_changed_are_named_and_taken_over_with_consent_alone(tmp_path: Path) -> None:
    config, floor = roulette_table(tmp_path), ss2()
    first = bench(config, floor, None, "--step", "settings")
    assert first.passed
    floor.sim.receive(b"*T m 3.5\r\n")
    changed = bench(config, floor, None, "--step", "settings")
    assert wrong(changed) == {"settings_changed"}
    assert "'3.5'" in of(changed, "settings_changed").said
    assert changed.calibration == first.calibration
    taken = bench(config, floor, None, "--step", "settings", "--new-settings")
    assert taken.passed
    assert values(tmp_path, taken)["parameters"]["m"] == "3.5"
    config.write_text(config.read_text() + "[tables.r1.devices.expected_parameters]\nm = '2.0'\n")
    configured = bench(config, floor, None, "--step", "settings")
    assert "the configuration has '2.0'" in of(configured, "settings_changed").said


def test_a_rotor_out_of_bounds_and_lost_frames_are_named(tmp_path: Path) -> None:
    config = roulette_table(tmp_path)
    fast = bench(config, ss2(spins=("rotor_too_fast",)), None, "--step", "spins", "--spins", "2")
    assert "wrong_rotor_speed" in wrong(fast)
    lossy = bench(config, ss2(), None, "--step", "spins", "--spins", "2", spoil=through(Drops()))
    assert "frames_late" in wrong(lossy)


def test_wrong_speed_and_silence_are_named_before_anybody_is_asked(tmp_path: Path) -> None:
    config, floor = roulette_table(tmp_path), ss2()
    person = Croupier(floor)
    with pytest.raises(BenchError, match="wrong speed"):
        bench(config, floor, person, spoil=through(lambda data: bytes(byte ^ 0xA5 for byte in data)))
    with pytest.raises(BenchError, match="no bytes came"):
        bench(config, floor, person, spoil=through(lambda data: b""))  # noqa: ARG005
    assert person.asked == []


@pytest.mark.parametrize("question", range(7))
def test_left_at_any_question_everything_is_as_it_was(question: int, tmp_path: Path) -> None:
    config, floor = roulette_table(tmp_path), ss2()
    bench(config, floor, None, "--step", "settings")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    person = Croupier(floor)
    person.leaves_at = question
    with pytest.raises(KeyboardInterrupt):
        bench(config, floor, person, "--spins", "2")
    assert person.asked == ["self_test", "rotor", "laps.1", "pocket.1", "laps.2", "pocket.2", "keep"][: question + 1]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_spin_that_was_joined_in_the_middle_does_not_count(tmp_path: Path) -> None:
    floor = ss2(start=3)
    person = Croupier(floor)
    result = bench(roulette_table(tmp_path), floor, person, "--step", "spins", "--spins", "1")
    assert "That spin does not count: it was not seen to its end." in person.said
    assert result.figures["spins"] == 2
    assert of(result, "laps").figures["spins"] == 1


def test_a_wheel_whose_witnesses_never_agree_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    class OtherFrames(OtherNumbers):
        def line(self, line: bytes) -> bytes:
            return super().line(line) if line.startswith(b"*X") else line

    names = {name: ORDER[(place + 1) % 37] for place, name in enumerate(ORDER)}
    floor = ss2()
    person = Croupier(floor)
    spoil = through(OtherFrames(names))
    result = bench(roulette_table(tmp_path), floor, person, "--step", "spins", "--spins", "2", spoil=spoil)
    assert "witnesses_differ" in wrong(result)
    assert result.figures["spins"] == 3
    assert person.asked == []
