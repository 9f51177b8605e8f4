"""A scanner that was away: what it reads first may be what lay before it all the time (``devices.md`` §3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dealer_drivers.driver import Session, load_driver
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import CardRead
from support.keys import ENTER, events, press, typed
from support.umockdev import hid_report


def line(text: str) -> bytes:
    return text.encode() + b"\r\n"


def report(text: str) -> bytes:
    return hid_report(text.encode())


def keys(text: str) -> bytes:
    return events([*typed(text), *press(ENTER)])


SCANNERS: list[tuple[str, Callable[[str], bytes]]] = [
    ("barcode-serial", line),
    ("barcode-hidpos", report),
    ("barcode-keyboard", keys),
]
WAYS = pytest.mark.parametrize(("driver", "send"), SCANNERS, ids=[name for name, _ in SCANNERS])


def at_ms(ms: int) -> Instant:
    return Instant(ms * 1_000_000, ms * 1_000_000)


def session(name: str) -> Session:
    driver = load_driver(name)
    one = driver.session(driver.parse_options({"codebook": "rank-suit", "repeat_window_ms": 1000}))
    one.opened(at_ms(0))
    return one


def away(one: Session, until_ms: int) -> None:
    one.lost(at_ms(until_ms - 1), "unplugged")
    one.opened(at_ms(until_ms))


def marks(reading: Reading) -> tuple[Any, ...]:
    assert isinstance(reading, CardRead)
    return reading.card, reading.repeated, reading.unsure


@WAYS
def test_the_same_code_first_is_a_repeat_and_not_a_sure_one(driver: str, send: Callable[[str], bytes]) -> None:
    one = session(driver)
    one.feed(send("8S"), at_ms(100))
    away(one, 60_000)
    (first,) = one.feed(send("8S"), at_ms(60_100)).readings
    assert marks(first) == ("8S", True, True)
    (again,) = one.feed(send("8S"), at_ms(60_500)).readings
    assert marks(again) == ("8S", True, False), "now somebody looks"
    (later,) = one.feed(send("8S"), at_ms(62_000)).readings
    assert marks(later) == ("8S", False, False)


@WAYS
def test_within_the_window_it_is_a_sure_one(driver: str, send: Callable[[str], bytes]) -> None:
    one = session(driver)
    one.feed(send("8S"), at_ms(100))
    away(one, 500)
    (first,) = one.feed(send("8S"), at_ms(600)).readings
    assert marks(first) == ("8S", True, False)


@WAYS
def test_a_text_that_is_no_code_leaves_the_question_and_another_card_ends_it(
    driver: str, send: Callable[[str], bytes]
) -> None:
    one = session(driver)
    one.feed(send("8S"), at_ms(100))
    one.feed(send("NR"), at_ms(3_000))
    away(one, 60_000)
    one.feed(send("NR"), at_ms(60_100))
    (first,) = one.feed(send("8S"), at_ms(62_000)).readings
    assert marks(first) == ("8S", True, True)
    away(one, 90_000)
    (other,) = one.feed(send("KD"), at_ms(90_100)).readings
    assert marks(other) == ("KD", False, False)
    (later,) = one.feed(send("8S"), at_ms(92_000)).readings
    assert marks(later) == ("8S", False, False)
