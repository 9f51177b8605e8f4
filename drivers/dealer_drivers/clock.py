"""The clocks that supervised links and the daemon live by. Sessions and rounds see only ``Instant``s."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Protocol

from dealer_drivers.instant import NS_PER_S, Instant


class Clock(Protocol):
    """Tells the time and waits for it."""

    @property
    def speed(self) -> float:
        """How many times faster than the host's clocks it runs."""
        ...

    def now(self) -> Instant:
        """This moment on both clocks."""
        ...

    async def sleep_until(self, mono_ns: int) -> None:
        """Returns at or after ``mono_ns`` on the monotonic clock. Lets other tasks run even if that is past."""
        ...


class SystemClock:
    """The host's clocks. With ``speed`` other than 1 both run that many times faster from the clock's creation.

    At speed 1 the wall clock is the host's own, jumps included. Faster clocks are for simulated devices, and
    their wall clock never jumps. Raises ``ValueError`` unless ``speed`` is a positive finite number.
    """

    def __init__(self, speed: float = 1.0) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise ValueError(f"a clock's speed is a positive number, not {speed}")
        self.speed = speed
        self._began = Instant(time.monotonic_ns(), time.time_ns())

    def now(self) -> Instant:
        """This moment on both clocks."""
        if self.speed == 1:
            return Instant(time.monotonic_ns(), time.time_ns())
        elapsed_ns = round((time.monotonic_ns() - self._began.mono_ns) * self.speed)
        return Instant(self._began.mono_ns + elapsed_ns, self._began.wall_ns + elapsed_ns)

    async def sleep_until(self, mono_ns: int) -> None:
        """Returns at or after ``mono_ns`` on this clock."""
        await asyncio.sleep(0)
        # The event loop may wake a sleeper a hair early (its own clock resolution): look again.
        while (left_ns := mono_ns - self.now().mono_ns) > 0:  # noqa: ASYNC110 - nobody signals the passing of time
            await asyncio.sleep(left_ns / NS_PER_S / self.speed)


class ManualClock:
    """A clock that stands still until somebody moves it: for tests and for replays.

    ``next_deadline_ns`` waits until some task sleeps on it, so a test can move time exactly when the code under
    test has come to rest, without guessing how long that takes.
    """

    speed = 1.0

    def __init__(self, start: Instant | None = None) -> None:
        self._now = start or Instant(0, 0)
        self._sleepers: list[tuple[int, asyncio.Future[None]]] = []
        self._watchers: list[asyncio.Future[None]] = []

    def now(self) -> Instant:
        """The moment it stands at."""
        return self._now

    async def sleep_until(self, mono_ns: int) -> None:
        """Returns once the clock was moved to ``mono_ns`` or beyond."""
        if mono_ns <= self._now.mono_ns:
            await asyncio.sleep(0)
            return
        sleeper = (mono_ns, asyncio.get_running_loop().create_future())
        self._sleepers.append(sleeper)
        _wake(self._watchers)
        self._watchers.clear()
        try:
            await sleeper[1]
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)

    def deadlines_ns(self) -> list[int]:
        """The moments that tasks sleep for, earliest first."""
        return sorted(mono_ns for mono_ns, sleeper in self._sleepers if not sleeper.done())

    async def next_deadline_ns(self) -> int:
        """The earliest moment that a task sleeps for; waits until there is one."""
        while not (waiting := self.deadlines_ns()):
            watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._watchers.append(watcher)
            await watcher
        return waiting[0]

    def advance_to(self, mono_ns: int) -> None:
        """Moves both clocks forward until the monotonic one shows ``mono_ns``, and wakes who slept for it.

        Raises ``ValueError`` if that is in the past: the monotonic clock never goes back.
        """
        step_ns = mono_ns - self._now.mono_ns
        if step_ns < 0:
            raise ValueError(f"the monotonic clock cannot go back by {-step_ns} ns")
        self._now = Instant(mono_ns, self._now.wall_ns + step_ns)
        due = sorted((sleeper for sleeper in self._sleepers if sleeper[0] <= mono_ns), key=lambda sleeper: sleeper[0])
        self._sleepers = [sleeper for sleeper in self._sleepers if sleeper[0] > mono_ns]
        _wake([waiter for _, waiter in due])

    def advance_s(self, seconds: float) -> None:
        """Moves both clocks forward by ``seconds``, and wakes who slept for it."""
        self.advance_to(self._now.mono_ns + round(seconds * NS_PER_S))


def _wake(waiters: list[asyncio.Future[None]]) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(None)
