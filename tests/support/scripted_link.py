"""A scripted transport, an echoing session and a bench with a supervised link, on a clock that the test moves."""
# ruff: noqa: ARG002 - the fakes take what a session and a recorder are given

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from dealer_drivers.clock import ManualClock
from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.errors import (
    DeviceError,
    LinkLost,
    PortAbsent,
)
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading

START = Instant(10**12, 10**18)
ABSENT = PortAbsent("port wheel is not there")


class ScriptedChannel:
    """Gives what the test puts in."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[bytes | DeviceError] = asyncio.Queue()
        self.written: list[bytes] = []
        self.broken: LinkLost | None = None
        self.closed = 0

    async def read(self) -> bytes:
        item = await self.incoming.get()
        if isinstance(item, DeviceError):
            self.incoming.put_nowait(item)
            raise item
        return item

    async def write(self, data: bytes) -> None:
        if self.broken is not None:
            self.incoming.put_nowait(self.broken)
            raise self.broken
        self.written.append(data)

    async def close(self) -> None:
        self.closed += 1


class ScriptedTransport:
    """Opens as the script says; behind its end it waits for ever, as a slow connection would."""

    name = "wheel"
    hint = "is the speed right?"
    warning = None

    def __init__(self, clock: ManualClock, *script: DeviceError | ScriptedChannel) -> None:
        self._clock = clock
        self._script = list(script)
        self.opened_after_s: list[float] = []

    async def open(self) -> ScriptedChannel:
        self.opened_after_s.append(self._clock.now().since_s(START))
        if not self._script:
            await asyncio.Event().wait()
        step = self._script.pop(0)
        if isinstance(step, DeviceError):
            raise step
        return step


@dataclass
class Echo:
    """A session that notes its calls, reads every chunk as one frame, and answers ``q`` with ``a``."""

    calls: list[str] = field(default_factory=list)
    due_ns: int | None = None
    due_again_after_s: float | None = None
    greeting: tuple[bytes, ...] = ()

    def opened(self, at: Instant) -> Output:
        self.calls.append("opened")
        return Output(send=self.greeting)

    def feed(self, data: bytes, at: Instant) -> Output:
        self.calls.append(f"feed {data!r} at {at.since_s(START):g}")
        readings = (DeviceNotice(at=at, raw=data, notice=data.decode(), detail=""),)
        return Output(readings=readings, send=(b"a",) if data == b"q" else (), frames=1)

    def lost(self, at: Instant, reason: str) -> Output:
        self.calls.append(f"lost {reason}")
        self.due_ns = None
        return NOTHING

    def tick(self, at: Instant) -> Output:
        self.calls.append(f"tick at {at.since_s(START):g}")
        self.due_ns = None if self.due_again_after_s is None else at.plus_s(self.due_again_after_s).mono_ns
        return NOTHING

    def request(self, action: DeviceAction, at: Instant) -> Output:
        self.calls.append(f"request {action}")
        return Output(send=(b"*R",)) if action is DeviceAction.ACKNOWLEDGE_VOID else NOTHING

    def deadline_ns(self) -> int | None:
        return self.due_ns


@dataclass
class Notes:
    """A recorder that keeps words."""

    lines: list[str] = field(default_factory=list)

    def rx(self, data: bytes, at: Instant) -> None:
        self.lines.append(f"rx {data!r}")

    def tx(self, data: bytes, at: Instant) -> None:
        self.lines.append(f"tx {data!r}")

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        self.lines.append(f"{event}: {reason}")


class Bench:
    """One link with everything round it. Conditions are waited for, never slept for."""

    def __init__(self) -> None:
        self.clock = ManualClock(START)
        self.session = Echo()
        self.notes = Notes()
        self.outputs: list[tuple[Output, float]] = []
        self.states: list[LinkState] = []
        self.then: Callable[[], None] = lambda: None
        self.fails: Exception | None = None
        self._changed = asyncio.Event()

    def connect(self, *script: DeviceError | ScriptedChannel) -> None:
        self.transport = ScriptedTransport(self.clock, *script)
        self.link = Link(
            self.transport,
            self.session,
            self.clock,
            on_output=self._on_output,
            on_state=self._on_state,
            recorder=self.notes,
        )
        self.task = asyncio.create_task(self.link.run())

    def _on_output(self, output: Output, at: Instant) -> None:
        self.outputs.append((output, at.since_s(START)))
        self._changed.set()
        self.then()
        if self.fails is not None:
            raise self.fails

    def _on_state(self, state: LinkState) -> None:
        self.states.append(state)
        self._changed.set()

    @property
    def readings(self) -> list[Reading]:
        return [reading for output, _ in self.outputs for reading in output.readings]

    @property
    def said(self) -> list[str]:
        words = []
        for reading in self.readings:
            match reading:
                case DeviceNotice(notice=notice):
                    words.append(notice)
                case DeviceFault(fault=fault, cleared=cleared):
                    words.append(f"{fault} cleared" if cleared else fault)
        return words

    @property
    def state_names(self) -> list[str]:
        return [state.state for state in self.states]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for outputs and states until ``condition``; ten seconds are for ever."""
        async with asyncio.timeout(10):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_state(self, state: str) -> None:
        await self.until(lambda: self.link.state.state == state)

    async def until_said(self, *words: str) -> None:
        await self.until(lambda: self.said[-len(words) :] == list(words))

    async def until_armed(self, seconds: float | None) -> None:
        """Waits until the link sleeps for that moment and no other; ``None``: for none."""
        expected = [] if seconds is None else [START.plus_s(seconds).mono_ns]
        async with asyncio.timeout(10):
            while self.clock.deadlines_ns() != expected:
                await asyncio.sleep(0)

    async def wait_out(self) -> float:
        """Moves the clock to the next moment that something waits for; answers the seconds it took."""
        async with asyncio.timeout(10):
            deadline_ns = await self.clock.next_deadline_ns()
        waited_s = (deadline_ns - self.clock.now().mono_ns) / 1e9
        self.clock.advance_to(deadline_ns)
        return waited_s
