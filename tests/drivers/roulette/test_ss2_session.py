"""The Slingshot 2: phases, numbers, its flags by their timing rules, and silence."""

from __future__ import annotations

import pytest

from dealer_drivers.driver import Maturity, Observes, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.readings import Unreadable
from dealer_drivers.readings.roulette import (
    BallRested,
    NumberUnreadable,
    NumberWitness,
    Rotation,
    WheelFault,
    WheelPhase,
    WheelStatus,
)
from dealer_drivers.roulette.ss2 import DRIVER, Ss2Options
from support.cammegh import Driven, extra, faults, notices, only, status


def wheel(**options: object) -> Driven:
    """A Slingshot 2, opened, between games."""
    parsed = DRIVER.parse_options({"ask": False} | options)
    driven = Driven(DRIVER.session(parsed)).open()
    driven.say(status(1))
    return driven


def statuses(driven: Driven) -> list[WheelStatus]:
    return only(driven.readings, WheelStatus)


def newest_faults(driven: Driven) -> set[WheelFault]:
    return set(statuses(driven)[-1].faults)


def test_a_whole_spin() -> None:
    driven = wheel()
    driven.say_all(status(2), status(3), status(4), status(4))
    driven.say(b"27\r\n", 0.1)
    driven.say_all(status(5, number="27"), status(2, spin=12, number="27"))
    assert [reading.phase for reading in statuses(driven)[1:]] == [
        WheelPhase.BETTING,
        WheelPhase.RIM,
        WheelPhase.NO_MORE_BETS,
        WheelPhase.NO_MORE_BETS,
        WheelPhase.RESULT,
        WheelPhase.BETTING,
    ]
    assert [(r.number, r.witness, r.spin) for r in only(driven.readings, BallRested)] == [
        ("27", NumberWitness.BARE, 11),
        ("27", NumberWitness.FRAME, 11),
    ]
    assert driven.rejected == 0


def test_a_status_says_what_the_line_says() -> None:
    driven = wheel()
    driven.say(status(4, spin=255, number=" 6", tenths=142, direction=0))
    (reading,) = statuses(driven)[1:]
    assert reading == WheelStatus(
        at=driven.at,
        raw=b"*X;4;255; 6;0;142;0\r",
        phase=WheelPhase.NO_MORE_BETS,
        spin=255,
        number_shown="6",
        rotor_rpm=14.2,
        rotor=Rotation.CLOCKWISE,
        periodic=True,
    )


def test_the_remaining_phases_and_a_wheel_without_a_number_yet() -> None:
    driven = wheel()
    driven.say_all(status(6, number="  ", tenths=0), status(7, number="  "))
    assert [(r.phase, r.number_shown, r.rotor_rpm) for r in statuses(driven)[1:]] == [
        (WheelPhase.CLOSED, None, 0.0),
        (WheelPhase.NO_BALL, None, 14.6),
    ]


def test_the_number_of_another_game_is_no_sighting() -> None:
    driven = wheel()
    driven.say_all(*(status(state, number="14") for state in (1, 2, 3, 4, 6, 7)))
    assert only(driven.readings, BallRested) == []


def test_every_result_line_is_a_sighting() -> None:
    driven = wheel()
    driven.say_all(status(5, number="14"), status(5, number="14"), status(5, number="15"))
    assert [r.number for r in only(driven.readings, BallRested)] == ["14", "14", "15"]


def test_witnesses_that_differ_are_both_given() -> None:
    driven = wheel()
    driven.say_all(status(4), b"20\r\n", status(5, number="23"))
    assert [(r.number, r.witness) for r in only(driven.readings, BallRested)] == [
        ("20", NumberWitness.BARE),
        ("23", NumberWitness.FRAME),
    ]


def test_the_counter_wraps() -> None:
    driven = wheel()
    driven.say_all(status(5, spin=255), status(2, spin=0), status(2, spin=256), status(2, spin=1))
    assert [r.spin for r in statuses(driven)[1:]] == [255, 0, 256, 1]


@pytest.mark.parametrize(
    ("zeros", "field", "number"),
    [
        (1, " 0", "0"),
        (1, "36", "36"),
        (1, "00", None),
        (1, "37", None),
        (1, "38", None),
        (1, "45", None),
        (1, "99", None),
        (1, "  ", None),
        (2, "00", "00"),
        (2, "38", None),
        (3, "38", "000"),
        (3, "39", None),
        (4, "39", "0000"),
        (4, "37", None),
        (4, " 0", "0"),
    ],
)
def test_only_pockets_of_this_wheel_are_numbers(zeros: int, field: str, number: str | None) -> None:
    driven = wheel(zeros=zeros)
    driven.say_all(status(4, number=field), status(5, number=field))
    assert [r.number_shown for r in statuses(driven)[1:]] == [number, number]
    if number is None:
        assert [(r.text, r.witness) for r in only(driven.readings, NumberUnreadable)] == [
            (field.strip(), NumberWitness.FRAME)
        ]
        assert only(driven.readings, BallRested) == []
    else:
        assert [r.number for r in only(driven.readings, BallRested)] == [number]


