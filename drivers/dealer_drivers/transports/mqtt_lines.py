"""MQTT messages on a channel of bytes, one line each, so that they can be recorded and replayed.

A received message is ``STATE TOPIC PAYLOAD`` and LF; a message to send is ``TOPIC PAYLOAD`` and LF. ``STATE`` is
``live`` or ``kept``: a kept (retained) one was handed out by the broker at our subscription and may be of any age.
``TOPIC`` is the part behind the configured base. Bytes of both that are no printable ASCII, blanks and ``%`` are
written ``%XX``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LF = 0x0A
MOST_BYTES = 4096
"""A line longer than this is none of a device's."""
_ESCAPED = re.compile(rb"%([0-9A-F]{2})")
_TO_ESCAPE = re.compile(rb"[^\x21-\x24\x26-\x7e]")
_LINE = re.compile(rb"(live|kept) ([\x21-\x7e]+) ([\x21-\x7e]*)")


@dataclass(frozen=True, slots=True)
class MqttMessage:
    """One message. ``topic`` is relative to the base; ``raw`` is its line."""

    topic: str
    payload: bytes
    kept: bool
    raw: bytes


def received_line(topic: str, payload: bytes, *, kept: bool) -> bytes:
    """The line of a message from the broker."""
    return b"%s %s %s\n" % (b"kept" if kept else b"live", _escape(topic.encode()), _escape(payload))


def sent_line(topic: str, payload: bytes) -> bytes:
    """The line of a message to the broker."""
    return b"%s %s\n" % (_escape(topic.encode()), _escape(payload))


def read_sent_line(line: bytes) -> tuple[str, bytes]:
    """Topic and payload of a line that ``sent_line`` made."""
    topic, _, payload = line.removesuffix(b"\n").partition(b" ")
    return _unescape(topic).decode(), _unescape(payload)


class MqttLines:
    """Bytes in, messages out; the same however the bytes were cut. ``held`` is the size of a begun line, of
    ``most_bytes`` at most."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._rest = bytearray()
        self._skipping = False

    @property
    def held(self) -> int:
        """Bytes of a line whose end has not come."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[MqttMessage | bytes]:
        """Messages in order; a line that is none is given as its bytes, of an endless one the beginning."""
        found: list[MqttMessage | bytes] = []
        for byte in data:
            self._rest.append(byte)
            if byte == LF:
                if not self._skipping:
                    found.append(_message(bytes(self._rest)))
                self._skipping = False
                self._rest.clear()
            elif len(self._rest) >= self._most_bytes:
                if not self._skipping:
                    found.append(bytes(self._rest))
                self._skipping = True
                self._rest.clear()
        return found

    def reset(self) -> None:
        """A new connection: half a line is thrown away."""
        self._rest.clear()
        self._skipping = False


def _message(line: bytes) -> MqttMessage | bytes:
    match = _LINE.fullmatch(line[:-1])
    if match is None:
        return line
    try:
        topic = _unescape(match[2]).decode()
    except UnicodeDecodeError:
        return line
    return MqttMessage(topic, _unescape(match[3]), match[1] == b"kept", line)


def _escape(data: bytes) -> bytes:
    return _TO_ESCAPE.sub(lambda match: b"%%%02X" % match[0][0], data)


def _unescape(data: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), data)
