"""A scenario on real ports: each device in its own task, which sleeps until something is due."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any

from hw_sim.adapter import LOOK_S, Port, PtyPort, TcpPort
from hw_sim.device import (
    Action,
    Attended,
    Bytes,
    Captured,
    InSight,
    Pictured,
    SimDevice,
    UnknownWord,
    Watching,
    WithAnswers,
    WithFiles,
)
from hw_sim.faults import Fault
from hw_sim.mjpeg import MjpegPort, Paint
from hw_sim.mqtt import MqttPort, broker_of
from hw_sim.scenario import DeviceOptions, Scenario, build_device, load_scenario, with_broker
from hw_sim.shoe.hidpos_port import CapturedPort
from hw_sim.truth import TruthLog


class UnknownDevice(LookupError):  # noqa: N818
    """The scenario has no device of that name. The text lists those that it has."""


class _Running:
    """One device on its port. Its own seconds pass ``speed`` times as fast as ours, and not at all while paused."""

    def __init__(self, device: SimDevice, options: DeviceOptions, run_dir: Path, speed: float) -> None:
        self.device = device
        self._run_dir = run_dir
        self._waits_for_host = options.wait_for_host
        self.watched: _Running | None = None
        """The device that this one, a camera, looks at."""
        self.port = self._port_of(options)
        self._speed = speed
        self._wake = asyncio.Event()
        self._inbox: list[bytes] = []
        self._base_s = device.now_s
        self._since: float | None = None
        """Our time at ``_base_s``; ``None`` while paused."""

    def _port_of(self, options: DeviceOptions) -> Port:
        """A port of the kind that the options ask for."""
        match options.port:
            case "pty":
                return PtyPort(self._run_dir / options.name, self._received, self._attached)
            case "http":
                return MjpegPort(self._shot, self._attached, fps=options.fps, name=options.name)
            case "mqtt":
                broker, client = broker_of(options.broker), f"hw-sim-{options.name}"
                return MqttPort(
                    self._received,
                    self._attached,
                    broker=broker,
                    base=options.base,
                    client=client,
                    qos=options.qos,
                    retain=options.retain,
                )
            case "umockdev":
                assert isinstance(self.device, Captured)
                return CapturedPort(self.device.usb_port)
            case "tcp":
                return TcpPort(self._received, self._attached)

    async def _shot(self) -> Paint | None:
        """What a camera sees now; nothing while it hangs."""
        assert isinstance(self.device, Pictured)
        if self._since is None:
            return None
        await self.catch_up()
        if self.watched is not None:
            await self.watched.catch_up()
        return self.device.shot()

    def now_s(self) -> float:
        """The device's moment that corresponds to now."""
        if self._since is None:
            return self._base_s
        return self._base_s + (asyncio.get_running_loop().time() - self._since) * self._speed

    def pause(self, paused: bool) -> None:
        """Stops the device's time, or lets it go on."""
        self._base_s = self.now_s()
        self._since = None if paused else asyncio.get_running_loop().time()
        self._wake.set()

    async def run(self) -> None:
        """Carries the device on for ever."""
        if not self._waits_for_host:
            self.pause(False)
        while True:
            await self.catch_up()
            if self._since is not None:
                inbox, self._inbox = self._inbox, []
                for data in inbox:
                    await self._do(self.device.receive(data))
            next_s = self.device.next_s()
            wait_s = math.inf if self._since is None else (next_s - self.now_s()) / self._speed
            if self.port.look():
                wait_s = min(wait_s, LOOK_S)
            if wait_s > 0:
                await self._sleep(wait_s)
            else:
                await asyncio.sleep(0)

    async def _sleep(self, wait_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if wait_s == math.inf else wait_s):
                await self._wake.wait()
        self._wake.clear()

    async def catch_up(self) -> None:
        """Brings the device to the present and its bytes to the port."""
        await self._do(self.device.advance(self.now_s()))

    async def _do(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Bytes):
                self.port.write(action.data)
            elif action.inserted:
                await self.port.plug()
            else:
                self.port.unplug()

    def _received(self, data: bytes) -> None:
        self._inbox.append(data)
        self._wake.set()

    def _attached(self) -> None:
        self.device.attached()
        if self._waits_for_host:
            self._waits_for_host = False
            self.pause(False)
        self._wake.set()

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        self.device.power_cycle()
        self._wake.set()

    def tell(self, word: str) -> None:
        """Says something to the person at the device, now. Raises ``UnknownWord``."""
        if not isinstance(self.device, Attended):
            raise UnknownWord(f"nobody stands at {self.device.name}, a {self.device.model}")
        self.device.tell(word)
        self._wake.set()

    def words(self) -> dict[str, str]:
        """What may be said to that person."""
        return dict(self.device.words()) if isinstance(self.device, Attended) else {}

    async def look(self) -> dict[str, str]:
        """What a person sees at the device, now."""
        await self.catch_up()
        if self.watched is not None:
            await self.watched.catch_up()
        return dict(self.device.look()) if isinstance(self.device, InSight) else {}

    def answers(self) -> Path | None:
        """Writes the answer sheet, where there is one. Raises ``OSError``."""
        sheet = self.device.answers() if isinstance(self.device, WithAnswers) else ""
        if not sheet:
            return None
        path = self._run_dir / f"{self.device.name}.answers.txt"
        path.write_text(sheet, encoding="utf-8")
        return path

    def files(self) -> dict[str, Path]:
        """Writes what the host needs beside the port; by file name, where it is. Raises ``OSError``."""
        if not isinstance(self.device, WithFiles):
            return {}
        written = {}
        for name, contents in self.device.files().items():
            written[name] = self._run_dir / name
            written[name].write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return written


