"""Recordings of a device's bytes: what was received, what was sent, when the link opened and closed.

The format is JSON lines. The head is an object with ``recording: 1``, ``driver``, ``device``, optional ``serial`` and
``note``, and whatever else its writer found worth saying. Every line after it has ``t``, seconds from the start, and
one of ``rx`` and ``tx`` (text, one character a byte), ``rxh`` and ``txh`` (hexadecimal), ``ev`` (``open``, ``close``,
``error``; our own writer adds a ``reason``). Frames may be cut anywhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import msgspec

from dealer_drivers.errors import GiveUpError
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.json_text import decode_json

VERSION = 1
Kind = Literal["rx", "tx", "ev"]
LONGEST_S = 3.2e9
"""A hundred years of recording; also keeps what is no number out."""
EVENTS = frozenset({"open", "close", "error"})
PLAIN = re.compile(rb"[\x20-\x7e\r\n]*")
"""Printable ASCII and line ends: what is written as text, for people to read. The rest is written as hexadecimal."""


class RecordingError(GiveUpError):
    """A file is no recording that we can read. The text begins with its path and, where it applies, the line."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: ``t_s`` seconds from the start, and ``data`` (``rx``, ``tx``) or ``event`` and its ``reason`` (``ev``).

    ``line`` counts from 1 and includes the head.
    """

    line: int
    t_s: float
    kind: Kind
    data: bytes = b""
    event: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording that was read. ``notes`` says what is odd about it and stops nothing: a torn last line, times that
    go back. ``head`` holds every key of the first line."""

    path: Path
    driver: str
    device: str
    serial: object = None
    note: str = ""
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    head: Mapping[str, object] = field(default_factory=dict)


