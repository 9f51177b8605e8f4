"""A device in the bench's hands where no station runs: what it says, one bench at a time, and its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dealer_calibration.bench import BenchError, device_of, taken
from dealer_drivers.clock import SystemClock
from dealer_drivers.instant import Instant
from hw_sim.simulation import running
from support.bench import wheel_config

SPEED = 25.0


class Tap:
    def __init__(self) -> None:
        self.data = b""
        self.events: list[str] = []

    def rx(self, data: bytes, at: Instant) -> None:
        del at
        self.data += data

    def tx(self, data: bytes, at: Instant) -> None: ...

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        del at, reason
        self.events.append(event)


async def test_everything_that_the_wheel_says_comes_in_order(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as sim:
        device = device_of(wheel_config(tmp_path, sim.ports["wheel"]), "r1", "wheel")
        tap = Tap()
        async with taken(device, by="Li", clock=SystemClock(SPEED)) as link:
            with link.tap(tap):
                await link.up()
                times = []
                async for seen in link:
                    times.append(seen.at.mono_ns)
                    if link.health.valid_frames >= 20:
                        break
            assert times == sorted(times)
            assert link.health.bytes_in == len(tap.data) > 0
            assert [state.state for state in link.states] == ["opening", "up"]
        # Given back: the port can be opened again at once.
        async with taken(device, by="Li", clock=SystemClock(SPEED)) as again:
            await again.up()


async def test_a_port_that_is_not_there_is_said(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, str(tmp_path / "no-wheel")), "r1", "wheel")
    async with taken(device, by="Li") as link:
        with pytest.raises(BenchError, match="is not there") as caught:
            await link.up(within_s=0.2)
    assert caught.value.code == 3


async def test_a_second_bench_is_refused_and_the_first_one_named(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, str(tmp_path / "no-wheel")), "r1", "wheel")
    async with taken(device, by="Li"):
        with pytest.raises(BenchError, match="another bench, process") as caught:
            async with taken(device, by="Chan"):
                pytest.fail("two benches at once")
        assert caught.value.code == 1
    async with taken(device, by="Chan"):
        pass


async def test_nothing_is_left_when_a_command_fails_in_the_middle(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as sim:
        device = device_of(wheel_config(tmp_path, sim.ports["wheel"]), "r1", "wheel")

        async def fail() -> None:
            async with taken(device, by="Li", clock=SystemClock(SPEED)) as link:
                await link.up()
                raise RuntimeError("in the middle")

        with pytest.raises(RuntimeError, match="in the middle"):
            await fail()
        assert not [task for task in asyncio.all_tasks() if "wheel" in task.get_name()]
        async with taken(device, by="Li", clock=SystemClock(SPEED)) as link:
            await link.up()


async def test_waiting_for_an_output_ends_in_time(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, str(tmp_path / "no-wheel")), "r1", "wheel")
    async with taken(device, by="Li", clock=SystemClock(100)) as link:
        seen = await link.next(within_s=5)
        assert seen is not None
        assert str(getattr(seen.readings[0], "fault", "")) == "link_refused"
        assert await link.next(within_s=1) is None
