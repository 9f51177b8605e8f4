"""Colour wheels on real pseudo-terminals before the station's link: polled in real time, and by themselves."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link
from dealer_drivers.readings import Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from dealer_drivers.transports.factory import make_transport
from hw_sim.scenario import load_scenario
from hw_sim.simulation import running
from support.wired_wheel import DRIVERS

ENOUGH = 40
LONGEST_S = 20.0


@pytest.mark.parametrize("name", ["rainbow", "rainbow-counter"])
async def test_counts_come_through_a_real_port(name: str, tmp_path: Path) -> None:
    (options,) = load_scenario(name).devices
    async with running(name, seed=5, run_dir=tmp_path) as simulation:
        driver, values = DRIVERS[options.driver]  # type: ignore[union-attr]
        parsed = driver.parse_options(values)
        readings: list[Reading] = []
        enough = asyncio.Event()

        def heard(output: Output, at: Instant) -> None:  # noqa: ARG001
            readings.extend(output.readings)
            if len(readings) >= ENOUGH:
                enough.set()

        link = Link(
            make_transport(simulation.ports["wheel"], driver.serial(parsed)),
            driver.session(parsed),
            SystemClock(),
            on_output=heard,
            on_state=lambda _: None,
        )
        task = asyncio.create_task(link.run())
        async with asyncio.timeout(LONGEST_S):
            await enough.wait()
        await link.stop()
        await task
    angles = [reading for reading in readings if isinstance(reading, WheelAngle)]
    assert any(isinstance(reading, IndexMark) for reading in readings)
    assert len(angles) >= ENOUGH / 2
    half = angles[0].wraps_at // 2
    steps = [(b.count - a.count + half) % (2 * half) - half for a, b in itertools.pairwise(angles)]
    assert max(map(abs, steps)) <= 2, "it rests in the first seconds"
    assert link.health.valid_frames > 5 * (link.health.rejected_bytes // 9), "hardly an answer is late"
    wheel_file = simulation.run_dir / "wheel.wheel.toml"
    assert not wheel_file.exists() or "segments" in wheel_file.read_text()
