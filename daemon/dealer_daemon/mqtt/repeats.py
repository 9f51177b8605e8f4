"""What consumers asked to have again: which parts wait, which one is under way, and when the next may begin. Pure.

A part never holds up a new event: the publisher sends of it only while nothing new waits.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(slots=True)
class _Part:
    first: int
    end: int

    def has(self, sequence: int) -> bool:
        return self.first <= sequence <= self.end


class Repeats:
    """At most one part is under way. After it a pause follows as long as it took, so that consumers which ask again and
    again get half of the line at most. A part that is asked for while it waits, or is still to come, is one with it."""

    def __init__(self) -> None:
        self._waiting: deque[_Part] = deque()
        self._part: _Part | None = None
        self._began_s = 0.0
        self._sent: deque[int] = deque()
        self.read = 0
        """The last sequence of the part that was taken from the journal."""
        self.not_before_s = 0.0
        """When the next part may begin, on the caller's clock."""

    @property
    def waiting(self) -> bool:
        """Whether there is anything to send, now or later."""
        return self._part is not None or bool(self._waiting)

    def ask(self, first: int, end: int) -> None:
        """Somebody wants ``first`` to ``end``."""
        unanswered = self._sent[0] if self._sent else self.read + 1
        if self._part is not None and unanswered <= first <= self._part.end:
            return
        if not any(part.has(first) for part in self._waiting):
            self._waiting.append(_Part(first, end))

    def limit(self, now_s: float, last: int) -> int:
        """How many events after ``read`` are to be taken now, where the table's newest is ``last``; 0 for none."""
        if self._part is None:
            if not self._waiting or now_s < self.not_before_s:
                return 0
            self._part, self._began_s = self._waiting.popleft(), now_s
            self.read = self._part.first - 1
        return max(0, min(self._part.end, last) - self.read)

    def sent(self, sequence: int) -> None:
        """An event of the part went out. ``read`` stands there, or further where events are gone."""
        self.read = sequence
        self._sent.append(sequence)

    def answered(self, sequence: int) -> None:
        """The broker took one."""
        if sequence in self._sent:
            self._sent.remove(sequence)

    def end_when_done(self, now_s: float, last: int) -> None:
        """Ends the part under way when all of it was taken: what is newer follows by itself, in order."""
        if self._part is None or self.read < min(self._part.end, last):
            return
        self._part.end = self.read
        if not self._sent:
            self.not_before_s = now_s + (now_s - self._began_s)
            self._part = None

    def go_back(self, now_s: float) -> None:
        """A connection began, or sending began again: what nobody acknowledged is sent once more."""
        if self._sent:
            self.read = self._sent[0] - 1
            self._sent.clear()
        self._began_s = now_s

    def clear(self) -> None:
        """Forgets all: whoever asked asks again."""
        self._waiting.clear()
        self._sent.clear()
        self._part = None
