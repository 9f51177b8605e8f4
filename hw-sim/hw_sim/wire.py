"""The wire between a device and its host: what happens to lines on the way. Pure."""

from __future__ import annotations

import math
from random import Random

from hw_sim.faults import Fault

HITS = {Fault.TORN_LINE: (1, 3), Fault.GLUED_LINES: (1, 3), Fault.LOST_BYTES: (2, 5), Fault.BIT_FLIPS: (2, 5)}
"""How many lines one such fault spoils."""
SPARED = 0.4
"""Chance that a line in between stays whole."""
STALL_S = (2.0, 6.0)


class Wire:
    """Passes lines on until a fault is struck; then spoils the next few, or holds everything for a while."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._due: list[Fault] = []
        self._held = bytearray()
        self._stalled_until_s = -math.inf
        self._glue = b""
        self._lose_head = False

    def strike(self, fault: Fault, now_s: float) -> None:
        """A wire fault begins. Raises ``KeyError`` for any other fault."""
        if fault is Fault.STALL:
            self._stalled_until_s = max(self._stalled_until_s, now_s + self._rng.uniform(*STALL_S))
        else:
            self._due += [fault] * self._rng.randint(*HITS[fault])

    def lose_head(self) -> None:
        """Whoever listens now came in the middle of a line: the next one lacks its beginning."""
        self._lose_head = True

    def release_s(self) -> float:
        """When held bytes are let go; ``math.inf`` when none are."""
        return self._stalled_until_s if self._held else math.inf

    def pass_line(self, line: bytes, now_s: float) -> bytes:
        """What arrives now of a line sent now, and of what was held before it."""
        line = self._spoil(line)
        if now_s < self._stalled_until_s:
            self._held += line
            return b""
        return self.release(now_s) + line

    def release(self, now_s: float) -> bytes:
        """The held bytes, once their time has come."""
        if now_s < self._stalled_until_s:
            return b""
        held, self._held = bytes(self._held), bytearray()
        return held

    def _spoil(self, line: bytes) -> bytes:
        glue, self._glue = self._glue, b""
        if self._lose_head:
            self._lose_head = False
            return glue + line[self._rng.randint(1, max(1, len(line) - 3)) :]
        if not self._due or (len(self._due) > 1 and self._rng.random() < SPARED):
            return glue + line
        fault = self._due.pop()
        if fault is Fault.TORN_LINE:
            cut = self._rng.randint(1, max(1, len(line) - 3))
            return glue + (line[cut:] if self._rng.random() < 0.5 else line[:cut])
        if fault is Fault.GLUED_LINES:
            self._glue = line[: self._rng.randint(2, max(2, len(line) - 3))]
            return glue
        spoilt = bytearray(line)
        for _ in range(self._rng.randint(1, 3)):
            at = self._rng.randrange(len(spoilt))
            if fault is Fault.BIT_FLIPS:
                spoilt[at] ^= 1 << self._rng.randrange(8)
            elif len(spoilt) > 1:
                del spoilt[at]
        return glue + bytes(spoilt)
