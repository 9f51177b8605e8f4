"""The Mercury 360: its own meaning of the flags, what an extended frame adds, and its questions at connect."""

from __future__ import annotations

import pytest

from dealer_drivers.driver import Maturity, Observes, load_driver
from dealer_drivers.readings import DeviceNotice
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    Rotation,
    WheelFault,
    WheelPhase,
    WheelStatus,
)
from dealer_drivers.roulette.m360 import DRIVER
from support.cammegh import Driven, extra, faults, notices, only, status

POCKET = 0x0122
"""Legal speed, counter-clockwise, ball in pocket."""


def wheel(**options: object) -> Driven:
    """A Mercury 360, opened, between games."""
    driven = Driven(DRIVER.session(DRIVER.parse_options({"ask": False} | options))).open()
    driven.say(status(2, more=extra(0, events=0x00A2)))
    return driven


def newest(driven: Driven) -> WheelStatus:
    return only(driven.readings, WheelStatus)[-1]


def laps(driven: Driven) -> list[tuple[int, float | None]]:
    return [(r.laps, None if r.lap_time_s is None else round(r.lap_time_s, 2)) for r in only(driven.readings, BallLaps)]


def test_the_documented_spin() -> None:
    driven = wheel(extended=True)
    driven.say_all(
        b"*X;3;010;22;0;219;1;0022;08;0;0B099;??\r\n",
        b"*X;4;010;22;0;217;1;0022;08;0;0BC29;??\r\n",
        b"*X;4;010;22;0;215;1;0022;08;0;0C9A2;??\r\n",
        b"35\r\n",
        b"*X;5;010;35;0;214;1;0122;00;0;162B4;35\r\n",
    )
    assert laps(driven) == [(8, 1.38), (8, 1.47), (8, 1.58)]
    assert [(r.number, r.witness, r.spin) for r in only(driven.readings, BallRested)] == [
        ("35", NumberWitness.BARE, 10),
        ("35", NumberWitness.POCKET, 10),
        ("35", NumberWitness.FRAME, 10),
    ]
    assert newest(driven) == WheelStatus(
        at=driven.at,
        raw=b"*X;5;010;35;0;214;1;0122;00;0;162B4;35\r",
        phase=WheelPhase.RESULT,
        spin=10,
        number_shown="35",
        rotor_rpm=21.4,
        rotor=Rotation.COUNTER_CLOCKWISE,
        ball=Rotation.CLOCKWISE,
    )
    assert (driven.frames, driven.rejected) == (6, 0)


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (1, WheelFault.ROTOR_SPEED),
        (2, WheelFault.SAME_DIRECTION),
        (4, WheelFault.SENSOR),
        (8, WheelFault.BALL_LEFT),
    ],
)
@pytest.mark.parametrize("state", [2, 3, 4])
def test_flags_count_at_once(flags: int, fault: WheelFault, state: int) -> None:
    driven = wheel()
    driven.say(status(state, flags=flags))
    assert newest(driven).faults == {fault}


@pytest.mark.parametrize(
    ("events", "state", "expected"),
    [
        (0x0022, 3, set()),
        (0x0024, 3, {WheelFault.ROTOR_SPEED}),
        (0x0028, 4, {WheelFault.ROTOR_SPEED}),
        (0x00A2, 3, {WheelFault.NO_BALL}),
        (0x00A2, 4, {WheelFault.NO_BALL}),
        (0x00A2, 2, set()),  # the dealer holds it
        (0x00A2, 5, set()),  # the dealer has taken it out
    ],
)
def test_events_that_are_faults(events: int, state: int, expected: set[WheelFault]) -> None:
    driven = wheel()
    driven.say(status(state, more=extra(3, events=events)))
    assert newest(driven).faults == expected


@pytest.mark.parametrize(
    ("tenths", "more", "rpm"),
    [
        (217, "", 21.7),
        (0, "", None),  # under 2 or over 60 rpm: which, the line does not say
        (0, extra(0, events=0x0022), None),
        (0, extra(0, events=0x0001), 0.0),
        (217, extra(0, events=0x0022), 21.7),
    ],
)
def test_rotor_speed(tenths: int, more: str, rpm: float | None) -> None:
    driven = wheel()
    driven.say(status(3, tenths=tenths, more=more))
    assert newest(driven).rotor_rpm == rpm


