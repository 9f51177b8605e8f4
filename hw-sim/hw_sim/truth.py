"""What really happened in every spin, one JSON line each, so that a test can compare.

A spin that is thrown again has one record a throw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from hw_sim.faults import Fault

MIN_LAPS = 7
"""A valid spin makes at least this many full laps of the track (``games.md`` §5)."""

RULE_BREAKING = frozenset(
    {
        Fault.SAME_DIRECTION,
        Fault.SAME_DIRECTION_IN_RIM,
        Fault.FLYING_BALL,
        Fault.FLYING_BALL_UNFLAGGED,
        Fault.NO_BALL,
        Fault.ENDLESS_BALL,
        Fault.ENDLESS_BALL_SLOW,
        Fault.ROTOR_STOP,
        Fault.ROTOR_REVERSAL,
        Fault.ROTOR_TOO_FAST,
        Fault.SENSOR_FAULT,
    }
)
"""Faults that laps, directions and a missing number alone would not give away."""


@dataclass(slots=True)
class Throw:
    """One throw of the ball. Times are seconds of the device's own clock, keyed by what happened."""

    device: str
    spin: int
    throw: int
    counter: int
    faults: set[Fault] = field(default_factory=set)
    rotor: str | None = None
    ball: str | None = None
    """Directions at the launch, ``None`` when there was none."""
    rotor_rpm: float | None = None
    launch_rad_s: float | None = None
    drag: dict[str, float] | None = None
    laps: int = 0
    """Full laps on the track, until the ball leaves the rim: what the wheel counts."""
    laps_to_no_more_bets: int = 0
    laps_to_deflector: int = 0
    number: str | None = None
    """Where the ball lies."""
    shown: str | None = None
    """The number of the state-5 frames, ``None`` when there were none."""
    bare: str | None = None
    """The number of the bare line, ``None`` when there was none."""
    after_power_loss: bool = False
    """The first throw since power came back: what the host had switched on, such as the lap stream, is off."""
    joined_in_state: int | None = None
    """The state in which the simulation began, when this throw was under way then."""
    finished: bool = False
    times_s: dict[str, float] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """By the rule: enough laps, against the rotor, nothing broke it, and it was shown to its end."""
        return (
            self.laps >= MIN_LAPS
            and self.ball != self.rotor
            and self.shown is not None
            and not self.faults & RULE_BREAKING
        )

    @property
    def expect(self) -> str:
        """What a station that sees laps should do by itself.

        ``accept`` publish the number; ``refuse`` the rule is broken: never publish; ``hold`` unclear: never
        publish without a person; ``either`` publish this number or nothing.
        """
        if not self.valid:
            return "refuse"
        if Fault.WRONG_BARE in self.faults or (self.joined_in_state or 0) >= 4:
            return "hold"
        return "either" if self.faults or self.throw > 1 or self.after_power_loss else "accept"

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "spin": self.spin,
            "throw": self.throw,
            "counter": self.counter,
            "number": self.number,
            "shown": self.shown,
            "bare": self.bare,
            "laps": self.laps,
            "laps_to_no_more_bets": self.laps_to_no_more_bets,
            "laps_to_deflector": self.laps_to_deflector,
            "valid": self.valid,
            "expect": self.expect,
            "faults": sorted(fault.value for fault in self.faults),
            "after_power_loss": self.after_power_loss,
            "joined_in_state": self.joined_in_state,
            "ball": self.ball,
            "rotor": self.rotor,
            "rotor_rpm": _rounded(self.rotor_rpm, 2),
            "drag": self.drag,
            "launch_rad_s": _rounded(self.launch_rad_s, 4),
            "times_s": {what: round(at_s, 4) for what, at_s in self.times_s.items()},
            "finished": self.finished,
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


class Record(Protocol):
    """What really happened in one game of any device."""

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        ...


class TruthLog:
    """Records in order, kept and, with ``file``, written as JSON lines with the wall time of writing."""

    def __init__(self, file: IO[str] | None = None, added: Callable[[], None] = lambda: None) -> None:
        self.records: list[dict[str, Any]] = []
        self._file = file
        self._added = added

    def add(self, game: Record) -> None:
        """Keeps and writes the record of a throw or hand that is over."""
        record = game.as_json()
        self.records.append(record)
        self.write(record)
        self._added()

    def write(self, record: dict[str, Any]) -> None:
        """Writes a record to the file, if there is one."""
        if self._file is not None:
            self._file.write(json.dumps({**record, "written_unix_s": round(time.time(), 3)}) + "\n")
            self._file.flush()
