"""A guided command before a simulated device in virtual time: no port, no clock, and a technician made of code."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dealer_calibration.bench import BenchCommand, BenchDevice, Result, Seen, Talk, device_of
from dealer_calibration.cli import build_parser
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.recording import Recorder
from dealer_drivers.supervised import SupervisedSession
from hw_sim.device import Bytes, SimDevice
from support.turns import at


class VirtualLink:
    """Stands in for ``BenchLink``: time goes on only while somebody waits for the device."""

    def __init__(self, device: BenchDevice, sim: SimDevice) -> None:
        self.device, self.sim = device, sim
        self.state = SimpleNamespace(state="up", reason="")
        self._session = SupervisedSession(device.driver.session(device.ready_options()), "port", "wrong speed?")
        self._seen: deque[Seen] = deque()
        self._recorders: list[Recorder] = []
        self.garble: Callable[[bytes], bytes] = lambda data: data
        """What the line makes of the device's bytes."""
        self.clock = SimpleNamespace(now=self._now)

    @property
    def health(self) -> Any:
        return self._session.health

    def _now(self) -> Instant:
        return at(self.sim.now_s)

    async def up(self, within_s: float = 10.0) -> None:
        del within_s
        self._take(self._session.opened(self._now()))

    async def next(self, within_s: float | None = None) -> Seen | None:
        end_s = self.sim.now_s + (within_s if within_s is not None else 1e6)
        while not self._seen and self.sim.now_s < end_s:
            self.run_to(end_s)
        return self._seen.popleft() if self._seen else None

    def run(self, seconds: float) -> None:
        """Time goes on while nobody listens."""
        end_s = self.sim.now_s + seconds
        while self.sim.now_s < end_s:
            self.run_to(end_s)

    def run_to(self, end_s: float) -> None:
        """To the next thing that happens, ``end_s`` at the latest."""
        deadline_ns = self._session.deadline_ns()
        times = [self.sim.next_s(), end_s, *([] if deadline_ns is None else [deadline_ns / 1e9])]
        self._do(self.sim.advance(max(self.sim.now_s, min(times))))
        self._take(self._session.tick(self._now()))

    def request(self, action: DeviceAction) -> asyncio.Future[bool]:
        output = self._session.request(action, self._now())
        self._take(output)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        answer.set_result(bool(output.send))
        return answer

    @contextlib.contextmanager
    def tap(self, recorder: Recorder) -> Iterator[None]:
        self._recorders.append(recorder)
        yield
        self._recorders.remove(recorder)

    def _do(self, actions: Any) -> None:
        for action in actions:
            if isinstance(action, Bytes):
                data = self.garble(action.data)
                for recorder in self._recorders:
                    recorder.rx(data, self._now())
                self._take(self._session.received(data, self._now()))

    def _take(self, output: Output) -> None:
        if output.readings or output.frames or output.rejected:
            self._seen.append(Seen(output.readings, self._now(), output.frames, output.rejected))
        for data in output.send:
            self._do(self.sim.receive(data))


class Person(Talk):
    """A talk with a technician made of code. ``hears`` gets what is said, ``answers`` each question's key."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.leaves_at: int | None = None
        """Presses Ctrl-C at this question."""
        self.link: VirtualLink

    def step(self, text: str) -> None:
        self.said.append(text)
        self.hears(text)

    def say(self, text: str, *, warn: bool = False) -> None:
        del warn
        self.step(text)

    def hears(self, text: str) -> None:
        """Does what is said."""

    def answers(self, key: str, prompt: str) -> str:
        """What is typed."""
        raise NotImplementedError

    async def _read(self, prompt: str, key: str) -> str:
        self.asked.append(key)
        if self.leaves_at == len(self.asked) - 1:
            raise KeyboardInterrupt
        return self.answers(key, prompt)


@dataclass(frozen=True, slots=True)
class VirtualCommand(BenchCommand):
    """A command whose device is the simulated one."""

    sim: SimDevice
    made: list[VirtualLink]
    spoil: Callable[[VirtualLink], None]

    @contextlib.asynccontextmanager
    async def taken(self) -> AsyncIterator[Any]:  # type: ignore[override]
        link = VirtualLink(self.device, self.sim)
        self.spoil(link)
        self.made.append(link)
        assert isinstance(self.talk, Person)
        self.talk.link = link
        yield link


def virtual(
    body: Callable[[BenchCommand], Awaitable[Result]],
    words: list[str],
    config: Path,
    sim: SimDevice,
    person: Person,
    spoil: Callable[[VirtualLink], None] = lambda _: None,
) -> Result:
    """One run of a guided command, its options as typed."""
    arguments: argparse.Namespace = build_parser().parse_args(words)
    device = device_of(config, arguments.table, arguments.device, calibrated=False)
    command = VirtualCommand(device, person, arguments, sim, [], spoil)
    runner = body(command)
    assert asyncio.iscoroutine(runner)
    return asyncio.run(runner)  # type: ignore[no-any-return]
