"""A Slingshot 2: the wheel throws the ball itself and turns its rotor round inside state 2. Pure.

States, flags and timing from ``devices.md`` §1; where the maker's words and a real wheel differ, the real wheel.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import ClassVar

from hw_sim.faults import Fault, SpinOrder
from hw_sim.roulette.flight import Flight
from hw_sim.roulette.options import Ss2Options
from hw_sim.roulette.physics import TURN, rad_s_of
from hw_sim.roulette.wheel import IN_RIM, LEAST_RIM_S, NO_MORE_BETS, PLACE_BETS, End, Wheel
from hw_sim.scripted import Script, Wait

NO_BALL, SAME_DIRECTION, SENSOR, LAUNCH = 1, 2, 4, 8
STOPS_ITSELF_S = 75.0
"""With no ball seen in state 4 the wheel stops itself after this (``devices.md`` §1, flag 1)."""
START_LEAD_S = 5.2
"""From the begin of the rotor's stop to the ball in the rim, about; the host's ``*u 1`` leads by 6-8 s."""


class Ss2(Wheel):
    """The wheel; ``options`` are ``Ss2Options``."""

    NO_MORE_BETS_RPM: ClassVar[float] = 42.8
    ROTOR_RPM: ClassVar[tuple[float, float]] = (14.4, 19.0)
    options: Ss2Options

    def status_line(self) -> str:
        """``*X;S;GGG;WW;F;RRR;D``; the speed has three digits and overflows at 100 rpm."""
        return self.frame(self.rotor_tenths() % 1000) + (";" if self.options.trailing_semicolon else "")

    @property
    def may_start(self) -> bool:
        """Whether ``*u 1`` would start a game now."""
        return self.state == PLACE_BETS and not self.start_asked

    def _play(self, order: SpinOrder) -> Script:
        """State 2 with any failed launch, the flight, the result."""
        yield from self._betting()
        self._lift_ball()
        faults = order.faults
        yield from self._fail_to_launch(order)
        while True:
            yield from self._reverse()
            flight = self._launch(order, faults, with_rotor=Fault.SAME_DIRECTION_IN_RIM in faults)
            end = yield from self._fly(order, flight, faults)
            if end is End.LANDED:
                yield from self._show_result(faults)
                return None
            if end is not End.VOID:
                return end
            no_ball = Fault.FLYING_BALL in faults
            self._rethrow()
            self._enter(PLACE_BETS)
            if no_ball:  # flag 8 for as long as no ball is there to be launched
                self._flag(LAUNCH)
            yield from self._for(10.0, 30.0)
            faults = frozenset()

    def _betting(self) -> Wait:
        """Place bets until it is time to launch, or the host says so."""
        self.start_asked = False
        yield from self._wait_for_word()
        if self.options.launch == "host":
            yield from self._ever(lambda: self.start_asked)
            yield from self._for(0.6, 1.8)
        else:
            bets_s = self._span(self.pace.place_bets_s) - START_LEAD_S
            yield from self._until(self.now_s + bets_s, lambda: self.start_asked)
        self.start_asked = True

    def _reverse(self) -> Wait:
        """The rotor stops, rests, and starts the other way round; the ball follows."""
        other_way = -self.rotor.direction(self.now_s) * self._rng.uniform(*self.ROTOR_RPM)
        stopped_s = self.rotor.ramp(self.now_s, 0.0, self._rng.uniform(1.4, 2.4))
        yield from self._until(stopped_s)
        yield from self._for(0.6, 1.4)
        yield from self._until(self.rotor.ramp(self.now_s, other_way, self._rng.uniform(1.2, 1.8)))
        yield from self._for(0.1, 0.4)

    def _fail_to_launch(self, order: SpinOrder) -> Wait:
        """A launch that comes to nothing within state 2, as recorded: flag 2 if it ran with the rotor, then flag 8."""
        if Fault.SAME_DIRECTION in order.faults:
            yield from self._reverse()
            self._launch(order, frozenset(), with_rotor=True)
            self._flag(SAME_DIRECTION, after_s=1.0)
            yield from self._for(8.0, 11.0, cut=lambda: self.void_acknowledged)
            self._clear_flags(0.0)
            self._rethrow()
            self._flag(LAUNCH)
            yield from self._for(2.0, 4.0)
        if Fault.LAUNCH_FAILED in order.faults:
            yield from self._reverse()
            self._flag(LAUNCH)
            yield from self._for(2.0, 8.0)
            self._rethrow()

    def _fly(self, order: SpinOrder, flight: Flight, faults: frozenset[Fault]) -> Generator[float, None, End | Script]:
        """States 3 and 4: until the ball was found in a pocket, the spin is void, or the wheel stops itself."""
        with_rotor = Fault.SAME_DIRECTION_IN_RIM in faults

        def void() -> bool:
            return with_rotor and self.void_acknowledged

        yield from self._until(flight.course.when(TURN))
        self._clear_flags(self._rng.choice((0.0, self._rng.uniform(0.4, 2.0))))
        if with_rotor:
            self._flag(SAME_DIRECTION)
        self._enter(IN_RIM)
        if flight.lost_s < math.inf:
            return (yield from self._lose_ball(flight, faults))
        slow_s = flight.course.slower_than(rad_s_of(self.no_more_bets_rpm))
        yield from self._until(max(slow_s, self.now_s + LEAST_RIM_S), void)
        if void():
            return End.VOID
        self._enter(NO_MORE_BETS)
        if Fault.SENSOR_FAULT in faults:
            self._flag(SENSOR, after_s=1.0)
            yield from self._for(23.0, 31.0)
            return self._stopped_by_itself(SENSOR)
        if Fault.NO_BALL in faults:
            self._flag(NO_BALL, after_s=1.0)
            yield from self._until(self.now_s + 1.0 + STOPS_ITSELF_S)
            return self._stopped_by_itself(NO_BALL)
        if Fault.NO_BALL_BRIEF in faults:
            self._flag(NO_BALL, self._rng.uniform(2.0, 4.5), after_s=1.0)
        self._disturb_rotor(faults)
        yield from self._until(flight.landed_s, void)
        if not void():
            self._land(order, flight)
            yield from self._until(flight.verified_s, void)
        return End.VOID if void() else End.LANDED

    def _lose_ball(self, flight: Flight, faults: frozenset[Fault]) -> Generator[float, None, End | Script]:
        """The ball leaves the wheel in state 3: flagged and void, or taken for a slow ball until the wheel stops."""
        yield from self._until(max(flight.lost_s, self.now_s + LEAST_RIM_S))
        yield from self._for(1.5, 2.5)
        if Fault.FLYING_BALL in faults:
            self._flag(LAUNCH)
            yield from self._for(6.0, 20.0)
            return End.VOID
        self._enter(NO_MORE_BETS)
        yield from self._until(self.now_s + STOPS_ITSELF_S)
        return self._stopped_by_itself(0)