@pytest.mark.parametrize(
    ("direction", "events", "rotor"),
    [
        (0, 0x0012, Rotation.CLOCKWISE),
        (1, 0x0022, Rotation.COUNTER_CLOCKWISE),
        (0, 0x0002, Rotation.CLOCKWISE),
        (0, 0x0042, None),
        (1, 0x0012, None),  # two witnesses that differ
        (0, 0x0022, None),
        (0, 0x0032, None),
    ],
)
def test_rotor_direction(direction: int, events: int, rotor: Rotation | None) -> None:
    driven = wheel()
    driven.say(status(3, direction=direction, more=extra(0, events=events)))
    assert newest(driven).rotor is rotor


@pytest.mark.parametrize(
    ("letter", "ball"), [("0", Rotation.CLOCKWISE), ("1", Rotation.COUNTER_CLOCKWISE), ("?", None)]
)
def test_ball_direction(letter: str, ball: Rotation | None) -> None:
    driven = wheel()
    driven.say(status(3, more=extra(1, ball=letter)))
    assert newest(driven).ball is ball


# Laps


def test_the_count_is_said_with_every_frame() -> None:
    driven = wheel()
    for count, lap_s in ((0, None), (1, 0.6), (1, 0.6), (2, 0.65), (2, 0.65)):
        driven.say(status(3, more=extra(count, lap_s=lap_s)))
    driven.say(status(4, more=extra(0x1F, lap_s=1.5)))
    assert laps(driven) == [(0, None), (1, 0.6), (1, 0.6), (2, 0.65), (2, 0.65), (31, 1.5)]


def test_emptied_before_the_result_it_does_not_take_laps_back() -> None:
    driven = wheel()
    driven.say_all(*(status(4, more=extra(count)) for count in (8, 0, 0)), status(5, more=extra(0)))
    assert laps(driven) == [(8, None)]


def test_a_ball_thrown_again_is_counted_by_its_own_laps() -> None:
    driven = wheel()
    driven.say(status(3, more=extra(9)))
    driven.say_all(status(2, more=extra(0)), status(3, more=extra(2)), status(4, more=extra(3)))
    assert laps(driven) == [(9, None), (2, None), (3, None)]


def test_a_smaller_count_is_another_ball_though_the_state_did_not_change() -> None:
    driven = wheel()
    driven.say_all(*(status(3, more=extra(count)) for count in (9, 0, 1, 2)))
    assert laps(driven) == [(9, None), (1, None), (2, None)]


@pytest.mark.parametrize("state", [1, 2, 5, 6, 7])
def test_laps_outside_a_spin_are_none(state: int) -> None:
    driven = wheel()
    driven.say(status(state, more=extra(9)))
    assert laps(driven) == []


def test_turns_of_the_rotor_with_the_ball_in_a_pocket_are_no_laps() -> None:
    driven = wheel()
    driven.say(status(4, tenths=214, more=extra(6, lap_s=1.6)))
    driven.say(status(4, tenths=214, more=extra(7, lap_s=60 / 21.4)))
    driven.say(status(4, tenths=214, more=extra(8, lap_s=2.77)))
    driven.say(status(4, tenths=214, more=extra(9, lap_s=2.77, events=POCKET)))
    driven.say(status(4, tenths=214, more=extra(10, lap_s=1.0)))
    assert laps(driven) == [(6, 1.6)]


def test_the_next_ball_counts_again_after_a_pocket() -> None:
    driven = wheel()
    driven.say_all(
        status(4, more=extra(7, events=POCKET)), status(2, spin=12, more=extra(0)), status(3, spin=12, more=extra(1))
    )
    assert laps(driven) == [(1, None)]


# Pocket


