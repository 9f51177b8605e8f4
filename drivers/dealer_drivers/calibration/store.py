"""Where calibrations are kept: ``{calibration_dir}/{table}/{device}/{id}/``, and a file ``current`` that names one.

A calibration appears whole under its name or not at all, and is never changed after; ``current`` is replaced in one
step. So a tool that is killed at any instant leaves what was there before, or what it meant to leave.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from dealer_drivers.calibration.form import (
    ENVELOPE,
    FORMAT,
    ID,
    SEAL,
    Calibration,
    CalibrationError,
    Envelope,
    encode,
    is_name,
    read,
    seal_of,
    sha256_of,
)
from dealer_drivers.calibration.withdrawal import WITHDRAWN, Withdrawal, count_of, read_withdrawal
from dealer_drivers.whole_files import make_folder, open_lock, sync_folder, write_new

KEEP = 20
"""The newest calibrations of a device that are kept, beside those in use."""
CURRENT = "current"
"""The pointer that says which calibration counts; and the word that asks for it."""
IN_USE = "in_use"
"""The pointer to what a daemon took up last: it may be older than ``current``, and is not removed."""
_PART, _GONE, _LOCK = ".part-", ".gone-", ".lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A calibration that is to be kept. ``files`` are its attached files by name."""

    kind: str
    table: str
    device: str
    driver: str
    serial: str | None
    by: str
    tool: str
    based_on: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


