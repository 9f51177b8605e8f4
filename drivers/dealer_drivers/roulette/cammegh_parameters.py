"""The wheel's parameters against its calibrated set.

A wheel whose rotor ran away had one parameter changed in RAM (``devices.md`` §1), so the ones that the configuration
lists are read at every connect and compared. Nothing is ever set.
"""

from __future__ import annotations

from collections.abc import Mapping

from dealer_drivers.errors import OptionError
from dealer_drivers.roulette.cammegh_dialogue import Ask

OPTION = "expected_parameters"


def parameter_problems(expected: Mapping[str, str]) -> list[OptionError]:
    """What is impossible about the option: ``m = "2.0"`` is right, the letter as in ``*T M`` in either case."""
    problems = []
    seen: set[str] = set()
    for letter, value in expected.items():
        key = f"{OPTION}.{letter}"
        if len(letter) != 1 or not letter.isascii() or not letter.isalpha():
            problems.append(OptionError(key, "a parameter is one letter, as in `*T M`"))
        elif letter.lower() in seen:
            problems.append(OptionError(key, "is given twice, as a capital and as a small letter"))
        elif not value.split() or not value.isascii():
            problems.append(OptionError(key, "must be the value as the wheel prints it, such as `16.0 18.0`"))
        seen.add(letter.lower())
    return problems


class ParameterCheck:
    """One comparison at a time: which questions to ask, what was answered, what differs."""

    def __init__(self, expected: Mapping[str, str]) -> None:
        self._expected = {letter.lower(): " ".join(value.split()) for letter, value in expected.items()}
        self._found: dict[str, str | None] = {}

    def start(self) -> list[Ask]:
        """The questions of a new comparison, asked only while no ball is in play."""
        self._found.clear()
        return [Ask(f"*T {letter.upper()}", "T", key=letter, needs_idle=True) for letter in self._expected]

    def found(self, letter: str, answer: str | None) -> bool:
        """One answer, ``d 15`` to ``*T D``; ``None`` or ``NO`` when there is none. True when it was the last."""
        words = (answer or "").split()
        self._found[letter] = " ".join(words[1:]) if words[:1] == [letter] else None
        return len(self._found) == len(self._expected)

    def unread(self) -> list[str]:
        """The parameters that the wheel did not tell."""
        return [letter for letter, value in self._found.items() if value is None]

    def differences(self) -> list[str]:
        """One phrase for each parameter that is not as calibrated."""
        return [
            f"parameter {letter} is {value!r} and should be {self._expected[letter]!r}"
            for letter, value in self._found.items()
            if value is not None and value != self._expected[letter]
        ]
