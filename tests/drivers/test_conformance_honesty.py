"""Drivers that tell what nobody sent, look outside or keep what is gone: each is caught by the law against it."""

from __future__ import annotations

import datetime as dt
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings.roulette import BallRested
from support.spoilt import Spoilt, broken, example_driver, good, rested


@pytest.fixture(scope="module", autouse=True)
def _example_driver() -> Iterator[None]:
    with example_driver():
        yield


def values_as(**changes: Any) -> type[Spoilt]:
    """Its results say something else."""

    class Changed(Spoilt):
        def feed(self, data: bytes, at: Instant) -> Output:
            output = super().feed(data, at)
            return replace(
                output,
                readings=tuple(
                    replace(one, **changes) if isinstance(one, BallRested) else one for one in output.readings
                ),
            )

    return Changed


class TellsOldResultsForSpoiltLines(Spoilt):
    newest: BallRested | None = None

    def opened(self, at: Instant) -> Output:
        self.newest = None
        return super().opened(at)

    def feed(self, data: bytes, at: Instant) -> Output:
        told: list[Any] = []
        output = super().feed(data, at)
        for one in output.readings:
            self.newest = one if isinstance(one, BallRested) else self.newest
            told.append(one)
            if type(one).__name__ == "Unreadable" and self.newest is not None:
                told.append(replace(self.newest, at=at))
        return replace(output, readings=tuple(told))


class WrongNumberAfterJunk(Spoilt):
    spoilt = False

    def feed(self, data: bytes, at: Instant) -> Output:
        told: list[Any] = []
        output = super().feed(data, at)
        for one in output.readings:
            self.spoilt = self.spoilt or type(one).__name__ == "Unreadable"
            told.append(replace(one, number="0") if self.spoilt and isinstance(one, BallRested) else one)
        return replace(output, readings=tuple(told))


class StaleMoments(Spoilt):
    began: Instant | None = None

    def opened(self, at: Instant) -> Output:
        self.began = at
        return super().opened(at)

    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        return replace(output, readings=tuple(replace(one, at=self.began or at) for one in output.readings))


class SilentByTheWallClock(Spoilt):
    heard_ns: int | None = None

    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        self.heard_ns = at.wall_ns if output.frames else self.heard_ns
        return output

    def tick(self, at: Instant) -> Output:
        early = self.heard_ns is not None and at.wall_ns - self.heard_ns < 3_000_000_000
        return Output() if early else super().tick(at)


class BlindAtOne(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        blind = at.wall_ns // 3_600_000_000_000 % 24 == 13
        output = super().feed(data, at)
        return replace(output, readings=()) if blind else output


class TakesZerosForACheckValue(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        taken = [one for one in output.readings if type(one).__name__ == "Unreadable" and b"*00" in one.raw]
        return replace(output, readings=(*output.readings, *(rested(at, one.raw) for one in taken)))


class BeyondTheWheel(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        for one in output.readings:
            if type(one).__name__ == "NumberUnreadable":
                raise KeyError(one.raw)
        return output


class KeepsConnections(Spoilt):
    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self.kept: list[bytes] = []

    def lost(self, at: Instant, reason: str) -> Output:
        self.kept.append(bytes(500))
        return super().lost(at, reason)


class SendsAfterAnHour(Spoilt):
    began: Instant | None = None

    def opened(self, at: Instant) -> Output:
        self.began = self.began or at
        return super().opened(at)

    def feed(self, data: bytes, at: Instant) -> Output:
        late = self.began is not None and at.since_s(self.began) > 3600
        return replace(super().feed(data, at), send=(b"hi",) if late else ())


class SendsAnotherCommand(Spoilt):
    def request(self, action: DeviceAction, at: Instant) -> Output:
        output = super().request(action, at)
        return replace(output, send=(b"$RESET*00\r\n",)) if output.send else output


def looking(look: Callable[[], object]) -> type[Spoilt]:
    class Looks(Spoilt):
        def feed(self, data: bytes, at: Instant) -> Output:
            look()
            return super().feed(data, at)

    return Looks


OUTSIDE: list[tuple[Callable[[], object], str]] = [
    (dt.datetime.now, "datetime.now"),
    (lambda: dt.datetime.now(dt.UTC), "datetime.now"),
    (dt.date.today, "time.time"),
    (time.localtime, "time.localtime"),
    (time.gmtime, "time.gmtime"),
    (time.ctime, "time.ctime"),
    (lambda: time.strftime("%H"), "time.strftime"),
    (time.process_time, "time.process_time"),
    (lambda: os.environ.get("HOME"), "os.environ"),
    (lambda: os.getenv("HOME"), "os.environ"),
    (lambda: os.listdir("/"), "os.listdir"),  # noqa: PTH208
    (lambda: list(os.scandir("/")), "os.scandir"),
    (lambda: Path("/").exists(), "os.stat"),
    (os.getpid, "os.getpid"),
    (uuid.uuid4, "os.urandom"),
    (lambda: random.Random().gauss(0, 1), "random.Random"),
]


@pytest.mark.parametrize(("look", "words"), OUTSIDE)
def test_a_look_outside_is_caught(look: Callable[[], object], words: str) -> None:
    driver, examples = good()
    spoilt = replace(driver, session=lambda options: looking(look)(driver.session(options)))
    assert words in broken(spoilt, examples, "nothing outside").get("nothing outside", "nothing broken")


SPOILT: list[tuple[type[Spoilt], str, str]] = [
    (values_as(raw=b"evidence"), "readings are sound", "never arrived"),
    (values_as(number="37"), "readings are sound", "no device can have seen this: number '37'"),
    (values_as(raw=b"evidence"), "damage gives no value", "never arrived"),
    (TellsOldResultsForSpoiltLines, "damage gives no value", "an old value is told again"),
    (WrongNumberAfterJunk, "damage gives no value", "is not what these bytes say"),
    (StaleMoments, "readings are sound", "the first of its bytes arrived"),
    (SilentByTheWallClock, "the wall clock means nothing", "the host spins"),
    (BlindAtOne, "the wall clock means nothing", "something else is said"),
    (TakesZerosForACheckValue, "check values are looked at", "*00"),
    (BeyondTheWheel, "no content raises", "KeyError"),
    (KeepsConnections, "connections leave nothing", "bytes more"),
    (SendsAfterAnHour, "read-only sends nothing", "sends b'hi'"),
    (SendsAfterAnHour, "sends only what is stated", "sends b'hi'"),
    (SendsAnotherCommand, "sends only what is stated", "RESET"),
]


@pytest.mark.parametrize(("session", "law", "words"), SPOILT, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_driver_that_is_not_honest_is_caught(session: type[Spoilt], law: str, words: str) -> None:
    driver, examples = good()
    spoilt = replace(driver, session=lambda options: session(driver.session(options)))
    assert words in broken(spoilt, examples, law).get(law, "nothing broken")
