"""What a check is, and how it says what broke."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dealer_drivers.readings import Reading

SHOWN_BYTES = 160


class Broken(AssertionError):  # noqa: N818
    """A law does not hold. The text says which, and with what input."""


@dataclass(frozen=True, slots=True)
class Check:
    """One law for one driver, or for one of its examples. Calling it returns, or raises ``Broken``.

    ``waived`` is empty, or the sentence of the example that says why this law is not demanded: the check then does
    nothing.
    """

    law: str
    about: str
    run: Callable[[], None] = field(repr=False)
    waived: str = ""

    def __call__(self) -> None:
        if not self.waived:
            self.run()

    def __str__(self) -> str:
        return f"{self.law}: {self.about}" if self.about else self.law


def shown(data: bytes) -> str:
    """Bytes as they are pasted into a test; long ones cut, with their length."""
    text = repr(data[:SHOWN_BYTES])
    return text if len(data) <= SHOWN_BYTES else f"{text} … ({len(data)} bytes)"


def listed(readings: Sequence[Reading]) -> str:
    """Readings one a line, without their times."""
    return "".join(f"\n    {brief(reading)}" for reading in readings[:12]) or "\n    nothing"


def brief(reading: Reading) -> str:
    """A reading without its time, pictures and the names that every reading has."""
    cls = type(reading)
    said = [
        f"{name}={getattr(reading, name)!r}"
        for name in cls.__dataclass_fields__
        if name not in ("at", "raw", "pictures")
    ]
    return f"{cls.__name__}({', '.join([*said, f'raw={shown(reading.raw)}'])})"
