"""A supervised connection: opens a transport, feeds a session, keeps its time, sends its bytes, and opens again.

Everything a device and its connection have to say comes out as one stream of outputs, in order; what the connection
is doing comes out as states. The link knows no device and decides nothing about what was seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from dealer_drivers.clock import Clock
from dealer_drivers.driver import NOTHING, DeviceAction, Output, Session
from dealer_drivers.errors import DeviceError, FixConfigError, GiveUpError, Lent, LinkLost, PortAbsent
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import Recorder
from dealer_drivers.supervised import LinkHealth, SupervisedSession
from dealer_drivers.transports.base import Channel, Transport

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 10.0
STEADY_AFTER_S = 10.0
"""A link that lasted this long was a good one: the next wait starts short again."""
TICK_FLOOR_NS = NS_PER_S // 10
"""Least time between two ticks for a deadline that does not move: a faulty session must not spin the event loop."""

T = TypeVar("T")
StateName = Literal["opening", "up", "waiting", "stopped", "given_up"]


@dataclass(frozen=True, slots=True)
class LinkState:
    """What the connection is doing.

    ``opening`` before the first attempt has ended, ``up``, ``waiting`` to try again, ``stopped`` by the station or by
    an error above it, ``given_up`` because trying again changes nothing. ``reason`` is a sentence for a person.
    """

    state: StateName
    reason: str
    since: Instant


class BackOff:
    """Seconds to wait before each attempt: 0.25, doubling, at most 10."""

    def __init__(self) -> None:
        self._next_s = FIRST_WAIT_S

    def next_s(self) -> float:
        """The wait before the next attempt."""
        wait_s = self._next_s
        self._next_s = min(2 * wait_s, LONGEST_WAIT_S)
        return wait_s

    def reset(self) -> None:
        """The next wait is the first again."""
        self._next_s = FIRST_WAIT_S


class Link:
    """The connection of ``session`` over ``transport``, for one life of the station.

    ``on_output`` gets every output that holds anything, with its moment; it is called from the link's own task, before
    the output's bytes are sent, and never twice at once. ``on_state`` gets each change of state once. What either of
    them raises ends ``run`` with that error. ``recorder`` is told every byte.
    """

    def __init__(
        self,
        transport: Transport,
        session: Session,
        clock: Clock,
        *,
        on_output: Callable[[Output, Instant], None],
        on_state: Callable[[LinkState], None],
        recorder: Recorder | None = None,
    ) -> None:
        self.state = LinkState("opening", "", clock.now())
        self._transport = transport
        self._session = SupervisedSession(session, transport.name, transport.hint)
        self._clock = clock
        self._on_output = on_output
        self._on_state = on_state
        self._recorder = recorder
        self._back_off = BackOff()
        self._requests: deque[tuple[DeviceAction, asyncio.Future[bool]]] = deque()
        self._wanted: asyncio.Future[None]
        self._up = False
        self._no_tick_before_ns = 0
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._busy_since_s: float | None = None

    @property
    def health(self) -> LinkHealth:
        """Counts and times so far."""
        return self._session.health

    @property
    def busy_s(self) -> float:
        """For how many seconds of real time it has been opening, writing or closing; 0 while it waits for its device or
        for the next attempt."""
        since_s = self._busy_since_s
        return 0.0 if since_s is None else asyncio.get_running_loop().time() - since_s

    async def run(self) -> None:
        """Keeps the connection until ``stop``, or until a ``GiveUpError`` (a recording's end, say) which only changes
        the state. Raises what ``on_output`` or ``on_state`` raised, and ``RuntimeError`` when called twice."""
        if self._task is not None:
            raise RuntimeError("a link runs once: make another")
        if self._stopping.is_set():
            return
        self._task = asyncio.create_task(self._supervise(), name=f"link {self._transport.name}")
        try:
            await self._task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if not self._stopping.is_set() or (own is not None and own.cancelling()):
                raise

    async def stop(self) -> None:
        """Closes the connection and ends ``run``; no output comes after it. Idempotent.

        The session hears nothing: that the station stops says nothing about the device.
        """
        first = not self._stopping.is_set()
        self._stopping.set()
        if self._task is not None and not self._task.done():
            if first:
                self._task.cancel()
            await asyncio.wait({self._task})
        if self.state.state not in ("stopped", "given_up"):  # it never ran
            self._tell("stopped", "")

    def request(self, action: DeviceAction) -> asyncio.Future[bool]:
        """Asks ``action`` of the device; ``True`` once bytes were sent for it.

        ``False`` when the session sends nothing for it, or the link is not up or is lost meanwhile. May be awaited or
        left alone; may be called from ``on_output``.
        """
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if self._up:
            self._requests.append((action, answer))
            _settle(self._wanted, None)
        else:
            answer.set_result(False)
        return answer

    async def _supervise(self) -> None:
        self.state = LinkState("opening", "", self._clock.now())
        try:
            self._on_state(self.state)
            end = await self._keep_open()
            self._tell("given_up", str(end))
        finally:
            if self.state.state != "given_up":
                error = sys.exception()
                told_to = error is None or isinstance(error, asyncio.CancelledError)
                self._tell("stopped", "" if told_to else f"{type(error).__name__}: {error}")

    async def _keep_open(self) -> GiveUpError:
        """Opens again and again, until there is no use in it."""
        while True:
            try:
                with self._busy():
                    channel = await self._transport.open()
            except DeviceError as error:
                problem = error
                self._refused(problem)
                lasted_s = 0.0
            else:
                opened = self._clock.now()
                problem = await self._serve(channel)
                lasted_s = self._clock.now().since_s(opened)
            if isinstance(problem, GiveUpError):
                return problem
            self._tell("waiting", str(problem))
            if lasted_s >= STEADY_AFTER_S:
                self._back_off.reset()
            wait_s = LONGEST_WAIT_S if isinstance(problem, FixConfigError) else self._back_off.next_s()
            await self._clock.sleep_until(self._clock.now().plus_s(wait_s).mono_ns)

    def _refused(self, error: DeviceError) -> None:
        at = self._clock.now()
        if str(error) != self.state.reason:
            self._record("error", str(error))
        self._say(self._session.refused(at, str(error), absent=isinstance(error, PortAbsent)), at)

    async def _serve(self, channel: Channel) -> DeviceError:
        """One connection. Answers with what ended it."""
        why = "stopped by the station"
        self._wanted = asyncio.get_running_loop().create_future()
        self._up = True
        try:
            self._record("open", self._transport.name)
            self._tell("up", "")
            problem = await self._converse(channel)
            why = str(problem)
            at = self._clock.now()
            self._say(self._session.lost(at, why, on_purpose=isinstance(problem, Lent)), at)
            return problem
        finally:
            self._up = False
            while self._requests:
                _settle(self._requests.popleft()[1], False)
            with self._busy():
                await channel.close()
            self._record("close", why)

    async def _converse(self, channel: Channel) -> DeviceError:
        at = self._clock.now()
        await self._act(self._session.opened(at), at, channel)
        reading = asyncio.create_task(channel.read())
        timer = _Timer(self._clock)
        try:
            while True:
                deadline_ns = self._session.deadline_ns()
                timer.set(None if deadline_ns is None else max(deadline_ns, self._no_tick_before_ns))
                awaited: set[asyncio.Future[Any]] = {reading, self._wanted, *timer.tasks}
                await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
                # Bytes first: they were there before a deadline that passed while the event loop was busy.
                if reading.done():
                    try:
                        data = reading.result()
                    except (LinkLost, GiveUpError) as error:
                        return error
                    reading = asyncio.create_task(channel.read())
                    at = self._clock.now()
                    if self._recorder is not None:
                        self._recorder.rx(data, at)
                    await self._act(self._session.received(data, at), at, channel)
                await self._ask(channel)
                await self._tick(channel)
        finally:
            await _end(reading, *timer.tasks)

    async def _ask(self, channel: Channel) -> None:
        if self._wanted.done():
            self._wanted = asyncio.get_running_loop().create_future()
        while self._requests:
            action, answer = self._requests[0]
            at = self._clock.now()
            sent = await self._act(self._session.request(action, at), at, channel)
            self._requests.popleft()
            _settle(answer, sent)

    async def _tick(self, channel: Channel) -> None:
        at = self._clock.now()
        deadline_ns = self._session.deadline_ns()
        if deadline_ns is None or at.mono_ns < max(deadline_ns, self._no_tick_before_ns):
            return
        await self._act(self._session.tick(at), at, channel)
        after_ns = self._session.deadline_ns()
        stuck = after_ns is not None and after_ns <= at.mono_ns
        self._no_tick_before_ns = at.mono_ns + TICK_FLOOR_NS if stuck else 0

    async def _act(self, output: Output, at: Instant, channel: Channel) -> bool:
        """Tells the output, then sends its bytes: what is not yet committed must not be acted upon."""
        self._say(output, at)
        for data in output.send:
            try:
                with self._busy():
                    await channel.write(data)
            except LinkLost:
                return False  # reading gives what had arrived before, then the same loss
            sent_at = self._clock.now()
            self._session.sent(len(data), sent_at)
            if self._recorder is not None:
                self._recorder.tx(data, sent_at)
        return bool(output.send)

    @contextlib.contextmanager
    def _busy(self) -> Iterator[None]:
        self._busy_since_s = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self._busy_since_s = None

    def _say(self, output: Output, at: Instant) -> None:
        if output != NOTHING:
            self._on_output(output, at)

    def _tell(self, state: StateName, reason: str) -> None:
        if (state, reason) != (self.state.state, self.state.reason):
            self.state = LinkState(state, reason, self._clock.now())
            self._on_state(self.state)

    def _record(self, event: str, reason: str) -> None:
        if self._recorder is not None:
            self._recorder.event(event, self._clock.now(), reason)


class _Timer:
    """At most one task that ends at the moment it was set to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at_ns: int | None = None
        self.tasks: tuple[asyncio.Task[None], ...] = ()

    def set(self, at_ns: int | None) -> None:
        if at_ns == self._at_ns and not any(task.done() for task in self.tasks):
            return
        for task in self.tasks:
            task.cancel()
        self._at_ns = at_ns
        self.tasks = () if at_ns is None else (asyncio.create_task(self._clock.sleep_until(at_ns)),)


async def _end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # of a channel that nobody listens to any more


def _settle(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)
