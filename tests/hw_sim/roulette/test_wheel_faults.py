"""Every fault does on the wire what it says, and the truth calls it by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hw_sim.faults import CUED_FAULTS, Fault
from hw_sim.roulette.options import M360Options, Ss2Options

Play = Callable[..., Any]
SHOWN = {
    Fault.WEAK_LAUNCH, Fault.SAME_DIRECTION_IN_RIM, Fault.ENDLESS_BALL, Fault.ENDLESS_BALL_SLOW, Fault.ROTOR_STOP,
    Fault.ROTOR_REVERSAL, Fault.ROTOR_TOO_FAST, Fault.NO_BALL_BRIEF, Fault.WRONG_BARE, Fault.MISSING_BARE,
    Fault.LATE_BARE, Fault.COUNTER_WRAP,
}  # fmt: skip
EXPECT = {
    Fault.WRONG_BARE: "hold",
    Fault.NO_BALL_BRIEF: "either",
    Fault.MISSING_BARE: "either",
    Fault.LATE_BARE: "either",
    Fault.COUNTER_WRAP: "either",
}


def second_throw(play: Play, fault: str, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Plays a good spin, one with the fault, and goes on until the next good one; the fault's first record."""
    played = play(spins=("good", fault), **options)
    played.until_truth(2)
    record = played.truth[1]
    played.until_truth(len(played.truth) + 2)
    return played, record


@pytest.mark.parametrize(
    ("model", "fault"),
    [
        (model, fault)
        for model, options in (("ss2", Ss2Options), ("m360", M360Options))
        for fault in sorted(options.faults_of_model() - CUED_FAULTS)
    ],
)
def test_a_fault_has_its_record_and_the_wheel_recovers(
    request: pytest.FixtureRequest, model: str, fault: Fault
) -> None:
    played, record = second_throw(request.getfixturevalue(model), fault.value)
    assert record["faults"] == [fault.value]
    assert (record["spin"], record["throw"]) == (2, 1)
    assert record["expect"] == EXPECT.get(fault, "refuse")
    assert record["valid"] == (record["expect"] != "refuse" or fault is Fault.WRONG_BARE)
    if model == "ss2":
        assert (record["shown"] is not None) == (fault in SHOWN)
        assert bool(played.during(record, 5)) == (fault in SHOWN)
    good = [later for later in played.truth if later["spin"] > 2]
    assert good
    assert good[0]["faults"] == []
    assert good[0]["expect"] in ("accept", "either")
    assert good[0]["shown"] == good[0]["number"] is not None


def flags(played: Any, record: dict[str, Any], *states: int) -> set[str]:
    return {frame["F"].decode() for state in states for frame in played.during(record, state)}


def test_a_weak_launch_is_under_seven_laps_and_nothing_tells(ss2: Play) -> None:
    for seed in range(10):
        played, record = second_throw(ss2, "weak_launch", seed=seed)
        assert record["laps"] < 7
        assert flags(played, record, 2, 3, 4, 5) == {"0"}
        assert {3, 4, 5} <= {int(frame["S"]) for frame in played.during(record)}


def test_same_direction_is_flag_2_in_state_2_then_a_retry_under_the_same_counter(ss2: Play) -> None:
    played, record = second_throw(ss2, "same_direction")
    assert record["ball"] == record["rotor"]
    assert {frame["S"] for frame in played.during(record)} == {b"2"}
    assert flags(played, record, 2) == {"0", "2"}
    again = played.truth[2]
    assert (again["throw"], again["counter"]) == (2, record["counter"])
    assert flags(played, again, 2) == {"8"}
    assert again["ball"] != again["rotor"]


def test_the_host_may_acknowledge_a_void(ss2: Play) -> None:
    for fault in ("same_direction", "same_direction_in_rim"):
        played = ss2(spins=(fault,))
        while "2" not in {frame["F"].decode() for _, frame in played.frames()}:
            played.go_on(0.5)
        assert played.say("*R") == [b"*R OK\r\n"]
        asked_s = played.device.now_s
        played.until_truth(1)
        assert played.truth[0]["times_s"]["ended"] == pytest.approx(asked_s, abs=0.01)
        assert played.truth[0]["shown"] is None


