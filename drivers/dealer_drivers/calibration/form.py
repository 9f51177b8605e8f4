"""What a calibration file says, and whether it may be believed.

A calibration is a folder that never changes: ``calibration.json`` (the envelope below) and the files that belong to it,
each bound to it by its SHA-256. The SHA-256 of ``calibration.json`` therefore stands for all of it. It stands beside it
in ``calibration.sha256``, as ``sha256sum`` writes it: values that were edited by hand are found out, not used.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dealer_drivers.errors import FixConfigError
from dealer_drivers.json_text import decode_json

FORMAT = 2
UNSEALED = 1
"""The older form, which has no seal until a station takes it up: then it gets one."""
ENVELOPE = "calibration.json"
SEAL = "calibration.sha256"
ID = re.compile(r"\d{4,9}-\d{8}T\d{6}Z")
"""A count within the device, and when it was made. The count orders them: clocks are set back."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_KIND = re.compile(r"[a-z][a-z0-9-]{0,63}")


class CalibrationError(FixConfigError):
    """A calibration cannot be used. ``problems`` names every key of the file at ``path`` that is wrong, and why."""

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        super().__init__(f"calibration {path}: {'; '.join(problems)}")
        self.path = path
        self.problems = tuple(problems)


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of ``calibration.json``."""

    calibration: int
    """Version of this format."""
    id: str
    kind: str
    """What is calibrated, ``dice-rig``: decides what the daemon does with it."""
    table: str
    device: str
    driver: str
    serial: str | None
    """Serial number of the device that it was made with; null where the device tells none."""
    made: str
    """RFC 3339, UTC."""
    by: str
    tool: str
    """The program that made it, with its version."""
    based_on: str | None
    """Id of the calibration that this one began from."""
    values: dict[str, Any]
    """The figures that are in no attached file."""
    files: dict[str, str]
    """SHA-256 of each attached file by its name: ``sha256:…``."""

    def problems(self) -> list[str]:
        """Every value that cannot be, by key."""
        said = []
        for key, value, form in (("id", self.id, ID), ("kind", self.kind, _KIND), ("driver", self.driver, _NAME)):
            if not form.fullmatch(value):
                said.append(f"{key}: {value[:80]!r} is none")
        said += [f"{key}: {value[:80]!r} is no name" for key, value in self._names() if not is_name(value)]
        if self.based_on is not None and not ID.fullmatch(self.based_on):
            said.append(f"based_on: {self.based_on[:80]!r} is no id")
        if self.serial is not None and not self.serial.strip():
            said.append("serial: is empty; write null where the device tells none")
        said += [f"{key}: is empty; say who made it" for key in ("by", "tool") if not getattr(self, key).strip()]
        if made_at(self.made) is None:
            said.append(f"made: {self.made[:80]!r} is no time with its zone (RFC 3339)")
        for name, digest in self.files.items():
            if not _FILE.fullmatch(name) or name in (ENVELOPE, SEAL):
                said.append(f"files.{name[:80]}: is no name of a file beside {ENVELOPE}")
            elif not _HASH.fullmatch(digest):
                said.append(f"files.{name}: is no SHA-256 as in sha256:{'0' * 8}…")
        return said

    def _names(self) -> tuple[tuple[str, str], ...]:
        return ("table", self.table), ("device", self.device)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A checked calibration. ``folder`` holds it and its files; ``sha256`` is of its ``calibration.json``."""

    envelope: Envelope
    folder: Path
    sha256: str

    @property
    def id(self) -> str:
        """Its id within the device."""
        return self.envelope.id

    def file(self, name: str) -> Path:
        """An attached file. Raises ``CalibrationError`` where it has none of that name."""
        if name not in self.envelope.files:
            raise CalibrationError(self.folder / ENVELOPE, [f"files: there is no {name} in it; calibrate again"])
        return self.folder / name


def is_name(text: str) -> bool:
    """Whether a table or device may be called so; then it is a folder's name, too, that leads nowhere else."""
    return _NAME.fullmatch(text) is not None


def made_at(text: str) -> dt.datetime | None:
    """The moment, with its zone; ``None`` for a text that is none."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def sha256_of(data: bytes) -> str:
    """As the files name it: ``sha256:…``."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def encode(envelope: Envelope) -> bytes:
    """The bytes of ``calibration.json``, for people to read."""
    return msgspec.json.format(msgspec.json.encode(envelope), indent=2) + b"\n"


def read(folder: Path, table: str, device: str) -> Calibration:
    """The calibration in the folder, checked against its files and its place. Raises ``CalibrationError`` with all that
    is wrong: file, key and reason."""
    path = folder / ENVELOPE
    data = _bytes(path, path)
    problems = _seal_problems(folder, data)
    try:
        envelope = _decoded(data, path)
    except CalibrationError as error:
        raise CalibrationError(path, [*problems, *error.problems]) from error
    if envelope.calibration != UNSEALED and not (folder / SEAL).exists():
        problems.append(f"{SEAL} beside it is missing, so nobody can tell whether it was changed; {_INSTEAD}")
    problems += envelope.problems()
    for key, value, wanted in (("id", envelope.id, folder.name), ("table", envelope.table, table)):
        if value != wanted:
            problems.append(f"{key}: is {value[:80]!r}, and it lies where {wanted!r} belongs; was it copied here?")
    if envelope.device != device:
        problems.append(f"device: is {envelope.device[:80]!r}, and it lies where {device!r} belongs; was it copied?")
    for name, digest in envelope.files.items():
        if not _FILE.fullmatch(name):
            continue  # said above
        try:
            if sha256_of(_bytes(path, folder / name)) != digest:
                problems.append(f"files.{name}: is not the file that it was made with (SHA-256); roll back")
        except CalibrationError as error:
            problems += error.problems
    if problems:
        raise CalibrationError(path, problems)
    return Calibration(envelope, folder, sha256_of(data))


def seal_of(data: bytes) -> bytes:
    """What stands in ``calibration.sha256`` beside an envelope of these bytes."""
    return f"{hashlib.sha256(data).hexdigest()}  {ENVELOPE}\n".encode()


_INSTEAD = "roll back, or take changed values in with dealer-calibrate files import"


def _seal_problems(folder: Path, data: bytes) -> list[str]:
    """That the envelope is not the one that was made, as far as its seal tells."""
    try:
        sealed = (folder / SEAL).read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"{SEAL}: cannot be read: {error.strerror}"]
    if sealed.split() == seal_of(data).split():
        return []
    return [f"was changed after it was made: it is not what {SEAL} beside it says; {_INSTEAD}"]


class _Version(msgspec.Struct):
    calibration: int


def _decoded(data: bytes, path: Path) -> Envelope:
    try:
        version = decode_json(data, _Version).calibration
        if version not in (UNSEALED, FORMAT):
            hint = "install the newer dealer-station that made it" if version > FORMAT else "there is no such form"
            raise CalibrationError(path, [f"calibration: the form is {version}, known is {FORMAT}; {hint}"])
        return decode_json(data, Envelope)
    except msgspec.ValidationError as error:
        raise CalibrationError(path, [_spoken(error)]) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CalibrationError(path, [f"is no JSON: {error}; roll back to the one before"]) from error


def _spoken(error: msgspec.ValidationError) -> str:
    reason, _, where = str(error).partition(" - at `$.")
    return f"{where.rstrip('`')}: {reason}" if where else reason


def _bytes(envelope: Path, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        problem = "there is no such file" if path == envelope else f"files.{path.name}: the file is missing; roll back"
    except OSError as error:
        problem = f"{path.name}: cannot be read: {error.strerror}"
    raise CalibrationError(envelope, [problem])
