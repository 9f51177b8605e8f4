"""The lines of our wheel counter (``docs/reference/wheel-counter.md``): bytes to lines, and what a line says. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dealer_drivers.wheel.crc16 import crc16

REPORT, ANSWER = ord("@"), ord("!")
LF, CR = 0x0A, 0x0D
LONGEST = 72
"""Bytes from the mark that begins a line to its LF; the longest report has 58."""

_REPORT = re.compile(r"@(\d{1,10}),(-?\d{1,10}),(\d{1,5}),(-?\d{1,10}),([0-7])")
_CHECKED = re.compile(rb"(?P<body>[@!][ -~]*)\*(?P<crc>[0-9A-F]{4})\r?")


@dataclass(frozen=True, slots=True)
class Report:
    """One report. ``millis`` is the counter's clock, ``count`` and ``latch`` signed 32-bit."""

    millis: int
    count: int
    passes: int
    latch: int
    unlatched: bool
    """No index since power came: ``passes`` and ``latch`` say nothing."""
    counts_lost: bool
    restarted: bool
    """The first report since power came."""
    raw: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command: ``Z`` and ``OK`` or ``NO``."""

    command: str
    word: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A line that begins and ends as one and is none."""

    reason: str
    raw: bytes


CounterLine = Report | Answer | Spoilt


def command_line(letter: str) -> bytes:
    """A command as it goes to the counter."""
    body = f"!{letter}".encode("ascii")
    return body + b"*%04X\r\n" % crc16(body)


class CounterCodec:
    """Cuts the stream into lines. ``dropped`` counts bytes outside any line; at most one line is ever held."""

    def __init__(self) -> None:
        self.dropped = 0
        self._held = bytearray()

    def reset(self) -> int:
        """Forgets the beginning of a line. Returns how many bytes that were."""
        thrown = len(self._held)
        self._held.clear()
        self.dropped += thrown
        return thrown

    def feed(self, data: bytes) -> list[CounterLine]:
        """The lines that end in ``data``, in order."""
        lines: list[CounterLine] = []
        for byte in data:
            if byte in (REPORT, ANSWER):  # stands only at a line's beginning: whatever came before is torn
                self.reset()
                self._held.append(byte)
            elif not self._held:
                self.dropped += byte not in (CR, LF)
            else:
                self._held.append(byte)
                if byte == LF:
                    raw = bytes(self._held)
                    self._held.clear()
                    lines.append(parse_line(raw))
                elif len(self._held) > LONGEST:
                    self.reset()
        return lines


def parse_line(raw: bytes) -> CounterLine:
    """What one line says; ``raw`` from its mark to its LF."""
    match = _CHECKED.fullmatch(raw[:-1])
    if match is None:
        return Spoilt("is not of the form @…*CRC", raw)
    body = match["body"]
    if crc16(body) != int(match["crc"], 16):
        return Spoilt("its check value is wrong", raw)
    text = body.decode("ascii")
    if text[0] == "!":
        command, _, word = text[1:].partition(",")
        return Answer(command, word, raw) if word in ("OK", "NO") else Spoilt("answers neither OK nor NO", raw)
    report = _REPORT.fullmatch(text)
    if report is None:
        return Spoilt("has not the five fields of a report", raw)
    millis, count, passes, latch, flags = (int(field) for field in report.groups())
    if not (millis < 1 << 32 and passes < 1 << 16 and all(-(1 << 31) <= n < 1 << 31 for n in (count, latch))):
        return Spoilt("has a number outside its range", raw)
    return Report(millis, count, passes, latch, bool(flags & 1), bool(flags & 2), bool(flags & 4), raw)
