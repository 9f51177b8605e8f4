"""A law about the examples: what a table is settled on is stated for several values, and more than once in a row.

A suite sees only what examples show: a driver that is wrong above 19 is found by a number above 19, and one that keeps
something over spins by a second spin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dealer_drivers.conformance.check import Broken
from dealer_drivers.conformance.examples import Example, Examples
from dealer_drivers.driver import Driver

SETTLES: Mapping[str, str] = {
    "BallRested": "number",
    "BallLaps": "laps",
    "CardRead": "card",
    "DiceSeen": "faces",
    "BeansSeen": "beans",
    "WheelAngle": "count",
    "ResultEntered": "result",
}
"""Readings by name, and the field that a result comes from."""
NUMBER = "BallRested"
LEAST = 3
"""Different values of each, over all examples."""
ABOVE = 19


def examples_show_enough(driver: Driver, examples: Examples) -> None:
    """Of each reading that a table is settled on, three different values are stated, and two of them in one example;
    of a roulette wheel 0, a number above 19, and 00 where the driver can be told of it.

    Devices that are asked may answer each example in one way. Where nothing at all is stated (recordings alone),
    nothing is demanded.
    """
    stated = [example for example in examples.plays if example.expect is not None]
    missing = [
        what
        for kind, field in SETTLES.items()
        if any(one.kind.__name__ == kind for example in stated for one in example.expect or ())
        for what in _missing(kind, field, stated, "zeros" in driver.options.__struct_fields__)
    ]
    if missing:
        raise Broken("state in Example.expect: " + "; ".join(missing))


def _missing(kind: str, field: str, stated: Sequence[Example], zeros: bool) -> list[str]:
    asked = all(example.answer for example in stated)
    plays = [
        {
            repr(one.fields[field]): one.fields[field]
            for one in example.expect or ()
            if one.kind.__name__ == kind and field in one.fields
        }
        for example in stated
    ]
    shown = [value for play in plays for value in play.values()]
    found = []
    if len({repr(value) for value in shown}) < LEAST:
        found.append(f"{kind} with {field}, of {LEAST} different values or more")
    if not asked and not any(len(play) > 1 for play in plays):
        found.append(f"two different values of {kind}.{field} in one example, one after the other")
    if kind == NUMBER:
        if "0" not in shown:
            found.append(f'{kind} with {field}="0"')
        if not any(str(value).isdigit() and int(str(value)) > ABOVE for value in shown):
            found.append(f"{kind} with a {field} above {ABOVE}")
        if zeros and "00" not in shown:
            found.append(f'{kind} with {field}="00", of a wheel that has it (options zeros = 2)')
    return found