def test_the_pocket_needs_its_event_and_a_number() -> None:
    driven = wheel()
    driven.say_all(
        status(4, more=extra(8, events=POCKET)),
        status(4, more=extra(8, events=0x0022, pocket="17")),
        status(4, more=extra(8, events=POCKET, pocket="17")),
        status(4, more=extra(8, events=POCKET, pocket="99")),
    )
    assert [(r.number, r.witness) for r in only(driven.readings, BallRested)] == [("17", NumberWitness.POCKET)]
    assert [(r.text, r.witness) for r in only(driven.readings, NumberUnreadable)] == [("99", NumberWitness.POCKET)]


def test_the_last_ball_still_lying_there_is_not_this_spins() -> None:
    driven = wheel()
    driven.say_all(*(status(state, spin=12, more=extra(0, events=POCKET, pocket="17")) for state in (1, 2, 6, 7)))
    assert only(driven.readings, BallRested) == []


# Questions at connect


def opened(**options: object) -> Driven:
    return Driven(DRIVER.session(DRIVER.parse_options(options))).open()


def test_without_control_the_wheel_is_only_asked() -> None:
    driven = opened(extended=True)
    driven.say_all(*[status(2)] * 20)
    assert driven.commands() == ["*V", "*G?"]


def test_game_mode_00_detects_no_flying_ball() -> None:
    for answer in (b"*G 00\r\n", b"*G? 00\r\n", b"*G00\r\n", b"*G 0\r\n"):
        driven = opened()
        driven.say(status(2))
        assert notices(driven.say(answer, 0.2)) == ["flying_ball_detection_off"]


@pytest.mark.parametrize(
    ("answer", "notice"),
    [(b"*G 03\r\n", "game_mode"), (b"*G NO\r\n", "game_mode_unknown"), (b"*G? ok\r\n", "game_mode_unknown")],
)
def test_other_game_modes(answer: bytes, notice: str) -> None:
    driven = opened()
    driven.say(status(2))
    assert notices(driven.say(answer, 0.2)) == [notice]


def test_a_game_mode_that_is_not_told_is_unknown() -> None:
    driven = opened()
    assert notices(driven.wait(1.9)) == []
    readings = driven.wait(0.3)
    assert notices(readings) == ["game_mode_unknown"]
    assert "did not answer" in only(readings, DeviceNotice)[0].detail


def test_extended_frames_are_asked_for_between_balls_and_their_absence_is_a_fault() -> None:
    driven = opened(extended=True, control=True)
    driven.say(status(3))
    assert "*m 2" not in driven.commands()
    driven.say_all(status(2), status(2))
    assert driven.commands() == ["*V", "*G?", "*m 2"]
    readings = driven.say_all(*[status(2)] * 12)
    assert faults(readings) == [("extended_frames_missing", False)]
    assert driven.commands()[-1] == "*m 2"
    assert driven.commands().count("*m 2") == 2
    assert faults(driven.say(status(2, more=extra(0)))) == [("extended_frames_missing", True)]


def test_a_reconnect_gives_the_wheel_its_time_again() -> None:
    driven = opened(extended=True)
    driven.say_all(*[status(2)] * 8)
    driven.lose()
    driven.open()
    assert faults(driven.say_all(*[status(2)] * 8)) == []


def test_laps_from_before_a_lost_link_are_forgotten() -> None:
    driven = wheel()
    driven.say(status(3, more=extra(9, events=POCKET)))
    driven.lose()
    driven.open()
    driven.say(status(3, more=extra(2)))
    assert laps(driven) == [(2, None)]


def test_a_refused_mode_is_a_fault() -> None:
    driven = opened(extended=True, control=True)
    driven.say_all(status(2), status(2))
    assert faults(driven.say(b"*m NO\r\n")) == [("extended_frames_missing", False)]


def test_extended_frames_that_nobody_expects_are_read_all_the_same() -> None:
    driven = opened()
    driven.say_all(status(3, more=extra(4)), *[status(3)] * 20)
    assert laps(driven) == [(4, None)]
    assert faults(driven.readings) == []


def test_the_manifest() -> None:
    driver = load_driver("cammegh-m360")
    assert driver is DRIVER
    assert driver.maturity is Maturity.DOCUMENTED
    assert Observes.LAPS not in driver.observes(driver.parse_options({}))
    assert Observes.LAPS in driver.observes(driver.parse_options({"extended": True}))
    assert driver.serial(driver.parse_options({})).baud == 9600
