"""A Cammegh wheel's parameters as it tells them, against the accepted set. Pure but for being told bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_drivers.instant import Instant

LETTERS = {"cammegh-ss2": "cdghijkmnpqrstz", "cammegh-m360": "dnsz"}
"""What each model is asked for where nothing is accepted yet. Only asked: ``*T X``."""
OPTION = "expected_parameters"
_ANSWER = re.compile(rb"\*T ([a-z]) ([^\r\n*]+)[\r\n]")


@dataclass(slots=True)
class ParameterTap:
    """Listens to the wheel's line (``BenchLink.tap``) and keeps what it tells of its parameters, by letter."""

    found: dict[str, str] = field(default_factory=dict)
    _held: bytes = b""

    def rx(self, data: bytes, at: Instant) -> None:
        """Bytes of the wheel."""
        del at
        self._held = (self._held + data)[-4096:]
        for match in _ANSWER.finditer(self._held):
            self.found[match[1].decode()] = " ".join(match[2].decode("latin-1").split())

    def tx(self, data: bytes, at: Instant) -> None:
        """Bytes to the wheel: of no interest."""

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        """The line opened or closed."""


@dataclass(frozen=True, slots=True)
class ParameterDifference:
    """``changed``: letter, accepted, found. ``unread``: letters that the wheel did not tell."""

    changed: tuple[tuple[str, str, str], ...]
    unread: tuple[str, ...]


def compare_parameters(accepted: Mapping[str, str], found: Mapping[str, str]) -> ParameterDifference:
    """Of every accepted letter."""
    wanted = {letter.lower(): " ".join(value.split()) for letter, value in accepted.items()}
    changed = tuple(
        (letter, value, found[letter]) for letter, value in sorted(wanted.items()) if found.get(letter, value) != value
    )
    return ParameterDifference(changed, tuple(sorted(wanted.keys() - found.keys())))