def test_a_bare_number_that_is_no_pocket() -> None:
    driven = wheel()
    driven.say_all(status(4), b"99\r\n")
    assert [(r.text, r.witness) for r in only(driven.readings, NumberUnreadable)] == [("99", NumberWitness.BARE)]
    assert only(driven.readings, BallRested) == []


# Flags


def flagged(driven: Driven, flags: int, seconds: float, state: int) -> set[WheelFault]:
    """The state with these flags goes on for so long; what counts at the end of it."""
    for _ in range(round(seconds / 0.5)):
        driven.say(status(state, flags=flags))
    return newest_faults(driven)


def test_ball_with_the_rotor_counts_at_once_and_in_betting_too() -> None:
    driven = wheel()
    driven.say(status(2, flags=2))
    assert newest_faults(driven) == {WheelFault.SAME_DIRECTION}
    driven.say_all(status(2), status(3, flags=2))
    assert newest_faults(driven) == {WheelFault.SAME_DIRECTION}
    driven.say(status(3))
    assert newest_faults(driven) == set()


def test_sensor_fault_counts_at_once() -> None:
    driven = wheel()
    driven.say(status(4, flags=4))
    assert newest_faults(driven) == {WheelFault.SENSOR}


def test_no_ball_in_state_4_counts_after_five_seconds() -> None:
    driven = wheel()
    driven.say_all(status(3), status(4))
    assert flagged(driven, 1, 5.0, 4) == set()
    driven.say(status(4, flags=1))
    assert newest_faults(driven) == {WheelFault.NO_BALL}


def test_no_ball_that_ends_in_time_is_forgotten() -> None:
    driven = wheel()
    driven.say_all(status(3), status(4))
    assert flagged(driven, 1, 4.5, 4) == set()
    driven.say(status(4))
    assert flagged(driven, 1, 5.0, 4) == set()
    assert flagged(driven, 1, 0.5, 4) == {WheelFault.NO_BALL}


def test_no_ball_of_the_spin_before_is_not_counted_on() -> None:
    driven = wheel()
    driven.say_all(status(3), status(4, flags=1))
    driven.say(status(4, spin=12, flags=1), after_s=6.0)
    assert newest_faults(driven) == set()


@pytest.mark.parametrize("state", [1, 2, 3, 5, 6, 7])
def test_no_ball_in_other_states_counts_at_once(state: int) -> None:
    driven = wheel()
    driven.say(status(state, flags=1))
    assert newest_faults(driven) == {WheelFault.NO_BALL}


def test_failed_launch_is_ignored_for_the_first_three_seconds_of_the_rim() -> None:
    driven = wheel()
    assert flagged(driven, 8, 2.0, 2) == {WheelFault.LAUNCH_FAILED}
    assert flagged(driven, 8, 3.0, 3) == set()
    assert flagged(driven, 8, 0.5, 3) == {WheelFault.LAUNCH_FAILED}


def test_failed_launch_in_state_4_counts() -> None:
    driven = wheel()
    driven.say_all(status(3), status(4, flags=8))
    assert newest_faults(driven) == {WheelFault.LAUNCH_FAILED}


def test_flags_are_a_sum() -> None:
    driven = wheel()
    driven.say(status(2, flags=0xE))
    assert newest_faults(driven) == {WheelFault.SAME_DIRECTION, WheelFault.SENSOR, WheelFault.LAUNCH_FAILED}


# Bytes that are no frame


def test_joined_in_mid_line() -> None:
    driven = Driven(DRIVER.session(Ss2Options(ask=False))).open()
    driven.say_all(b"27\r\n", status(4), b"27\r\n")
    assert [type(reading) for reading in driven.readings] == [Unreadable, WheelStatus, BallRested]
    assert (driven.frames, driven.rejected) == (2, 3)


def test_after_a_lost_link_the_rest_of_a_line_is_no_number() -> None:
    driven = wheel()
    driven.say_all(status(4), b"*X;5;011;2")
    driven.lose()
    driven.open()
    readings = driven.say(b"7\r\n27\r\n")
    assert [type(reading) for reading in readings] == [Unreadable, BallRested]
    assert only(readings, BallRested)[0].spin is None


def test_opened_again_without_a_word_the_line_is_joined_anew() -> None:
    driven = wheel()
    driven.say_all(status(4), b"*X;5;011;2")
    driven.open()
    readings = driven.say(b"7\r\n27\r\n")
    assert [type(reading) for reading in readings] == [Unreadable, BallRested]
    assert only(readings, BallRested)[0].spin is None