def test_same_direction_in_the_rim_shows_a_number_all_the_same(ss2: Play) -> None:
    played, record = second_throw(ss2, "same_direction_in_rim")
    assert flags(played, record, 3, 4, 5) == {"2"}
    assert record["number"] == record["shown"]


def test_a_flying_ball_is_flagged_or_not(ss2: Play) -> None:
    played, record = second_throw(ss2, "flying_ball")
    assert flags(played, record, 3) == {"0", "8"}
    assert flags(played, played.truth[2], 2) == {"8"}, "no ball to launch until the dealer brings it"
    played, record = second_throw(ss2, "flying_ball_unflagged")
    assert flags(played, record, 2, 3, 4) == {"0"}
    assert record["times_s"]["ended"] - record["times_s"]["state_4"] == pytest.approx(75, abs=0.1)
    assert played.states()[5:10] == [2, 3, 4, 6, 1], "the wheel stops itself and is opened anew"


def test_no_ball_lasts_or_does_not(ss2: Play) -> None:
    played, record = second_throw(ss2, "no_ball_brief")
    frames = played.during(record, 4)
    assert 2 <= sum(frame["F"] == b"1" for frame in frames) <= 10, "under 5 s"
    played, record = second_throw(ss2, "no_ball")
    assert sum(frame["F"] == b"1" for frame in played.during(record, 4)) > 140, "75 s"
    assert 6 in played.states()


def test_an_endless_ball_stays_over_the_limits(ss2: Play) -> None:
    _, record = second_throw(ss2, "endless_ball")
    assert record["times_s"]["state_4"] - record["times_s"]["state_3"] > 40
    assert record["laps"] > 20
    _, record = second_throw(ss2, "endless_ball_slow")
    assert record["times_s"]["state_5"] - record["times_s"]["state_4"] > 45


def test_the_rotor_stops_or_turns_in_state_4_only(ss2: Play) -> None:
    played, record = second_throw(ss2, "rotor_stop")
    assert [int(frame["RRR"]) for frame in played.during(record, 5)] == [0] * len(played.during(record, 5))
    assert all(int(frame["RRR"]) > 140 for frame in played.during(record, 3))
    played, record = second_throw(ss2, "rotor_reversal")
    assert len({frame["D"] for frame in played.during(record, 4)}) == 2
    assert len({frame["D"] for frame in played.during(record, 3)}) == 1


def test_a_failed_launch_is_flag_8_in_state_2_and_may_linger_in_state_3(ss2: Play) -> None:
    lingered = 0
    for seed in range(12):
        played, record = second_throw(ss2, "launch_failed", seed=seed)
        assert record["ball"] is None
        assert record["laps"] == 0
        again = played.truth[2]
        assert (again["throw"], again["expect"]) == (2, "either")
        in_rim = [frame["F"] for frame in played.during(again, 3)]
        assert in_rim[-1] == b"0"
        assert in_rim.count(b"8") <= 4, "under 3 s"
        lingered += b"8" in in_rim
    assert 1 <= lingered <= 11


def test_a_sensor_fault_is_latched_in_state_6_until_power_comes_back(ss2: Play) -> None:
    played, record = second_throw(ss2, "sensor_fault")
    assert flags(played, record, 4) == {"0", "4"}
    assert 22 <= sum(frame["F"] == b"4" for frame in played.during(record, 4)) / 2 <= 31
    closed = [frame for _, frame in played.frames() if frame["S"] == b"6"]
    assert closed
    assert {frame["F"] for frame in closed} == {b"4"}
    after = played.frames()[[frame["S"] for _, frame in played.frames()].index(b"6") + len(closed)][1]
    assert (after["S"], after["GGG"], after["WW"], after["F"]) == (b"1", b"001", b"  ", b"0")


def test_bare_numbers_can_be_wrong_missing_or_late(ss2: Play) -> None:
    _, record = second_throw(ss2, "wrong_bare")
    assert record["bare"] not in (None, record["number"])
    assert record["shown"] == record["number"]
    _, record = second_throw(ss2, "missing_bare")
    assert record["bare"] is None
    played, record = second_throw(ss2, "late_bare")
    line = f"{record['bare']:>2}\r\n".encode()
    late_s = next(at_s for at_s, data in played.sent if data == line and at_s > record["times_s"]["state_4"])
    assert 0.05 <= late_s - record["times_s"]["state_5"] <= 0.4


