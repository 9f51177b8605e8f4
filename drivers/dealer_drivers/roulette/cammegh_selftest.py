"""The self-test of a Cammegh wheel, ``*F`` (``devices.md`` §1, commands): what its answer means."""

from __future__ import annotations

import re

from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceNotice
from dealer_drivers.roulette.cammegh_dialogue import Ask
from dealer_drivers.roulette.cammegh_frames import Answer

SELF_TEST = Ask("*F", "F", needs_idle=True, patience_ns=60 * NS_PER_S)
"""How long it takes is not documented; it ends itself with a time-out, 100."""
PASSED, FAILED, UNKNOWN = "self_test_passed", "self_test_failed", "self_test_unknown"
STUCK, BLIND, TIME_OUT = range(11, 14), range(21, 24), 100


def self_test_notice(answer: Answer | None, at: Instant) -> DeviceNotice:
    """What the wheel said of itself; ``None``: it did not answer."""
    raw = answer.raw if answer is not None else b""
    code = re.fullmatch(r"[0-9]{1,3}", answer.text.strip()) if answer is not None else None
    if code is None:
        said = "did not answer" if answer is None else f"answered {answer.text!r} to"
        return DeviceNotice(at=at, raw=raw, notice=UNKNOWN, detail=f"The wheel {said} its self-test.")
    number = int(code[0])
    if number == 0:
        return DeviceNotice(at=at, raw=raw, notice=PASSED, detail="Self-test 0: the wheel finds nothing wrong.")
    return DeviceNotice(at=at, raw=raw, notice=FAILED, detail=f"Self-test {number}: {_meaning(number)}.")


def _meaning(number: int) -> str:
    if number in STUCK:
        return f"rim sensor {number - 10} is stuck on: clean it, look for light that falls into it"
    if number in BLIND:
        return f"rim sensor {number - 20} is blind: clean it and check its cable"
    if number == TIME_OUT:
        return "it did not end in time: no ball in the wheel, or a motor stands"
    return "see the maker's manual"
