"""Modbus RTU as far as an encoder needs it: function 3 (read registers) and 6 (write one). Pure.

A master knows what it asked, so answers are found by their shape and check value and need no silence between bytes:
the same frames come out however the stream was cut. At most one frame's bytes are ever held.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.wheel.crc16 import crc16

READ, WRITE = 3, 6
ERROR = 0x80
"""Set in the function of an answer that says no."""

EXCEPTIONS = {
    1: "it does not know the function",
    2: "it has no such register",
    3: "it does not take the value",
    4: "it failed inside",
    6: "it is busy",
}


@dataclass(frozen=True, slots=True)
class Registers:
    """The answer to a read: 16-bit words in order."""

    slave: int
    words: tuple[int, ...]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Written:
    """The answer to a write: what was written where."""

    slave: int
    register: int
    value: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Exceptional:
    """The slave says no to ``function``."""

    slave: int
    function: int
    code: int
    raw: bytes

    @property
    def meaning(self) -> str:
        """The code in words."""
        return EXCEPTIONS.get(self.code, f"exception {self.code}")


Frame = Registers | Written | Exceptional


def read_request(slave: int, register: int, count: int) -> bytes:
    """Asks for ``count`` registers from ``register`` on."""
    return _closed(bytes((slave, READ)) + register.to_bytes(2, "big") + count.to_bytes(2, "big"))


def write_request(slave: int, register: int, value: int) -> bytes:
    """Asks that ``value`` be written to ``register``."""
    return _closed(bytes((slave, WRITE)) + register.to_bytes(2, "big") + value.to_bytes(2, "big"))


def _closed(body: bytes) -> bytes:
    return body + crc16(body).to_bytes(2, "little")


class RtuCodec:
    """Bytes to answers. ``lengths`` are the numbers of words that are ever asked for. ``dropped`` counts the bytes
    that were part of no answer."""

    def __init__(self, lengths: frozenset[int]) -> None:
        self.dropped = 0
        self._sizes = frozenset(2 * words for words in lengths)
        self._held = bytearray()

    @property
    def held(self) -> bytes:
        """What waits for the rest of its frame."""
        return bytes(self._held)

    def reset(self) -> int:
        """Forgets what waits. Returns how many bytes that were."""
        thrown = len(self._held)
        self._held.clear()
        self.dropped += thrown
        return thrown

    def feed(self, data: bytes) -> list[Frame]:
        """The answers that end in ``data``, in order."""
        frames: list[Frame] = []
        for byte in data:
            self._held.append(byte)
            # A beginning that cannot be one, or whose check fails, goes byte by byte: the next may begin within it.
            while self._held and (size := self._size()) is not None and len(self._held) >= size:
                frame = self._frame(size) if size else None
                if frame is None:
                    del self._held[0]
                    self.dropped += 1
                else:
                    frames.append(frame)
                    del self._held[:size]
        return frames

    def _size(self) -> int | None:
        """Bytes of the frame that begins here; 0 when none can, ``None`` while that is open."""
        held = self._held
        if len(held) < 2:
            return None
        function = held[1]
        if function == READ:
            if len(held) < 3:
                return None
            return 5 + held[2] if held[2] in self._sizes else 0
        if function == WRITE:
            return 8
        return 5 if function in (READ | ERROR, WRITE | ERROR) else 0

    def _frame(self, size: int) -> Frame | None:
        raw = bytes(self._held[:size])
        if crc16(raw[:-2]) != int.from_bytes(raw[-2:], "little"):
            return None
        slave, function = raw[0], raw[1]
        if function & ERROR:
            return Exceptional(slave, function & ~ERROR, raw[2], raw)
        if function == WRITE:
            return Written(slave, int.from_bytes(raw[2:4], "big"), int.from_bytes(raw[4:6], "big"), raw)
        words = tuple(int.from_bytes(raw[at : at + 2], "big") for at in range(3, size - 2, 2))
        return Registers(slave, words, raw)
