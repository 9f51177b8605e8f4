"""Recordings of real wheels through driver, validation, round and journal (``devices.md`` §1)."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.config import Config, parse_config
from dealer_daemon.events import AttemptHeld, AttemptRefused, Event, RoundOutcome
from dealer_daemon.journal import FILE_NAME, verify_file
from dealer_daemon.replay import Player
from dealer_daemon.replay import replay as journalled
from dealer_daemon.round import TableState
from dealer_drivers.recording import Entry, Recording, read_recording
from support.tables import word

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return parse_config(CONFIG, tmp_path / "station.toml")


def replay(config: Config, state_dir: Path, recording: Recording) -> list[Event]:
    table = config.tables["r1"]
    return list(journalled(table, {"wheel": recording}, state_dir))


def play(config: Config, recording: Recording) -> list[Event]:
    """Without a journal."""
    table = config.tables["r1"]
    decisions = Player(table, table.devices[0], TableState(table="r1")).play(recording.entries)
    return [event for decision in decisions for event in decision.events]


def numbers(events: Iterable[Event]) -> list[str]:
    return [event.data.facts["number"] for event in events if isinstance(event.data, RoundOutcome)]


def recut(recording: Recording, sizes: Iterable[int]) -> Recording:
    """The same bytes at the same times, cut otherwise: a piece arrives when its last byte did."""
    stream = [(byte, entry.t_s) for entry in recording.entries if entry.kind == "rx" for byte in entry.data]
    entries, at = [], 0
    for size in sizes:
        piece = stream[at : at + size]
        if not piece:
            break
        entries.append(Entry(len(entries) + 2, piece[-1][1], "rx", bytes(byte for byte, _ in piece)))
        at += size
    return Recording(recording.path, recording.driver, recording.device, entries=tuple(entries))


def lines(*texts: str, every_s: float = 0.5) -> Recording:
    entries = tuple(Entry(n + 2, n * every_s, "rx", text.encode()) for n, text in enumerate(texts))
    return Recording(Path("made.rec.jsonl"), "cammegh-ss2", "wheel", entries=entries)


def game(*result: str, spin: str = "011", before: str = "34") -> Recording:
    """A whole game whose last lines are ``result``, cut as the wheel sends them."""
    head = f"{spin};{before};0;160;1\r\n"
    frames = [f"*X;{state};{head}" for state in "2" * 4 + "3" * 8 + "4" * 20]
    return lines(*frames, *result)


@pytest.fixture
def speed_table(real_data: Path) -> Recording:
    return read_recording(real_data / "cammegh_ss2" / "speed-table-a.rec.jsonl")


def test_speed_table_gives_every_spin_that_was_seen_whole_and_no_other(
    config: Config, speed_table: Recording, real_data: Path, tmp_path: Path
) -> None:
    with (real_data / "cammegh_ss2" / "speed-table-a.truth.csv").open() as truth:
        whole = [row["winning_number"] for row in csv.DictReader(truth) if row["state_path"] == "2345"]
    events = replay(config, tmp_path / "j", speed_table)
    assert numbers(events) == whole
    assert len(whole) == 23
    refused = [event.data for event in events if isinstance(event.data, AttemptRefused)]
    assert [data.reason for data in refused] == ["same_direction"]
    after = [event.data for event in events if isinstance(event.data, RoundOutcome) and event.data.attempts == 2]
    assert [data.facts["number"] for data in after] == ["15"]
    assert verify_file(tmp_path / "j" / FILE_NAME).ok


def test_bench_six_spins(config: Config, real_data: Path, tmp_path: Path) -> None:
    recording = read_recording(real_data / "cammegh_ss2" / "bench-six-spins.rec.jsonl")
    assert numbers(replay(config, tmp_path, recording)) == ["27", "16", "6", "3", "10", "0"]


def test_witnesses_that_disagree_are_held(config: Config, real_data: Path, tmp_path: Path) -> None:
    recording = read_recording(real_data / "cammegh_ss2" / "witnesses-disagree.rec.jsonl")
    events = replay(config, tmp_path, recording)
    assert numbers(events) == ["31"]
    held = [event.data for event in events if isinstance(event.data, AttemptHeld)]
    assert [data.reason for data in held] == ["witnesses_disagree"] * 4
    assert [data.seen["bare_number"] for data in held] == ["20", "5", "22", "27"]


@pytest.mark.parametrize("how", ["bytes", "all", "random-1", "random-2", "random-3"])
def test_cutting_the_stream_otherwise_changes_no_event(config: Config, real_data: Path, how: str) -> None:
    for name in ("bench-six-spins", "witnesses-disagree"):
        recording = read_recording(real_data / "cammegh_ss2" / f"{name}.rec.jsonl")
        whole = recut(recording, iter(lambda: 1, 0))
        if how == "all":
            total = sum(len(entry.data) for entry in recording.entries if entry.kind == "rx")
            assert numbers(play(config, recut(recording, [total]))) == numbers(play(config, recording))
            continue
        if how.startswith("random"):
            chance = random.Random(how)
            whole = recut(recording, chance.choices((1, 2, 3, 7, 19, 22), k=20_000))
        one, other = play(config, recording), play(config, whole)
        assert [word(event.data) for event in one] == [word(event.data) for event in other]


@pytest.mark.parametrize("how", ["bytes", "random", "all"])
def test_cutting_the_speed_table_otherwise_changes_no_number(config: Config, speed_table: Recording, how: str) -> None:
    """Pieces of up to three frames; or the whole log in one piece, as after a reader that stalled for a week."""
    total = sum(len(entry.data) for entry in speed_table.entries if entry.kind == "rx")
    sizes = {
        "bytes": [1] * total,
        "random": random.Random(7).choices(range(1, 70), k=total),
        "all": [total],
    }[how]
    assert numbers(play(config, recut(speed_table, sizes))) == numbers(play(config, speed_table))


def test_a_glued_result_line_gives_its_number_or_is_held(config: Config) -> None:
    recording = game("*X;5;01*X;5;011;27;0;136;1\r\n", *["*X;5;011;27;0;136;1\r\n"] * 3)
    assert numbers(play(config, recording)) in ([], ["27"])


@pytest.mark.parametrize(
    "result",
    [
        ("*X;5;011;2", "\r\n"),
        ("*X;5;011;2\r\n", "*X;2;012; 2;0;136;1\r\n"),
        ("27\r\n", "*X;5;011;34;0;136;1\r\n", "*X;5;011;27;0;136;1\r\n"),
        ("27\r\n", "*X;5;011;26;0;136;1\r\n", "*X;5;011;27;0;136;1\r\n"),
        ("27\r\n", "*X;5;011;37;0;136;1\r\n"),
        ("99\r\n", "*X;5;011;99;0;136;1\r\n", "*X;5;011;99;0;136;1\r\n"),
        ("*X;5;011;27;0;136;1\r\n", "*X;5;011;26;0;136;1\r\n", "*X;5;011;27;0;136;1\r\n"),
    ],
)
def test_torn_flipped_stale_and_impossible_results_give_no_outcome(config: Config, result: tuple[str, ...]) -> None:
    assert numbers(play(config, game(*result))) == []


def test_flag_2_in_state_3_gives_no_outcome(config: Config) -> None:
    good = game("27\r\n", *["*X;5;011;27;0;136;1\r\n"] * 3)
    assert numbers(play(config, good)) == ["27"]
    frames = [entry.data.decode() for entry in good.entries]
    frames[8] = "*X;3;011;34;2;160;1\r\n"
    events = play(config, lines(*frames))
    assert numbers(events) == []
    assert [event.data.reason for event in events if isinstance(event.data, AttemptRefused)] == ["same_direction"]


def test_attached_in_mid_line_the_torn_line_is_no_number(config: Config) -> None:
    good = game("27\r\n", *["*X;5;011;27;0;136;1\r\n"] * 3)
    frames = ["27\r\n", *(entry.data.decode() for entry in good.entries[33:])]
    assert numbers(play(config, lines(*frames))) == []


def test_every_flipped_bit_of_a_result_is_refused_or_held(config: Config) -> None:
    """Eight bits of each of the 22 bytes of the first result line, and of the bare number."""
    frame, bare = b"*X;5;011;27;0;136;1\r\n", b"27\r\n"
    wrong = []
    for position in range(len(bare) + len(frame)):
        for bit in range(8):
            stream = bytearray(bare + frame)
            stream[position] ^= 1 << bit
            pieces = [stream[:4], stream[4:], frame, frame]
            head = game().entries
            tail = [Entry(n, 16.0 + n * 0.3, "rx", bytes(piece)) for n, piece in enumerate(pieces)]
            recording = Recording(Path("x"), "cammegh-ss2", "wheel", entries=(*head, *tail))
            got = numbers(play(config, recording))
            if got not in ([], ["27"]):
                wrong.append((position, bit, got))
    assert wrong == []


def test_a_pocket_sensor_that_differs_from_the_number_is_held(tmp_path: Path) -> None:
    text = CONFIG.replace("cammegh-ss2", "cammegh-m360") + "extended = true\n"
    m360 = parse_config(text, tmp_path / "m360.toml")
    tail = ";0022;08;0;0BC29;??"
    frames = [f"*X;{state};011;34;0;160;1{tail}\r\n" for state in "2" * 4 + "3" * 8 + "4" * 20]
    for pocket, expected in (("17", ["17"]), ("18", [])):
        result = f"*X;5;011;17;0;160;1;0122;00;0;162B4;{pocket}\r\n"
        events = play(m360, lines(*frames, "17\r\n", result, result))
        assert numbers(events) == expected
        held = [event.data.reason for event in events if isinstance(event.data, AttemptHeld)]
        assert held == ([] if expected else ["witnesses_disagree"])


WHEEL_LINES = [
    {"recording": 1, "driver": "cammegh-ss2", "device": "wheel", "started": "2026-01-31T20:15:00Z", "note": ""},
    *({"t": n / 2, "rx": f"*X;{state};011;34;0;160;1\r\n"} for n, state in enumerate("2" * 4 + "3" * 8 + "4" * 20)),
    {"t": 16.5, "rx": "27\r\n"},
    {"t": 17.0, "rx": "*X;5;011;27;0;160;1\r\n"},
    {"t": 17.5, "rx": "*X;5;011;27;0;160;1\r\n"},
]


@pytest.mark.parametrize("source", ["device", "server"])
def test_a_table_whose_server_is_not_in_the_recording_plays_all_the_same(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody opens its rounds in a replay: without more it would give no result, and say nothing of that."""
    station, recording = tmp_path / "station.toml", tmp_path / "wheel.rec.jsonl"
    station.write_text(CONFIG.replace('"device"', f'"{source}"'))
    recording.write_text("".join(json.dumps(line) + "\n" for line in WHEEL_LINES))
    command = ["replay", "--config", str(station), "--table", "r1", "--device", "wheel", "--json", str(recording)]
    assert main(command) == 0
    said = capsys.readouterr()
    events = [json.loads(line) for line in said.out.splitlines()]
    assert [event["data"]["facts"]["number"] for event in events if event["type"] == "round.outcome"] == ["27"]
    assert ("no recording holds the server's commands" in said.err) is (source == "server")


