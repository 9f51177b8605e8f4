"""Laws about the manifest: it says what the driver is and how sure we are, and what is observed agrees with it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dealer_drivers.conformance.check import Broken
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.driver import DeviceAction, Driver, Maturity, Observes, SerialSettings
from dealer_drivers.readings import Reading

TRANSPORTS = frozenset({"serial", "tcp", "usb", "input", "camera", "mqtt", "unix", "recording"})
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
USB_ID = re.compile(r"[0-9a-f]{4}(:[0-9a-f]{4})?")
LONGEST_OFFLINE_S = 60.0

SHOWN_BY: dict[Observes, frozenset[str]] = {
    Observes.PHASE: frozenset({"WheelStatus"}),
    Observes.NUMBER: frozenset({"BallRested"}),
    Observes.LAPS: frozenset({"BallLaps", "IndexMark"}),
    Observes.CARD: frozenset({"CardRead"}),
    Observes.RESULT: frozenset({"ShoeResult"}),
    Observes.DICE: frozenset({"DiceSeen"}),
    Observes.SHAKE: frozenset({"ShakerShaking", "ShakerIdle"}),
    Observes.BEANS: frozenset({"BeansSeen"}),
    Observes.ANGLE: frozenset({"WheelAngle"}),
    Observes.DECK: frozenset({"DeckReport", "ShufflerLevel"}),
    Observes.ENTRY: frozenset({"ResultEntered"}),
}
"""The readings by which the station knows it, by name: a suite for all families imports none of them."""


def says_what_it_is(driver: Driver) -> None:
    """Name, summary, maturity, provenance, transports and the time within which it is reported as offline."""
    wrong = []
    if not NAME.fullmatch(driver.name):
        wrong.append(f"name {driver.name!r} must be words of a-z and 0-9 joined by hyphens")
    for key, text, least in (("summary", driver.summary, 2), ("provenance", driver.provenance, 3)):
        if len(text.split()) < least:
            wrong.append(f"{key} {text!r} must say it in some words")
    if driver.maturity not in list(Maturity):
        wrong.append(f"maturity {driver.maturity!r} is none of {', '.join(Maturity)}")
    if not (math.isfinite(driver.offline_after_s) and 0 < driver.offline_after_s <= LONGEST_OFFLINE_S):
        wrong.append(f"offline_after_s = {driver.offline_after_s} must be more than 0, at most {LONGEST_OFFLINE_S:g}")
    if unknown := sorted(driver.transports - TRANSPORTS):
        wrong.append(f"transports {', '.join(unknown)}: there are {', '.join(sorted(TRANSPORTS))}")
    if "recording" not in driver.transports or len(driver.transports) < 2:
        wrong.append("transports must hold recording, so that a bug report can be played, and one that is real")
    for one in driver.attachments:
        if one.kind not in driver.transports:
            wrong.append(f"attachments: kind {one.kind!r} is none of its transports")
        if not one.usb and one.hid_page is None:
            wrong.append("attachments: one that shows nothing (usb, hid_page) would fit every device")
        wrong += [
            f"attachments: usb id {text!r} is no 0c2e or 0c2e:0901" for text in one.usb if not USB_ID.fullmatch(text)
        ]
    if wrong:
        raise Broken("the manifest: " + "; ".join(wrong))


def recordings_back_it(driver: Driver, subjects: Sequence[Subject]) -> None:
    """``recorded`` only where a recording of a real device is among the examples."""
    if driver.maturity is Maturity.RECORDED and not any(subject.example.recorded for subject in subjects):
        raise Broken("maturity recorded needs an example made from a recording of a real device (Example.recorded)")


def options_shape_it(subject: Subject) -> None:
    """What the functions of the options say is of the right type, and reading is possible with it."""
    driver, options = subject.driver, subject.options
    observes, actions, serial = driver.observes(options), driver.actions(options), driver.serial(options)
    if not observes or not all(isinstance(one, Observes) for one in observes):
        raise Broken(f"observes(options) is {observes!r}: a device witnesses something, in words of Observes")
    if not all(isinstance(one, DeviceAction) for one in actions):
        raise Broken(f"actions(options) is {actions!r}: must be words of DeviceAction")
    if type(serial) is not SerialSettings or serial.baud < 50 or serial.parity not in ("N", "E", "O"):
        raise Broken(f"serial(options) is {serial!r}: no port can be set so")


def observes_what_it_says(driver: Driver, subjects: Sequence[Subject]) -> None:
    """Each thing that the driver observes is shown by an example whose options have it, and none by another."""
    missing: dict[Observes, str] = {}
    shown: set[Observes] = set()
    for subject in subjects:
        stated = driver.observes(subject.options)
        names = {type(reading).__name__ for reading in subject.clean.values()}
        for what, kinds in SHOWN_BY.items():
            if names & kinds:
                if what not in stated:
                    raise Broken(
                        f"{subject.example.name} gives {', '.join(sorted(names & kinds))}, and observes(options) does "
                        f"not say {what}"
                    )
                shown.add(what)
        missing |= dict.fromkeys(stated & SHOWN_BY.keys(), subject.example.name)
        if Observes.ROTOR in stated and any(_rotor(reading) for reading in subject.clean.values()):
            shown.add(Observes.ROTOR)
        if Observes.ROTOR in stated:
            missing[Observes.ROTOR] = subject.example.name
    for what, name in missing.items():
        if what not in shown:
            raise Broken(f"observes(options) of {name} says {what}, and no example shows it")


def _rotor(reading: Reading) -> bool:
    return getattr(reading, "rotor_rpm", None) is not None