class CalibrationStore:
    """All calibrations under ``root``. Reading takes no lock; what is read is whole at any moment."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, table: str, device: str) -> Path:
        """Where the device's calibrations are. Raises ``CalibrationError`` for what is no name."""
        for key, name in (("table", table), ("device", device)):
            if not is_name(name):
                raise CalibrationError(self.root, [f"{key}: {name[:80]!r} is no name: letters, digits, _ and -"])
        return self.root / table / device

    def ids(self, table: str, device: str) -> list[str]:
        """What is kept of the device, the oldest first. Raises ``CalibrationError`` where that cannot be read."""
        folder = self.folder(table, device)
        try:
            names = [path.name for path in folder.iterdir() if ID.fullmatch(path.name)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CalibrationError(folder, [f"cannot be read: {error.strerror}"]) from error
        return sorted(names, key=count_of)

    def current(self, table: str, device: str) -> str | None:
        """The id that counts; ``None`` where none was ever kept. Raises ``CalibrationError`` for a broken pointer."""
        return _pointer(self.folder(table, device) / CURRENT)

    def load(self, table: str, device: str, which: str = CURRENT) -> Calibration:
        """The calibration, checked: by its id, or the one that counts. Raises ``CalibrationError``."""
        folder = self.folder(table, device)
        chosen = self.current(table, device) if which == CURRENT else which
        if chosen is None:
            raise CalibrationError(folder, [_none_counts(self.ids(table, device))])
        if not ID.fullmatch(chosen) or not (folder / chosen).is_dir():
            known = ", ".join(reversed(self.ids(table, device))) or "none"
            raise CalibrationError(folder, [f"there is no calibration {chosen[:80]!r}; there are: {known}"])
        return read(folder / chosen, table, device)

    def save(self, draft: Draft, made: dt.datetime, *, make_current: bool = True) -> Calibration:
        """Keep it, let it count from now on, and remove what is too old.

        Raises ``CalibrationError`` when it cannot be a calibration, ``OSError`` when it cannot be written: then all is
        as it was.
        """
        with self._changing(draft.table, draft.device) as folder:
            known = self.ids(draft.table, draft.device)
            moment = made.astimezone(dt.UTC).replace(microsecond=0)
            count = count_of(known[-1]) + 1 if known else 1
            envelope = Envelope(
                calibration=FORMAT,
                id=f"{count:04d}-{moment:%Y%m%dT%H%M%SZ}",
                kind=draft.kind,
                table=draft.table,
                device=draft.device,
                driver=draft.driver,
                serial=draft.serial,
                made=f"{moment:%Y-%m-%dT%H:%M:%SZ}",
                by=draft.by,
                tool=draft.tool,
                based_on=draft.based_on,
                values=dict(draft.values),
                files={name: sha256_of(data) for name, data in draft.files.items()},
            )
            if problems := envelope.problems():
                raise CalibrationError(folder / envelope.id / ENVELOPE, problems)
            self._write(folder, envelope, draft.files)
            kept = read(folder / envelope.id, draft.table, draft.device)
            if make_current:
                _point(folder / CURRENT, kept.id)
            self._prune(folder, draft.table, draft.device)
        return kept

    def choose(self, table: str, device: str, wanted: str) -> str | None:
        """Let this calibration count from now on; it is checked first. Answers the id that counted before.

        Raises ``CalibrationError``, and ``OSError`` when it cannot be written.
        """
        self.load(table, device, wanted)  # before a folder is made for what is not there
        with self._changing(table, device) as folder:
            before = _pointer_or_none(folder / CURRENT)
            chosen = self.load(table, device, wanted).id
            if (gone := read_withdrawal(folder)).has(chosen):  # the device was not changed after all
                _note(folder, msgspec.structs.replace(gone, newest=None))
            _point(folder / CURRENT, chosen)
        return before

    def withdraw(self, table: str, device: str, files: Iterable[str] = ()) -> str | None:
        """Let none count from now on: the device was changed so that none fits. Each stays, to be chosen again.
        ``files`` are hashes of what is used by path, which fits no more either. Answers the id that counted before.

        Raises ``CalibrationError``, and ``OSError`` when it cannot be written.
        """
        before = _pointer_or_none(self.folder(table, device) / CURRENT)
        with self._changing(table, device) as folder:
            known = self.ids(table, device)
            # First, so that who has one in memory cannot miss it whatever comes after.
            _note(folder, read_withdrawal(folder).again(known[-1] if known else None, files))
            (folder / CURRENT).unlink(missing_ok=True)
            sync_folder(folder)
        return before

    def withdrawal(self, table: str, device: str) -> Withdrawal:
        """What of the device was withdrawn. Raises ``CalibrationError`` where that cannot be read."""
        return read_withdrawal(self.folder(table, device))

    def is_withdrawn(self, table: str, device: str, id_: str) -> bool:
        """Whether that calibration was withdrawn, and was not chosen again. Raises ``CalibrationError``."""
        return self.current(table, device) != id_ and self.withdrawal(table, device).has(id_)

    def mark_in_use(self, table: str, device: str, used: str) -> None:
        """A daemon works with this one: it stays, however many are made after it, and as it is: one of the older form
        gets its seal. Raises as ``choose`` does."""
        self.load(table, device, used)
        with self._changing(table, device) as folder:
            path = self.load(table, device, used).folder
            if not (path / SEAL).exists():
                _seal(path)
            if _pointer_or_none(folder / IN_USE) != used:
                _point(folder / IN_USE, used)

    def _write(self, folder: Path, envelope: Envelope, files: Mapping[str, bytes]) -> None:
        part = folder / f"{_PART}{envelope.id}"
        make_folder(part)
        data = encode(envelope)
        for name, content in (*files.items(), (ENVELOPE, data), (SEAL, seal_of(data))):
            write_new(part / name, content)
        sync_folder(part)
        part.rename(folder / envelope.id)
        sync_folder(folder)

    def _prune(self, folder: Path, table: str, device: str) -> None:
        used = {_pointer_or_none(folder / CURRENT), _pointer_or_none(folder / IN_USE)}
        for old in self.ids(table, device)[:-KEEP]:
            if old not in used:
                # It goes in one step, too: half a calibration must not be found under its name.
                gone = (folder / old).rename(folder / f"{_GONE}{old}")
                shutil.rmtree(gone)

    @contextlib.contextmanager
    def _changing(self, table: str, device: str) -> Iterator[Path]:
        """One writer at a time. What a killed one left behind is removed."""
        folder = self.folder(table, device)
        _make_folders(folder)
        # The lock is of the open file: it ends with the process, however that ends.
        lock = open_lock(folder / _LOCK)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in (*folder.glob(f"{_PART}*"), *folder.glob(f"{_GONE}*")):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            yield folder
        finally:
            os.close(lock)


def _none_counts(known: list[str]) -> str:
    if not known:
        return "there is none yet; make one with dealer-calibrate"
    return (
        f"none counts: {known[-1]} and those before it were withdrawn, for the device was changed; make one with "
        "dealer-calibrate (or, if it was not changed, choose one: dealer-calibrate files rollback --to ID)"
    )


def _pointer(path: Path) -> str | None:
    try:
        text = path.read_text("utf-8", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CalibrationError(path, [f"cannot be read: {error.strerror}"]) from error
    if not ID.fullmatch(text):
        raise CalibrationError(
            path,
            ["names no calibration: files list shows those that are there; choose one with files rollback --to ID"],
        )
    return text


def _pointer_or_none(path: Path) -> str | None:
    """As ``_pointer`` for one that is about to be replaced: a broken one counts as none."""
    with contextlib.suppress(CalibrationError):
        return _pointer(path)
    return None


def _point(path: Path, name: str) -> None:
    part = path.with_name(f"{_PART}{path.name}")
    write_new(part, f"{name}\n".encode())
    part.replace(path)
    sync_folder(path.parent)


def _note(folder: Path, withdrawal: Withdrawal) -> None:
    part = folder / f"{_PART}{WITHDRAWN}"
    write_new(part, msgspec.json.encode(withdrawal) + b"\n")
    part.replace(folder / WITHDRAWN)
    sync_folder(folder)


def _seal(folder: Path) -> None:
    part = folder.with_name(f"{_PART}{SEAL}")
    write_new(part, seal_of((folder / ENVELOPE).read_bytes()))
    part.rename(folder / SEAL)
    sync_folder(folder)


def _make_folders(folder: Path) -> None:
    """The folder and those above it, each on the disk before the next."""
    if folder.is_dir():
        return
    if folder.parent == folder:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    _make_folders(folder.parent)
    with contextlib.suppress(FileExistsError):
        make_folder(folder)
    sync_folder(folder.parent)