def read_recording(path: Path) -> Recording:
    """The recording at ``path``. Raises ``RecordingError`` with file and line.

    A last line that was torn by a crash or a full disk is left out and noted.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordingError(path, 0, f"cannot be read: {error.strerror}") from error
    *lines, last = content.split(b"\n")
    head = _head(path, lines[0] if lines else last)
    entries: list[Entry] = []
    notes: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            entries.append(_entry(path, number, _object(path, number, line)))
    if lines and last.strip():
        number = len(lines) + 1
        try:
            values = _object(path, number, last)
        except RecordingError:
            notes.append(f"line {number} was torn while it was written and is left out")
        else:
            entries.append(_entry(path, number, values))
    notes += (
        f"line {later.line}: time goes back from {earlier.t_s:g} s to {later.t_s:g} s"
        for earlier, later in itertools.pairwise(entries)
        if later.t_s < earlier.t_s
    )
    serial, note = head.get("serial"), head.get("note", "")
    return Recording(
        path, str(head["driver"]), str(head["device"]), serial, str(note), tuple(entries), tuple(notes), head
    )


def _object(path: Path, number: int, line: bytes) -> dict[str, object]:
    try:
        return decode_json(line, dict[str, object])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordingError(path, number, f"no JSON object: {error}") from error


def _head(path: Path, line: bytes) -> dict[str, object]:
    if not line.strip():
        raise RecordingError(path, 1, "empty: a recording begins with a line that holds recording, driver and device")
    head = _object(path, 1, line)
    if "recording" not in head:
        raise RecordingError(path, 1, "the first line has no key recording: this is no recording")
    version = head["recording"]
    if version is not True and version == VERSION:
        for key in ("driver", "device"):
            if not isinstance(head.get(key), str):
                raise RecordingError(path, 1, f"the first line needs {key}, a text")
        return head
    raise RecordingError(path, 1, f"recording version {version!r} is unknown here, known is {VERSION}")


def _entry(path: Path, number: int, values: dict[str, object]) -> Entry:
    t_s = values.get("t")
    if isinstance(t_s, bool) or not isinstance(t_s, int | float) or not 0 <= t_s <= LONGEST_S:
        raise RecordingError(path, number, f"t is {t_s!r}, not seconds from the start")
    keys = sorted(values.keys() & {"rx", "tx", "rxh", "txh", "ev"})
    if len(keys) != 1:
        raise RecordingError(path, number, f"needs one of rx, tx, rxh, txh, ev and has {', '.join(keys) or 'none'}")
    key = keys[0]
    value = values[key]
    if not isinstance(value, str):
        raise RecordingError(path, number, f"{key} is no text")
    if key == "ev":
        if value not in EVENTS:
            raise RecordingError(path, number, f"ev is {value!r}, not one of {', '.join(sorted(EVENTS))}")
        return Entry(number, float(t_s), "ev", event=value, reason=str(values.get("reason", "")))
    kind: Kind = "rx" if key.startswith("rx") else "tx"
    try:
        data = bytes.fromhex(value) if key.endswith("h") else value.encode("latin-1")
    except UnicodeEncodeError as error:
        raise RecordingError(path, number, f"{key} holds {value[error.start]!r}, which is no byte") from error
    except ValueError as error:
        raise RecordingError(path, number, f"{key} is no hexadecimal: {error}") from error
    return Entry(number, float(t_s), kind, data=data)


class Recorder(Protocol):
    """What a link tells of everything that passes it."""

    def rx(self, data: bytes, at: Instant) -> None:
        """Bytes from the device."""
        ...

    def tx(self, data: bytes, at: Instant) -> None:
        """Bytes to the device."""
        ...

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        """The link opened (``open``), ended (``close``) or could not be opened (``error``)."""
        ...


class RecordingWriter:
    """Writes a recording to ``file``, opened binary and unbuffered: every line is with the system when a call returns.

    It is not forced to the disk. Times count from ``start``. Raises ``OSError`` as the file does; after that the last
    line may be torn and nothing more must be written to it.
    """

    def __init__(
        self, file: BinaryIO, *, driver: str, device: str, start: Instant, serial: object = None, note: str = ""
    ) -> None:
        self._file = file
        self._start = start
        self.bytes_written = 0
        head: dict[str, object] = {"recording": VERSION, "driver": driver, "device": device}
        head |= {key: value for key, value in (("serial", serial), ("note", note)) if value}
        self._write(head | {"started": start.rfc3339()})

    @classmethod
    def create(
        cls, path: Path, *, driver: str, device: str, start: Instant, serial: object = None, note: str = ""
    ) -> RecordingWriter:
        """A writer to a new file. Raises ``FileExistsError`` rather than touch an old recording, else ``OSError``."""
        file = path.open("xb", buffering=0)
        try:
            return cls(file, driver=driver, device=device, start=start, serial=serial, note=note)
        except BaseException:
            file.close()
            path.unlink()  # it holds nothing, and a full disk would gather one with every try
            raise

    def rx(self, data: bytes, at: Instant) -> None:
        """Bytes from the device."""
        self._data("rx", data, at)

    def tx(self, data: bytes, at: Instant) -> None:
        """Bytes to the device."""
        self._data("tx", data, at)

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        """``open``, ``close`` or ``error``. Raises ``ValueError`` for another word."""
        if event not in EVENTS:
            raise ValueError(f"{event!r} is not one of {', '.join(sorted(EVENTS))}")
        self._write({"t": self._t_s(at), "ev": event} | ({"reason": reason} if reason else {}))

    def close(self) -> None:
        """Closes the file. Idempotent."""
        self._file.close()

    def _data(self, kind: str, data: bytes, at: Instant) -> None:
        if PLAIN.fullmatch(data):
            self._write({"t": self._t_s(at), kind: data.decode("ascii")})
        else:
            self._write({"t": self._t_s(at), f"{kind}h": data.hex()})

    def _t_s(self, at: Instant) -> float:
        return round((at.mono_ns - self._start.mono_ns) / NS_PER_S, 6)

    def _write(self, values: dict[str, object]) -> None:
        rest = memoryview(msgspec.json.encode(values) + b"\n")
        while rest:
            written = self._file.write(rest)
            self.bytes_written += written
            rest = rest[written:]