class Simulation:
    """A running scenario. Faults given by name raise ``UnknownFault``, devices ``UnknownDevice``."""

    def __init__(self, scenario: Scenario, *, speed: float, seed: int, run_dir: Path, truth: IO[str] | None) -> None:
        self.task: asyncio.Task[None] | None = None
        """Runs until it is cancelled; ends by itself only with an error."""
        self.seed = seed
        self.run_dir = run_dir
        self.files: dict[str, list[str]] = {}
        """By device name, what a host needs beside the port: a code book."""
        self.answers: dict[str, str] = {}
        """By device name, the sheet of what its technician will see."""
        self._more_truth = asyncio.Event()
        self._truth = TruthLog(truth, self._more_truth.set)
        self._devices: dict[str, _Running] = {}
        for options in scenario.devices:
            others = {name: running.device for name, running in self._devices.items()}
            device = build_device(options, seed, self._truth, others)
            running = _Running(device, options, run_dir, speed)
            if isinstance(device, Watching):
                running.watched = self._devices[device.watches]
            self._devices[options.name] = running

    @property
    def ports(self) -> dict[str, str]:
        """By device name, what a host opens."""
        return {name: running.port.address for name, running in self._devices.items()}

    def describe(self) -> list[dict[str, Any]]:
        """Names, drivers and ports, and what became of the bytes."""
        return [
            {
                "name": name,
                "driver": running.device.driver,
                "model": running.device.model,
                "port": running.port.address,
                "plugged": running.port.plugged,
                "unheard_bytes": running.port.unheard,
                "dropped_bytes": running.port.dropped,
                "files": self.files.get(name, []),
                "answers": self.answers.get(name, ""),
                "run": running.device.run_line(self.run_dir) if isinstance(running.device, Captured) else "",
            }
            for name, running in self._devices.items()
        ]

    def truth(self, *, in_play: bool = False) -> list[dict[str, Any]]:
        """Every finished record so far, in order; with ``in_play`` also those of the throws under way."""
        records = list(self._truth.records)
        if in_play:
            current = (running.device.in_play() for running in self._devices.values())
            records += [record for record in current if record is not None]
        return records

    async def until_truth(self, count: int) -> list[dict[str, Any]]:
        """Waits until there are ``count`` finished records."""
        while len(self._truth.records) < count:
            self._more_truth.clear()
            await self._more_truth.wait()
        return self.truth()

    def inject(self, device: str, fault: str) -> None:
        """The next game of a device gets this fault."""
        self._device(device).device.inject(fault)

    async def tell(self, device: str, word: str) -> None:
        """Says something to the person at a device, now. Raises ``UnknownWord``."""
        running = self._device(device)
        await running.catch_up()
        running.tell(word)

    def words(self, device: str) -> dict[str, str]:
        """What may be said to the person at a device, and what is done then."""
        return self._device(device).words()

    async def look(self, device: str) -> dict[str, str]:
        """What a person sees at a device, now."""
        return await self._device(device).look()

    async def unplug(self, device: str) -> None:
        """Pulls a device's plug, now."""
        running = self._device(device)
        await running.catch_up()
        running.device.plugged(False)
        running.port.unplug()

    async def replug(self, device: str) -> None:
        """Puts a device's plug in again; the port has its old name."""
        running = self._device(device)
        await running.catch_up()
        running.device.plugged(True)
        await running.port.plug()

    async def power_cycle(self, device: str) -> None:
        """A device loses power and gets it back, now."""
        running = self._device(device)
        await running.catch_up()
        running.power_cycle()

    async def pause(self, device: str) -> None:
        """A device hangs: its link is up and nothing comes."""
        running = self._device(device)
        await running.catch_up()
        running.device.note(Fault.STALL)
        running.pause(True)

    async def resume(self, device: str) -> None:
        """A hanging device goes on where it was."""
        self._device(device).pause(False)

    def _device(self, name: str) -> _Running:
        if name not in self._devices:
            raise UnknownDevice(f"no device {name!r}; there are: {', '.join(self._devices)}")
        return self._devices[name]

    async def run(self) -> None:
        """Carries all devices on until cancelled."""
        async with asyncio.TaskGroup() as group:
            for running in self._devices.values():
                group.create_task(running.run())

    async def plug_all(self) -> None:
        """Makes all ports appear, and what a host needs beside them. Raises ``OSError``."""
        for name, running in self._devices.items():
            self.files[name] = [str(path) for path in running.files().values()]
            if (sheet := running.answers()) is not None:
                self.answers[name] = str(sheet)
            await running.port.plug()

    def unplug_all(self) -> None:
        """Removes all ports."""
        for running in self._devices.values():
            running.port.unplug()

    def write_unfinished(self) -> None:
        """Writes the records of what is in play to the truth file."""
        for record in self.truth(in_play=True)[len(self._truth.records) :]:
            self._truth.write(record)


