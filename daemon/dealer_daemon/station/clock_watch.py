"""Whether the computer's clock can be believed: what its kernel says of it, and jumps between its two clocks."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass

from dealer_drivers.instant import NS_PER_S, Instant

JUMP_S = 0.5
"""Between two looks: far more than slewing does in a few seconds (500 ppm), and enough to put two events out of
order."""
STEADY_S = 3600.0
"""As long as retention waits before it believes a clock (``dealer_daemon.retention``)."""
STA_UNSYNC = 0x0040
TIME_ERROR = 5


class _Timex(ctypes.Structure):
    """``struct timex`` of Linux, adjtimex(2)."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


@dataclass(frozen=True, slots=True)
class ClockState:
    """What the kernel says: ``None`` where it does not tell."""

    synchronised: bool | None
    error_s: float | None


@functools.cache
def _adjtimex() -> Callable[[object], int] | None:
    try:
        found: Callable[[object], int] = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):  # no such library or call on this system
        return None
    return found


def clock_state() -> ClockState:
    """The kernel's word on its clock, by whichever program keeps it. Changes nothing and needs no right."""
    state, ask = _Timex(), _adjtimex()
    result = -1 if ask is None else ask(ctypes.byref(state))
    if result < 0:
        return ClockState(None, None)
    synchronised = result != TIME_ERROR and not state.status & STA_UNSYNC
    return ClockState(synchronised, state.maxerror / 1e6 if synchronised else None)


class JumpWatch:
    """Notices that the wall clock did not run with the monotonic one. Pure: told the time, asks none."""

    def __init__(self) -> None:
        self._last: Instant | None = None
        self._steady_since: Instant | None = None
        self._jump_s: float = 0.0
        self.jumps = 0

    def observe(self, at: Instant) -> float | None:
        """By how much the clock jumped within the last ``STEADY_S``, the newest jump; 0 where it did not, and ``None``
        where it was not watched for so long."""
        if self._last is None or self._steady_since is None:
            self._steady_since = at
        else:
            jump_s = ((at.wall_ns - self._last.wall_ns) - (at.mono_ns - self._last.mono_ns)) / NS_PER_S
            if abs(jump_s) >= JUMP_S:
                self._steady_since, self._jump_s = at, jump_s
                self.jumps += 1
        self._last = at
        if at.since_s(self._steady_since) >= STEADY_S:
            self._jump_s = 0.0
            return 0.0
        return self._jump_s or None


def disk_bytes(folder: str) -> tuple[int, int] | None:
    """Bytes free for us and in all on the file system of ``folder``; ``None`` where it does not tell."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize
