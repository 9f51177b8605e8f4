"""A Mercury 360: a dealer turns the rotor and throws the ball; the rim counts its laps. Pure.

States, flags and fields from ``devices.md`` §1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from random import Random
from typing import ClassVar

from hw_sim.faults import Fault, SpinDesk, SpinOrder
from hw_sim.roulette.flight import Flight
from hw_sim.roulette.options import M360Options
from hw_sim.roulette.physics import TURN, rad_s_of
from hw_sim.roulette.rotor import CLOCKWISE
from hw_sim.roulette.wheel import IN_RIM, LEAST_RIM_S, NO_MORE_BETS, PLACE_BETS, End, Wheel
from hw_sim.scripted import Script, Wait
from hw_sim.truth import Throw

ROTOR_SPEED, SAME_DIRECTION, SENSOR, VOID = 1, 2, 4, 8
LEGAL_ROTOR_RPM = (10.0, 30.0)
SHOWN_ROTOR_RPM = (2.0, 60.0)
"""Outside, the rotor's speed is printed as 000."""
VOID_LAUNCH_RPM = 50.0
"""A launch under this is void (flag 8)."""
LAP_TICKS_PER_S = 32768

STOPPED, LEGAL, TOO_FAST, TOO_SLOW, CLOCKWISE_BIT, COUNTER_CLOCKWISE_BIT, UNKNOWN, NO_BALL, IN_POCKET = (
    1 << n for n in range(9)
)
"""Bits of the extended frame's EEEE."""


