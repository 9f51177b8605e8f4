"""Tries of a secret are slowed, the longer the more went wrong, and nobody is locked out for good. Pure: time is an
argument, in seconds of a clock that only goes on.

Three counts keep a try back, each with its own limit: of one name from one address, of the name from anywhere, of the
address with whatever name. So who tries names all over the network holds up the person at the table for seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

FORGOTTEN_S = 900.0
"""After so long without a wrong try a count begins anew."""
MOST_KEPT = 10_000
"""Counts; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Pace:
    """``free`` wrong tries, then 1, 2, 4 … seconds, at most ``longest_s``."""

    free: int
    longest_s: float

    def wait_s(self, wrong: int) -> float:
        """After so many wrong tries."""
        return 0.0 if wrong < self.free else float(min(self.longest_s, 2.0 ** min(wrong - self.free, 30)))


BOTH = Pace(3, 60.0)
NAME = Pace(10, 15.0)
ADDRESS = Pace(10, 30.0)


@dataclass(slots=True)
class _Count:
    pace: Pace
    wrong: int = 0
    at: float = 0.0

    def left_s(self, now: float) -> float:
        return self.at + self.pace.wait_s(self.wrong) - now if self.wrong else 0.0


class Slower:
    """See the module."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Count] = {}

    def wait_s(self, name: str, address: str, now: float) -> float:
        """How long until the next try is looked at; 0 for at once."""
        kept = [self._counts[key] for key, _ in _keys(name, address) if key in self._counts]
        return max(0.0, *(count.left_s(now) for count in kept if now - count.at < FORGOTTEN_S), 0.0)

    def wrong(self, name: str, address: str, now: float) -> int:
        """A try went wrong. Answers how many did of this name from this address."""
        for key, pace in _keys(name, address):
            count = self._counts.pop(key, None)
            if count is None or now - count.at >= FORGOTTEN_S:
                count = _Count(pace)
            count.wrong, count.at = count.wrong + 1, now
            self._counts[key] = count  # the newest stands last
        while len(self._counts) > MOST_KEPT:
            del self._counts[next(iter(self._counts))]
        return self._counts[("both", f"{name}\n{address}")].wrong

    def right(self, name: str, address: str) -> None:
        """It was the person: what went wrong under the name here was a slip. The address keeps its count, or one known
        password would pay for tries of all others."""
        self._counts.pop(("both", f"{name}\n{address}"), None)


def _keys(name: str, address: str) -> Iterator[tuple[tuple[str, str], Pace]]:
    yield ("both", f"{name}\n{address}"), BOTH
    yield ("name", name), NAME
    yield ("address", address), ADDRESS
