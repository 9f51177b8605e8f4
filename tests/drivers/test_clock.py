"""Clocks tell the time and wait for it."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from dealer_drivers.clock import ManualClock, SystemClock
from dealer_drivers.instant import NS_PER_S, Instant


async def test_the_system_clock_is_the_hosts() -> None:
    before = Instant(time.monotonic_ns(), time.time_ns())
    now = SystemClock().now()
    after = Instant(time.monotonic_ns(), time.time_ns())
    assert before.mono_ns <= now.mono_ns <= after.mono_ns
    assert before.wall_ns <= now.wall_ns <= after.wall_ns


async def test_a_fast_clock_shows_and_waits_faster_on_both_clocks() -> None:
    clock = SystemClock(speed=50)
    began, real_ns = clock.now(), time.monotonic_ns()
    await clock.sleep_until(began.plus_s(2).mono_ns)
    took_s = (time.monotonic_ns() - real_ns) / NS_PER_S
    ended = clock.now()
    assert ended.mono_ns >= began.plus_s(2).mono_ns
    assert ended.mono_ns - began.mono_ns == ended.wall_ns - began.wall_ns
    assert 0.04 <= took_s < 1.5, "two seconds at speed 50 are 40 ms"


async def test_a_slow_clock_waits_longer() -> None:
    clock = SystemClock(speed=0.5)
    real_ns = time.monotonic_ns()
    await clock.sleep_until(clock.now().plus_s(0.02).mono_ns)
    assert (time.monotonic_ns() - real_ns) / NS_PER_S >= 0.04


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()])
async def test_waiting_for_the_past_lets_others_run(clock: SystemClock | ManualClock) -> None:
    ran: list[int] = []
    asyncio.get_running_loop().call_soon(ran.append, 1)
    await clock.sleep_until(clock.now().mono_ns)
    assert ran == [1]


@pytest.mark.parametrize("speed", [0, -1, math.inf, math.nan])
def test_a_clock_that_cannot_be_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        SystemClock(speed)


async def test_a_manual_clock_stands_still_and_wakes_whom_it_passes_in_order() -> None:
    clock = ManualClock(Instant(100, 7_000))
    woken: list[int] = []

    async def sleeper(mono_ns: int) -> None:
        await clock.sleep_until(mono_ns)
        assert clock.now().mono_ns >= mono_ns
        woken.append(mono_ns)

    tasks = [asyncio.create_task(sleeper(mono_ns)) for mono_ns in (300, 200, 400)]
    assert await clock.next_deadline_ns() == 200
    clock.advance_to(299)
    assert clock.now() == Instant(299, 7_199)
    await tasks[1]
    assert woken == [200]
    assert await clock.next_deadline_ns() == 300
    clock.advance_s(1)
    await asyncio.gather(*tasks)
    assert woken == [200, 300, 400]


async def test_a_cancelled_sleeper_is_no_deadline() -> None:
    clock = ManualClock()
    first = asyncio.create_task(clock.sleep_until(100))
    second = asyncio.create_task(clock.sleep_until(200))
    await clock.next_deadline_ns()
    await asyncio.sleep(0)
    first.cancel()
    assert await clock.next_deadline_ns() == 200
    clock.advance_to(200)
    await second


async def test_a_manual_clock_does_not_go_back() -> None:
    clock = ManualClock(Instant(100, 100))
    with pytest.raises(ValueError, match="go back"):
        clock.advance_to(99)
    assert clock.now() == Instant(100, 100)
