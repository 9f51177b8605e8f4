"""Keeps every raw byte of a device for some days, and never stands in the way of the bytes themselves."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
from collections.abc import Callable
from pathlib import Path

from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import RecordingWriter

HOUR_NS = 3600 * NS_PER_S
DAY_NS = 24 * HOUR_NS
RETRY_AFTER_S = 60.0
MAX_BYTES_PER_FILE = 64 * 1024 * 1024
MIN_FREE_BYTES = 64 * 1024 * 1024
"""Left on the file system for the journal: a table can do without its flight recorder, not without its journal."""
LOOK_AT_DISK_EVERY_BYTES = 1024 * 1024
GAP_NS = 2 * DAY_NS
"""Longer than a table is closed between two weeks, and shorter than any clock is wrong whose battery is empty."""
RETIRED_AT_ONCE = 4
"""Old files removed for each new one. A wall clock that jumps a year ahead must not empty the folder at a stroke."""


class FlightRecorder:
    """Recordings of one device in ``directory``: a new file each hour of the wall clock, each start, and each
    ``max_bytes_per_file``; files that began more than ``keep_days`` days ago are removed, as far as the clock can be
    believed: ``synchronised`` says whether it is set by another (NTP). Where it is not, what lies behind a gap of days
    (``GAP_NS``) stays as long as the disk has room: the computer was off, or its clock has jumped, and none can tell.

    No call raises for a disk that fails: ``problem`` then says why nothing is kept, and it tries again a minute
    later with a new file whose note says how much is missing. ``create`` opens a writer; tests hand in their own.
    """

    def __init__(
        self,
        directory: Path,
        driver: str,
        device: str,
        keep_days: int = 7,
        max_bytes_per_file: int = MAX_BYTES_PER_FILE,
        *,
        min_free_bytes: int = MIN_FREE_BYTES,
        create: Callable[..., RecordingWriter] = RecordingWriter.create,
        synchronised: Callable[[], bool] = lambda: False,
    ) -> None:
        self.problem: str | None = None
        self._directory = directory
        self._driver = driver
        self._device = device
        self.keep_days(keep_days)
        self._max_bytes = max_bytes_per_file
        self._min_free_bytes = min_free_bytes
        self._create = create
        self._synchronised = synchronised
        self._stem = re.sub(r"[^A-Za-z0-9._-]", "_", device)
        self._ours = re.compile(re.escape(self._stem) + r"-(\d{8}T\d{6})Z(-\d+)?\.rec\.jsonl")
        self._writer: RecordingWriter | None = None
        self._hour = 0
        self._looked_at_bytes = 0
        self._retry_mono_ns = 0
        self._missing_bytes = 0

    def keep_days(self, days: int) -> None:
        """From now on files are kept for so many days."""
        self._keep_ns = days * DAY_NS

    def rx(self, data: bytes, at: Instant) -> None:
        """Bytes from the device."""
        self._keep(len(data), at, lambda writer: writer.rx(data, at))

    def tx(self, data: bytes, at: Instant) -> None:
        """Bytes to the device."""
        self._keep(len(data), at, lambda writer: writer.tx(data, at))

    def event(self, event: str, at: Instant, reason: str = "") -> None:
        """The link opened (``open``), ended (``close``) or could not be opened (``error``)."""
        self._keep(0, at, lambda writer: writer.event(event, at, reason))

    def close(self) -> None:
        """Closes the file. Idempotent; a later byte opens a new one."""
        if self._writer is not None:
            with contextlib.suppress(OSError):
                self._writer.close()
            self._writer = None

    def _keep(self, size: int, at: Instant, write: Callable[[RecordingWriter], None]) -> None:
        if self.problem is not None and at.mono_ns < self._retry_mono_ns:
            self._missing_bytes += size
            return
        try:
            write(self._due(at))
        except OSError as error:
            self._missing_bytes += size
            self._retry_mono_ns = at.plus_s(RETRY_AFTER_S).mono_ns
            self.problem = (
                f"the flight recorder of {self._device} keeps nothing: {error.strerror or error} "
                f"({self._directory}); it tries again every {RETRY_AFTER_S:g} s"
            )
            self.close()
        else:
            self.problem = None
            self._missing_bytes = 0

    def _due(self, at: Instant) -> RecordingWriter:
        writer = self._writer
        hour = at.wall_ns // HOUR_NS
        if writer is not None and (hour != self._hour or writer.bytes_written >= self._max_bytes):
            self.close()
            writer = None
        if writer is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._retire(at)
            self._spare_the_journal()
            writer = self._writer = self._new(at)
            self._hour = hour
            self._looked_at_bytes = 0
        elif writer.bytes_written - self._looked_at_bytes >= LOOK_AT_DISK_EVERY_BYTES:
            self._looked_at_bytes = writer.bytes_written
            self._spare_the_journal()
        return writer

    def _new(self, at: Instant) -> RecordingWriter:
        note = f"{self._missing_bytes} bytes before this are missing: {self.problem}" if self.problem else ""
        began = dt.datetime.fromtimestamp(at.wall_ns // NS_PER_S, dt.UTC)
        number = 1
        while True:
            suffix = "" if number == 1 else f"-{number}"
            path = self._directory / f"{self._stem}-{began:%Y%m%dT%H%M%SZ}{suffix}.rec.jsonl"
            try:
                return self._create(path, driver=self._driver, device=self._device, start=at, note=note)
            except FileExistsError:
                number += 1

    def _retire(self, at: Instant) -> None:
        found = []
        for path in self._directory.iterdir():
            if match := self._ours.fullmatch(path.name):
                began = dt.datetime.strptime(match[1] + "+0000", "%Y%m%dT%H%M%S%z")
                found.append((round(began.timestamp()) * NS_PER_S, path))
        found.sort()
        if not self._synchronised() and self._disk_has_room():
            found = self._without_gap(found, at.wall_ns)
        old = [path for began_ns, path in found if began_ns < at.wall_ns - self._keep_ns]
        for path in old[:RETIRED_AT_ONCE]:
            path.unlink(missing_ok=True)

    def _without_gap(self, found: list[tuple[int, Path]], wall_ns: int) -> list[tuple[int, Path]]:
        """Those from which recording went on until now without a gap of days."""
        after_ns = wall_ns
        for place in reversed(range(len(found))):
            began_ns = found[place][0]
            if after_ns - began_ns > GAP_NS:
                return found[place + 1 :]
            after_ns = min(after_ns, began_ns)
        return found

    def _spare_the_journal(self) -> None:
        if not self._disk_has_room():
            raise OSError(f"less than {self._min_free_bytes // (1024 * 1024)} MiB are free on the disk")

    def _disk_has_room(self) -> bool:
        disk = os.statvfs(self._directory)
        return disk.f_bavail * disk.f_frsize >= self._min_free_bytes
