"""The truth's verdict on a throw: valid by the rule, and what a station should do with it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from hw_sim.faults import Fault
from hw_sim.truth import RULE_BREAKING, Throw, TruthLog


def throw(**changes: Any) -> Throw:
    facts = {"laps": 12, "ball": "clockwise", "rotor": "counter_clockwise", "number": "7", "shown": "7", "bare": "7"}
    return Throw("wheel", spin=1, throw=changes.pop("throw", 1), counter=1, **{**facts, **changes})


def test_a_good_throw_is_to_be_accepted() -> None:
    assert (throw().valid, throw().expect) == (True, "accept")
    assert throw(laps=7).valid


@pytest.mark.parametrize(
    "changes",
    [
        {"laps": 6},
        {"ball": "counter_clockwise"},
        {"shown": None},
        *({"faults": {fault}} for fault in sorted(RULE_BREAKING)),
    ],
)
def test_a_broken_rule_is_to_be_refused(changes: dict[str, Any]) -> None:
    assert (throw(**changes).valid, throw(**changes).expect) == (False, "refuse")


@pytest.mark.parametrize(
    ("changes", "expect"),
    [
        ({"faults": {Fault.WRONG_BARE}}, "hold"),
        ({"faults": {Fault.ATTACH_MID_SPIN}, "joined_in_state": 4}, "hold"),
        ({"faults": {Fault.ATTACH_MID_SPIN}, "joined_in_state": 3}, "either"),
        ({"faults": {Fault.STALL}}, "either"),
        ({"faults": {Fault.MISSING_BARE}}, "either"),
        ({"throw": 2}, "either"),
        ({"after_power_loss": True}, "either"),
    ],
)
def test_what_is_unclear_is_valid_and_not_to_be_taken_for_granted(changes: dict[str, Any], expect: str) -> None:
    assert (throw(**changes).valid, throw(**changes).expect) == (True, expect)


def test_records_are_lines_of_json_and_say_when_one_was_added() -> None:
    file, added = io.StringIO(), []
    log = TruthLog(file, lambda: added.append(len(log.records)))
    log.add(throw(faults={Fault.STALL, Fault.BIT_FLIPS}))
    log.add(throw())
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [{key: line[key] for key in record} for line, record in zip(lines, log.records, strict=True)] == log.records
    assert lines[0]["faults"] == ["bit_flips", "stall"]
    assert added == [1, 2]
