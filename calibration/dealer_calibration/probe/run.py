"""A whole probe: listen, and where that says too little, look for what would say more."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dealer_calibration.bench.result import Finding
from dealer_calibration.probe.judge import SPEAKS_WHEN_USED, Tried, findings_of
from dealer_calibration.probe.listen import Heard, Opener, listen
from dealer_calibration.probe.others import Fits, known_by
from dealer_calibration.probe.speeds import other_settings
from dealer_drivers.clock import Clock
from dealer_drivers.driver import Driver, DriverOptions, SerialSettings
from dealer_drivers.recording import Recorder
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.factory import device_transport, make_transport, port_kind
from dealer_drivers.transports.serial import PTY_SLAVE_MAJORS, spoken

TRY_S = 2.0
"""At each other speed: four status lines of a wheel (``devices.md`` §1)."""


def opener_of(driver: Driver, options: DriverOptions, port: str, clock: Clock) -> Opener:
    """Opens the port as the station would, or with other serial settings."""

    def opener(settings: SerialSettings | None) -> Transport:
        if settings is None:
            return device_transport(driver, port, options, clock=clock)
        return make_transport(port, settings, clock=clock)

    return opener


async def probe(
    driver: Driver,
    options: DriverOptions,
    port: str,
    clock: Clock,
    seconds: float,
    *,
    recorder: Recorder | None = None,
    told: Callable[[str], None] | None = None,
    opener: Opener | None = None,
) -> list[Finding]:
    """Listen at ``port`` for ``seconds`` of the clock, and say what there is. ``told`` gets sentences on what is tried
    meanwhile. Raises ``OptionError`` for what is no port, or none of the driver's."""
    kind = port_kind(port)
    opener = opener or opener_of(driver, options, port, clock)
    heard = await listen(driver, options, opener, clock, seconds, recorder=recorder)
    others: list[Fits] = []
    tried = Tried()
    if heard.bytes_in and not heard.frames:
        others = known_by(heard.data, kind, driver.name)
    if kind == "serial" and not others and _deaf(driver, options, heard):
        tried, others = await _speeds(driver, options, opener, clock, _forms(port), told)
    return findings_of(driver, options, port, kind, heard, others, tried)


def _deaf(driver: Driver, options: DriverOptions, heard: Heard) -> bool:
    """Whether another speed may be why nothing is understood: bytes without frames, or questions without answers."""
    if not heard.opened or heard.lost or heard.frames:
        return False
    asked = heard.bytes_out > 0 and not driver.observes(options) <= SPEAKS_WHEN_USED
    return heard.bytes_in > 0 or asked


async def _speeds(
    driver: Driver,
    options: DriverOptions,
    opener: Opener,
    clock: Clock,
    forms: bool,
    told: Callable[[str], None] | None,
) -> tuple[Tried, list[Fits]]:
    done: list[SerialSettings] = []
    for settings in other_settings(driver.serial(options), forms=forms):
        if told is not None:
            told(f"no frame yet: trying {spoken(settings)}")
        heard = await listen(driver, options, opener, clock, TRY_S, settings=settings)
        done.append(settings)
        if heard.frames >= 2 and heard.rejected <= heard.bytes_in / 2:
            return Tried(tuple(done), heard), []
        others = known_by(heard.data, "serial", driver.name) if heard.bytes_in else []
        if others:
            return Tried(tuple(done)), others
    return Tried(tuple(done)), []


def _forms(port: str) -> bool:
    """Whether the port has parity and bits: a pseudo-terminal has not."""
    try:
        return os.major(Path(port).stat().st_rdev) not in PTY_SLAVE_MAJORS
    except OSError:
        return True
