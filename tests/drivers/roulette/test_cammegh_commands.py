"""What the station says to a wheel: never a setting without control, never too fast, always checked."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.driver import DeviceAction
from dealer_drivers.errors import OptionError
from dealer_drivers.readings import DeviceFault, DeviceNotice
from dealer_drivers.roulette import m360, ss2
from support.cammegh import Driven, faults, notices, only, status

VOID = DeviceAction.ACKNOWLEDGE_VOID


def wheel(**options: object) -> Driven:
    return Driven(ss2.DRIVER.session(ss2.DRIVER.parse_options(options))).open()


def answered(driven: Driven, answers: dict[str, str], lines: int = 40) -> None:
    """The wheel goes on between games and answers what it is asked, a tenth of a second later."""
    done = len(driven.sent)
    for _ in range(lines):
        driven.say(status(2), 0.25)
        for command in driven.commands()[done:]:
            if command in answers:
                driven.say(answers[command].encode("ascii") + b"\r\n", 0.1)
        done = len(driven.sent)


def test_identity_is_asked_at_connect_and_shown() -> None:
    driven = wheel()
    assert driven.commands() == ["*V"]
    driven.say(status(2))
    (notice,) = driven.say(b"*V V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18\r\n")
    assert isinstance(notice, DeviceNotice)
    assert (notice.notice, notice.detail[:5]) == ("identity", "V2.50")


def test_a_line_that_belongs_to_another_host_is_only_listened_to() -> None:
    driven = wheel(ask=False)
    driven.say_all(*[status(2)] * 30)
    driven.request(VOID)
    assert driven.sent == []


def test_an_answer_that_nobody_asked_for_betrays_another_program() -> None:
    driven = wheel(ask=False)
    driven.say(status(2))
    readings = driven.say(b"*T m 20000.0\r\n")
    assert notices(readings) == ["foreign_answer"]
    assert "*T m 20000.0" in only(readings, DeviceNotice)[0].detail


@settings(deadline=None)
@given(
    st.booleans(),
    st.lists(st.sampled_from([status(s) for s in range(1, 8)] + [b"*u OK\r\n", b"*T NO\r\n"]), max_size=30),
)
def test_without_control_nothing_is_ever_set(mercury: bool, lines: list[bytes]) -> None:
    driver = m360.DRIVER if mercury else ss2.DRIVER
    more = {"extended": True} if mercury else {}
    driven = Driven(
        driver.session(driver.parse_options({"expected_parameters": {"m": "2.0", "D": "15"}} | more))
    ).open()
    for line in lines:
        driven.say(line)
        driven.request(VOID)
    assert set(driven.commands()) <= {"*V", "*G?", "*T M", "*T D"}


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.001, 0.7), st.booleans()), max_size=40))
def test_commands_come_no_faster_than_the_wheel_takes_them(steps: list[tuple[float, bool]]) -> None:
    options = {"control": True, "lap_events": True, "expected_parameters": dict.fromkeys("dpqkm", "1")}
    driven = wheel(**options)
    for seconds, void in steps:
        driven.say(status(2), seconds)
        if void:
            driven.request(VOID)
    times = [time for time, _ in driven.sent]
    assert all(b - a >= 0.1 - 1e-9 for a, b in itertools.pairwise(times)), times
    assert all(data.startswith(b"*") and data.endswith(b"\r\n") for _, data in driven.sent)


# Acknowledging a void


def test_an_acknowledged_void() -> None:
    driven = wheel(control=True)
    driven.say(status(3, flags=2))
    driven.request(VOID)
    assert driven.commands() == ["*V", "*R"]
    driven.say(b"*R OK\r\n", 0.1)
    assert faults(driven.wait(1.8)) == []


def test_a_void_that_is_not_acknowledged_is_a_fault_until_it_is() -> None:
    driven = wheel(control=True)
    driven.say(status(3, flags=2))
    driven.request(VOID)
    assert faults(driven.wait(1.9)) == []
    assert faults(driven.say(status(3), 0.2)) == [("not_acknowledged", False)]
    driven.request(VOID)
    assert faults(driven.say(b"*R OK\r\n", 0.1)) == [("not_acknowledged", True)]


def test_a_refused_acknowledgement_is_a_fault_at_once_and_ends_with_the_next_ball() -> None:
    driven = wheel(control=True)
    driven.say(status(3, flags=2))
    driven.request(VOID)
    assert faults(driven.say(b"*R NO\r\n", 0.1)) == [("not_acknowledged", False)]
    driven.say(status(2))
    assert faults(driven.say(status(3))) == [("not_acknowledged", True)]


def test_a_void_goes_before_waiting_questions() -> None:
    driven = wheel(control=True, lap_events=True, expected_parameters={"m": "2.0", "d": "15"})
    driven.say(status(2))
    driven.wait(0.0)
    driven.request(VOID)
    driven.wait(0.5)
    assert driven.commands() == ["*V", "*I 4", "*R", "*T M"]


def test_without_a_link_nothing_is_asked() -> None:
    driven = wheel(control=True)
    driven.lose()
    driven.request(VOID)
    driven.wait(10)
    assert driven.commands() == ["*V"]


# Parameters


EXPECTED = {"m": "2.0", "s": "16.0 18.0", "D": "15"}
RIGHT = {"*T M": "*T m 2.0", "*T S": "*T s 16.0 18.0", "*T D": "*T d 15"}


def test_parameters_as_calibrated_are_no_news() -> None:
    driven = wheel(expected_parameters=EXPECTED)
    answered(driven, RIGHT)
    assert driven.commands() == ["*V", "*T M", "*T S", "*T D"]
    assert faults(driven.readings) == []


def test_a_changed_parameter_is_named_with_what_it_is_and_should_be() -> None:
    driven = wheel(expected_parameters=EXPECTED)
    answered(driven, RIGHT | {"*T M": "*T m 20000.0"})
    (fault,) = only(driven.readings, DeviceFault)
    assert (fault.fault, fault.cleared) == ("parameter_changed", False)
    assert "parameter m is '20000.0' and should be '2.0'" in fault.detail
    assert "parameter s" not in fault.detail


def test_a_restored_parameter_is_seen_at_the_next_connect() -> None:
    driven = wheel(expected_parameters=EXPECTED)
    answered(driven, RIGHT | {"*T M": "*T m 20000.0"})
    driven.lose()
    driven.open()
    answered(driven, RIGHT)
    assert faults(driven.readings) == [("parameter_changed", False), ("parameter_changed", True)]


@pytest.mark.parametrize("answer", [{}, {"*T S": "*T NO"}, {"*T S": "*T OK"}])
def test_a_parameter_that_is_not_told_is_a_fault(answer: dict[str, str]) -> None:
    driven = wheel(expected_parameters=EXPECTED)
    answered(driven, {"*T M": RIGHT["*T M"], "*T D": RIGHT["*T D"]} | answer, lines=60)
    (fault,) = only(driven.readings, DeviceFault)
    assert fault.fault == "parameter_unread"
    assert "parameters s:" in fault.detail


def test_parameters_are_asked_one_at_a_time_and_never_while_a_ball_runs() -> None:
    driven = wheel(expected_parameters=EXPECTED)
    driven.say_all(*[status(3)] * 4, *[status(4)] * 4, *[status(5)] * 4)
    assert driven.commands() == ["*V"]
    driven.say_all(status(2), status(2), status(2))
    assert driven.commands() == ["*V", "*T M"]
    driven.say(b"*T m 2.0\r\n")
    driven.say(status(2))
    assert driven.commands() == ["*V", "*T M", "*T S"]


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"expected_parameters": {"mm": "1"}}, "expected_parameters.mm"),
        ({"expected_parameters": {"7": "1"}}, "expected_parameters.7"),
        ({"expected_parameters": {"é": "1"}}, "expected_parameters.é"),
        ({"expected_parameters": {"m": " "}}, "expected_parameters.m"),
        ({"expected_parameters": {"m": "1", "M": "2"}}, "expected_parameters.M"),
        ({"expected_parameters": {"m": "1"}, "ask": False}, "expected_parameters"),
        ({"control": True, "ask": False}, "control"),
    ],
)
def test_impossible_options(options: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as found:
        ss2.DRIVER.parse_options(options)
    assert found.value.key == key
