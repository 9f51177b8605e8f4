"""What the camera's process says, and is asked: JSON lines, framed by LF. Pure.

The first line is ``ready`` or ``refused``, and there is a ``beat`` twice a second, which says that the picture lives; a
``gap`` says that it did not for a while, before anything of the next picture is said. A window for cards gives a
``sight`` for each picture in which there was a code, or something like one, and for the first without. A scene gives
``scene`` when it begins to move or has come to rest, and answers each ``ask`` with a ``look``, before which comes the
``picture`` that it names.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any, TypeAlias

import msgspec

from dealer_drivers.readings import Picture

MAX_LINE = 8 * 1024 * 1024
"""Bytes. A picture of 12 million pixels as JPEG, in base64."""


class Ready(msgspec.Struct, frozen=True, tag="ready", forbid_unknown_fields=True):
    """The camera gives pictures. ``detail`` for a technician: size, settings as read back, readers."""

    detail: str


class CameraRefused(msgspec.Struct, frozen=True, tag="refused", forbid_unknown_fields=True):
    """It could not be opened. ``kind``: absent, busy, forbidden, option, missing or crashed; ``key`` names the
    option."""

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


class Scene(msgspec.Struct, frozen=True, tag="scene", forbid_unknown_fields=True):
    """Something began to move, or the scene has come to rest, ``age_ms`` before this was said."""

    moving: bool
    age_ms: float


class PictureFile(msgspec.Struct, frozen=True, tag="picture", forbid_unknown_fields=True):
    """A picture that the next look names: its file in base64, and the SHA-256 of that file in hex."""

    sha256: str
    media_type: str
    base64: str

    def picture(self) -> Picture | None:
        """The file; ``None`` when it is not the one that was named."""
        try:
            data = base64.b64decode(self.base64, validate=True)
        except (binascii.Error, ValueError):
            return None
        if hashlib.sha256(data).hexdigest() != self.sha256:
            return None
        return Picture(self.sha256, self.media_type, data)


class LookMade(msgspec.Struct, frozen=True, tag="look", forbid_unknown_fields=True):
    """The answer to question ``ask``: a value as the reader encodes it, or reasons.

    ``first_age_ms`` and ``last_age_ms``: how long before this was said the oldest and the newest of its ``frames``
    pictures were taken. ``picture`` names the file of the last one that shows the value, or the first reason.
    """

    ask: int
    frames: int
    first_age_ms: float
    last_age_ms: float
    picture: str
    value: dict[str, Any] | None = None
    reasons: tuple[str, ...] = ()
    detail: str = ""


class Beat(msgspec.Struct, frozen=True, tag="beat", forbid_unknown_fields=True):
    """``frame`` pictures were looked at so far, ``fresh`` of them since the last beat and unlike the one before."""

    frame: int
    fresh: int


class Gap(msgspec.Struct, frozen=True, tag="gap", forbid_unknown_fields=True):
    """No new picture was looked at for ``seconds``; now there is one, and what is said after this is of it."""

    seconds: float


Message: TypeAlias = Ready | CameraRefused | Sight | Scene | PictureFile | LookMade | Beat | Gap


class Ask(msgspec.Struct, frozen=True, tag="ask", forbid_unknown_fields=True):
    """What lies there? Questions are counted from 1; a new one replaces the one before."""

    ask: int


_decoder = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def encode(message: Message | Ask) -> bytes:
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
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return None
