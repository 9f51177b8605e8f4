"""The wheel's self-test: under control alone, between games alone, and its answer in words."""

from __future__ import annotations

import pytest

from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings import DeviceNotice
from dealer_drivers.roulette import m360, ss2
from support.cammegh import Driven, only, status


def asked(**options: object) -> Driven:
    driven = Driven(ss2.DRIVER.session(ss2.DRIVER.parse_options({"control": True, **options}))).open()
    driven.say(status(2))
    driven.request(DeviceAction.SELF_TEST)
    driven.say_all(*[status(2)] * 4)
    return driven


@pytest.mark.parametrize(
    ("answer", "notice", "word"),
    [
        (b"*F 0\r\n", "self_test_passed", "nothing wrong"),
        (b"*F 12\r\n", "self_test_failed", "sensor 2 is stuck on"),
        (b"*F 23\r\n", "self_test_failed", "sensor 3 is blind"),
        (b"*F 100\r\n", "self_test_failed", "in time"),
        (b"*F 7\r\n", "self_test_failed", "maker's manual"),
        (b"*F NO\r\n", "self_test_unknown", "'NO'"),
        (b"*F 0000\r\n", "self_test_unknown", "'0000'"),
    ],
)
def test_the_answer_in_words(answer: bytes, notice: str, word: str) -> None:
    driven = asked()
    assert "*F" in driven.commands()
    (said,) = only(driven.say(answer), DeviceNotice)
    assert said.notice == notice
    assert word in said.detail
    assert said.raw.strip() == answer.strip()


def test_a_wheel_that_does_not_answer_is_said_after_a_minute() -> None:
    driven = asked()
    readings = [reading for _ in range(140) for reading in driven.say(status(2))]
    (said,) = [one for one in only(readings, DeviceNotice) if one.notice == "self_test_unknown"]
    assert "did not answer" in said.detail


def test_never_without_control_and_never_with_a_ball_in_play() -> None:
    assert "*F" not in asked(control=False).commands()
    for driver in (ss2.DRIVER, m360.DRIVER):
        assert DeviceAction.SELF_TEST not in driver.actions(driver.parse_options({}))
        assert DeviceAction.SELF_TEST in driver.actions(driver.parse_options({"control": True}))
    driven = Driven(ss2.DRIVER.session(ss2.DRIVER.parse_options({"control": True}))).open()
    driven.say(status(3))
    driven.request(DeviceAction.SELF_TEST)
    driven.say_all(*[status(3)] * 6, *[status(4)] * 6)
    assert "*F" not in driven.commands()
    driven.say_all(*[status(5)] * 3, *[status(2)] * 3)
    assert "*F" in driven.commands()
