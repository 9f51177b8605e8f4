"""Who has a port open: asked only after the port was refused, to tell the technician what to stop."""

from __future__ import annotations

import os
import time
from pathlib import Path

LOOK_FOR_S = 0.2
"""The event loop stands still meanwhile: long enough for some thousand processes, short beside any watch."""


def holder(path: str, proc: Path = Path("/proc")) -> str | None:
    """``"process 1234 (minicom)"`` or ``"this process"``; ``None`` where the system does not tell.

    Other users' processes can be looked into only by root. Best effort: gives up after a fifth of a second.
    """
    until = time.monotonic() + LOOK_FOR_S
    own = str(os.getpid())
    if (locker := _locker(path, proc)) is not None:
        return _spoken(proc / locker, own)
    device = os.path.realpath(path)
    try:
        processes = [entry for entry in proc.iterdir() if entry.name.isdigit()]
    except OSError:
        return None
    # This process first, then the youngest: what was just started is what is in the way.
    for process in sorted(processes, key=lambda process: (process.name == own, int(process.name)), reverse=True):
        if time.monotonic() > until:
            return None
        if _has_open(process / "fd", device):
            return _spoken(process, own)
    return None


def _locker(path: str, proc: Path) -> str | None:
    """Who locked it, which others that merely have it open did not. proc(5), /proc/locks; pid 0 or -1 is unknown."""
    try:
        status = Path(path).stat()
        locks = (proc / "locks").read_text()
    except OSError:
        return None
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in locks.splitlines():
        match line.split():
            case [_, "FLOCK", _, "WRITE", pid, inode, *_] if inode == file and pid.isdigit() and pid != "0":
                return pid
    return None


def _has_open(descriptors: Path, device: str) -> bool:
    try:
        return any(_target(link) == device for link in descriptors.iterdir())
    except OSError:  # ended meanwhile, or not ours to see
        return False


def _target(link: Path) -> str | None:
    try:
        return str(link.readlink())
    except OSError:
        return None


def _spoken(process: Path, own: str) -> str:
    return "this process" if process.name == own else f"process {process.name} ({_name(process)})"


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text(errors="replace").strip() or "?"
    except OSError:
        return "?"
