"""Whose frames are these? Bytes that one driver does not know, read by every other driver that is installed."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.driver import Driver, DriverOptions, UnknownDriver, driver_names, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import NS_PER_S, Instant

STEP_BYTES = 64
LEAST_FRAMES = 2
MOST_REJECTED = 0.25
"""Of the bytes: what is torn at both ends of a short recording."""
ANY_TEXT = b"".join(b"%s%d\r\n" % (word, number) for number, word in enumerate([b"ABC-", b"lorem ", b"7", b"Q:"] * 4))
"""Lines of no device. A driver that knows them takes any text, and its frames tell nothing."""


@dataclass(frozen=True, slots=True)
class Fits:
    """A driver that knows the bytes: valid frames, and the share of bytes that were in none."""

    driver: Driver
    frames: int
    rejected_share: float


def known_by(data: bytes, kind: str, not_by: str) -> list[Fits]:
    """The drivers that know ``data``, which came by a port of ``kind``, the best first; ``not_by`` is not asked."""
    found = []
    for name in driver_names():
        if name == not_by:
            continue
        try:
            driver = load_driver(name)
            options = driver.parse_options({})
        except (UnknownDriver, OptionError):  # cannot be loaded, or needs to be told what to look for
            continue
        if kind not in driver.transports or _knows(driver, options, ANY_TEXT) is not None:
            continue
        if (fits := _knows(driver, options, data)) is not None:
            found.append(fits)
    return sorted(found, key=lambda fits: (fits.rejected_share, -fits.frames))


def _knows(driver: Driver, options: DriverOptions, data: bytes) -> Fits | None:
    frames, rejected = count(driver, options, data)
    if frames < LEAST_FRAMES or rejected > MOST_REJECTED * len(data):
        return None
    return Fits(driver, frames, rejected / len(data))


def count(driver: Driver, options: DriverOptions, data: bytes) -> tuple[int, int]:
    """Valid frames, and bytes that were in none, when the driver hears ``data`` as one stream."""
    session = driver.session(options)
    frames = rejected = 0
    for step, start in enumerate(range(0, len(data), STEP_BYTES)):
        at = Instant(NS_PER_S + step * NS_PER_S // 20, NS_PER_S + step * NS_PER_S // 20)
        if not step:
            session.opened(at)
        output = session.feed(data[start : start + STEP_BYTES], at)
        frames, rejected = frames + output.frames, rejected + output.rejected
    return frames, rejected
