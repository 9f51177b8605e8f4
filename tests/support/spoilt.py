"""The example driver, to be spoilt in one place: each law must catch what breaks it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dealer_drivers.conformance import Broken, Examples, checks
from dealer_drivers.driver import DeviceAction, Driver, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings.roulette import BallRested, NumberWitness

EXAMPLE = Path(__file__).parents[2] / "docs" / "example-driver"
JUNK_BYTES = 48 * 1024


@contextmanager
def example_driver() -> Iterator[None]:
    """In the meantime it can be imported."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        yield
    finally:
        sys.path.remove(str(EXAMPLE))
        for name in [name for name in sys.modules if name.partition(".")[0] == "acme_wheel"]:
            del sys.modules[name]


def good() -> tuple[Driver, Examples]:
    from acme_wheel import DRIVER
    from acme_wheel.examples import EXAMPLES

    return DRIVER, EXAMPLES


def broken(driver: Driver, examples: Examples, law: str = "") -> dict[str, str]:
    """The laws that do not hold, each with what is said of it; only ``law`` is tried if it is given."""
    found = {}
    for check in checks(driver, examples, cases=10, junk_bytes=JUNK_BYTES):
        if law in ("", check.law):
            try:
                check()
            except Broken as error:
                found[check.law] = str(error)
    return found


def rested(at: Instant, raw: bytes, number: str = "7") -> BallRested:
    return BallRested(at=at, raw=raw, number=number, witness=NumberWitness.FRAME)


class Spoilt:
    """A session around a good one; a kind of it changes one call."""

    def __init__(self, session: Any) -> None:
        self.inner = session

    def opened(self, at: Instant) -> Output:
        return self.inner.opened(at)  # type: ignore[no-any-return]

    def feed(self, data: bytes, at: Instant) -> Output:
        return self.inner.feed(data, at)  # type: ignore[no-any-return]

    def lost(self, at: Instant, reason: str) -> Output:
        return self.inner.lost(at, reason)  # type: ignore[no-any-return]

    def tick(self, at: Instant) -> Output:
        return self.inner.tick(at)  # type: ignore[no-any-return]

    def deadline_ns(self) -> int | None:
        return self.inner.deadline_ns()  # type: ignore[no-any-return]

    def request(self, action: DeviceAction, at: Instant) -> Output:
        return self.inner.request(action, at)  # type: ignore[no-any-return]