def test_the_counter_wraps_on_demand(ss2: Play) -> None:
    played, record = second_throw(ss2, "counter_wrap")
    assert record["counter"] == 255
    assert {frame["GGG"] for frame in played.during(record)} == {b"255"}
    assert played.truth[2]["counter"] == 0


def test_a_power_cycle_is_silence_then_counter_001_and_no_number(ss2: Play) -> None:
    for seed in range(6):
        played, record = second_throw(ss2, "power_cycle", seed=seed)
        moments = [at_s for at_s, _ in played.frames()]
        cut = next(n for n, at_s in enumerate(moments) if at_s > record["times_s"]["ended"] + 1e-3)
        assert 2.0 <= moments[cut] - moments[cut - 1] <= 4.6
        first = played.frames()[cut][1]
        assert (first["S"], first["GGG"], first["WW"]) == (b"1", b"001", b"  ")
        assert played.truth[2]["after_power_loss"]
        assert played.truth[2]["expect"] == "either"


def test_a_wheel_without_power_is_deaf_and_forgets_its_parameters(ss2: Play) -> None:
    played = ss2().go_on(3)
    played.say("*T d 99")
    played.say("*I 4")
    played.device.power_cycle()
    played.go_on(1)
    assert played.say("*X") == []
    played.go_on(5)
    assert played.say("*T D") == [b"*T d 12\r\n"]
    played.sent.clear()
    assert b"*bs" not in played.until_truth(2).stream


def test_unplug_pulls_the_plug_for_some_seconds(ss2: Play) -> None:
    played, record = second_throw(ss2, "unplug")
    assert [inserted for _, inserted in played.plugs] == [False, True]
    (out_s, _), (in_s, _) = played.plugs
    assert 2 <= in_s - out_s <= 8
    assert record["times_s"]["opened"] < out_s < record["times_s"]["ended"]
    assert record["faults"] == ["unplug"]


@pytest.mark.parametrize("fault", ["torn_line", "glued_lines", "lost_bytes", "bit_flips"])
def test_wire_faults_spoil_lines_of_the_spin_they_are_noted_in(ss2: Play, fault: str) -> None:
    clean = ss2().until_truth(6)
    spoilt = ss2(spins=("good", fault)).until_truth(6)
    clean_lines = clean.stream.splitlines(keepends=True)
    touched = [at_s for at_s, data in spoilt.sent if data not in clean_lines]
    assert 1 <= len(touched) <= 10
    record = spoilt.truth[1]
    assert record["faults"] == [fault]
    assert record["expect"] == "either"
    assert all(record["times_s"]["opened"] <= at_s <= record["times_s"]["ended"] + 5 for at_s in touched)
    assert all(record["faults"] == [] for n, record in enumerate(spoilt.truth) if n != 1)


def test_a_stall_is_silence_and_then_a_burst(ss2: Play) -> None:
    played = ss2(spins=("good", "stall")).until_truth(3)
    gaps = [(b[0] - a[0], b[1]) for a, b in zip(played.sent, played.sent[1:], strict=False)]
    longest_s, burst = max(gaps)
    assert 1.5 < longest_s < 6.6
    assert burst.count(b"\n") > 3
    assert played.stream == ss2(spins=("good", "good")).until_truth(3).stream, "late, but complete"


def test_a_host_that_attaches_in_mid_line_gets_the_rest_of_one(ss2: Play) -> None:
    played = ss2(attach_mid_line=True).go_on(2)
    whole = played.sent[-1][1]
    played.device.attached()
    played.sent.clear()
    first = played.go_on(0.6).sent[0][1]
    assert not first.startswith(b"*X")
    assert first.endswith(b"\r\n")
    assert 3 <= len(first) < len(whole)
    whole_again = ss2().go_on(2)
    whole_again.device.attached()
    whole_again.sent.clear()
    assert whole_again.go_on(0.6).sent[0][1].startswith(b"*X")
