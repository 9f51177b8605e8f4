"""Carries out one fault of a plan, and puts right what it did."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable, Mapping

from chaos.faults import NETWORK, Fault, Step
from chaos.processes import Kept
from chaos.proxy import Proxy, Weather
from chaos.tables import TABLE_OF
from chaos.world import World

FLOOD_BYTES, FLOOD_EVERY_S = 16384, 0.05
"""A third of a megabyte a second, some hundred times what a serial line carries."""
JUMP_S = 7200.0
"""A clock is put forward or back by so much at most."""
DEVICES = tuple(TABLE_OF)

WEATHER: Mapping[Fault, Weather] = {
    Fault.HALF_OPEN: Weather(swallow_up=True, swallow_down=True),
    Fault.HALF_OPEN_UP: Weather(swallow_up=True),
    Fault.HALF_OPEN_DOWN: Weather(swallow_down=True),
    Fault.DELAY: Weather(delay_s=0.4),
    Fault.THROTTLE: Weather(bytes_per_s=8000),
    Fault.PIECES: Weather(piece=7),
    Fault.LINE_HALF_OPEN: Weather(swallow_down=True),
}


async def inflict(world: World, step: Step) -> bool:
    """Carry out one step; whether it could be done. Ends when it is over and put right."""
    if step.fault in NETWORK:
        return await _network(world.uplink if step.lane == "uplink" else world.downlink, step)
    return await _DOING[step.fault](world, step)


async def _network(proxy: Proxy, step: Step) -> bool:
    if step.fault is Fault.RESET:
        return proxy.reset() > 0
    if step.fault is Fault.CUT:
        proxy.cut()
    else:
        proxy.weather = WEATHER[step.fault]
    await asyncio.sleep(step.for_s)
    proxy.heal()
    return True


def _signal(victim: Callable[[World], Kept], number: signal.Signals) -> Callable[[World, Step], Awaitable[bool]]:
    async def send(world: World, step: Step) -> bool:
        await asyncio.sleep(0)
        del step
        return victim(world).send(number)

    return send


async def _freeze_station(world: World, step: Step) -> bool:
    begin = time.monotonic_ns()
    done = world.station.send(signal.SIGSTOP)
    await asyncio.sleep(step.for_s)
    world.station.send(signal.SIGCONT)
    world.touch(TABLE_OF.values(), begin)
    return done


async def _freeze_broker(world: World, step: Step) -> bool:
    done = world.broker.send(signal.SIGSTOP)
    await asyncio.sleep(step.for_s)
    world.broker.send(signal.SIGCONT)
    return done


async def _refuse(world: World, step: Step) -> bool:
    before = world.observer.refused
    world.observer.refusing = True
    await asyncio.sleep(step.for_s)
    world.observer.refusing = False
    return world.observer.refused > before


async def _disk_full(world: World, step: Step) -> bool:
    begin = time.monotonic_ns()
    done = await world.disk.fill()
    await asyncio.sleep(step.for_s if done else 0)
    await world.disk.heal()
    world.disk_bad.append((begin, time.monotonic_ns()))
    return done


async def _files_full(world: World, step: Step) -> bool:
    """No file of the station may grow: what a full disk does to its log."""
    if (pid := world.station.pid) is None:
        return False
    begin = time.monotonic_ns()
    done = await _limit(pid, "1")
    await asyncio.sleep(step.for_s)
    await _limit(pid, "unlimited")
    world.disk_bad.append((begin, time.monotonic_ns()))
    return done


async def _limit(pid: int, size: str) -> bool:
    child = await asyncio.create_subprocess_exec(
        "prlimit", "--pid", str(pid), f"--fsize={size}:unlimited", stderr=asyncio.subprocess.DEVNULL
    )
    return await child.wait() == 0


async def _read_only(world: World, step: Step) -> bool:
    """The station dies and the disk is read-only when it comes back: it must say so and not run."""
    begin = time.monotonic_ns()
    world.station.may_start.clear()
    world.station.send(signal.SIGKILL)
    async with asyncio.timeout(10):
        while world.station.up.is_set():
            await asyncio.sleep(0.02)
    world.journal.left_alone = True
    world.journal.close()
    done = await world.disk.read_only()
    world.journal.left_alone = False
    world.station.may_start.set()
    await asyncio.sleep(step.for_s if done else 0)
    await world.disk.heal()
    world.disk_bad.append((begin, time.monotonic_ns()))
    return done


def _device(step: Step) -> str:
    return DEVICES[int(step.chance * len(DEVICES))]


async def _unplug(world: World, step: Step) -> bool:
    device, begin = _device(step), time.monotonic_ns()
    await world.sim.unplug(device)
    await asyncio.sleep(step.for_s)
    await world.sim.replug(device)
    world.touch([TABLE_OF[device]], begin)
    return True


async def _power_cycle(world: World, step: Step) -> bool:
    begin = time.monotonic_ns()
    await world.sim.power_cycle(_device(step))
    world.touch([TABLE_OF[_device(step)]], begin)
    return True


async def _hang(world: World, step: Step) -> bool:
    device, begin = _device(step), time.monotonic_ns()
    await world.sim.pause(device)
    await asyncio.sleep(step.for_s)
    await world.sim.resume(device)
    world.touch([TABLE_OF[device]], begin)
    return True


async def _flood(world: World, step: Step) -> bool:
    begin, noise = time.monotonic_ns(), random.Random(step.chance)
    while time.monotonic_ns() - begin < step.for_s * 1e9:
        world.line.inject(noise.randbytes(FLOOD_BYTES))
        await asyncio.sleep(FLOOD_EVERY_S)
    world.touch([TABLE_OF["wheel"]], begin)
    return True


async def _line(world: World, step: Step) -> bool:
    begin = time.monotonic_ns()
    if step.fault is Fault.LINE_CUT:
        world.line.cut()
    else:
        world.line.weather = WEATHER[step.fault]
    await asyncio.sleep(step.for_s)
    world.line.heal()
    world.touch([TABLE_OF["wheel"]], begin)
    return True


async def _clock(world: World, step: Step) -> bool:
    await asyncio.sleep(0)
    world.put_clock(JUMP_S * step.chance * (1 if step.fault is Fault.CLOCK_FORWARD else -1))
    return True


async def _command(world: World, step: Step) -> bool:
    await asyncio.sleep(0)
    return world.speakers.inflict(step.fault, step.chance)


_DOING: Mapping[Fault, Callable[[World, Step], Awaitable[bool]]] = {
    Fault.KILL_STATION: _signal(lambda world: world.station, signal.SIGKILL),
    Fault.STOP_STATION: _signal(lambda world: world.station, signal.SIGTERM),
    Fault.FREEZE_STATION: _freeze_station,
    Fault.KILL_BROKER: _signal(lambda world: world.broker, signal.SIGKILL),
    Fault.FREEZE_BROKER: _freeze_broker,
    Fault.REFUSE: _refuse,
    Fault.KILL_CONSUMER: _signal(lambda world: world.consumers["bank"], signal.SIGKILL),
    Fault.DISK_FULL: _disk_full,
    Fault.FILES_FULL: _files_full,
    Fault.DISK_READ_ONLY: _read_only,
    Fault.UNPLUG: _unplug,
    Fault.POWER_CYCLE: _power_cycle,
    Fault.HANG: _hang,
    Fault.FLOOD: _flood,
    Fault.LINE_CUT: _line,
    Fault.LINE_HALF_OPEN: _line,
    Fault.CLOCK_FORWARD: _clock,
    Fault.CLOCK_BACK: _clock,
    **dict.fromkeys(
        (
            Fault.REPEATED,
            Fault.REORDERED,
            Fault.FORGED_ROLE,
            Fault.WRONG_ROLE,
            Fault.ID_REUSED,
            Fault.OTHER_TABLE,
            Fault.ENDED_ROUND,
            Fault.NO_COMMAND,
        ),
        _command,
    ),
}
