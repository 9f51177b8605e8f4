"""From a shuffler's bytes to frames, and the seam for makers' formats. Pure; an order of cards is never held."""

from __future__ import annotations

import re
from typing import Protocol

from dealer_drivers.cards import reads_as_order
from dealer_drivers.readings.shuffler import MachineState, Phase
from dealer_drivers.shuffler.frames import (
    BEGIN,
    CR,
    LF,
    NONE,
    QUESTION,
    Flag,
    Frame,
    Level,
    OrderOffered,
    Reenumerated,
    Status,
    Thrown,
    check,
)

LONGEST = 112
"""Bytes of a line with its ends; the longest status has 99."""
NOISE_TOLD = 64
"""Bytes of no frame are told after so many, or at the end of their line."""
ORDER = ord("O")

_CHECKED = re.compile(rb"@(?P<body>[ -~]*)\*(?P<crc>[0-9A-F]{4})\r\n")
_STATUS = re.compile(
    r"S,(?P<sequence>\d{1,5}),(?P<state>idle|shuffling|ready|mismatch),(?P<job>\d{1,10}),"
    r"(?P<deck_set>-|[a-z0-9][a-z0-9_-]{0,15}),(?P<seen>count|faces),(?P<counted>-|\d{1,4}),"
    r"(?P<missing>\d{1,4}),(?P<extra>\d{1,4}),(?P<foreign>\d{1,4}),(?P<flags>-|[a-z]+(?:\+[a-z]+)*)"
)
_LEVEL = re.compile(
    r"L,(?P<sequence>\d{1,5}),(?P<inside>\d{1,4}),(?P<phase>feeding|emptying|empty|loading),(?P<changes>\d{1,10})"
)
_OWN = re.compile(r"X,(?P<what>order|thrown|usb)(?:,(?P<number>\d{1,10}))?")


class ShufflerFormat(Protocol):
    """How one make of shuffler speaks: an adapter gives the frames of ``frames.py`` from its bytes.

    Pure, never raises, the same frames however the bytes are cut, bounded in memory. What may hold an order of cards is
    dropped in here and given as ``OrderOffered``; bytes that mean nothing as ``Thrown``.
    """

    @property
    def question(self) -> bytes:
        """The bytes that ask for the state; empty where the machine is not asked. Never any that ask for an order."""
        ...

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that end in ``data``."""
        ...

    def reset(self) -> None:
        """The link is gone: what is held is thrown away."""
        ...


class GenericFormat:
    """Our own format. ``own_words``: lines that only the station's guard writes are frames too."""

    question = QUESTION

    def __init__(self, *, own_words: bool = False) -> None:
        self._own_words = own_words
        self._held = bytearray()
        self._thrown = 0
        self._in_order = False
        """An order of cards goes by, up to the end of its line."""

    @property
    def held(self) -> int:
        """Bytes of a line that has not ended."""
        return len(self._held)

    def reset(self) -> None:
        """See ``ShufflerFormat``."""
        self._held.clear()
        self._thrown, self._in_order = 0, False

    def feed(self, data: bytes) -> list[Frame]:
        """See ``ShufflerFormat``. Byte by byte, so that the cutting cannot matter."""
        found: list[Frame] = []
        for byte in data:
            self._take(byte, found)
        return found

    def _take(self, byte: int, found: list[Frame]) -> None:
        if byte == BEGIN:  # stands only at a line's beginning: whatever came before is torn
            self._throw(len(self._held), found)
            self._held.clear()
            self._held.append(byte)
            self._in_order = False
        elif self._in_order:
            self._in_order = byte != LF
        elif not self._held:
            if byte not in (CR, LF):
                self._throw(1, found)
            elif byte == LF:
                self._tell(found)
        elif byte == ORDER and len(self._held) == 1:
            self._held.clear()
            self._in_order = True
            self._tell(found)
            found.append(OrderOffered())
        else:
            self._held.append(byte)
            if byte == LF:
                self._end_line(found)
            elif len(self._held) >= LONGEST:
                self._throw(len(self._held), found)
                self._held.clear()

    def _end_line(self, found: list[Frame]) -> None:
        raw = bytes(self._held)
        self._held.clear()
        frame = parse_line(raw, own_words=self._own_words)
        if frame is None:
            self._throw(len(raw), found)
            self._tell(found)
        else:
            self._tell(found)
            found.append(frame)

    def _throw(self, size: int, found: list[Frame]) -> None:
        self._thrown += size
        if self._thrown >= NOISE_TOLD:
            self._tell(found)

    def _tell(self, found: list[Frame]) -> None:
        if self._thrown:
            found.append(Thrown(self._thrown))
            self._thrown = 0


def parse_line(raw: bytes, *, own_words: bool) -> Frame | None:
    """The frame of one whole line, ``None`` for none."""
    match = _CHECKED.fullmatch(raw)
    if match is None or check(match["body"]) != int(match["crc"], 16):
        return None
    text = match["body"].decode("ascii")
    if reads_as_order(text):  # in a line of another kind
        return OrderOffered()
    if own_words and (own := _OWN.fullmatch(text)):
        return _own(own["what"], own["number"])
    if level := _LEVEL.fullmatch(text):
        sequence, inside, changes = int(level["sequence"]), int(level["inside"]), int(level["changes"])
        return Level(sequence, inside, Phase(level["phase"]), changes)
    status = _STATUS.fullmatch(text)
    return None if status is None else _status(status)


def _status(said: re.Match[str]) -> Status | None:
    words = [] if said["flags"] == NONE else said["flags"].split("+")
    if len(set(words)) != len(words) or not set(words) <= set(Flag):
        return None
    state = MachineState(said["state"])
    missing, extra, foreign = int(said["missing"]), int(said["extra"]), int(said["foreign"])
    counted = None if said["counted"] == NONE else int(said["counted"])
    whole = not (missing or extra or foreign)
    if state is MachineState.READY and (counted is None or not whole):
        return None  # found whole, and not: no such thing
    if state is MachineState.MISMATCH and whole:
        return None
    return Status(
        sequence=int(said["sequence"]),
        state=state,
        job=int(said["job"]),
        deck_set=None if said["deck_set"] == NONE else said["deck_set"],
        faces=said["seen"] == "faces",
        counted=counted,
        missing=missing,
        extra=extra,
        foreign=foreign,
        flags=frozenset(map(Flag, words)),
    )


def _own(what: str, number: str | None) -> Frame | None:
    if what == "order":
        return OrderOffered() if number is None else None
    if number is None:
        return None
    return Thrown(int(number)) if what == "thrown" else Reenumerated(int(number))
