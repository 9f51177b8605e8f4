"""Recordings of real Slingshot 2 wheels through the real driver. Read in place; skipped where they are not."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest

from dealer_drivers.driver import load_driver
from dealer_drivers.readings import Unreadable
from dealer_drivers.readings.roulette import (
    BallRested,
    NumberUnreadable,
    NumberWitness,
    WheelFault,
    WheelPhase,
    WheelStatus,
)
from dealer_drivers.roulette.cammegh_codec import CammeghCodec
from dealer_drivers.roulette.cammegh_frames import Answer, NotAFrame
from support.cammegh import Driven, notices, only, recorded

NAMES = ("bench-six-spins", "parameters", "speed-table-a", "witnesses-disagree")


@pytest.fixture(scope="session")
def wheels(real_data: Path) -> Path:
    return real_data / "cammegh_ss2"


def replay(path: Path, *, pieces: int | None = None) -> Driven:
    """The recording at its own times, line by line or cut into pieces of so many bytes."""
    driver = load_driver("cammegh-ss2")
    driven = Driven(driver.session(driver.parse_options({}))).open()
    before = 0.0
    for t, data in recorded(path):
        driven.wait(max(t - before, 0.0))
        before = max(t, before)
        size = pieces or len(data)
        for begin in range(0, len(data), size):
            driven.say(data[begin : begin + size], 0.0)
    return driven


def numbers(driven: Driven, witness: NumberWitness) -> list[tuple[int | None, str]]:
    """(spin, number) of each spin's sightings by one witness; repeats in a row once."""
    seen = [(r.spin, r.number) for r in only(driven.readings, BallRested) if r.witness is witness]
    return [key for key, _ in itertools.groupby(seen)]


def path_of_states(driven: Driven) -> list[tuple[int | None, WheelPhase]]:
    return [key for key, _ in itertools.groupby((r.spin, r.phase) for r in only(driven.readings, WheelStatus))]


def test_speed_table_gives_exactly_the_true_results(wheels: Path) -> None:
    driven = replay(wheels / "speed-table-a.rec.jsonl")
    with (wheels / "speed-table-a.truth.csv").open(encoding="utf-8", newline="") as file:
        truth = list(csv.DictReader(file))
    assert len(truth) == 24
    assert numbers(driven, NumberWitness.FRAME) == [(int(row["spin"]), row["winning_number"]) for row in truth]
    assert numbers(driven, NumberWitness.BARE) == [
        (int(row["spin"]), row["bare_number"]) for row in truth if row["bare_number"]
    ]
    assert only(driven.readings, NumberUnreadable) == []
    states = path_of_states(driven)
    full = [WheelPhase.BETTING, WheelPhase.RIM, WheelPhase.NO_MORE_BETS, WheelPhase.RESULT]
    ends = [i for i, (_, phase) in enumerate(states) if phase is WheelPhase.RESULT]
    for end, row in zip(ends, truth, strict=True):
        seen = [phase for spin, phase in states[max(end - 3, 0) : end + 1] if spin == int(row["spin"])]
        assert (seen == full) == (row["state_path"] == "2345"), row


def test_speed_table_faults_and_foreign_lines(wheels: Path) -> None:
    driven = replay(wheels / "speed-table-a.rec.jsonl")
    faulty = {(r.spin, r.phase, *sorted(r.faults)) for r in only(driven.readings, WheelStatus) if r.faults}
    assert faulty == {
        (7, WheelPhase.BETTING, WheelFault.SAME_DIRECTION),
        (7, WheelPhase.BETTING, WheelFault.LAUNCH_FAILED),
    }
    first, *others = only(driven.readings, Unreadable)
    assert (first.raw, first.reason) == (b"1\r", "joined in mid-line")
    lines = [data for _, data in recorded(wheels / "speed-table-a.rec.jsonl")]
    assert len(others) == len([line for line in lines if b"WARNING" in line]) > 0
    assert all(b"WARNING" in reading.raw for reading in others)
    assert notices(driven.readings) == ["foreign_answer"] * lines.count(b"*u OK\r\n")


def test_six_spins_on_the_bench(wheels: Path) -> None:
    driven = replay(wheels / "bench-six-spins.rec.jsonl")
    expected = [(11, "27"), (12, "16"), (13, "6"), (14, "3"), (15, "10"), (16, "0")]
    assert numbers(driven, NumberWitness.FRAME) == numbers(driven, NumberWitness.BARE) == expected
    assert path_of_states(driven)[-1] == (17, WheelPhase.CLOSED)
    assert driven.rejected == 0


def test_witnesses_that_disagree_are_both_told(wheels: Path) -> None:
    driven = replay(wheels / "witnesses-disagree.rec.jsonl")
    assert numbers(driven, NumberWitness.FRAME) == [(7, "31"), (8, "23"), (9, "1"), (10, "31"), (11, "28")]
    assert numbers(driven, NumberWitness.BARE) == [(7, "31"), (8, "20"), (9, "5"), (10, "22"), (11, "27")]


def test_parameter_answers_are_answers_and_never_readings_of_a_spin(wheels: Path) -> None:
    codec = CammeghCodec()
    frames = [frame for _, data in recorded(wheels / "parameters.rec.jsonl") for frame in codec.feed(data)]
    assert not any(isinstance(frame, NotAFrame) for frame in frames)
    answers = [(frame.code, frame.text) for frame in frames if isinstance(frame, Answer)]
    assert ("T", "d 15") in answers
    assert ("T", "j 6705 3386 26 1") in answers
    assert ("T", "m 20000.0") in answers
    assert ("S", "V2.50") in answers
    assert ("V", "V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18") in answers
    driven = replay(wheels / "parameters.rec.jsonl")
    assert only(driven.readings, BallRested) == []
    assert driven.rejected == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_recording_reads_the_same_however_it_is_cut(wheels: Path, name: str, pieces: int) -> None:
    path = wheels / f"{name}.rec.jsonl"
    whole, cut = replay(path), replay(path, pieces=pieces)
    assert cut.readings == whole.readings
    assert (cut.frames, cut.rejected, cut.sent) == (whole.frames, whole.rejected, whole.sent)
    assert whole.frames > 0
