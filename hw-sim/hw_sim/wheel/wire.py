"""What an encoder's line carries: a Modbus RTU slave that answers, and a counter that reports by itself. Pure.

Written from the Modbus specification and from ``docs/reference/wheel-counter.md``, with its own check value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

BAUD = 9600
"""Ten bits a byte."""
TURNAROUND_S = (0.001, 0.004)
COUNT_REGISTER, REFERENCE_REGISTER, ZERO_REGISTER = 0, 16, 8
TURNS = 4096
"""The encoder's own range; then it begins again."""
NO_FUNCTION, NO_REGISTER, BUSY = 1, 2, 6


def check(data: bytes) -> int:
    """CRC-16 as on a Modbus line, bit by bit."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xA001 if crc & 1 else 0)
    return crc


def closed(body: bytes) -> bytes:
    """A Modbus frame: body and check, low byte first."""
    crc = check(body)
    return body + bytes((crc & 0xFF, crc >> 8))


@dataclass(frozen=True, slots=True)
class Question:
    """One whole request to this slave."""

    function: int
    register: int
    value: int


class Slave:
    """Finds the requests to one address in what the host sends."""

    def __init__(self, address: int) -> None:
        self._address = address
        self._held = bytearray()

    def receive(self, data: bytes) -> list[Question]:
        """The requests that end in ``data``."""
        found = []
        self._held += data
        while len(self._held) >= 8:
            frame = bytes(self._held[:8])
            if closed(frame[:6]) == frame:
                del self._held[:8]
                if frame[0] == self._address:
                    found.append(Question(frame[1], frame[2] << 8 | frame[3], frame[4] << 8 | frame[5]))
            else:
                del self._held[0]
        return found

    def forget(self) -> None:
        """Power was lost."""
        self._held.clear()

    def answer(self, question: Question, words: Callable[[int], list[int] | None]) -> bytes:
        """The frame that answers; ``words`` gives a block of registers by its first, ``None`` where there is none."""
        if question.function == 6:
            if question.register != ZERO_REGISTER or question.value != 1:
                return self.exception(question, NO_REGISTER)
            return closed(
                bytes((self._address, 6)) + question.register.to_bytes(2, "big") + question.value.to_bytes(2, "big")
            )
        if question.function != 3:
            return self.exception(question, NO_FUNCTION)
        block = words(question.register)
        if block is None or question.value != len(block):
            return self.exception(question, NO_REGISTER)
        return closed(bytes((self._address, 3, 2 * len(block))) + b"".join(word.to_bytes(2, "big") for word in block))

    def exception(self, question: Question, code: int) -> bytes:
        """The frame that says no."""
        return closed(bytes((self._address, question.function | 0x80, code)))


def two_words(count: int, per_turn: int) -> list[int]:
    """A count as the encoder holds it, high word first."""
    held = count % (per_turn * TURNS)
    return [held >> 16, held & 0xFFFF]


def line_s(size: int) -> float:
    """How long so many bytes take on the line."""
    return size * 10 / BAUD


def report(millis: int, count: int, passes: int, latch: int | None, flags: int) -> bytes:
    """One report of the counter."""
    unlatched = 1 if latch is None else 0
    body = f"@{millis % 2**32},{_signed(count)},{passes % 65536},{_signed(latch or 0)},{flags | unlatched}"
    return _line(body)


def reply(command: str, word: str) -> bytes:
    """The counter's answer to a command."""
    return _line(f"!{command},{word}")


def _line(body: str) -> bytes:
    text = body.encode("ascii")
    return text + f"*{check(text):04X}\r\n".encode("ascii")


def _signed(count: int) -> int:
    return (count + 2**31) % 2**32 - 2**31


def commands(held: bytearray) -> list[str]:
    """Whole commands in what the host sent to the counter; takes them out of ``held``."""
    found = []
    while b"\n" in held:
        line, _, rest = bytes(held).partition(b"\n")
        held[:] = rest
        body, _, crc = line.strip(b"\r").partition(b"*")
        if body[:1] == b"!" and crc == f"{check(body):04X}".encode("ascii"):
            found.append(body[1:].decode("ascii", "replace"))
    del held[:-64]
    return found


def flipped(frame: bytes, rng: Random) -> bytes:
    """A frame with one to three bits turned over."""
    spoilt = bytearray(frame)
    for _ in range(rng.randint(1, 3)):
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)
