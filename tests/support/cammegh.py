"""Cammegh lines written from the documented format, and a session driven by a script. Not the driver's own code."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from dealer_drivers.driver import DeviceAction, Output, Session
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading

START = Instant(1_000_000_000_000, 1_767_225_600_000_000_000)
R = TypeVar("R", bound=Reading)


def status(
    state: int,
    spin: int = 11,
    number: str = "31",
    flags: int = 0,
    tenths: int = 146,
    direction: int = 1,
    more: str = "",
    end: str = "\r\n",
) -> bytes:
    """One status line; ``more`` is what an extended frame adds, ``;EEEE;BB;d;TTTTT;PP``."""
    return f"*X;{state};{spin:03d};{number:>2};{flags:X};{tenths:03d};{direction}{more}{end}".encode("ascii")


def extra(laps: int, events: int = 0x0022, ball: str = "0", lap_s: float | None = None, pocket: str = "??") -> str:
    """The tail of an extended frame."""
    ticks = "?????" if lap_s is None else f"{round(lap_s * 32768):05X}"
    return f";{events:04X};{laps:02X};{ball};{ticks};{pocket}"


@dataclass
class Driven:
    """A session under a clock that the test moves. Timers fire when they are due, in order."""

    session: Session
    at: Instant = START
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    frames: int = 0
    rejected: int = 0
    readings: list[Reading] = field(default_factory=list)
    """All of them, in order."""

    def open(self) -> Driven:
        self._keep(self.session.opened(self.at))
        return self

    def lose(self) -> list[Reading]:
        return self._keep(self.session.lost(self.at, "unplugged"))

    def say(self, data: bytes, after_s: float = 0.5) -> list[Reading]:
        """``data`` arrives ``after_s`` later. Returns what it led to, timers on the way included."""
        return self.wait(after_s) + self._keep(self.session.feed(data, self.at))

    def say_all(self, *lines: bytes, after_s: float = 0.5) -> list[Reading]:
        return [reading for line in lines for reading in self.say(line, after_s)]

    def wait(self, seconds: float) -> list[Reading]:
        readings: list[Reading] = []
        until = self.at.plus_s(seconds)
        for _ in range(10_000):
            due = self.session.deadline_ns()
            if due is None or due > until.mono_ns:
                self.at = until
                return readings
            step_ns = max(due - self.at.mono_ns, 0)
            self.at = Instant(self.at.mono_ns + step_ns, self.at.wall_ns + step_ns)
            readings += self._keep(self.session.tick(self.at))
        raise AssertionError("the session's deadline never moves on: a host would spin")

    def request(self, action: DeviceAction) -> list[Reading]:
        return self._keep(self.session.request(action, self.at))

    def commands(self) -> list[str]:
        return [data.decode("ascii").strip() for _, data in self.sent]

    def _keep(self, output: Output) -> list[Reading]:
        self.frames += output.frames
        self.rejected += output.rejected
        self.sent += [(self.at.since_s(START), data) for data in output.send]
        self.readings += output.readings
        return list(output.readings)


def only(readings: list[Reading], kind: type[R]) -> list[R]:
    """Those of one kind."""
    return [reading for reading in readings if isinstance(reading, kind)]


def faults(readings: list[Reading]) -> list[tuple[str, bool]]:
    """Device faults as (word, cleared); each says in a sentence what is the matter."""
    assert all(" " in reading.detail for reading in only(readings, DeviceFault))
    return [(reading.fault, reading.cleared) for reading in only(readings, DeviceFault)]


def notices(readings: list[Reading]) -> list[str]:
    return [reading.notice for reading in only(readings, DeviceNotice)]


def recorded(path: Path) -> list[tuple[float, bytes]]:
    """What the device sent, by time."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(line["t"], line["rx"].encode("latin-1")) for line in lines if "rx" in line]
