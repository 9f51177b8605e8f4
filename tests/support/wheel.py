"""Readings of a wheel, written as a short script: each frame is half a second after the one before."""

from __future__ import annotations

from dataclasses import dataclass, field

from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
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

START = Instant(10_000_000_000, 1_767_225_600_000_000_000)
"""2026-01-01T00:00:00Z."""
CADENCE_S = 0.5


@dataclass
class Wheel:
    """Makes readings in order; ``at`` is the time of the newest."""

    at: Instant = START
    spin: int | None = 7
    rotor: Rotation = Rotation.CLOCKWISE
    rpm: float = 17.0
    shown: str | None = "3"
    periodic: bool = True
    out: list[Reading] = field(default_factory=list)

    def take(self) -> list[Reading]:
        """What was written since the last call."""
        out, self.out = self.out, []
        return out

    def wait(self, seconds: float) -> Wheel:
        self.at = self.at.plus_s(seconds)
        return self

    def frame(
        self,
        phase: WheelPhase,
        *faults: WheelFault,
        rpm: float | None = None,
        rotor: Rotation | None = None,
        ball: Rotation | None = None,
        times: int = 1,
    ) -> Wheel:
        for _ in range(times):
            self.wait(CADENCE_S)
            speed = self.rpm if rpm is None else rpm
            raw = f"*X;{phase};{self.spin};{self.shown};{speed}\r\n".encode()
            self.out.append(
                WheelStatus(
                    at=self.at,
                    raw=raw,
                    phase=phase,
                    spin=self.spin,
                    number_shown=self.shown,
                    rotor_rpm=speed,
                    rotor=rotor or self.rotor,
                    ball=ball,
                    faults=frozenset(faults),
                    periodic=self.periodic,
                )
            )
            if phase is WheelPhase.RESULT and self.shown is not None:
                self.out.append(
                    BallRested(at=self.at, raw=raw, number=self.shown, witness=NumberWitness.FRAME, spin=self.spin)
                )
        return self

    def betting(self, *faults: WheelFault, times: int = 4) -> Wheel:
        return self.frame(WheelPhase.BETTING, *faults, times=times)

    def rim(self, *faults: WheelFault, times: int = 8, **how: object) -> Wheel:
        return self.frame(WheelPhase.RIM, *faults, times=times, **how)  # type: ignore[arg-type]

    def no_more_bets(self, *faults: WheelFault, times: int = 20, **how: object) -> Wheel:
        return self.frame(WheelPhase.NO_MORE_BETS, *faults, times=times, **how)  # type: ignore[arg-type]

    def laps(self, laps: int, lap_time_s: float | None = None, *, tallied: bool = False) -> Wheel:
        self.out.append(BallLaps(at=self.at, raw=b"laps", laps=laps, lap_time_s=lap_time_s, tallied=tallied))
        return self

    def bare(self, number: str) -> Wheel:
        self.wait(0.2)
        raw = number.rjust(2).encode() + b"\r\n"
        self.out.append(BallRested(at=self.at, raw=raw, number=number, witness=NumberWitness.BARE, spin=self.spin))
        return self

    def unreadable(self, text: str = "99") -> Wheel:
        self.out.append(NumberUnreadable(at=self.at, raw=text.encode(), text=text, witness=NumberWitness.FRAME))
        return self

    def result(self, number: str, times: int = 4) -> Wheel:
        self.shown = number
        return self.frame(WheelPhase.RESULT, times=times)

    def next_game(self, times: int = 1) -> Wheel:
        self.spin = None if self.spin is None else (self.spin + 1) % 256
        return self.betting(times=times)

    def lost(self) -> Wheel:
        self.out.append(DeviceFault(at=self.at, raw=b"", fault=Fault.LINK_LOST, detail="unplugged"))
        return self

    def back(self) -> Wheel:
        self.out.append(DeviceFault(at=self.at, raw=b"", fault=Fault.LINK_LOST, detail="", cleared=True))
        return self

    def good_spin(self, number: str, laps: int | None = None) -> Wheel:
        """A whole game from bets to the result, without the next game's first frame."""
        self.betting().rim()
        if laps is not None:
            self.laps(laps).laps(laps)
        return self.no_more_bets().bare(number).result(number)
