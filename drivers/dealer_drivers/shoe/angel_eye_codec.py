"""Bytes of an Angel Eye II-EX shoe to frames, and commands to bytes (``devices.md`` §2).

Shoe to host: ``ENQ seq code payload ETX BCC``, ``ACK``, ``NAK`` and two digits, ``STX data ETX BCC``.
The BCC is two upper-case hexadecimal characters, the XOR of everything from the sequence character through
ETX. No byte under 0x20 stands inside a frame (payload bytes have bit 7 set), so such a byte ends a torn
frame and the next one is found without loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import xor
from typing import TypeAlias

ENQ, STX, ETX, ACK, NAK = 0x05, 0x02, 0x03, 0x06, 0x15

MAX_FRAME = 64
"""Bytes. The longest published telegram has eight; an answer to a read is not published, so there is room."""
MAX_NOISE = 256
"""Bytes of noise kept as evidence before they are given up and counted anew."""


class BccRule(StrEnum):
    """Where the BCC of ``STX`` frames begins: the published rule and its worked example differ."""

    STX_EXCLUDED = "stx_excluded"
    STX_INCLUDED = "stx_included"


class JunkReason(StrEnum):
    """Why bytes are no frame."""

    NOISE = "noise"
    TORN = "torn"
    TOO_LONG = "too_long"
    BCC = "bcc"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Telegram:
    """A message of the shoe with a right BCC. ``sequence`` and ``code`` are one character each."""

    raw: bytes
    sequence: str
    code: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Ack:
    """The shoe took a command."""

    raw: bytes = b"\x06"


@dataclass(frozen=True, slots=True)
class Nak:
    """The shoe refused a command. ``code`` is two digits."""

    raw: bytes
    code: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a read, with a right BCC."""

    raw: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Junk:
    """Bytes that are no frame. ``sequence`` and ``code`` as a damaged telegram has them, as far as it came."""

    raw: bytes
    reason: JunkReason
    sequence: str | None = None
    code: str | None = None


Frame: TypeAlias = Telegram | Ack | Nak | Answer | Junk


def bcc(data: bytes) -> bytes:
    """The check characters over ``data``."""
    return b"%02X" % reduce(xor, data, 0)


def encode_command(kind: str, data: str, rule: BccRule) -> bytes:
    """``STX 'O' 'P' kind data ETX BCC``; ``kind`` and ``data`` are two ASCII characters each."""
    body = f"OP{kind}{data}".encode("ascii") + bytes([ETX])
    return bytes([STX]) + body + bcc(body if rule is BccRule.STX_EXCLUDED else bytes([STX]) + body)


class AngelEyeCodec:
    """Frames out of bytes cut anywhere: byte by byte, so that the cutting cannot matter."""

    def __init__(self, rule: BccRule) -> None:
        self._rule = rule
        self._frame = bytearray()
        self._etx_at: int | None = None
        self._noise = bytearray()
        self._rejected = 0
        self._found: list[Frame] = []

    @property
    def pending(self) -> bool:
        """Part of a frame, or noise not given out yet, is held."""
        return bool(self._frame or self._noise)

    def feed(self, data: bytes) -> tuple[list[Frame], int]:
        """The frames that ``data`` completes, and how many bytes it showed to be no part of any."""
        for byte in data:
            self._take(byte)
        return self._given()

    def flush(self) -> tuple[list[Frame], int]:
        """The line stayed quiet: what is held will not become a frame."""
        if self._frame:
            self._junk(JunkReason.TORN)
        self._end_noise()
        return self._given()

    def reset(self) -> None:
        """The link is gone: what is held is thrown away."""
        self._frame.clear()
        self._noise.clear()
        self._etx_at = None

    def _given(self) -> tuple[list[Frame], int]:
        found, rejected = self._found, self._rejected
        self._found, self._rejected = [], 0
        return found, rejected

    def _take(self, byte: int) -> None:
        if not self._frame:
            self._begin(byte)
        elif self._frame[0] == NAK:
            self._take_nak(byte)
        elif byte < 0x20 and (byte != ETX or self._etx_at is not None):
            self._junk(JunkReason.TORN)
            self._begin(byte)
        elif len(self._frame) == MAX_FRAME:
            self._junk(JunkReason.TOO_LONG)
            self._begin(byte)
        else:
            self._frame.append(byte)
            if byte == ETX:
                self._etx_at = len(self._frame) - 1
            elif self._etx_at is not None and len(self._frame) == self._etx_at + 3:
                self._end_frame(self._etx_at)

    def _begin(self, byte: int) -> None:
        if byte in (ENQ, STX, NAK):
            self._end_noise()
            self._frame.append(byte)
        elif byte == ACK:
            self._end_noise()
            self._found.append(Ack())
        else:
            self._noise.append(byte)
            self._rejected += 1
            if len(self._noise) == MAX_NOISE:
                self._end_noise()

    def _take_nak(self, byte: int) -> None:
        if not 0x30 <= byte <= 0x39:
            self._junk(JunkReason.TORN)
            self._begin(byte)
            return
        self._frame.append(byte)
        if len(self._frame) == 3:
            self._found.append(Nak(bytes(self._frame), self._frame[1:].decode("ascii")))
            self._frame.clear()

    def _end_frame(self, etx_at: int) -> None:
        raw = bytes(self._frame)
        is_telegram = raw[0] == ENQ
        checked_from = 1 if is_telegram or self._rule is BccRule.STX_EXCLUDED else 0
        if bcc(raw[checked_from : etx_at + 1]) != raw[etx_at + 1 :]:
            self._junk(JunkReason.BCC)
        elif is_telegram and (etx_at < 3 or not _is_mark(raw[1]) or not _is_mark(raw[2])):
            self._junk(JunkReason.MALFORMED)
        else:
            self._found.append(
                Telegram(raw, chr(raw[1]), chr(raw[2]), raw[3:etx_at]) if is_telegram else Answer(raw, raw[1:etx_at])
            )
            self._frame.clear()
            self._etx_at = None

    def _junk(self, reason: JunkReason) -> None:
        raw = bytes(self._frame)
        marks = [chr(byte) if _is_mark(byte) else None for byte in raw[1:3]] if raw[0] == ENQ else []
        sequence, code = (*marks, None, None)[:2]
        self._found.append(Junk(raw, reason, sequence, code))
        self._rejected += len(raw)
        self._frame.clear()
        self._etx_at = None

    def _end_noise(self) -> None:
        if self._noise:
            self._found.append(Junk(bytes(self._noise), JunkReason.NOISE))
            self._noise.clear()


def _is_mark(byte: int) -> bool:
    return 0x21 <= byte <= 0x7E
