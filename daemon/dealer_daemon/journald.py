"""Log lines to systemd's journal with their fields, by its native protocol: a datagram a line, no library.

``journalctl DEALER_TABLE=r1 DEALER_DEVICE=wheel`` finds then what ``journalctl | grep`` would have to guess.
"""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import json
import logging
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

SOCKET = Path("/run/systemd/journal/socket")
IDENTIFIER = "dealer-daemon"
PRIORITIES = {"critical": 2, "error": 3, "warning": 4, "info": 6, "debug": 7}
"""Levels of syslog(3)."""
_OWN = frozenset({"level", "time"})
"""What the journal has in fields of its own."""
_ADD_SEALS, _ALL_SEALS = 1033, 0x000F
"""``F_ADD_SEALS`` and every seal of fcntl(2): the journal takes no file that may still change."""


def is_journal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the stream leads to the journal, as systemd says in ``JOURNAL_STREAM`` (device and inode)."""
    try:
        told = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream that is no file
        return False
    return environment.get("JOURNAL_STREAM") == f"{told.st_dev}:{told.st_ino}"


def datagram(line: Mapping[str, Any]) -> bytes:
    """A line as the journal reads it. ``event`` and the other fields make the message that people see, each field
    stands beside it as ``DEALER_{NAME}``."""
    fields = {name: value for name, value in line.items() if name not in _OWN and name not in ("event", "exception")}
    said = " ".join(
        [str(line.get("event", "")), *(f"{name}={_shown(value)}" for name, value in fields.items() if name != "logger")]
    )
    if "exception" in line:
        said += f"\n{line['exception']}"
    sent = {
        "MESSAGE": said,
        "PRIORITY": PRIORITIES.get(str(line.get("level")), 6),
        "SYSLOG_IDENTIFIER": IDENTIFIER,
        "DEALER_EVENT": line.get("event", ""),
        **{f"DEALER_{name.upper()}": value for name, value in fields.items()},
    }
    return b"".join(_field(name, _text(value)) for name, value in sent.items())


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _shown(value: object) -> str:
    """As it stands among others in a line: in quotation marks where it would not be one word."""
    text = _text(value)
    return text if text.isprintable() and text and " " not in text else json.dumps(text, ensure_ascii=False)


def _field(name: str, value: str) -> bytes:
    body = value.encode("utf-8", "replace")
    if b"\n" in body:  # with its length before it, little-endian
        return name.encode() + b"\n" + len(body).to_bytes(8, "little") + body + b"\n"
    return name.encode() + b"=" + body + b"\n"


class JournaldHandler(logging.Handler):
    """Sends what its formatter renders as JSON. What the journal does not take goes to ``stream`` as that JSON: no line
    is lost for it, and nobody waits for it."""

    def __init__(self, stream: TextIO, path: Path = SOCKET) -> None:
        super().__init__()
        self._stream = stream
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        text = self.format(record)
        try:
            self._send(datagram(json.loads(text)))
        except OSError:
            with contextlib.suppress(OSError):
                self._stream.write(text + "\n")
                self._stream.flush()

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()
        super().close()

    def _send(self, body: bytes) -> None:
        try:
            self._socket.sendto(body, self._path)
        except OSError as error:
            if error.errno not in (errno.EMSGSIZE, errno.ENOBUFS):
                raise
            self._send_as_file(body)

    def _send_as_file(self, body: bytes) -> None:
        """Too long for a datagram: in memory that is sealed, and whose descriptor is sent."""
        memory = os.memfd_create(IDENTIFIER, os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        try:
            with open(memory, "wb", closefd=False) as file:
                file.write(body)
            fcntl.fcntl(memory, _ADD_SEALS, _ALL_SEALS)
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [memory]).tobytes())]
            self._socket.sendmsg([], rights, 0, self._path)
        finally:
            os.close(memory)
