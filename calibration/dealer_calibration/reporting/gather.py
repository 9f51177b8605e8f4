"""Everything that the report says, gathered from the configuration, the calibrations and the kept results."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

from dealer_calibration.bench import BenchDevice, BenchError, Result, device_of, first_device_of, kept_results
from dealer_calibration.bench.results import kept_check, picture_path
from dealer_calibration.cli.exit_codes import WRONG

_PICTURE = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_-]+\.[a-z]+")
"""How results name their pictures, ``{command}/{file}``: never a way out of the device's folder."""
MOST_PICTURE_BYTES = 8_000_000
"""A picture of the bench has less; the page must open on a technician's laptop."""


@dataclass(frozen=True, slots=True)
class DevicePart:
    """One device: what it is by (name, text), and what was found of it, the pictures of each result beside it."""

    name: str
    about: tuple[tuple[str, str], ...]
    results: tuple[Result, ...]
    pictures: Mapping[str, bytes]
    """By ``{command}/{file}``, as the results name them. PNG or JPEG."""


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report. ``digest`` stands for all that was found: two reports with the same one say the same."""

    site: str
    table: str
    game: str
    by: str
    made: dt.datetime
    note: str
    check: Result | None
    devices: tuple[DevicePart, ...]
    digest: str
    tool: str

    @property
    def passed(self) -> bool:
        """The check of the whole table passed, and so did each newest result."""
        results = [result for device in self.devices for result in device.results]
        return self.check is not None and self.check.passed and all(result.passed for result in results)


def gather(config: Path, table: str, *, by: str, note: str, made: dt.datetime) -> Report:
    """The report of a table as it stands now. Raises ``ConfigErrors``, and ``BenchError`` where a kept result or
    picture cannot be read, or nothing was found of the table yet."""
    first = first_device_of(config, table)
    check = kept_check(first.state_dir, table)
    devices = tuple(_device(device_of(config, table, one.name)) for one in first.table_config.devices)
    if check is None and not any(device.results for device in devices):
        raise BenchError(
            f"nothing was found of table {table} yet: run `dealer-calibrate check --table {table}` and the commands "
            "that it names",
            WRONG,
        )
    return Report(
        site=first.site,
        table=table,
        game=first.game,
        by=by,
        made=made,
        note=note,
        check=check,
        devices=devices,
        digest=_digest(check, devices),
        tool=f"dealer-calibrate {metadata.version('dealer-station')}",
    )


def _device(device: BenchDevice) -> DevicePart:
    results = tuple(kept_results(device.state_dir, device.table, device.name))
    pictures = {}
    for result in results:
        for name in result.pictures:
            if not _PICTURE.fullmatch(name):
                raise BenchError(f"{result.command} of {device.name}: {name[:80]!r} is no picture of the bench's")
            path = picture_path(device.state_dir, result, name)
            try:
                content = path.read_bytes()
            except OSError as error:
                raise BenchError(f"{path}: cannot be read ({error.strerror}): run {result.command} again") from error
            if len(content) > MOST_PICTURE_BYTES:
                raise BenchError(f"{path}: {len(content)} bytes are more than a picture of the bench has")
            if not _is_picture(content):
                raise BenchError(f"{path}: is no picture: run {result.command} again")
            pictures[name] = content
    return DevicePart(device.name, tuple(_about(device)), results, pictures)


def _is_picture(content: bytes) -> bool:
    """Whether the whole of it can be read, as the page and the PDF do."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as picture:
            picture.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return False
    return True


def _about(device: BenchDevice) -> Sequence[tuple[str, str]]:
    about = [
        ("driver", f"{device.driver.name}: {device.driver.summary} ({device.driver.maturity})"),
        ("port", device.port),
    ]
    calibration = device.calibration
    if calibration is None:
        return about
    envelope = calibration.envelope
    return [
        *about,
        ("calibration", f"{calibration.id}, {envelope.kind}"),
        ("made", f"{envelope.made}, by {envelope.by}, with {envelope.tool}"),
        ("made with", envelope.serial or "a device that tells no serial number"),
        ("hash", calibration.sha256),
    ]


def _digest(check: Result | None, devices: Sequence[DevicePart]) -> str:
    found = hashlib.sha256(msgspec.json.encode(check, order="sorted"))
    for device in devices:
        found.update(msgspec.json.encode([device.name, device.about, device.results], order="sorted"))
        for name, content in sorted(device.pictures.items()):
            found.update(name.encode() + hashlib.sha256(content).digest())
    return f"sha256:{found.hexdigest()}"
