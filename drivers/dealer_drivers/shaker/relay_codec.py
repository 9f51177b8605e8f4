"""The bytes of a relay board with one relay and one input: ASCII lines of the input, binary answers between them.

To the board, and from it as the answer to a question, ``A0 CH OP SUM`` with SUM = A0 + CH + OP modulo 256, one common
kind of such boards. From the board ``I1=0`` or ``I1=1`` and CR LF. Ours, documented with the driver.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD, CHANNEL = 0xA0, 0x01
OFF, ON, QUERY = 0x00, 0x01, 0x05
FRAME = 4
MOST_LINE = 32
_LINE = re.compile(rb"I1=([01])\r?\n")


@dataclass(frozen=True, slots=True)
class InputLine:
    """The input's state. ``stopped``: the plate stands."""

    stopped: bool
    raw: bytes


@dataclass(frozen=True, slots=True)
class RelayAnswer:
    """The board's answer to a question: whether its relay is on."""

    on: bool
    raw: bytes


def command(operation: int) -> bytes:
    """The four bytes of ``ON``, ``OFF`` or ``QUERY``."""
    return bytes([HEAD, CHANNEL, operation, (HEAD + CHANNEL + operation) & 0xFF])


_ANSWERS = {command(OFF): False, command(ON): True}


class RelayCodec:
    """Bytes in, frames out; what is none is given as its bytes. Resynchronises on ``A0`` and on line ends."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def held(self) -> int:
        """Bytes of a frame whose end has not come."""
        return len(self._rest)

    def reset(self) -> None:
        """A new connection: half a frame is thrown away."""
        self._rest.clear()

    def feed(self, data: bytes) -> list[InputLine | RelayAnswer | bytes]:
        """Frames in order; the same however the bytes were cut."""
        found: list[InputLine | RelayAnswer | bytes] = []
        for byte in data:
            if byte == HEAD and self._rest and self._rest[0] != HEAD:
                found.append(self._take())
            self._rest.append(byte)
            if self._rest[0] == HEAD:
                if len(self._rest) == FRAME:
                    found += self._answer()
            elif byte == 0x0A or len(self._rest) >= MOST_LINE:
                found.append(self._line())
        return found

    def _answer(self) -> list[InputLine | RelayAnswer | bytes]:
        raw = bytes(self._rest)
        if raw in _ANSWERS:
            self._rest.clear()
            return [RelayAnswer(_ANSWERS[raw], raw)]
        # Not an answer: the bytes behind its head may be a frame's beginning.
        rest = raw[1:]
        self._rest.clear()
        return [raw[:1], *self.feed(rest)]

    def _line(self) -> InputLine | bytes:
        raw = self._take()
        match = _LINE.fullmatch(raw)
        return raw if match is None else InputLine(match[1] == b"1", raw)

    def _take(self) -> bytes:
        raw = bytes(self._rest)
        self._rest.clear()
        return raw
