"""The table's shaker in the bench's hands beside the camera: it shakes when the guide wants it to."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Protocol

from dealer_calibration.bench import BenchCommand, BenchError, BenchLink, device_of, taken
from dealer_calibration.cli.exit_codes import NO
from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking

SHAKES_S = 30.0
"""Longer than any cycle: then it does not say that it stands."""


class Shaker(Protocol):
    """Shakes, or asks a person to."""

    async def shake(self) -> None:
        """Once; back when it stands. Raises ``BenchError``."""
        ...


class BenchShaker:
    """The shaker behind a link."""

    def __init__(self, link: BenchLink) -> None:
        self._link = link

    async def shake(self) -> None:
        """See ``Shaker``."""
        link, name = self._link, self._link.device.name
        await link.up()
        # What it said before says nothing of this shake.
        while await link.next(within_s=0.0) is not None:
            pass
        if not await link.request(DeviceAction.START_SHAKE):
            raise BenchError(f"{name} cannot be started now: look at the shaker, or shake by its button", NO)
        until_ns = link.clock.now().plus_s(SHAKES_S).mono_ns
        shaking: int | None = None
        while (left_s := (until_ns - link.clock.now().mono_ns) / 1e9) > 0:
            seen = await link.next(within_s=left_s)
            for reading in () if seen is None else seen.readings:
                match reading:
                    case ShakerShaking(cycle=cycle):
                        shaking = cycle
                    case ShakerIdle(cycle=cycle) if shaking is not None and cycle >= shaking:
                        return
                    case ShakerFaulted():
                        raise BenchError(f"{name} says that its motor failed: look at the shaker", NO)
                    case _:
                        pass
        raise BenchError(f"{name} was told to shake and did not say within {SHAKES_S:g} s that it did and stands", NO)


@contextlib.asynccontextmanager
async def shaker_taken(command: BenchCommand, name: str | None) -> AsyncIterator[Shaker | None]:
    """The shaker of that name in the bench's hands; ``None`` where a person shakes. Raises ``BenchError``."""
    if name is None:
        yield None
        return
    arguments, camera = command.arguments, command.device
    device = device_of(camera.config_path, camera.table, name, calibrated=False)
    options = device.ready_options()
    if DeviceAction.START_SHAKE not in device.driver.actions(options):
        raise BenchError(
            f"--shaker {name}: its driver {device.driver.name} may not start it: set control = true where it can, or "
            "shake by hand"
        )
    how = {"by": arguments.by, "wait_s": arguments.wait, "resume": command.resumes, "say": command.talk.say}
    async with taken(device, clock=SystemClock(arguments.speed), **how) as link:
        yield BenchShaker(link)
