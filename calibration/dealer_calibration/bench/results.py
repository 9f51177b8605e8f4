"""Where results of guided commands are kept, so that ``report`` finds them: ``{state_dir}/bench/{table}/{device}/``.

One file a command, the newest result of it; it appears whole. Pictures lie in a folder beside it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dealer_calibration.bench.device import BenchDevice, BenchError
from dealer_calibration.bench.result import Result
from dealer_drivers.calibration.form import is_name
from dealer_drivers.whole_files import make_folder, write_whole

BENCH = "bench"
"""The bench's folder in the state directory: results, and the locks of devices that are in its hands."""


class NotKept(BenchError):  # noqa: N818
    """A result could not be kept. Nobody has seen it yet: ``result``."""

    def __init__(self, result: Result, text: str) -> None:
        kept = f" Calibration {result.calibration} is the device's current one." if result.calibration else ""
        super().__init__(f"{text}. Of what was found here nothing else is kept.{kept}")
        self.result = result


def keep_result(device: BenchDevice, result: Result, pictures: Mapping[str, bytes] | None = None) -> Result:
    """Keep the result in the place of an older one of the same command, device and table, with ``pictures`` by file
    name; a result of no device, in that of its whole table. Answers it as it was kept.

    Raises ``NotKept`` where it cannot be written: the older result is then as it was, but for its pictures.
    """
    for name in (result.command, *(Path(picture).stem for picture in pictures or {})):
        if not is_name(name):
            raise ValueError(f"{name!r} is no name of a result or picture: letters, digits, _ and -")
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    names = [f"{result.command}/{name}" for name in pictures or {}]
    kept = msgspec.structs.replace(result, made=now, pictures=[*result.pictures, *names])
    folder = device.state_dir / BENCH / device.table
    folder = folder / device.name if result.device else folder
    try:
        _folders(folder)
        if pictures:
            _folders(folder / result.command)
        for name, content in (pictures or {}).items():
            write_whole(folder / result.command / name, content, replace=True)
        body = msgspec.json.format(msgspec.json.encode(kept.as_json()), indent=2)
        write_whole(folder / f"{result.command}.json", body + b"\n", replace=True)
    except OSError as error:
        raise NotKept(kept, str(unwritable(folder, error))) from error
    return kept


def kept_results(state_dir: Path, table: str, device: str | None = None) -> list[Result]:
    """What was kept of a table, or of one device of it, by device and command. A file that is no result, or of
    another device, raises ``BenchError`` with its path."""
    folder = state_dir / BENCH / table
    found = [(path, _read(path)) for path in sorted(folder.glob(f"{device or '*'}/*.json"))]
    for path, result in found:
        if (result.table, result.device) != (table, path.parent.name):
            raise BenchError(
                f"{path}: is a result of {result.table}/{result.device}, and lies with those of "
                f"{table}/{path.parent.name}: remove it, and run the command again"
            )
    return [result for _, result in found]


def kept_check(state_dir: Path, table: str) -> Result | None:
    """The newest check of the whole table; ``None`` where there was none. Raises ``BenchError``."""
    path = state_dir / BENCH / table / "check.json"
    return _read(path) if path.exists() else None


def picture_path(state_dir: Path, result: Result, picture: str) -> Path:
    """Where a picture of a kept result lies."""
    return state_dir / BENCH / result.table / result.device / picture


def _read(path: Path) -> Result:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.MsgspecError) as error:
        raise BenchError(
            f"{path}: is no result of the bench ({error}): remove it, and run the command again"
        ) from error


def bench_folder(state_dir: Path) -> Path:
    """The bench's folder, made where it is not there yet. Raises ``BenchError``."""
    folder = state_dir / BENCH
    try:
        _folders(folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def unwritable(path: Path, error: OSError) -> BenchError:
    """Why the bench cannot keep anything, and who may."""
    said = f"{error.filename or path}: cannot be written ({error.strerror}): the bench keeps its results there"
    if error.errno in (errno.EACCES, errno.EPERM):
        return BenchError(f"{said}. Join the group of the state directory, or use sudo")
    return BenchError(f"{said}. Make room, or look at the disk")


def _folders(folder: Path) -> None:
    """Make the folder and those above it, for everybody who may write there."""
    if folder.is_dir():
        return
    _folders(folder.parent)
    with contextlib.suppress(FileExistsError):
        make_folder(folder)