class M360(Wheel):
    """The wheel; ``options`` are ``M360Options``."""

    NO_MORE_BETS_RPM: ClassVar[float] = 40.0
    ROTOR_RPM: ClassVar[tuple[float, float]] = (12.0, 17.0)
    options: M360Options

    def __init__(self, options: M360Options, rng: Random, desk: SpinDesk, finished: Callable[[Throw], None]) -> None:
        super().__init__(options, rng, desk, finished)
        self.extended = options.extended

    # --- the frame

    def flags(self) -> int:
        """The flags of the spin, and the rotor's speed outside its limits while a ball runs."""
        rpm = abs(self.rotor.rpm(self.now_s))
        running = self.state in (IN_RIM, NO_MORE_BETS)
        outside = running and not LEGAL_ROTOR_RPM[0] <= rpm <= LEGAL_ROTOR_RPM[1]
        return super().flags() | (ROTOR_SPEED if outside else 0)

    def status_line(self) -> str:
        """The advanced frame, and in extended mode ``;EEEE;BB;d;TTTTT;PP`` after it."""
        rpm = abs(self.rotor.rpm(self.now_s))
        shown = SHOWN_ROTOR_RPM[0] <= rpm <= SHOWN_ROTOR_RPM[1]
        text = self.frame(self.rotor_tenths() if shown else 0)
        if self.extended:
            text += ";" + self._extension(rpm)
        return text + (";" if self.options.trailing_semicolon else "")

    def _extension(self, rpm: float) -> str:
        flight = self.flight
        laps = 0 if flight is None or self.in_pocket else flight.laps(self.now_s)  # state 5 resets the count
        ball = "?" if flight is None or not flight.laps(self.now_s) else "0" if flight.direction == CLOCKWISE else "1"
        pocket = self._lying if self.in_pocket and self._lying is not None else "??"
        return f"{self._events(rpm):04X};{laps:02X};{ball};{self._lap_ticks(rpm)};{pocket:>2}"

    def _events(self, rpm: float) -> int:
        if rpm < 0.5:
            bits = STOPPED | UNKNOWN
        else:
            bits = TOO_FAST if rpm > LEGAL_ROTOR_RPM[1] else TOO_SLOW if rpm < LEGAL_ROTOR_RPM[0] else LEGAL
            bits |= CLOCKWISE_BIT if self.rotor.direction(self.now_s) == CLOCKWISE else COUNTER_CLOCKWISE_BIT
        if self.flight is None or self.now_s > self.flight.lost_s:
            bits |= NO_BALL
        return bits | (IN_POCKET if self.in_pocket else 0)

    def _lap_ticks(self, rpm: float) -> str:
        """Newest lap time in 1/32768 s; of a ball in a pocket the rotor's period."""
        if self.in_pocket:
            lap_s = 60 / rpm if rpm >= 0.5 else None
        else:
            lap_s = None if self.flight is None else self.flight.lap_time_s(self.now_s)
        return "?????" if lap_s is None else f"{min(round(lap_s * LAP_TICKS_PER_S), 0xFFFFF):05X}"

    # --- a game

    def _play(self, order: SpinOrder) -> Script:
        """State 2, the flight, the result; void throws are thrown again."""
        faults = order.faults
        yield from self._wait_for_word()
        bets_s = self._span(self.pace.place_bets_s)
        while True:
            throw_s = self.now_s + bets_s - 0.6
            yield from self._turn_rotor(throw_s)
            yield from self._until(throw_s)
            flight = self._throw_ball(order, faults)
            end = yield from self._fly(order, flight, faults)
            if end is End.LANDED:
                yield from self._show_result(faults)
                return None
            if end is not End.VOID:
                return end
            self._rethrow()
            self._enter(PLACE_BETS)
            faults, bets_s = frozenset(), self._rng.uniform(6.0, 10.0)

    def _turn_rotor(self, before_s: float) -> Wait:
        """The dealer takes the ball and gives the rotor a push; it then slows a little by itself."""
        yield from self._until(before_s - self._rng.uniform(4.0, 5.5))
        self._lift_ball()
        way = self.rotor.direction(self.now_s) * (-1 if self.options.alternate else 1)
        rpm = way * self._rng.uniform(*self.ROTOR_RPM)
        pushed_s = self.rotor.ramp(self.now_s, rpm, 2.5 if self.options.alternate else 1.0)
        self.rotor.ramp(pushed_s, rpm * 0.9, 90.0)

    def _throw_ball(self, order: SpinOrder, faults: frozenset[Fault]) -> Flight:
        rpm_below = None
        if Fault.LAUNCH_FAILED in faults:
            rpm_below = VOID_LAUNCH_RPM
        elif Fault.SAME_DIRECTION_IN_RIM in faults:  # only so does a ball with the rotor get past state 3
            rpm_below = min(self.no_more_bets_rpm, VOID_LAUNCH_RPM)
        with_rotor = bool(faults & {Fault.SAME_DIRECTION, Fault.SAME_DIRECTION_IN_RIM})
        return self._launch(order, faults, with_rotor=with_rotor, rpm_below=rpm_below, rpm_over=VOID_LAUNCH_RPM + 1)

    def _fly(self, order: SpinOrder, flight: Flight, faults: frozenset[Fault]) -> Generator[float, None, End | Script]:
        """States 3 and 4: until the ball was found in a pocket, the spin is void, or the wheel was closed."""
        yield from self._until(flight.course.when(TURN))
        if flight.direction == self.rotor.direction(self.now_s):
            self._flag(SAME_DIRECTION)
        self._enter(IN_RIM)
        detects = self.options.game_mode != 0  # 00, the factory setting, never sends flag 8
        if flight.lost_s < math.inf:
            yield from self._until(flight.lost_s)
            seen = detects and Fault.FLYING_BALL in faults
            return (yield from self._void() if seen else self._wait_for_dealer())
        if detects and Fault.LAUNCH_FAILED in faults:
            return (yield from self._void())
        if Fault.SAME_DIRECTION in faults:  # blocks 3 to 4
            yield from self._until(flight.landed_s)
            self._land(order, flight)
            yield from self._until(flight.verified_s)
            self.in_pocket = True
            yield from self._for(3.0, 8.0)
            return End.VOID
        slow_s = flight.course.slower_than(rad_s_of(self.no_more_bets_rpm))
        yield from self._until(max(slow_s, self.now_s + LEAST_RIM_S))
        self._enter(NO_MORE_BETS)
        if Fault.SENSOR_FAULT in faults:
            self._flag(SENSOR, after_s=1.0)
            yield from self._for(23.0, 31.0)
            return self._stopped_by_itself(SENSOR)
        if faults & {Fault.ROTOR_STOP, Fault.ROTOR_REVERSAL, Fault.ROTOR_TOO_FAST}:
            self._disturb_rotor(faults)
        if detects and Fault.ROTOR_REVERSAL in faults:
            yield from self._for(3.0, 5.0)
            return (yield from self._void())
        yield from self._until(flight.landed_s)
        self._land(order, flight)
        yield from self._until(flight.verified_s)
        return End.LANDED

    def _void(self) -> Generator[float, None, End]:
        """Flag 8 for some seconds; the dealer throws again."""
        yield from self._for(0.5, 1.5)
        self._flag(VOID)
        yield from self._for(3.0, 6.0)
        return End.VOID

    def _wait_for_dealer(self) -> Generator[float, None, End]:
        """Nothing passes the rim and no pocket is found, until the dealer notices."""
        yield from self._for(35.0, 45.0)
        return End.VOID

    def _lose_power(self) -> None:
        super()._lose_power()
        self.extended = self.options.extended
