"""Who has a port open, out of a made-up /proc."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dealer_drivers.transports import holders
from dealer_drivers.transports.holders import holder


class Proc:
    """A /proc with some processes and locks. ``port`` is a file that stands for the device."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "proc"
        self.path.mkdir()
        (self.path / "version").write_text("no process")
        self.port = folder / "ttyUSB0"
        self.port.touch()
        self.other = folder / "ttyUSB1"
        self.other.touch()

    def process(self, pid: int, name: str | None, *open_files: Path) -> None:
        process = self.path / str(pid)
        (process / "fd").mkdir(parents=True)
        if name is not None:
            (process / "comm").write_text(name + "\n")
        for number, file in enumerate(open_files):
            (process / "fd" / str(number)).symlink_to(file)

    def locks(self, *lines: tuple[str, str, int, Path]) -> None:
        text = ""
        for number, (kind, mode, pid, file) in enumerate(lines, start=1):
            status = file.stat()
            inode = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
            text += f"{number}: {kind} ADVISORY  {mode} {pid} {inode} 0 EOF\n"
        (self.path / "locks").write_text(text)

    def holder(self, port: Path | None = None) -> str | None:
        return holder(str(port or self.port), self.path)


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)


def test_who_locked_it_is_in_the_way_and_not_who_merely_has_it_open(proc: Proc) -> None:
    proc.process(10, "simulator", proc.port)
    proc.process(20, "minicom", proc.port)
    proc.process(30, "cat", proc.port)
    proc.locks(
        ("FLOCK", "WRITE", 10, proc.other),
        ("POSIX", "WRITE", 10, proc.port),
        ("FLOCK", "READ", 30, proc.port),
        ("FLOCK", "WRITE", 20, proc.port),
    )
    assert proc.holder() == "process 20 (minicom)"


def test_without_a_lock_it_is_who_has_it_open_the_youngest_first(proc: Proc, tmp_path: Path) -> None:
    proc.process(9, "screen", proc.other, proc.port)
    proc.process(100, "bash", proc.other)
    proc.process(20, None, proc.port)
    name = tmp_path / "wheel"
    name.symlink_to(proc.port)
    assert proc.holder(name) == "process 20 (?)"
    assert proc.holder(proc.other) == "process 100 (bash)"


def test_a_lock_of_nobody_known_tells_nothing(proc: Proc) -> None:
    proc.process(9, "screen", proc.port)
    proc.locks(("FLOCK", "WRITE", 0, proc.port), ("FLOCK", "WRITE", -1, proc.port))
    assert proc.holder() == "process 9 (screen)"


def test_this_process_is_called_so(proc: Proc) -> None:
    proc.process(os.getpid(), "dealer-daemon", proc.port)
    proc.process(4_000_000, "simulator", proc.port)
    assert proc.holder() == "this process"


def test_nobody_found_is_nobody_named(proc: Proc) -> None:
    (proc.path / "7").mkdir()  # ended while we looked: it has no open files any more
    assert proc.holder() is None
    assert holder(str(proc.port), proc.path / "none") is None


def test_the_search_is_given_up_in_time(proc: Proc, monkeypatch: pytest.MonkeyPatch) -> None:
    proc.process(9, "screen", proc.port)
    monkeypatch.setattr(holders, "LOOK_FOR_S", -1.0)
    assert proc.holder() is None
