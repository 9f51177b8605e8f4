"""Plays an example to a session as a link would, with the time of its own, and keeps what it said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from dealer_drivers.conformance.check import Broken, shown
from dealer_drivers.conformance.examples import Example, Step
from dealer_drivers.driver import NOTHING, DeviceAction, Output, Session
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading

START = Instant(1_000_000_000_000, 1_767_225_600_000_000_000)
"""2026-01-01T00:00:00Z. Any moment does; a session must not mind which."""
ANSWER_S = 0.01
LATE_S = 0.05
"""A recorded question went out up to this much later than its deadline."""
STUCK_TICKS = 10
Mangle = Callable[[int, bytes], Iterable[bytes | float]]
"""What becomes of the n-th bytes that arrive: pieces in order, and rests in seconds between them."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a session and its answer. Calls of one ``group`` are pieces of what arrived at once."""

    group: int
    name: str
    at: Instant
    data: bytes
    output: Output
    good_bytes: int
    """Bytes of the example that had arrived by then."""


@dataclass(frozen=True, slots=True)
class Said:
    """What all calls of a group said."""

    name: str
    at: Instant
    readings: tuple[Reading, ...]
    send: tuple[bytes, ...]
    frames: int
    rejected: int


class Player:
    """One session and its device. ``nervous``: ticks are put in before their time, and must change nothing."""

    def __init__(
        self, session: Session, example: Example, *, mangle: Mangle | None = None, nervous: Random | None = None
    ) -> None:
        self.session = session
        self.at = START
        self.up = False
        self.calls: list[Call] = []
        self.arrived = 0
        """How often something arrived."""
        self.good_bytes = 0
        self._example = example
        self._mangle = mangle
        self._nervous = nervous
        self._answers: list[tuple[int, bytes]] = []
        self._group = 0
        self.wall: Callable[[int], int] = lambda wall_ns: wall_ns
        """What the wall clock says at a moment: as it is, unless somebody set it."""
        self._wall_ns = self.at.wall_ns

    def play(self, times: int = 1) -> Player:
        """The example from here on, opening the link first if it is down."""
        for _ in range(times):
            began = self.at
            if not self.up:
                self.open()
            for step in self._example.steps:
                self._step(step, began)
        return self

    def open(self) -> None:
        """The link is up."""
        self.up = True
        self.call("opened", b"", self.session.opened(self.at))

    def lose(self, reason: str = "unplugged") -> None:
        """The link is down, and what the device was about to answer with it."""
        self.up = False
        self._answers.clear()
        self.call("lost", b"", self.session.lost(self.at, reason))

    def request(self, action: DeviceAction) -> Output:
        """The station asks."""
        return self.call("request", action.encode(), self.session.request(action, self.at))

    def feed(self, data: bytes) -> Output:
        """Bytes arrive, as they are."""
        return self.call("feed", data, self.session.feed(data, self.at))

    def wait(self, seconds: float, *, answering: bool = True) -> None:
        """Time passes: ticks when they are due, and the device's answers."""
        self._until(self.at.mono_ns + round(seconds * NS_PER_S), answering)

    def readings(self) -> list[Reading]:
        """All that was said."""
        return [reading for call in self.calls for reading in call.output.readings]

    def values(self) -> list[Reading]:
        """The values among it."""
        return self._example.values(self.readings())

    def said(self) -> list[Said]:
        """What was said when, whatever the pieces in which it arrived; silent calls left out."""
        groups: dict[int, list[Call]] = {}
        for call in self.calls:
            groups.setdefault(call.group, []).append(call)
        merged = [_merged(calls) for calls in groups.values()]
        return [one for one in merged if (one.readings, one.send, one.frames, one.rejected) != ((), (), 0, 0)]

    def call(self, name: str, data: bytes, output: Output, *, group: int | None = None) -> Output:
        """Keeps a call and its answer, and lets the device answer what was sent."""
        if group is None:
            self._group += 1
        self.calls.append(Call(self._group, name, self.at, data, output, self.good_bytes))
        if self._example.answer is not None and self.up:
            due_ns = self.at.mono_ns + round(ANSWER_S * NS_PER_S)
            replies = [self._example.answer(sent) for sent in output.send]
            self._answers += [(due_ns, reply) for reply in replies if reply]
        return output

    def _step(self, step: Step, began: Instant) -> None:
        due_ns = began.plus_s(step.at_s).mono_ns
        if step.kind == "asked":
            self._until(due_ns - round(LATE_S * NS_PER_S), answering=True)
            self._move(due_ns)
            deadline_ns = self.session.deadline_ns()
            if deadline_ns is not None and deadline_ns <= self.at.mono_ns:
                self._tick()
            return
        self._until(due_ns, answering=True)
        match step.kind:
            case "rx":
                self.receive(step.data)
            case "request":
                assert step.action is not None
                self.request(step.action)
            case "lost" if self.up:
                self.lose()
            case "opened" if not self.up:
                self.open()

    def receive(self, data: bytes) -> None:
        """Bytes of the example arrive, as the mangler will have them."""
        pieces: Iterable[bytes | float] = [data] if self._mangle is None else self._mangle(self.arrived, data)
        self.arrived += 1
        self._group += 1
        left = len(data)
        for piece in pieces:
            if isinstance(piece, float):
                self.wait(piece)
                self._group += 1
                continue
            self.good_bytes += min(left, len(piece))
            left -= min(left, len(piece))
            self.call("feed", piece, self.session.feed(piece, self.at), group=self._group)

    def _until(self, end_ns: int, answering: bool) -> None:
        ticks_here = 0
        while True:
            deadline_ns = self.session.deadline_ns() if self.up else None
            answer_ns = self._answers[0][0] if self._answers and answering else None
            moments = [ns for ns in (deadline_ns, answer_ns) if ns is not None and ns <= end_ns]
            if not moments:
                break
            due_ns = max(min(moments), self.at.mono_ns)
            if due_ns > self.at.mono_ns:
                self._fidget(due_ns)
                ticks_here = 0
            self._move(due_ns)
            if answer_ns is not None and answer_ns <= due_ns:
                self.receive(self._answers.pop(0)[1])
                continue
            ticks_here += 1
            if ticks_here > STUCK_TICKS:
                raise Broken(f"after {STUCK_TICKS} ticks at its deadline the deadline is still there: the host spins")
            self._tick()
        if end_ns > self.at.mono_ns:
            self._fidget(end_ns)
        self._move(end_ns)

    def _fidget(self, before_ns: int) -> None:
        """Ticks that nobody needs."""
        if self._nervous is None or not self.up:
            return
        moments = sorted(self._nervous.randrange(self.at.mono_ns, before_ns) for _ in range(self._nervous.randrange(4)))
        for moment_ns in moments:
            self._move(moment_ns)
            due_ns = self.session.deadline_ns()
            if due_ns is not None and due_ns <= moment_ns:
                return
            output = self.session.tick(self.at)
            if output != NOTHING:
                raise Broken(f"a tick before the deadline is answered with {output}")
            if self.session.deadline_ns() != due_ns:
                raise Broken(f"a tick before the deadline moves it from {due_ns} to {self.session.deadline_ns()}")

    def _tick(self) -> None:
        self.call("tick", b"", self.session.tick(self.at))

    def _move(self, mono_ns: int) -> None:
        if mono_ns > self.at.mono_ns:
            self._wall_ns += mono_ns - self.at.mono_ns
            self.at = Instant(mono_ns, self.wall(self._wall_ns))

    def stream(self) -> str:
        """What was fed so far, for a message."""
        return shown(b"".join(call.data for call in self.calls if call.name == "feed"))


def _merged(calls: list[Call]) -> Said:
    return Said(
        calls[0].name,
        calls[0].at,
        tuple(reading for call in calls for reading in call.output.readings),
        tuple(sent for call in calls for sent in call.output.send),
        sum(call.output.frames for call in calls),
        sum(call.output.rejected for call in calls),
    )
