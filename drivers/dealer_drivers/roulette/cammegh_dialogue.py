"""What the station says to a Cammegh wheel: one command at a time, no faster than the wheel takes them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from dealer_drivers.instant import NS_PER_S
from dealer_drivers.roulette.cammegh_frames import Answer

PACE_NS = NS_PER_S // 10
"""Commands and polls come no faster than one in 100 ms (``devices.md`` §1)."""
PATIENCE_NS = 2 * NS_PER_S
"""How long an answer may take. Recorded wheels took 0.1 to 1.0 s."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One command. Its answer begins with ``*code``; a parameter's ``key`` is the first word after it.

    ``needs_idle``: only sent while no ball is in play.
    """

    command: str
    code: str
    key: str = ""
    needs_idle: bool = False
    patience_ns: int = PATIENCE_NS
    """How long its answer may take."""

    def wire(self) -> bytes:
        """The bytes to send."""
        return self.command.encode("ascii") + b"\r\n"

    def answered_by(self, answer: Answer) -> bool:
        """Whether ``answer`` is the reply to this command, be it yes or no."""
        if answer.code != self.code:
            return False
        return not self.key or answer.text == "NO" or answer.text.split(" ")[0] == self.key


class Dialogue:
    """The queue of commands, those sent and not yet answered, and the pace. Pure."""

    def __init__(self) -> None:
        self._queue: deque[Ask] = deque()
        self._sent: list[tuple[Ask, int]] = []
        self._next_ns = 0

    def reset(self) -> None:
        """The link opened or went: nothing asked before will be answered."""
        self._queue.clear()
        self._sent.clear()

    def ask(self, ask: Ask, *, first: bool = False) -> None:
        """Queue a command; one that waits already is not queued twice."""
        if ask in self._queue:
            return
        if first:
            self._queue.appendleft(ask)
        else:
            self._queue.append(ask)

    def step(self, now_ns: int, *, idle: bool) -> tuple[bytes, ...]:
        """The bytes to send now: one command or none."""
        if now_ns < self._next_ns:
            return ()
        ask = self._sendable(idle)
        if ask is None:
            return ()
        self._queue.remove(ask)
        self._next_ns = now_ns + PACE_NS
        self._sent.append((ask, now_ns + ask.patience_ns))
        return (ask.wire(),)

    def answered(self, answer: Answer) -> Ask | None:
        """The command that this is the answer to; ``None`` when nobody here asked."""
        for ask, deadline_ns in self._sent:
            if ask.answered_by(answer):
                self._sent.remove((ask, deadline_ns))
                return ask
        return None

    def overdue(self, now_ns: int) -> list[Ask]:
        """Commands that had no answer in time. Each is given once."""
        late = [ask for ask, deadline_ns in self._sent if deadline_ns <= now_ns]
        self._sent = [(ask, deadline_ns) for ask, deadline_ns in self._sent if deadline_ns > now_ns]
        return late

    def deadline_ns(self, *, idle: bool) -> int | None:
        """When the next command may be sent or the next answer is late."""
        times = [deadline_ns for _, deadline_ns in self._sent]
        if self._sendable(idle) is not None:
            times.append(self._next_ns)
        return min(times, default=None)

    def _sendable(self, idle: bool) -> Ask | None:
        # Two commands of one letter at a time could not tell their answers apart.
        waiting = {ask.code for ask, _ in self._sent}
        for ask in self._queue:
            if ask.code not in waiting and (idle or not ask.needs_idle):
                return ask
        return None
