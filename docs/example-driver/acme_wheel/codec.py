"""The wheel's bytes to lines. From the maker's sheet: ``$S,GGG,NN,LL*CC`` and CR LF, twice a second.

S is B (bets), R (ball on the rim), N (no more bets) or W (winning number). GGG counts spins and wraps at 999. NN is the
newest number, padded with a blank, ``--`` for none. LL are full laps of the ball. CC is the XOR of all bytes between
``$`` and ``*``, in hexadecimal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BEGIN, LF = ord("$"), ord("\n")
LONGEST = 32
"""Bytes. A line has 18; whatever is longer is none."""
SHAPE = re.compile(rb"\$([BRNW]),([0-9]{3}),([ 1-3][0-9]|00|--),([0-9]{2})\*([0-9A-F]{2})\r?\n")


@dataclass(frozen=True, slots=True)
class Line:
    """One line whose check value is right."""

    state: str
    spin: int
    number: str
    laps: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Junk:
    """Bytes that are no line."""

    reason: str
    raw: bytes


class Codec:
    """Holds at most one line. The same lines come out however the bytes were cut, since it looks at one at a time."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Line | Junk]:
        """What ends in ``data``, in order. Every byte ends up in one line or in junk."""
        found: list[Line | Junk] = []
        for byte in data:
            if byte == BEGIN and self._held:
                found.append(Junk("torn", self._take()))
            self._held.append(byte)
            if byte == LF or len(self._held) == LONGEST:
                found.append(_parsed(self._take()))
        return found

    def reset(self) -> int:
        """Throws half a line away. Returns how many bytes that were."""
        return len(self._take())

    def _take(self) -> bytes:
        raw = bytes(self._held)
        self._held.clear()
        return raw


def checked(body: bytes) -> bytes:
    """``body`` as a whole line."""
    check = 0
    for byte in body:
        check ^= byte
    return b"$%s*%02X\r\n" % (body, check)


def _parsed(raw: bytes) -> Line | Junk:
    match = SHAPE.fullmatch(raw)
    if match is None:
        return Junk("no line of this wheel", raw)
    if checked(raw[1 : raw.index(b"*")]).rstrip() != raw.rstrip():
        return Junk("its check value is wrong", raw)
    state, spin, number, laps = (field.decode("ascii") for field in match.groups()[:4])
    return Line(state, int(spin), number.strip(" -"), int(laps), raw)
