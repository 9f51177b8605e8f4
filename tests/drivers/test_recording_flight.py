"""The flight recorder keeps every byte for some days and never stands in the way."""

from __future__ import annotations

import datetime as dt
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers import flight_recorder as module
from dealer_drivers.flight_recorder import FlightRecorder
from dealer_drivers.instant import Instant
from dealer_drivers.recording import Recording, RecordingWriter, read_recording

NOON = Instant(1_000_000_000_000, round(dt.datetime(2026, 1, 31, 12, 0, tzinfo=dt.UTC).timestamp()) * 10**9)
HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


def recorded(directory: Path, device: str = "wheel") -> list[Recording]:
    return [read_recording(path) for path in sorted(directory.glob(f"{device}-*"))]


def received(directory: Path) -> bytes:
    return b"".join(entry.data for one in recorded(directory) for entry in one.entries if entry.kind == "rx")


class FullDisk:
    """Files that take ``room`` more bytes, then fail as a full disk does: first with a part, then with an error."""

    def __init__(self, room: int) -> None:
        self.room = room

    def create(self, path: Path, **head: Any) -> RecordingWriter:
        file = _File(path, self)
        try:
            return RecordingWriter(file, **head)  # type: ignore[arg-type]
        except OSError:
            file.close()
            raise


class _File:
    def __init__(self, path: Path, disk: FullDisk) -> None:
        self._file = path.open("xb", buffering=0)
        self._disk = disk

    def write(self, data: memoryview) -> int:
        taken = min(len(data), self._disk.room)
        if not taken:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._disk.room -= taken
        self._file.write(data[:taken])
        return taken

    def close(self) -> None:
        self._file.close()
        if not self._disk.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # closing may fail as well


def test_everything_that_passed_is_a_recording(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path / "flight", "cammegh-ss2", "wheel")
    recorder.event("open", NOON, "/dev/dealer/wheel")
    recorder.tx(b"*X\r\n", NOON.plus_s(1))
    recorder.rx(b"*X;2\r\n", NOON.plus_s(1.5))
    recorder.rx(b"\x00\xff", NOON.plus_s(2))
    recorder.event("close", NOON.plus_s(3), "hung up")
    recorder.close()
    recorder.close()
    [recording] = recorded(tmp_path / "flight")
    assert (recording.driver, recording.device) == ("cammegh-ss2", "wheel")
    assert recording.head["started"] == "2026-01-31T12:00:00.000000Z"
    assert [(entry.t_s, entry.kind, entry.data, entry.event) for entry in recording.entries] == [
        (0.0, "ev", b"", "open"),
        (1.0, "tx", b"*X\r\n", ""),
        (1.5, "rx", b"*X;2\r\n", ""),
        (2.0, "rx", b"\x00\xff", ""),
        (3.0, "ev", b"", "close"),
    ]
    assert recording.entries[4].reason == "hung up"
    assert recorder.problem is None


def test_an_hour_of_the_wall_clock_is_a_file_and_nothing_falls_between_two(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path, "d", "wheel")
    for minute in range(0, 150, 10):
        recorder.rx(b"%03d;" % minute, NOON.plus_s(60 * minute))
    recorder.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "wheel-20260131T120000Z.rec.jsonl",
        "wheel-20260131T130000Z.rec.jsonl",
        "wheel-20260131T140000Z.rec.jsonl",
    ]
    assert received(tmp_path) == b"".join(b"%03d;" % minute for minute in range(0, 150, 10))


def test_a_restart_and_a_wall_clock_set_back_begin_files_of_their_own(tmp_path: Path) -> None:
    for _ in range(3):
        recorder = FlightRecorder(tmp_path, "d", "wheel")
        recorder.rx(b"a", NOON)
        recorder.close()
    recorder = FlightRecorder(tmp_path, "d", "wheel")
    recorder.rx(b"b", NOON.plus_s(HOUR_S))
    recorder.rx(b"c", Instant(NOON.plus_s(HOUR_S + 1).mono_ns, NOON.wall_ns))
    recorder.close()
    assert len(recorded(tmp_path)) == 5
    assert sorted(received(tmp_path)) == sorted(b"aaabc")


def test_a_flood_is_cut_into_files(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path, "d", "wheel", max_bytes_per_file=1000)
    for number in range(100):
        recorder.rx(b"%050d" % number, NOON)
    recorder.close()
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) > 5
    assert max(sizes) < 1100
    assert received(tmp_path).count(b"0" * 40) == 100


def test_files_of_more_than_some_days_ago_go_and_others_stay(tmp_path: Path) -> None:
    kept = [
        "wheel-20260126T120000Z.rec.jsonl",
        "wheel-2-20200101T000000Z.rec.jsonl",  # another device's
        "wheel-20200101T000000Z.rec.jsonl.keep",  # a person's
        "journal.sqlite3",
    ]
    for name in (*kept, "wheel-20260126T110000Z.rec.jsonl", "wheel-20260126T110000Z-2.rec.jsonl"):
        (tmp_path / name).write_text("")
    recorder = FlightRecorder(tmp_path, "d", "wheel", keep_days=5, synchronised=lambda: True)
    recorder.event("open", NOON.plus_s(60 - HOUR_S / 2))
    recorder.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "wheel-20260131T113100Z.rec.jsonl"])


