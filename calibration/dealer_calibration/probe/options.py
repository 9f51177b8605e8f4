"""A driver's options from the command line: ``baud=19200``, values as in the configuration file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

from dealer_calibration.bench.device import BenchError
from dealer_daemon.config.walk import Problem, read_struct
from dealer_drivers.driver import Driver, DriverOptions


def options_of(driver: Driver, given: Sequence[tuple[str, str]]) -> DriverOptions:
    """The options. Raises ``BenchError`` (2) with all that is wrong, and how each is given."""
    values: dict[str, Any] = {}
    for key, text in given:
        *sections, last = key.split(".")
        place = values
        for section in sections:
            place = place.setdefault(section, {})
            if not isinstance(place, dict):
                raise BenchError(f"--option {key}: {section} is given as a value already")
        place[last] = _value(text)
    problems: list[Problem] = []
    options = read_struct(values, driver.options, (), problems)
    wrong = [(".".join(map(str, problem.path)), problem.reason) for problem in problems]
    if options is not None:
        wrong += [(error.key, error.reason) for error in options.problems()]
    if options is None or wrong:
        lines = [f"--option {key}=…: {reason}" for key, reason in wrong]
        raise BenchError("\n".join([f"options of {driver.name}:", *lines]))
    return options


def _value(text: str) -> Any:
    """As TOML where it is a value of TOML, else the text itself: quotes are the shell's to take away."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
