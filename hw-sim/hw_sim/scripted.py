"""A device whose life is a script: a generator that yields the moment at which it wants to go on. Pure.

The device is stepped by time and answers with what it sent. How time is cut into steps changes nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from hw_sim.faults import Fault

Script: TypeAlias = Generator[float, None, "Script | None"]
"""Yields when to go on, in seconds; returns the script that follows, if any."""
Wait: TypeAlias = Generator[float, None, None]


@dataclass(frozen=True, slots=True)
class Line:
    """Bytes the device sent in one go, terminator included."""

    at_s: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Cue:
    """A fault outside the device itself (wire, plug, power) is due now."""

    at_s: float
    fault: Fault


class Scripted(ABC):
    """The clock and the running script; what else happens at its own time comes from ``_other_s``."""

    def __init__(self, rng: Random) -> None:
        self.now_s = 0.0
        self._rng = rng
        self._out: list[Line | Cue] = []
        self._script: Script = self._first_script()
        self._wake_s = 0.0

    @abstractmethod
    def _first_script(self) -> Script:
        """What the device does from the moment it exists."""

    @abstractmethod
    def _other_s(self) -> float:
        """The moment of the next thing that is not the script's."""

    @abstractmethod
    def _do_other(self) -> None:
        """Does that thing, now."""

    def next_s(self) -> float:
        """The moment of the next thing to happen; ``math.inf`` when only a command can bring it."""
        return min(self._wake_s, self._other_s())

    def advance(self, to_s: float) -> list[Line | Cue]:
        """Goes on to a moment. What was sent until then, in order."""
        while (at_s := self.next_s()) <= to_s:
            self.now_s = max(self.now_s, at_s)
            if at_s >= self._wake_s:  # the script first, so that a line of the same moment shows what it changed
                self._resume()
            else:
                self._do_other()
        self.now_s = max(self.now_s, to_s)
        out, self._out = self._out, []
        return out

    def step(self, dt_s: float) -> bytes:
        """Goes on by ``dt_s``; the bytes sent."""
        return b"".join(item.data for item in self.advance(self.now_s + dt_s) if isinstance(item, Line))

    def wake(self) -> None:
        """A command changed something the script may wait for."""
        self._wake_s = min(self._wake_s, self.now_s)

    def _resume(self) -> None:
        try:
            self._wake_s = next(self._script)
        except StopIteration as end:
            self._begin(end.value)

    def _begin(self, script: Script) -> None:
        self._script = script
        self._wake_s = self.now_s

    def _until(self, at_s: float, cut: Callable[[], bool] = lambda: False) -> Wait:
        while self.now_s < at_s and not cut():
            yield at_s

    def _for(self, least_s: float, most_s: float, cut: Callable[[], bool] = lambda: False) -> Wait:
        yield from self._until(self.now_s + self._rng.uniform(least_s, most_s), cut)

    def _ever(self, cut: Callable[[], bool]) -> Wait:
        yield from self._until(math.inf, cut)

    def _send(self, text: str) -> None:
        self._out.append(Line(self.now_s, text.encode("ascii") + b"\r\n"))