@pytest.mark.parametrize("ahead_days", [3, 30, 70 * 365])
def test_a_clock_that_nobody_set_removes_no_recording_by_a_jump_of_days(tmp_path: Path, ahead_days: int) -> None:
    recorder = FlightRecorder(tmp_path, "d", "wheel")
    for hour in range(6 * 24):
        recorder.rx(b"a", NOON.plus_s(hour * HOUR_S))
    recorder.close()
    week = {path.name for path in tmp_path.iterdir()}
    ahead = NOON.plus_s((6 + ahead_days) * DAY_S)
    for start in range(20):  # and again at each start, beside the recordings of the wrong time
        recorder = FlightRecorder(tmp_path, "d", "wheel")
        recorder.rx(b"b", ahead.plus_s(start * HOUR_S))
        recorder.close()
    assert week <= {path.name for path in tmp_path.iterdir()}


def test_without_a_clock_that_can_be_believed_days_count_as_long_as_it_records(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path, "d", "wheel", keep_days=2)
    for hour in range(0, 10 * 24, 12):
        recorder.rx(b"a", NOON.plus_s(hour * HOUR_S))
    recorder.close()
    assert len(recorded(tmp_path)) == 5


def test_a_disk_without_room_is_room_for_no_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wheel-20250101T000000Z.rec.jsonl").write_text("")
    recorder = FlightRecorder(tmp_path, "d", "wheel")
    recorder.rx(b"a", NOON)
    assert len(list(tmp_path.iterdir())) == 2, "the computer may have been off, or the clock has jumped"
    recorder.close()
    monkeypatch.setattr(FlightRecorder, "_disk_has_room", lambda _self: False)
    recorder.rx(b"a", NOON.plus_s(1))
    assert recorder.problem is not None
    assert len(list(tmp_path.iterdir())) == 1


def test_a_wall_clock_far_ahead_does_not_empty_the_folder(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path, "d", "wheel", synchronised=lambda: True)
    for hour in range(48):
        recorder.rx(b"a", NOON.plus_s(hour * HOUR_S))
    recorder.rx(b"b", NOON.plus_s(3650 * DAY_S))
    recorder.close()
    assert len(recorded(tmp_path)) == 48 + 1 - module.RETIRED_AT_ONCE
    assert not (tmp_path / "wheel-20260131T120000Z.rec.jsonl").exists(), "the oldest go first"


@pytest.mark.parametrize("room", [0, 30, 200, 230])
def test_a_full_disk_stops_the_recorder_and_nothing_else(tmp_path: Path, room: int) -> None:
    disk = FullDisk(room)
    recorder = FlightRecorder(tmp_path, "d", "wheel", create=disk.create, min_free_bytes=0)
    for second in range(10):
        recorder.rx(b"%020d" % second, NOON.plus_s(second))
    assert recorder.problem is not None
    assert "No space left on device" in recorder.problem
    assert str(tmp_path) in recorder.problem
    files = len(list(tmp_path.iterdir()))
    disk.room = 10_000
    recorder.rx(b"soon", NOON.plus_s(30))
    assert recorder.problem is not None, "it waits before it tries again"
    assert len(list(tmp_path.iterdir())) == files
    recorder.rx(b"after", NOON.plus_s(100))
    assert recorder.problem is None
    recorder.rx(b"again", NOON.plus_s(101))
    recorder.close()
    newest = read_recording(max(tmp_path.iterdir()))
    assert [entry.data for entry in newest.entries] == [b"after", b"again"]
    before = [read_recording(path) for path in sorted(tmp_path.iterdir())[:-1] if room >= 200]
    kept = sum(len(entry.data) for one in before for entry in one.entries)
    assert newest.note.startswith(f"{200 - kept + 4} bytes before this are missing: ")
    assert all(len(one.notes) <= 1 for one in before), "at most its last line is torn"


def test_each_gap_is_counted_by_itself(tmp_path: Path) -> None:
    disk = FullDisk(0)
    recorder = FlightRecorder(tmp_path, "d", "wheel", create=disk.create, min_free_bytes=0)
    for second, room in ((0, 0), (100, 1000), (101, 0), (200, 1000)):
        disk.room = room
        recorder.rx(b"12345", NOON.plus_s(second))
    recorder.close()
    newest = read_recording(max(tmp_path.iterdir()))
    assert newest.note.startswith("5 bytes before this are missing: ")


def test_the_last_space_on_the_disk_is_left_to_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
    recorder = FlightRecorder(tmp_path, "d", "wheel", min_free_bytes=free * 2)
    recorder.rx(b"a", NOON)
    assert recorder.problem is not None
    assert "MiB are free" in recorder.problem
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(module, "LOOK_AT_DISK_EVERY_BYTES", 1000)
    recorder = FlightRecorder(tmp_path, "d", "shoe", min_free_bytes=0)
    recorder.rx(b"a", NOON)
    assert recorder.problem is None
    monkeypatch.setattr(recorder, "_min_free_bytes", free * 2)  # the disk fills while the file is open
    for _ in range(20):
        recorder.rx(bytes(50), NOON)
    assert recorder.problem is not None
    recorder.close()


def test_a_folder_that_cannot_be_made_is_a_problem_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "flight").write_text("a file where the folder should be")
    recorder = FlightRecorder(tmp_path / "flight", "d", "wheel")
    recorder.event("open", NOON)
    assert recorder.problem is not None
    (tmp_path / "flight").unlink()
    recorder.event("open", NOON.plus_s(61))
    assert recorder.problem is None
    recorder.close()


def test_a_device_named_like_a_path_stays_in_the_folder(tmp_path: Path) -> None:
    recorder = FlightRecorder(tmp_path / "flight", "d", "../shoe 1")
    recorder.event("open", NOON)
    recorder.close()
    [path] = (tmp_path / "flight").iterdir()
    assert read_recording(path).device == "../shoe 1"
