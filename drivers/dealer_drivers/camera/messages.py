"""What the camera's process says: JSON lines, framed by LF. Pure.

The first line is ``ready`` or ``refused``. Then a ``sight`` for each picture in which there was a code, or something
like one, and for the first without; and a ``beat`` twice a second, which says that the picture lives.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

MAX_LINE = 16 * 1024
"""Bytes. A QR code of the largest kind with every character escaped does not reach it."""


class Ready(msgspec.Struct, frozen=True, tag="ready", forbid_unknown_fields=True):
    """The camera gives pictures. ``detail`` for a technician: size, settings as read back, readers."""

    detail: str


class CameraRefused(msgspec.Struct, frozen=True, tag="refused", forbid_unknown_fields=True):
    """It could not be opened. ``kind``: absent, busy, forbidden, option or missing; ``key`` names the option."""

    kind: str
    reason: str
    key: str = ""


class Sight(msgspec.Struct, frozen=True, tag="sight", forbid_unknown_fields=True):
    """One picture. ``frame`` counts pictures looked at; ``picture`` is the SHA-256 of its grey pixels, row by row.

    ``text`` is ``None`` when no text may be used, and ``doubts`` say why.
    """

    frame: int
    picture: str
    text: str | None = None
    aim: str = ""
    doubts: tuple[str, ...] = ()


class Beat(msgspec.Struct, frozen=True, tag="beat", forbid_unknown_fields=True):
    """``frame`` pictures were looked at so far, ``fresh`` of them since the last beat and unlike the one before."""

    frame: int
    fresh: int


Message: TypeAlias = Ready | CameraRefused | Sight | Beat

_decoder = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def encode(message: Message) -> bytes:
    """The message as a line."""
    return _encoder.encode(message) + b"\n"


class MessageLines:
    """Cuts the stream into messages, however it arrives; lines that are none are counted and thrown away."""

    def __init__(self) -> None:
        self._held = b""
        self._skipping = False

    def feed(self, data: bytes) -> tuple[list[tuple[Message, bytes]], int]:
        """Each whole message with its line, and how many bytes were no message."""
        *lines, self._held = (self._held + data).split(b"\n")
        found: list[tuple[Message, bytes]] = []
        rejected = 0
        for line in lines:
            message = None if self._skipping else _message(line)
            self._skipping = False
            if message is None:
                rejected += len(line) + 1
            else:
                found.append((message, line + b"\n"))
        if len(self._held) > MAX_LINE:
            rejected += len(self._held)
            self._held, self._skipping = b"", True
        return found, rejected

    def reset(self) -> None:
        """Half a line is thrown away."""
        self._held, self._skipping = b"", False


def _message(line: bytes) -> Message | None:
    if len(line) > MAX_LINE:
        return None
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