@contextlib.asynccontextmanager
async def running(
    scenario: str | Path | Scenario,
    *,
    speed: float = 1.0,
    seed: int | None = None,
    run_dir: Path | str | None = None,
    truth: Path | str | None = None,
    broker: str | None = None,
) -> AsyncIterator[Simulation]:
    """Runs a scenario for as long as the block lasts.

    ``run_dir`` holds the ptys' names (a temporary folder by default), ``truth`` is a file to append records to,
    ``broker`` the address of the broker for devices on one (by default each knows its own).
    Raises ``ScenarioError`` and ``OSError`` before anything runs.
    """
    loaded = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    if broker is not None:
        loaded = with_broker(loaded, broker)
    seed = next(given for given in (seed, loaded.seed, random.randrange(2**31)) if given is not None)
    with contextlib.ExitStack() as stack:
        if run_dir is None:
            folder = Path(tempfile.mkdtemp(prefix="hw-sim-"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        else:
            folder = Path(run_dir)
            folder.mkdir(parents=True, exist_ok=True)
        file = None if truth is None else stack.enter_context(_appending(Path(truth)))
        simulation = Simulation(loaded, speed=speed, seed=seed, run_dir=folder, truth=file)
        try:
            await simulation.plug_all()
            simulation.task = asyncio.create_task(simulation.run(), name="hw-sim")
            yield simulation
        finally:
            await _stop(simulation)


def _appending(path: Path) -> IO[str]:
    return path.open("a", encoding="utf-8")


async def _stop(simulation: Simulation) -> None:
    """Ends the tasks, then the ports. Raises what a task died of."""
    try:
        if simulation.task is not None:
            simulation.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await simulation.task
    finally:
        simulation.write_unfinished()
        simulation.unplug_all()
        await asyncio.sleep(0)  # lets closed connections end
