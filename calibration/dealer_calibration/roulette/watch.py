"""What a roulette wheel has said: its spins one by one, its cadence, its rotor. Pure."""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass, field

from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    Rotation,
    WheelFault,
    WheelPhase,
    WheelStatus,
)

IN_PLAY = frozenset({WheelPhase.RIM, WheelPhase.NO_MORE_BETS})
LATE_S = 1.5
"""``devices.md`` §1: 1.5 s without a frame is late."""
CADENCE_S, BURST_S = 0.5, 0.25
FEWEST_INTERVALS = 4
AT_ONCE_S = 0.2
"""A line at once when the state changes is no beat of the cadence."""


@dataclass(slots=True)
class SpinSeen:
    """One spin. Times are the readings'. ``began`` is ``None`` where it was not seen from before the rim on."""

    spin: int | None
    began: Instant | None
    slow: Instant | None = None
    """No more bets."""
    laps: int | None = None
    lap_times_s: list[float] = field(default_factory=list)
    numbers: dict[NumberWitness, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    rotor_rpm: list[float] = field(default_factory=list)
    rotor: Rotation | None = None
    ball: Rotation | None = None
    faults: set[WheelFault] = field(default_factory=set)
    pocket_at: Instant | None = None
    """When the pocket sensor saw the ball."""
    shown_at: Instant | None = None
    """When a status frame first showed the number."""

    @property
    def rim_s(self) -> float | None:
        """Seconds on the rim before no more bets, where both ends were seen."""
        return None if self.began is None or self.slow is None else self.slow.since_s(self.began)

    @property
    def number(self) -> str | None:
        """The number, where its witnesses agree."""
        said = set(self.numbers.values())
        return said.pop() if len(said) == 1 else None

    @property
    def whole(self) -> bool:
        """It was seen from its beginning to its number, and the wheel found nothing wrong with it."""
        return self.began is not None and self.slow is not None and self.number is not None and not self.faults

    @property
    def lap_growth(self) -> list[float]:
        """Each lap's time as a factor of the lap before."""
        times = self.lap_times_s
        return [b / a for a, b in itertools.pairwise(times) if a > 0]


@dataclass(slots=True)
class RouletteWatch:
    """Fed with readings; ``spins`` are those that are over, the oldest first."""

    spins: list[SpinSeen] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)
    """When each status frame of the cadence arrived."""
    frames: int = 0
    periodic: bool = False
    phase: WheelPhase | None = None
    newest: WheelStatus | None = None
    _now: SpinSeen | None = None

    def feed(self, reading: Reading) -> None:
        """One reading; those that are no wheel's change nothing."""
        match reading:
            case WheelStatus():
                self._status(reading)
            case BallLaps() if self._now is not None and self._now.shown_at is None:
                self._laps(self._now, reading)
            case BallRested() if self._now is not None:
                if reading.witness is NumberWitness.POCKET and self._now.pocket_at is None:
                    self._now.pocket_at = reading.at
                if reading.witness is NumberWitness.FRAME and self._now.shown_at is None:
                    self._now.shown_at = reading.at
                self._now.numbers.setdefault(reading.witness, reading.number)
            case BallRested() if self.newest is None:
                # A device without states: each number is a spin.
                self.spins.append(SpinSeen(reading.spin, None, numbers={reading.witness: reading.number}))
            case NumberUnreadable() if self._now is not None:
                self._now.unreadable.append(reading.text)
            case _:
                pass

    @property
    def over(self) -> int:
        """How many spins are over."""
        return len(self.spins)

    def _status(self, status: WheelStatus) -> None:
        self.newest = status
        self.frames += 1
        self.periodic |= status.periodic
        if status.periodic:
            self.times_s.append(status.at.mono_ns / NS_PER_S)
        was, self.phase = self.phase, status.phase
        if status.phase is WheelPhase.RIM and was is not WheelPhase.RIM:
            self._end()
            self._now = SpinSeen(status.spin, None if was in (None, WheelPhase.RESULT) else status.at)
        elif self._now is None and status.phase in IN_PLAY:
            self._now = SpinSeen(status.spin, None)
        spin = self._now
        if spin is None:
            return
        if status.phase in IN_PLAY:
            self._in_play(spin, status)
        elif status.phase is not WheelPhase.RESULT:
            self._end()

    def _in_play(self, spin: SpinSeen, status: WheelStatus) -> None:
        spin.faults |= status.faults
        if status.phase is WheelPhase.NO_MORE_BETS and spin.slow is None:
            spin.slow = status.at
        if status.rotor_rpm is not None:
            spin.rotor_rpm.append(status.rotor_rpm)
        spin.rotor = spin.rotor or status.rotor
        spin.ball = spin.ball or status.ball

    def _laps(self, spin: SpinSeen, reading: BallLaps) -> None:
        if reading.lap_time_s is not None and reading.laps != spin.laps:
            spin.lap_times_s.append(reading.lap_time_s)
        spin.laps = max(spin.laps or 0, reading.laps)

    def _end(self) -> None:
        if self._now is not None:
            self.spins.append(self._now)
        self._now = None


@dataclass(frozen=True, slots=True)
class Cadence:
    """Seconds between status frames; ``late``: gaps over ``LATE_S`` whose frames never came. Frames that a stalled
    reader gets late, all of them and at once, are no gap."""

    frames: int
    median_s: float
    longest_s: float
    late: int


def cadence(watch: RouletteWatch) -> Cadence | None:
    """The rhythm of the status frames; ``None`` for a wheel without one."""
    times = watch.times_s
    intervals = [after - before for before, after in itertools.pairwise(times) if after - before >= AT_ONCE_S]
    if len(intervals) < FEWEST_INTERVALS:
        return None
    late = 0
    for place, (before, after) in enumerate(itertools.pairwise(times), start=1):
        owed = int((after - before) / CADENCE_S) - 2
        if (
            after - before > LATE_S
            and sum(one <= after + BURST_S for one in times[place + 1 : place + 1 + owed]) < owed
        ):
            late += 1
    return Cadence(watch.frames, statistics.median(intervals), max(intervals), late)
