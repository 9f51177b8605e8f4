"""The wheel that the configuration describes: what its lines say, and which options are impossible."""

from __future__ import annotations

import time

import pytest

from dealer_drivers.driver import DeviceAction, Maturity, Observes, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.readings import Unreadable
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    WheelFault,
    WheelPhase,
    WheelStatus,
)
from dealer_drivers.roulette.generic_number import DRIVER
from support.cammegh import Driven, faults, only

NUMBER = {"pattern": r"NUM=(?P<number>[0-9]{1,4})"}
FULL = {
    "pattern": r"(?P<state>[A-Z]+) (?P<number>[0-9]{0,2}),(?P<laps>.*),(?P<flags>.*)",
    "states": {"SPIN": "rim", "NMB": "no_more_bets", "WIN": "result", "IDLE": "idle"},
    "faults": {"0": "none", "D": "same_direction"},
}


def wheel(options: dict[str, object]) -> Driven:
    driven = Driven(DRIVER.session(DRIVER.parse_options(options))).open()
    driven.say(b"rest of a line\r\n")
    driven.readings.clear()
    driven.rejected = 0
    return driven


def test_a_wheel_of_nothing_but_numbers() -> None:
    driven = wheel(NUMBER)
    driven.say_all(b"NUM=17\r\n", b"NUM=0\r\n")
    assert [(r.number, r.witness, r.spin, r.raw) for r in only(driven.readings, BallRested)] == [
        ("17", NumberWitness.FRAME, None, b"NUM=17\r"),
        ("0", NumberWitness.FRAME, None, b"NUM=0\r"),
    ]
    assert (len(driven.readings), driven.frames) == (2, 2)


def test_a_wheel_with_everything() -> None:
    driven = wheel(FULL)
    driven.say_all(b"SPIN 3,2,0\r\n", b"NMB 3,9,\r\n", b"WIN 21,9,D\r\n")
    assert [(r.phase, r.number_shown, r.spin, r.rotor, r.faults) for r in only(driven.readings, WheelStatus)] == [
        (WheelPhase.RIM, "3", None, None, frozenset()),
        (WheelPhase.NO_MORE_BETS, "3", None, None, frozenset()),
        (WheelPhase.RESULT, "21", None, None, {WheelFault.SAME_DIRECTION}),
    ]
    assert [r.laps for r in only(driven.readings, BallLaps)] == [2, 9, 9]
    assert [r.number for r in only(driven.readings, BallRested)] == ["21"]


def test_only_a_result_is_a_number() -> None:
    driven = wheel(FULL)
    driven.say_all(b"IDLE 21,,\r\n", b"SPIN ,,\r\n")
    assert only(driven.readings, BallRested) == []
    assert only(driven.readings, NumberUnreadable) == []
    assert [r.number_shown for r in only(driven.readings, WheelStatus)] == ["21", None]


def test_the_cadence_is_known_only_where_it_is_configured() -> None:
    for periodic in (False, True):
        driven = wheel(FULL | {"periodic": periodic})
        driven.say(b"SPIN 3,2,0\r\n")
        assert [r.periodic for r in only(driven.readings, WheelStatus)] == [periodic]


@pytest.mark.parametrize("text", ["37", "99", "00", "100", "0000"])
def test_a_number_that_is_no_pocket(text: str) -> None:
    driven = wheel(NUMBER)
    driven.say(f"NUM={text}\n".encode())
    assert [(r.text, r.witness) for r in only(driven.readings, NumberUnreadable)] == [(text, NumberWitness.FRAME)]
    assert only(driven.readings, BallRested) == []


def test_a_result_without_a_number() -> None:
    driven = wheel(FULL)
    driven.say(b"WIN ,9,0\r\n")
    assert [r.text for r in only(driven.readings, NumberUnreadable)] == [""]


@pytest.mark.parametrize(
    ("more", "text", "number"),
    [
        ({}, "07", "7"),
        ({"zeros": 2}, "00", "00"),
        ({"numbers": {"00": "0"}}, "00", "0"),
        ({"zeros": 2, "numbers": {"37": "00"}}, "37", "00"),
        ({"zeros": 3}, "000", "000"),
    ],
)
def test_pockets_by_zeros_and_by_the_wheels_own_words(more: dict[str, object], text: str, number: str) -> None:
    driven = wheel(NUMBER | more)
    driven.say(f"NUM={text}\n".encode())
    assert [r.number for r in only(driven.readings, BallRested)] == [number]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"SPIN 3,2", "pattern"),
        (b"xSPIN 3,2,0", "pattern"),
        (b"SPIN 3,2,0x", "flags"),
        (b"BOOM 3,2,0", "BOOM"),
        (b"SPIN 3,two,0", "laps"),
        (b"SPIN 3,2,\xb2", "ASCII"),
        (b"SPIN 3," + b"2" * 130 + b",0", "longer"),
    ],
)
def test_a_line_that_is_not_as_described_says_nothing(line: bytes, why: str) -> None:
    driven = wheel(FULL)
    (reading,) = driven.say(line + b"\r\n")
    assert isinstance(reading, Unreadable)
    assert why in reading.reason
    assert driven.rejected == len(line) + 1


