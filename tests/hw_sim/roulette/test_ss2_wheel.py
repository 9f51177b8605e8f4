"""A simulated Slingshot 2 says what a real one says: frames, states, timing, bare numbers."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw_sim.device import Bytes
from hw_sim.roulette.device import WheelDevice
from hw_sim.roulette.options import Ss2Options
from hw_sim.truth import TruthLog

Play = Callable[..., Any]
BARE = re.compile(rb"( \d|[1-3]\d)\r\n")
ADVANCED = re.compile(rb"\*X;[1-6];\d{3};(  | \d|[1-3]\d);[0-9A-F];\d{3};[01]\r\n")


def bare_lines(played: Any) -> list[tuple[float, str]]:
    return [(at_s, data.decode().strip()) for at_s, data in played.sent if BARE.fullmatch(data)]


def test_every_line_has_the_documented_form(ss2: Play) -> None:
    played = ss2().until_truth(4)
    assert all(ADVANCED.fullmatch(data) or BARE.fullmatch(data) for _, data in played.sent)


def test_a_game_runs_through_its_states(ss2: Play) -> None:
    played = ss2().until_truth(4).go_on(1)
    assert played.states() == [1] + [2, 3, 4, 5] * 4 + [2]


def test_the_cadence_is_the_recorded_one(ss2: Play) -> None:
    moments = [at_s for at_s, _ in ss2().until_truth(4).frames()]
    gaps = [b - a for a, b in itertools.pairwise(moments)]
    assert min(gaps) > 0.4959
    assert max(gaps) < 0.5121


def durations(played: Any) -> dict[int, list[float]]:
    """Seconds in each state, from frame to frame, of whole games."""
    spans: dict[int, list[float]] = {}
    changes = [(at_s, int(frame["S"])) for at_s, frame in played.frames()]
    starts = [changes[0]] + [b for a, b in itertools.pairwise(changes) if a[1] != b[1]]
    for (begin_s, state), (end_s, _) in itertools.pairwise(starts):
        spans.setdefault(state, []).append(end_s - begin_s)
    return spans


def test_a_fast_table_keeps_the_recorded_times(ss2: Play) -> None:
    """devices.md §1: state 2 median 9.0 s (7.5-11.5), 3 4.0 s (2-5.5), 4 26.5 s (25-28.5), 5 5.5 s (3-7)."""
    spans = durations(ss2(table="fast").until_truth(40))
    assert 8.0 < statistics.median(spans[2]) < 10.0
    assert 3.0 < statistics.median(spans[3]) < 6.0
    assert 24.0 < statistics.median(spans[4]) < 28.5
    assert 4.5 < statistics.median(spans[5]) < 6.5
    assert min(spans[3]) > 1.5
    assert max(spans[4]) < 35
    game_s = sum(statistics.median(spans[state]) for state in (2, 3, 4, 5))
    assert game_s == pytest.approx(45, abs=4)


def test_a_standard_table_is_slower_in_the_rim(ss2: Play) -> None:
    """devices.md §1, another wheel: 2 8.5-31 s, 3 13-14 s, 4 19-20.5 s, 5 4-7 s."""
    spans = durations(ss2(table="standard").until_truth(30))
    assert min(spans[2]) > 8.0
    assert max(spans[2]) < 31.6
    assert 10 < statistics.median(spans[3]) < 14.5
    assert 18 < statistics.median(spans[4]) < 23
    assert 4 < statistics.median(spans[5]) < 7


def test_the_number_flips_at_the_first_line_of_state_5(ss2: Play) -> None:
    played = ss2(numbers=("7", "0", "36"), previous="32").until_truth(3).go_on(1)
    shown = [(int(frame["S"]), frame["WW"].decode()) for _, frame in played.frames()]
    games = [number for state, number in itertools.groupby(shown) for state, number in [state] if state in (2, 5)]
    assert games == ["32", " 7", " 7", " 0", " 0", "36", "36"]
    assert {number for state, number in shown if state == 1} == {"32"}


def test_before_any_number_there_are_two_spaces(ss2: Play) -> None:
    frames = ss2().go_on(10).frames()
    assert {frame["WW"] for _, frame in frames} == {b"  "}


def test_the_bare_number_leads_the_first_state_5_line(ss2: Play) -> None:
    played = ss2().until_truth(30)
    bare = bare_lines(played)
    firsts = [b for a, b in itertools.pairwise(played.frames()) if (a[1]["S"], b[1]["S"]) == (b"4", b"5")]
    assert len(bare) == len(firsts) == 30
    leads = [first_s - bare_s for (bare_s, _), (first_s, _) in zip(bare, firsts, strict=True)]
    assert min(leads) > 0.0149
    assert max(leads) < 0.497
    assert max(leads) - min(leads) > 0.2
    assert [number for _, number in bare] == [frame["WW"].decode().strip() for _, frame in firsts]
    assert [number for _, number in bare] == [record["number"] for record in played.truth]


def test_port_2_has_no_bare_number_and_no_sensor_events(ss2: Play) -> None:
    played = ss2(wheel_port=2)
    assert played.say("*I 4") == [b"*I NO\r\n"]
    assert not bare_lines(played.until_truth(2))
    assert played.truth[0]["bare"] is None


def test_the_counter_rises_from_5_to_2_and_wraps_after_255(ss2: Play) -> None:
    played = ss2(counter=254).until_truth(3).go_on(1)
    seen = [(int(frame["S"]), int(frame["GGG"])) for _, frame in played.frames()]
    assert [key for key, _ in itertools.groupby(seen) if key[0] in (2, 5)] == [
        (2, 254), (5, 254), (2, 255), (5, 255), (2, 0), (5, 0), (2, 1),
    ]  # fmt: skip


def test_the_rotor_stops_and_turns_round_inside_state_2(ss2: Play) -> None:
    played = ss2().until_truth(3)
    for record in played.truth:
        assert 0 in [int(frame["RRR"]) for frame in played.during(record, 2)]
        running = [frame for state in (3, 4, 5) for frame in played.during(record, state)]
        assert len({frame["D"] for frame in running}) == 1
        assert all(140 <= int(frame["RRR"]) <= 202 for frame in running)
        assert record["ball"] != record["rotor"]
        assert record["rotor"] == ("clockwise" if running[0]["D"] == b"0" else "counter_clockwise")
    directions = [record["rotor"] for record in played.truth]
    assert directions[0] != directions[1] != directions[2]


def test_truth_agrees_with_the_lap_stream(ss2: Play) -> None:
    """Three rim-sensor hits a lap, then the pocket event."""
    played = ss2(laps=(7, 12, 6))
    assert played.say("*I 4") == [b"*I OK\r\n"]
    played.until_truth(3)
    games = played.stream.split(b"*bn ")
    hits = [len(re.findall(rb"\*bs [1-3]\r\n", game)) for game in games[:3]]
    assert [n // 3 for n in hits] == [7, 12, 6] == [record["laps"] for record in played.truth]
    numbers = [game[:2].decode().strip() for game in games[1:]]
    assert numbers == [record["number"] for record in played.truth]
    assert [record["valid"] for record in played.truth] == [True, True, False]


def test_the_lap_stream_ends_on_command_and_begins_late_without_the_past(ss2: Play) -> None:
    played = ss2().go_on(12)
    assert played.frames()[-1][1]["S"] == b"3"
    assert b"*bs" not in played.stream
    played.say("*I 4")
    played.go_on(1)
    hits = re.findall(rb"\*bs", played.stream)
    assert 2 <= len(hits) <= 6, "a second's worth, not all since the launch"
    assert played.say("*I 0") == [b"*I OK\r\n"]
    played.sent.clear()
    assert b"*b" not in played.until_truth(1).stream


def test_basic_frames(ss2: Play) -> None:
    played = ss2(frames="basic", numbers=("7", "26")).until_truth(2)
    assert played.stream == b"*S\r\n*N\r\n*W  7\r\n*S\r\n*N\r\n*W 26\r\n"


def test_a_trailing_semicolon_and_event_lines_are_options(ss2: Play) -> None:
    played = ss2(trailing_semicolon=True, event_lines=True).until_truth(2)
    frames = [data for _, data in played.sent if data.startswith(b"*X")]
    assert all(data.endswith(b";\r\n") for data in frames)
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(played.frames())]
    assert 0 < min(gaps) < 0.45, "a line of its own when the state changes, but not two at once"
    assert max(gaps) < 0.5121
    changes = played.truth[0]["times_s"]
    moments = [at_s for at_s, _ in played.frames()]
    assert all(any(abs(at_s - changes[f"state_{state}"]) < 1e-3 for at_s in moments) for state in (2, 3, 4))


def test_a_host_launch_waits_for_the_command(ss2: Play) -> None:
    played = ss2(launch="host").go_on(120)
    assert played.states() == [1, 2]
    assert played.say("*u 1") == [b"*u OK\r\n"]
    asked_s = played.device.now_s
    assert played.say("*u 1") == [b"*u NO\r\n"]
    played.until_truth(1)
    assert 5 < played.truth[0]["times_s"]["state_3"] - asked_s < 8.5
    assert played.states()[:5] == [1, 2, 3, 4, 5]


def collect(options: Ss2Options, seed: int, steps: list[float]) -> bytes:
    device = WheelDevice(options, seed, TruthLog())
    data = b""
    for step_s in steps:
        data += b"".join(a.data for a in device.advance(device.now_s + step_s) if isinstance(a, Bytes))
    return data


FAULTY = Ss2Options(
    name="w", spins=("torn_line+weak_launch", "bit_flips+late_bare", "stall", "unplug", "power_cycle", "lost_bytes")
)


@settings(max_examples=20)
@given(st.lists(st.floats(0.001, 30), min_size=1, max_size=60), st.integers(0, 5))
def test_how_time_is_cut_changes_nothing(steps: list[float], seed: int) -> None:
    whole = collect(FAULTY, seed, [300.0])
    cut = collect(FAULTY, seed, [*steps, 400.0])
    assert cut.startswith(whole)
    assert len(whole) > 5000


def test_the_same_seed_gives_the_same_bytes_and_another_others() -> None:
    assert collect(FAULTY, 1, [300.0]) == collect(FAULTY, 1, [300.0])
    assert collect(FAULTY, 1, [300.0]) != collect(FAULTY, 2, [300.0])


def test_a_fault_on_the_wire_changes_no_spin(ss2: Play) -> None:
    plain = ss2().until_truth(4).truth
    spoilt = ss2(spins=("bit_flips", "stall", "torn_line")).until_truth(4).truth
    assert [record["number"] for record in plain] == [record["number"] for record in spoilt]
    assert [record["times_s"] for record in plain] == [record["times_s"] for record in spoilt]


def test_polling_changes_no_spin(ss2: Play) -> None:
    plain = ss2().until_truth(2).truth
    polled = ss2()
    while len(polled.truth) < 2:
        polled.say("*X")
        polled.go_on(1)
    assert polled.truth == plain


@pytest.mark.parametrize("state", [3, 4, 5])
def test_a_wheel_may_be_in_a_spin_already(ss2: Play, state: int) -> None:
    played = ss2(start=state).until_truth(2)
    assert played.states()[0] == state
    first, second = played.truth
    assert first["joined_in_state"] == state
    assert first["faults"] == ["attach_mid_spin"]
    assert first["expect"] == ("either" if state == 3 else "hold")
    assert (second["joined_in_state"], second["expect"]) == (None, "accept")
    assert first["spin"] == 1, "spins nobody could hear have no record"


def test_throws_that_were_over_before_the_beginning_have_no_record(ss2: Play) -> None:
    played = ss2(start=5, spins=("same_direction",)).until_truth(1)
    (record,) = played.truth
    assert (record["joined_in_state"], record["throw"], record["expect"]) == (5, 2, "hold")


def test_a_closed_wheel_waits_to_be_opened(ss2: Play) -> None:
    played = ss2(start="closed").go_on(60)
    assert played.states() == [6]
    assert played.say("*P 1") == [b"*P OK\r\n"]
    assert played.until_truth(1).states() == [6, 1, 2, 3, 4, 5]