def test_a_table_that_cannot_play_without_its_server_says_so_in_a_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    station, recording = tmp_path / "station.toml", tmp_path / "scanner.rec.jsonl"
    server = SCANNER.replace('"device"', '"server"')
    withheld = server.replace("[tables.r1.shoe]", 'early = "withhold"\n[tables.r1.shoe]')
    station.write_text(withheld)
    recording.write_text("".join(json.dumps(line) + "\n" for line in WITH_A_GAP))
    command = ["replay", "--config", str(station), "--table", "r1", "--device", "scanner", str(recording)]
    assert main(command) == 0
    assert "without them this table plays nothing" in capsys.readouterr().err


SCANNER = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "dragon-tiger"
round_source = "device"
[tables.r1.shoe]
require_verified = false
[[tables.r1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/dealer/scanner"
codebook = "rank-suit"
"""
WITH_A_GAP = [
    {"recording": 1, "driver": "barcode-serial", "device": "scanner", "started": "2026-01-31T20:15:00Z", "note": ""},
    {"t": 1.0, "rx": "8S\r\n"},
    {"t": 2.0, "ev": "close"},
    {"t": 3.0, "ev": "open"},
    {"t": 5.0, "rx": "5C\r\n"},
    {"t": 7.0, "rx": "KD\r\n"},
    {"t": 9.0, "rx": "QD\r\n"},
]


@pytest.mark.parametrize("resume", [False, True])
def test_a_gap_at_a_scanner_is_said_and_gone_on_from_when_asked(
    resume: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "station.toml").write_text(SCANNER)
    recording = tmp_path / "scanner.rec.jsonl"
    recording.write_text("".join(json.dumps(line) + "\n" for line in WITH_A_GAP))
    command = ["replay", "--config", str(tmp_path / "station.toml"), "--table", "r1", "--device", "scanner", "--json"]
    assert main([*command, *(["--resume-at-gaps"] if resume else []), str(recording)]) == 0
    said = capsys.readouterr()
    outcomes = [
        event["data"]["facts"] for line in said.out.splitlines() if "outcome" in (event := json.loads(line))["type"]
    ]
    assert [facts["tiger"] for facts in outcomes] == (["5C", "QD"] if resume else [])
    assert "first of a hand" in said.err
    assert "unseen_in_hand" in said.err
    assert "--resume-at-gaps" in said.err
    assert f"cards that came while the table stood: {0 if resume else 3};" in said.err


def test_a_recording_without_a_gap_says_nothing_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "station.toml").write_text(SCANNER)
    recording = tmp_path / "scanner.rec.jsonl"
    whole = [line for line in WITH_A_GAP if "ev" not in line]
    recording.write_text("".join(json.dumps(line) + "\n" for line in whole))
    command = ["replay", "--config", str(tmp_path / "station.toml"), "--table", "r1", "--device", "scanner"]
    assert main([*command, str(recording)]) == 0
    assert "gaps" not in capsys.readouterr().err