def test_the_first_line_may_be_the_end_of_one() -> None:
    driven = Driven(DRIVER.session(DRIVER.parse_options({"pattern": "(?P<number>[0-9]+)"}))).open()
    assert [type(r) for r in driven.say(b"7\r\n17\r\n")] == [Unreadable, BallRested]
    driven.say(b"1")
    driven.lose()
    driven.open()
    assert [type(r) for r in driven.say(b"7\r\n17\r\n")] == [Unreadable, BallRested]


def test_a_terminator_of_its_own_may_be_cut() -> None:
    driven = wheel(NUMBER | {"terminator": "#;"})
    driven.say(b"#;")
    driven.readings.clear()
    driven.say_all(b"NUM=1", b"7#", b";NUM=1#8#;NUM=5#;")
    assert [type(r) for r in driven.readings] == [BallRested, Unreadable, BallRested]
    assert [r.number for r in only(driven.readings, BallRested)] == ["17", "5"]


def test_an_overlong_line_ends_at_its_terminator() -> None:
    driven = wheel(NUMBER | {"terminator": "#;"})
    driven.say(b"#;")
    driven.readings.clear()
    driven.say_all(b"z" * 500, b"#", b";NUM=17#;")
    assert [type(r) for r in driven.readings] == [Unreadable, BallRested]
    assert driven.rejected == 502 + len(b"rest of a line\r\n#;")


def test_it_may_be_silent_for_ever_unless_configured() -> None:
    driven = wheel(NUMBER)
    assert driven.session.deadline_ns() is None
    driven = wheel(NUMBER | {"silent_after_s": 30.0})
    driven.say(b"NUM=17\r\n")
    assert driven.wait(29.9) == []
    assert faults(driven.wait(100)) == [("silent", False)]
    assert faults(driven.say(b"nonsense\r\n")) == []
    assert faults(driven.say(b"NUM=17\r\n")) == [("silent", True)]
    driven.lose()
    assert driven.wait(100) == []


def test_nothing_is_ever_sent() -> None:
    driven = wheel(NUMBER)
    driven.request(DeviceAction.ACKNOWLEDGE_VOID)
    driven.say_all(b"NUM=17\r\n", b"x\r\n")
    assert driven.sent == []


# Options


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "options"),
        ({"pattern": "(?P<number>["}, "pattern"),
        ({"pattern": "[0-9]+"}, "pattern"),
        ({"pattern": "(?P<number>..)(?P<colour>.)"}, "pattern"),
        ({"pattern": "(?P<number>..)(?P<state>.)"}, "states"),
        ({"pattern": "(?P<number>..)(?P<flags>.)"}, "faults"),
        ({"pattern": "(?P<number>..)", "states": {"A": "rim"}}, "states"),
        (FULL | {"states": {"A": "spinning"}}, "states.A"),
        (FULL | {"faults": {"A": "broken"}}, "faults.A"),
        (NUMBER | {"numbers": {"37": "00"}}, "numbers.37"),
        (NUMBER | {"zeros": 9}, "options"),
        (NUMBER | {"baud": 9601}, "baud"),
        (NUMBER | {"parity": "X"}, "options"),
        (NUMBER | {"terminator": "12345"}, "terminator"),
        (NUMBER | {"terminator": "é"}, "terminator"),
        (NUMBER | {"silent_after_s": -1.0}, "silent_after_s"),
        (NUMBER | {"speed": 9600}, "options"),
    ],
)
def test_impossible_options(options: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as found:
        DRIVER.parse_options(options)
    assert found.value.key == key


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+(?P<number>..)",
        "(?P<number>(?:[0-9]*)*)",
        "(?:x|xy)*(?P<number>..)",
        "((a{1,3}b)){2,50}(?P<number>..)",
        "(?:(?:a?)b){3}(?P<number>..)",
        r"(?P<number>\d+)\d*.*\w+\s*x",
        r"(?P<number>\d{1,99})\d{0,99}\d{0,99}\d{0,99}\d{0,99}x",
        r"(?P<number>\d+)[*+]\)\d*.*\w+\s*x",
    ],
)
def test_a_pattern_that_may_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(OptionError, match="for ever"):
        DRIVER.parse_options({"pattern": pattern})


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?P<number>[0-9]{1,2})",
        r"(?:WIN|win)?\s*(?P<number>\d+)\s*;?",
        r"\(+(?P<number>[()*+|]{1,3}|\d\d)\)+",
        r"(?:[0-9A-F]{2}){3} (?P<number>[^]]+?)",
        r".*(?P<number>\d\d).*",
    ],
)
def test_an_ordinary_pattern_is_taken_and_is_quick_on_any_line(pattern: str) -> None:
    driven = wheel({"pattern": pattern})
    began = time.process_time()
    for letter in b"0 (w;":
        driven.say(bytes([letter]) * 127 + b"~\n")
    assert time.process_time() - began < 2.0
    assert only(driven.readings, BallRested) == []


def test_the_manifest() -> None:
    driver = load_driver("generic-number")
    assert driver is DRIVER
    assert driver.maturity is Maturity.GENERIC
    assert driver.observes(driver.parse_options(NUMBER)) == {Observes.NUMBER}
    assert driver.observes(driver.parse_options(FULL)) == {Observes.NUMBER, Observes.PHASE, Observes.LAPS}
    options = driver.parse_options(NUMBER | {"baud": 19200, "data_bits": 7, "parity": "E", "stop_bits": 2})
    settings = driver.serial(options)
    assert (settings.baud, settings.data_bits, settings.parity, settings.stop_bits) == (19200, 7, "E", 2)
