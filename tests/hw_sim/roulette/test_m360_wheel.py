"""A simulated Mercury 360: extended frames, laps, and flags by its own rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

Play = Callable[..., Any]
EXTENDED = re.compile(
    rb"\*X;[1-6];\d{3};(  | \d|[1-3]\d);[0-9A-F];\d{3};[01]"
    rb";[0-9A-F]{4};[0-9A-F]{2};[01?];([0-9A-F]{5}|\?{5});( \d|[1-3]\d|\?\?)\r\n"
)
BARE = re.compile(rb"( \d|[1-3]\d)\r\n")
STOPPED, LEGAL, TOO_FAST, NO_BALL, IN_POCKET = 0x01, 0x02, 0x04, 0x80, 0x100


def events(frame: dict[str, bytes]) -> int:
    return int(frame["EEEE"], 16)


def test_every_line_has_the_extended_form(m360: Play) -> None:
    played = m360(extended=True).until_truth(4)
    assert all(EXTENDED.fullmatch(data) or BARE.fullmatch(data) for _, data in played.sent)
    assert played.go_on(1).states() == [1] + [2, 3, 4, 5] * 4 + [2]


def test_extended_frames_come_on_command(m360: Play) -> None:
    played = m360().go_on(2)
    assert all(frame["ext"] is None for _, frame in played.frames())
    assert played.say("*m 2") == [b"*m OK\r\n"]
    played.sent.clear()
    assert all(frame["ext"] for _, frame in played.go_on(2).frames())
    played.say("*m 1")
    played.sent.clear()
    assert all(frame["ext"] is None for _, frame in played.go_on(2).frames())


def test_laps_are_counted_in_states_3_and_4_and_reset_by_state_5(m360: Play) -> None:
    played = m360(extended=True, laps=(6, 7, 20)).until_truth(3).go_on(3)
    for record, laps in zip(played.truth, (6, 7, 20), strict=True):
        counts = [int(frame["BB"], 16) for state in (3, 4) for frame in played.during(record, state)]
        assert counts == sorted(counts)
        assert max(counts) == laps == record["laps"]
        assert {frame["BB"] for frame in played.during(record, 5)} == {b"00"}
    assert [record["valid"] for record in played.truth] == [False, True, True]
    assert played.frames()[-1][1]["BB"] == b"00", "between spins too"


def test_lap_times_grow_and_become_the_rotors_period(m360: Play) -> None:
    played = m360(extended=True).until_truth(1)
    record = played.truth[0]
    running = [frame["TTTTT"] for state in (3, 4) for frame in played.during(record, state)]
    ticks = [int(t, 16) for t in running]
    assert ticks == sorted(ticks)
    assert 0.35 < ticks[0] / 32768 < 0.75, "a lap at 9 to 16 rad/s"
    for frame in played.during(record, 5):
        assert int(frame["TTTTT"], 16) / 32768 == pytest.approx(600 / int(frame["RRR"]), rel=0.02)


def test_the_pocket_shows_only_in_state_5(m360: Play) -> None:
    played = m360(extended=True, numbers=("5",)).until_truth(1)
    record = played.truth[0]
    for frame in played.during(record):
        resting = frame["S"] == b"5"
        assert frame["PP"] == (b" 5" if resting else b"??")
        assert bool(events(frame) & IN_POCKET) == resting


def test_rotor_and_ball_bits_agree_with_the_frame(m360: Play) -> None:
    played = m360(extended=True).until_truth(2)
    for record in played.truth:
        for frame in (frame for state in (3, 4) for frame in played.during(record, state)):
            assert events(frame) == LEGAL | (0x10 if frame["D"] == b"0" else 0x20)
            assert frame["d"] != frame["D"], "ball against rotor"
            assert frame["F"] == b"0"


def test_a_rotor_out_of_limits_is_flag_1_and_the_game_goes_on(m360: Play) -> None:
    played = m360(extended=True, spins=("rotor_too_fast",)).until_truth(1)
    record = played.truth[0]
    fast = [frame for frame in played.during(record, 4) if int(frame["RRR"]) > 300]
    assert len(fast) > 5
    assert all(frame["F"] == b"1" and events(frame) & TOO_FAST for frame in fast)
    assert record["shown"] is not None
    assert record["expect"] == "refuse"


def test_a_stopped_rotor_prints_000_and_says_so(m360: Play) -> None:
    played = m360(extended=True, spins=("rotor_stop",)).until_truth(1)
    stopped = [frame for frame in played.during(played.truth[0], 4) if events(frame) & STOPPED]
    assert len(stopped) > 10
    assert {(frame["RRR"], frame["F"]) for frame in stopped} == {(b"000", b"1")}


@pytest.mark.parametrize("mode", [0, 1])
def test_a_flying_ball_is_flagged_unless_the_game_mode_is_00(m360: Play, mode: int) -> None:
    played = m360(extended=True, game_mode=mode, spins=("flying_ball",))
    assert played.say("*G?") == [f"*G {mode:02d}\r\n".encode()]
    played.until_truth(2)
    lost, again = played.truth
    flags = {frame["F"] for frame in played.during(lost)}
    assert (b"8" in flags) == (mode == 1)
    assert any(events(frame) & NO_BALL for frame in played.during(lost, 3))
    assert lost["number"] is None
    assert not played.during(lost, 5)
    assert lost["laps"] <= 4
    assert (again["spin"], again["throw"], again["counter"]) == (lost["spin"], 2, lost["counter"])
    assert again["expect"] == "either"


def test_a_ball_with_the_rotor_never_leaves_state_3(m360: Play) -> None:
    played = m360(extended=True, spins=("same_direction",)).until_truth(1)
    record = played.truth[0]
    assert {frame["S"] for frame in played.during(record)} == {b"2", b"3"}
    frames = played.during(record, 3)
    assert {frame["F"] for frame in frames} == {b"2"}
    assert all(frame["d"] == frame["D"] for frame in frames)


def test_unless_it_was_thrown_under_the_no_more_bets_speed(m360: Play) -> None:
    played = m360(table="standard", extended=True, spins=("same_direction_in_rim",)).until_truth(1)
    record = played.truth[0]
    assert {frame["F"] for state in (3, 4, 5) for frame in played.during(record, state)} == {b"2"}
    assert record["shown"] is not None
    assert record["launch_rad_s"] < 40 * 2 * 3.1416 / 60


@pytest.mark.parametrize("mode", [0, 1])
def test_a_launch_under_50_rpm(m360: Play, mode: int) -> None:
    played = m360(game_mode=mode, table="standard", spins=("launch_failed",)).until_truth(1)
    record = played.truth[0]
    assert record["laps"] == 1
    assert (b"8" in {frame["F"] for frame in played.during(record, 3)}) == (mode == 1)
    assert (record["shown"] is None) == (mode == 1)
    assert record["expect"] == "refuse"


def test_an_ordinary_weak_throw_is_over_50_rpm(m360: Play) -> None:
    played = m360(drag="air", spins=("weak_launch",) * 150).until_truth(150, 9000)
    assert all(record["laps"] < 7 and record["launch_rad_s"] > 5.23 for record in played.truth)


@pytest.mark.parametrize("mode", [0, 1])
def test_a_sudden_reversal(m360: Play, mode: int) -> None:
    played = m360(game_mode=mode, spins=("rotor_reversal",)).until_truth(1)
    record = played.truth[0]
    assert {frame["D"] for frame in played.during(record, 4)} == {b"0", b"1"}
    assert (record["shown"] is None) == (mode == 1)
    assert record["expect"] == "refuse"


def test_the_dealer_may_alternate(m360: Play) -> None:
    same = {record["rotor"] for record in m360().until_truth(3).truth}
    assert len(same) == 1
    turned = [record["rotor"] for record in m360(alternate=True).until_truth(3).truth]
    assert turned[0] != turned[1] != turned[2]


def test_it_knows_no_ss2_commands(m360: Play) -> None:
    played = m360().go_on(1)
    assert played.say("*u 1") == [b"*u NO\r\n"]
    assert played.say("*I 4") == [b"*I NO\r\n"]