@pytest.mark.parametrize(
    ("data", "rejected"),
    [
        (b"*X;5;011;2\r\n", 11),
        (b"*X;5;01q;27;0;136;1\r\n", 20),
        (b"6; 9;0;158;0\r\n", 13),
        (b"*X;2 WARNING detected! Sending error signal...\r\n", 47),
        (b"z" * 300 + b"\r\n", 301),
    ],
)
def test_what_is_no_frame_is_said_and_counted(data: bytes, rejected: int) -> None:
    driven = wheel()
    (reading,) = driven.say(data)
    assert isinstance(reading, Unreadable)
    assert data.startswith(reading.raw[:-1])
    assert len(reading.raw) <= 256
    assert (driven.frames, driven.rejected) == (1, rejected)


def test_a_glued_result_is_read_from_its_whole_tail() -> None:
    driven = wheel()
    readings = driven.say(b"*X;5;01*X;5;011;27;0;136;1\r\n")
    assert [type(reading) for reading in readings] == [Unreadable, WheelStatus, BallRested]
    assert (driven.frames, driven.rejected) == (2, 7)


def test_an_extended_frame_is_no_packet_of_this_model() -> None:
    """Its flags would mean something else."""
    driven = wheel()
    (reading,) = driven.say(status(5, more=extra(8)))
    assert isinstance(reading, Unreadable)
    assert "model" in reading.reason


def test_basic_output_gives_phases_without_a_spin_and_says_so_once() -> None:
    driven = wheel()
    driven.say_all(b"*S\r\n", b"*N\r\n", b"*W 21\r\n", b"*S\r\n")
    assert [(r.phase, r.spin, r.rotor, r.periodic) for r in statuses(driven)[1:]] == [
        (WheelPhase.RIM, None, None, False),
        (WheelPhase.NO_MORE_BETS, None, None, False),
        (WheelPhase.RESULT, None, None, False),
        (WheelPhase.RIM, None, None, False),
    ]
    assert [(r.number, r.witness, r.spin) for r in only(driven.readings, BallRested)] == [
        ("21", NumberWitness.FRAME, None)
    ]
    assert notices(driven.readings) == ["basic_output"]


# Silence


def test_silence_is_said_once_and_ends_with_the_next_frame() -> None:
    driven = wheel()
    assert driven.wait(4.9) == []
    assert faults(driven.wait(60)) == [("silent", False)]
    assert faults(driven.say(b"noise\r\n")) == []
    readings = driven.say(status(1))
    assert faults(readings) == [("silent", True)]
    assert isinstance(readings[-1], WheelStatus)
    assert faults(driven.wait(60)) == [("silent", False)]


def test_a_wheel_has_some_seconds_after_power_on() -> None:
    driven = Driven(DRIVER.session(Ss2Options(ask=False)))
    driven.wait(100)
    driven.open()
    assert driven.wait(4.9) == []
    assert faults(driven.wait(0.2)) == [("silent", False)]


def test_noise_is_not_speech_and_the_fault_says_what_to_check() -> None:
    driven = wheel()
    readings = [r for _ in range(11) for r in driven.say(b"\x80\x00\x81\r\n")]
    assert faults(readings) == [("silent", False)]
    assert "speed" in next(r.detail for r in driven.readings if getattr(r, "fault", "") == "silent")


def test_without_a_link_nothing_is_due() -> None:
    driven = wheel()
    assert driven.lose() == []
    assert driven.session.deadline_ns() is None
    assert driven.wait(100) == []


# Options and manifest


def test_lap_events_need_control() -> None:
    with pytest.raises(OptionError, match="control = true"):
        DRIVER.parse_options({"lap_events": True})


@pytest.mark.parametrize("options", [{"zeros": 0}, {"zeros": 5}, {"rim_sensors": 0}, {"lapevents": True}])
def test_impossible_options(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        DRIVER.parse_options(options)


def test_the_manifest() -> None:
    driver = load_driver("cammegh-ss2")
    assert driver is DRIVER
    assert driver.maturity is Maturity.RECORDED
    plain, counted = driver.parse_options({}), driver.parse_options({"control": True, "lap_events": True})
    assert driver.observes(plain) == {Observes.PHASE, Observes.NUMBER, Observes.ROTOR}
    assert driver.observes(counted) == {Observes.PHASE, Observes.NUMBER, Observes.ROTOR, Observes.LAPS}
    settings = driver.serial(plain)
    assert (settings.baud, settings.data_bits, settings.parity, settings.stop_bits) == (9600, 8, "N", 1)
    assert driver.offline_after_s == 5.0
