"""Whether the table may speak: what holds it, for all parts of its uplink at once.

While it is not known whether this journal is the newest, nothing is said but that the table is there. When something
holds it, the retained topics say what, and commands are refused with that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.retained import RetainedTopics

LOOKED_WITHIN_S = 6.0
"""How long a command waits for the look at what the broker keeps: a little longer than a slow one is waited for."""


class Gate(Protocol):
    """What is needed of the publisher."""

    def hold(self, problem: Problem, *, passing: bool = False) -> None:
        """See ``Publisher.hold``."""
        ...

    def release(self, code: str) -> bool:
        """See ``Publisher.release``."""
        ...


class Voice:
    """See the module. ``changed`` is called before anything goes out that follows from what holds the table now."""

    def __init__(self, publisher: Gate, retained: RetainedTopics, changed: Callable[[], None]) -> None:
        self._publisher = publisher
        self._retained = retained
        self._changed = changed
        self._held: dict[str, Problem] = {}
        self._passing: set[str] = set()
        self._decided = asyncio.Event()
        self._decided.set()

    @property
    def held(self) -> Problem | None:
        """What holds the table; ``None`` while nothing does, or nothing that is known yet. The first one stays."""
        return next((problem for code, problem in self._held.items() if code not in self._passing), None)

    def hold(self, problem: Problem, *, passing: bool = False) -> None:
        """Part of ``Gate``. ``passing``: whether anything holds the table is being found out."""
        before = self.held
        self._held[problem.code] = problem
        self._passing.discard(problem.code)
        if passing:
            self._passing.add(problem.code)
        self._publisher.hold(problem, passing=passing)
        self._follow(before)

    def release(self, code: str) -> bool:
        """Part of ``Gate``."""
        before = self.held
        self._passing.discard(code)
        self._held.pop(code, None)
        self._follow(before)
        return self._publisher.release(code)

    async def decided(self, timeout_s: float = LOOKED_WITHIN_S) -> bool:
        """Waits until it is known whether anything holds the table. Says whether it is."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._decided.wait()
        except TimeoutError:
            return False
        return self.held is not None or not self._passing

    def close(self) -> None:
        """Whoever waits is told what is known."""
        self._decided.set()

    def _follow(self, before: Problem | None) -> None:
        if self.held != before:
            self._changed()
        if self.held is None and self._passing:
            self._decided.clear()
            self._retained.shut()
        else:
            self._decided.set()
            self._retained.open()
