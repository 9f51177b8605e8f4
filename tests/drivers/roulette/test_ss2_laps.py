"""The Slingshot 2's laps, counted from its rim sensors' hits; its pocket events; and the stream they come in."""

from __future__ import annotations

from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberWitness
from dealer_drivers.roulette.ss2 import DRIVER, Ss2Options
from support.cammegh import Driven, faults, only, status

HITS = (b"*bs 1\r\n", b"*bs 2\r\n", b"*bs 3\r\n")


def counting(**options: object) -> Driven:
    """A Slingshot 2 that counts laps, ready for a launch."""
    parsed = DRIVER.parse_options({"control": True, "lap_events": True} | options)
    driven = Driven(DRIVER.session(parsed)).open()
    driven.say_all(status(1), status(2))
    return driven


def hits(driven: Driven, count: int, every_s: float = 0.2) -> None:
    for hit in range(count):
        driven.say(HITS[hit % 3], every_s)


def laps(driven: Driven) -> list[int]:
    return [reading.laps for reading in only(driven.readings, BallLaps)]


def test_three_hits_are_a_lap_and_a_rest_is_none() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 23)
    assert laps(driven) == [1, 2, 3, 4, 5, 6, 7]
    driven.say(HITS[2])
    assert laps(driven)[-1] == 8


def test_laps_begin_at_the_launch_not_at_state_3() -> None:
    driven = counting()
    hits(driven, 4)
    driven.say(status(3))
    assert laps(driven) == [1, 1]
    assert only(driven.readings, BallLaps)[1].raw.startswith(b"*X;3")


def test_hits_go_on_counting_after_no_more_bets_and_not_in_the_result() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 3)
    driven.say(status(4))
    hits(driven, 3)
    driven.say(status(5))
    hits(driven, 3)
    assert laps(driven) == [1, 2]


def test_each_spin_counts_anew() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 9)
    driven.say_all(status(4), status(5), status(2, spin=12), status(3, spin=12))
    hits(driven, 3)
    assert laps(driven) == [1, 2, 3, 1]


def test_hits_before_the_wheel_is_ready_belong_to_no_spin() -> None:
    driven = counting()
    driven.say(status(1))
    hits(driven, 6)
    driven.say_all(status(2), status(3))
    assert laps(driven) == []


def test_status_lines_between_the_hits_change_nothing() -> None:
    driven = counting()
    for state, flags in ((2, 0), (2, 0), (3, 8), (3, 0), (4, 0)):
        hits(driven, 3)
        driven.say(status(state, flags=flags))
    assert laps(driven) == [1, 2, 3, 3, 4, 5]


def test_a_failed_launch_does_not_lend_its_laps() -> None:
    driven = counting()
    hits(driven, 9)
    driven.say_all(status(2, flags=8), status(2))
    hits(driven, 3)
    driven.say(status(3))
    assert laps(driven) == [1, 2, 3, 1, 1]


def test_hits_from_before_a_lost_link_are_forgotten() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 8)
    driven.lose()
    driven.open()
    hits(driven, 2)
    driven.say(status(3))
    hits(driven, 3)
    assert laps(driven) == [1, 2, 1]


def test_a_ball_thrown_again_in_the_same_spin_counts_anew() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 9)
    driven.say_all(status(4), status(3))
    hits(driven, 3)
    assert laps(driven) == [1, 2, 3, 1]


def test_a_pause_longer_than_any_lap_is_another_launch() -> None:
    driven = counting()
    driven.say(status(3))
    hits(driven, 5)
    driven.say(HITS[2], 3.5)
    hits(driven, 2)
    assert laps(driven) == [1, 1]


def test_a_bouncing_or_lonely_sensor_makes_no_laps() -> None:
    driven = counting()
    driven.say(status(3))
    for _ in range(30):
        driven.say(HITS[0], 0.2)
    assert laps(driven) == []


def test_a_wheel_with_one_sensor() -> None:
    driven = counting(rim_sensors=1)
    driven.say(status(3))
    for _ in range(3):
        driven.say(HITS[0], 0.6)
    assert laps(driven) == [1, 2, 3]


def test_missed_hits_make_laps_too_few_never_too_many() -> None:
    driven = counting()
    driven.say(status(3))
    for hit in range(30):
        if hit % 5:
            driven.say(HITS[hit % 3], 0.2)
    assert laps(driven)[-1] == 24 // 3


def test_the_pocket_event_is_a_witness_during_a_spin_only() -> None:
    driven = counting()
    driven.say_all(b"*bn 17\r\n", status(3), status(4), b"*bn 17\r\n", status(5, number="17"), b"*bn 17\r\n")
    driven.say_all(status(2, spin=12), b"*bn 17\r\n")
    assert [(r.number, r.witness, r.spin) for r in only(driven.readings, BallRested)] == [
        ("17", NumberWitness.POCKET, 11),
        ("17", NumberWitness.FRAME, 11),
        ("17", NumberWitness.POCKET, 11),
    ]


# The stream itself


def test_the_stream_is_asked_for_only_between_balls() -> None:
    driven = Driven(DRIVER.session(Ss2Options(control=True, lap_events=True))).open()
    driven.say_all(status(3), status(4), status(5))
    assert driven.commands() == ["*V"]
    driven.say_all(status(2, spin=12), status(2, spin=12))
    assert driven.commands() == ["*V", "*I 4"]


def test_a_ball_without_hits_is_a_fault_and_the_stream_is_asked_for_again() -> None:
    driven = counting()
    driven.say_all(status(3), status(4))
    assert driven.commands().count("*I 4") == 1
    assert faults(driven.say(status(5))) == [("lap_events_missing", False)]
    driven.say_all(status(2, spin=12), status(2, spin=12))
    assert driven.commands().count("*I 4") == 2
    driven.say(status(3, spin=12))
    assert faults(driven.say(HITS[0])) == [("lap_events_missing", True)]
    driven.say_all(status(4, spin=12))
    assert faults(driven.say(status(5, spin=12))) == []


def test_a_ball_that_ran_before_we_listened_proves_nothing() -> None:
    driven = Driven(DRIVER.session(Ss2Options(control=True, lap_events=True))).open()
    driven.say_all(status(3), status(3), status(4), status(5))
    assert faults(driven.readings) == []


def test_a_refused_stream_is_a_fault() -> None:
    driven = counting()
    driven.say(status(2))
    assert faults(driven.say(b"*I NO\r\n")) == [("lap_events_missing", False)]
