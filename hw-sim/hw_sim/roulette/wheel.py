"""What all simulated wheels share: the status line, the states of a game, the throw and its result. Pure."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from random import Random
from typing import ClassVar

from hw_sim.faults import CUED_FAULTS, Fault, SpinDesk, SpinOrder
from hw_sim.roulette.flight import Flight, draw_drag, plan_flight
from hw_sim.roulette.options import IDLE_S, PACES, Span, WheelOptions
from hw_sim.roulette.physics import WHEEL_ORDER, full_laps, rad_s_of, sensor_hits
from hw_sim.roulette.rotor import CLOCKWISE, Rotor
from hw_sim.scripted import Cue, Script, Scripted, Wait
from hw_sim.truth import Throw

CADENCE_S = (0.496, 0.512)
"""Between two status lines, as measured on a real wheel; 500 ms in the maker's words (``devices.md`` §1)."""
BARE_AHEAD_S = (0.015, 0.490)
"""The bare number's lead over the first state-5 line: 15-497 ms on a real wheel (``devices.md`` §1)."""
LEAST_RIM_S = 1.0
"""State 3 lasts at least this long: two status lines."""

IDLE, PLACE_BETS, IN_RIM, NO_MORE_BETS, RESULT, CLOSED = 1, 2, 3, 4, 5, 6
WORD = {1: "clockwise", -1: "counter_clockwise"}


class End(Enum):
    """How a flight ended, where the wheel goes on."""

    LANDED = auto()
    VOID = auto()


class Wheel(Scripted):
    """A wheel of some model. ``finished`` is called with every throw's record when the throw is over."""

    NO_MORE_BETS_RPM: ClassVar[float]
    ROTOR_RPM: ClassVar[tuple[float, float]]

    def __init__(self, options: WheelOptions, rng: Random, desk: SpinDesk, finished: Callable[[Throw], None]) -> None:
        self.options = options
        self.pace = PACES[options.table]
        self.no_more_bets_rpm = self.pace.no_more_bets_rpm or self.NO_MORE_BETS_RPM
        self.state = IDLE
        self.counter = options.counter
        self.shown: str | None = options.previous
        self.powered = True
        self.latched = 0
        self.closing = False
        self.after_power_loss = False
        self.games = 0
        self.start_asked = self.void_acknowledged = self.open_asked = False
        self.told = False
        """Somebody said that the next ball is to be thrown."""
        self.streaming = False
        self.basic = options.frames == "basic"
        self.throw: Throw | None = None
        self.flight: Flight | None = None
        self.in_pocket = False
        self.rotor = Rotor(0.0, 0.0 if options.start == "closed" else self._draw_rotor_rpm(rng))
        # Their own chance each, so that polls and modes change no spin.
        self._tick_rng, self._noise_rng = Random(rng.random()), Random(rng.random())
        self._tick_s = self._tick_rng.uniform(0.0, CADENCE_S[0])
        self._desk = desk
        self._finished = finished
        self._lying: str | None = None
        self._cues: frozenset[Fault] = frozenset()
        self._cue_state = 0
        self._spin = 0
        self._windows: list[tuple[float, float, int]] = []
        self._hits: deque[tuple[float, int]] = deque()
        super().__init__(rng)

    def _first_script(self) -> Script:
        return self._closed() if self.options.start == "closed" else self._games(1.0)

    def _draw_rotor_rpm(self, rng: Random) -> float:
        return rng.uniform(*self.ROTOR_RPM) * rng.choice((1, -1))

    def _span(self, span: Span) -> float:
        return self._rng.triangular(*span)

    # --- what it sends

    @abstractmethod
    def status_line(self) -> str:
        """The status frame of this moment, without its terminator."""

    def flags(self) -> int:
        """The warning flags of this moment."""
        bits = self.latched
        for from_s, to_s, bit in self._windows:
            if from_s <= self.now_s < to_s:
                bits |= bit
        return bits

    def frame(self, rotor_tenths: int) -> str:
        """The advanced frame, ``*X;S;GGG;WW;F;RRR;D``."""
        direction = 0 if self.rotor.direction(self.now_s) == CLOCKWISE else 1
        return (
            f"*X;{self.state};{self.counter:03d};{self.shown or '':>2};{self.flags():X};{rotor_tenths:03d};{direction}"
        )

    def rotor_tenths(self) -> int:
        """The rotor's speed in tenths of rpm as measured, a little unsteady while it turns."""
        tenths = round(abs(self.rotor.rpm(self.now_s)) * 10)
        return tenths + self._noise_rng.choice((-1, 0, 0, 0, 1)) if tenths > 20 else tenths

    def stream(self, on: bool) -> None:
        """Starts or ends the stream of sensor events; those of the past are gone."""
        self.streaming = on
        while self._hits and self._hits[0][0] < self.now_s:
            self._hits.popleft()

    def _other_s(self) -> float:
        hit_s = self._hits[0][0] if self.streaming and self._hits else math.inf
        return min(self._tick_s, hit_s)

    def _do_other(self) -> None:
        if self.now_s >= self._tick_s:
            self._tick_s = self.now_s + self._tick_rng.uniform(*CADENCE_S)
            if not self.basic:
                self._send(self.status_line())
            return
        _, sensor = self._hits.popleft()
        if sensor:
            self._send(f"*bs {sensor}")
        elif self._lying is not None:
            self._send(f"*bn {self._lying:>2}")

    def _flag(self, bit: int, length_s: float = math.inf, after_s: float = 0.0) -> None:
        """Shows a flag for a time; the begin of states 1, 2 and 6 clears all that are not latched."""
        self._windows.append((self.now_s + after_s, self.now_s + after_s + length_s, bit))

    def _clear_flags(self, after_s: float) -> None:
        """Every flag shown now ends in ``after_s``."""
        end_s = self.now_s + after_s
        self._windows = [(from_s, min(to_s, end_s), bit) for from_s, to_s, bit in self._windows]

    def _enter(self, state: int) -> None:
        self.state = state
        if self.throw is not None:
            self.throw.times_s[f"state_{state}"] = self.now_s
        if state in (IDLE, PLACE_BETS, CLOSED):
            self._windows.clear()
        if self.basic:
            word = {IN_RIM: "*S", NO_MORE_BETS: "*N", RESULT: f"*W {self.shown or '':>2}"}.get(state)
            if word is not None:
                self._send(word)
        elif self.options.event_lines and self.powered and self.now_s < self._tick_s:
            self._send(self.status_line())
        if state == self._cue_state:
            cues, self._cues = self._cues, frozenset()
            for fault in sorted(cues):
                self.note(fault)
                self._out.append(Cue(self.now_s, fault))

    # --- the table

    def _games(self, idle_s: float) -> Script:
        """State 1, then one spin after the other."""
        self._enter(IDLE)
        yield from self._until(self.now_s + idle_s)
        while True:
            order = self._desk.next_spin()
            if Fault.COUNTER_WRAP in order.faults:
                self.counter = 255
            self._spin += 1
            self._cue_state, self._cues = order.cue_state, order.faults & CUED_FAULTS
            self.rotor.forget(self.now_s)
            self._record(order.faults - CUED_FAULTS)
            self._enter(PLACE_BETS)
            after = yield from self._play(order)
            if after is not None:
                return after
            self.counter = (self.counter + 1) % 256

    def _wait_for_word(self) -> Wait:
        """Where every throw waits for somebody to say so, until he has."""
        if self.options.starts == "told":
            yield from self._ever(lambda: self.told)
            self.told = False

    @abstractmethod
    def _play(self, order: SpinOrder) -> Script:
        """One spin from state 2 to the end of state 5; returns the script that follows, ``None`` for the next spin."""

    def _open(self) -> Script:
        """The table is opened: the counter starts again, there is no number yet."""
        self.counter, self.shown, self.latched = 1, None, 0
        self.rotor.ramp(self.now_s, self._draw_rotor_rpm(self._rng), 2.0)
        return self._games(self._span(IDLE_S))

    def _power_on(self) -> Script:
        """Power is back: some seconds of silence, then as after opening."""
        yield from self._for(2.0, 4.0)
        self.powered = self.after_power_loss = True
        self._tick_s = self.now_s
        return self._open()

    def _closed(self) -> Script:
        """State 6 until the host opens the table."""
        self.closing = self.open_asked = False
        self._enter(CLOSED)
        yield from self._ever(lambda: self.open_asked)
        return self._open()

    def _run_down(self) -> Script:
        """The rotor runs down, then the table is closed. The old counter and number stay in view until it is opened."""
        yield from self._until(self.rotor.ramp(self.now_s, 0.0, 3.0))
        return self._closed()

    def _stopped_by_itself(self, latched: int) -> Script:
        """State 6 with a flag latched, until a person has put it right and switched it off and on."""
        self.latched = latched
        self.rotor.ramp(self.now_s, 0.0, 2.0)
        self._end_throw()
        self._enter(CLOSED)
        yield from self._for(10.0, 20.0)
        self._lose_power()
        return self._power_on()

    def close_table(self) -> None:
        """``*P 0``: whatever was in play is void."""
        self._end_throw()
        self.closing = True
        self._begin(self._run_down())

    def power_cycle(self) -> None:
        """Power fails and comes back: silence, counter 001, no number."""
        self.note(Fault.POWER_CYCLE)
        self._end_throw()
        self._lose_power()
        self._begin(self._power_on())

    def _lose_power(self) -> None:
        self.powered = self.streaming = self.closing = False
        self._tick_s = math.inf
        self.rotor.ramp(self.now_s, 0.0, 2.0)

    # --- the throw

    def note(self, fault: Fault) -> None:
        """Something happened to the spin in play that belongs into its record."""
        if self.throw is not None:
            self.throw.faults.add(fault)

    def _record(self, faults: frozenset[Fault], throw: int = 1) -> None:
        """Opens the record of the next throw."""
        self.throw = Throw(self.options.name, self._spin, throw, self.counter, set(faults))
        self.throw.after_power_loss, self.after_power_loss = self.after_power_loss, False
        self.throw.times_s["opened"] = self.now_s

    def _rethrow(self) -> None:
        """This throw came to nothing: its record is closed and the next one's opened."""
        number = self.throw.throw if self.throw is not None else 0
        self._end_throw()
        self._lift_ball()
        self._record(frozenset(), number + 1)

    def _launch(
        self,
        order: SpinOrder,
        faults: frozenset[Fault],
        *,
        with_rotor: bool = False,
        rpm_below: float | None = None,
        rpm_over: float = 0.0,
    ) -> Flight:
        """The ball leaves the hand or the launcher now."""
        rotor = self.rotor.direction(self.now_s)
        flight = plan_flight(
            self._rng,
            drag=draw_drag(self._rng, self.options.drag),
            launch_s=self.now_s,
            direction=rotor if with_rotor else -rotor,
            faults=faults,
            no_more_bets_rpm=self.no_more_bets_rpm,
            verify_s=self.pace.verify_s,
            laps=order.laps if rpm_below is None else None,
            rpm_below=rpm_below,
            rpm_over=rpm_over,
        )
        self.flight, self.in_pocket, self._lying = flight, False, None
        self._hits = deque(sensor_hits(flight.course, flight.rim_end_s(math.inf)))
        if flight.lost_s == math.inf:
            self._hits.append((flight.landed_s, 0))
        self.void_acknowledged = False
        if self.throw is not None:
            self.throw.rotor, self.throw.ball = WORD[rotor], WORD[flight.direction]
            self.throw.rotor_rpm = abs(self.rotor.rpm(self.now_s))
            self.throw.drag = {"a": flight.drag.a, "b": flight.drag.b}
            self.throw.launch_rad_s = flight.launch_rad_s
            self.throw.times_s["launched"] = self.now_s
        return flight

    def _disturb_rotor(self, faults: frozenset[Fault]) -> None:
        """What happens to the rotor in state 4; undisturbed it only drifts."""
        from_s = self.now_s + self._rng.uniform(0.5, 2.0)
        rpm = self.rotor.rpm(self.now_s)
        if Fault.ROTOR_STOP in faults:
            self.rotor.ramp(from_s, 0.0, 1.5)
        elif Fault.ROTOR_REVERSAL in faults:
            self.rotor.ramp(from_s, -rpm, 4.0)
        elif Fault.ROTOR_TOO_FAST in faults:
            fast_s = self.rotor.ramp(from_s, math.copysign(self._rng.uniform(36.0, 45.0), rpm), 1.0)
            self.rotor.ramp(fast_s + 4.0, rpm, 1.0)
        else:
            least, most = self.ROTOR_RPM
            self.rotor.ramp(
                self.now_s, math.copysign(min(max(abs(rpm) * self._rng.uniform(0.94, 1.04), least), most), rpm), 1.5
            )

    def _land(self, order: SpinOrder, flight: Flight) -> None:
        """The ball falls into a pocket, now."""
        rotor_angle = self.rotor.angle(self.now_s)
        if order.number is not None:
            flight = flight.with_scatter(flight.scatter_for(order.number, rotor_angle))
        self._lying = flight.lies_in(rotor_angle)
        if self.throw is not None:
            self.throw.number = self._lying
            self.throw.times_s["landed"] = self.now_s

    def _lift_ball(self) -> None:
        """The ball is out of its pocket for the next throw."""
        self.flight, self.in_pocket, self._lying = None, False, None
        self._hits.clear()

    def _end_throw(self) -> None:
        """Closes the record of the throw in play."""
        throw, self.throw = self.throw, None
        if throw is not None:
            self.measure(throw)
            throw.times_s["ended"] = self.now_s
            throw.finished = True
            self._finished(throw)

    def measure(self, throw: Throw) -> None:
        """Writes the laps made until now into a record, in all three readings of what a lap is."""
        flight = self.flight
        if flight is None or throw.ball is None:
            return
        slow_s = flight.course.slower_than(rad_s_of(self.no_more_bets_rpm))
        throw.laps = flight.laps(self.now_s)
        throw.laps_to_no_more_bets = flight.laps(min(self.now_s, slow_s))
        throw.laps_to_deflector = full_laps(flight.course.travel(min(self.now_s, flight.deflector_s, flight.lost_s)))

    def _show_result(self, faults: frozenset[Fault]) -> Wait:
        """The bare number, then state 5 to its end."""
        number = self._lying
        assert number is not None, "shown only once the ball has landed"
        yield from self._until(self._tick_s + 0.001)  # the line after this one is the first of state 5
        first_s = self._tick_s
        wrong = self._rng.choice([other for other in WHEEL_ORDER if other != number])
        bare = wrong if Fault.WRONG_BARE in faults else number
        ahead_s = min(self._rng.uniform(*BARE_AHEAD_S), first_s - self.now_s)
        late_s = self._rng.uniform(0.05, 0.4)
        end_s = first_s + self._span(self.pace.result_s)
        silent = Fault.MISSING_BARE in faults or self.options.wheel_port != 1 or self.basic
        late = Fault.LATE_BARE in faults
        if not silent and not late:
            yield from self._until(first_s - ahead_s)
            self._send_bare(bare)
        yield from self._until(first_s)
        self.shown, self.in_pocket = number, True
        if self.throw is not None:
            self.throw.shown = number
        self.games += 1
        self._enter(RESULT)
        if not silent and late:
            yield from self._until(first_s + late_s)
            self._send_bare(bare)
        yield from self._until(end_s)
        self._end_throw()

    def _send_bare(self, number: str) -> None:
        self._send(f"{number:>2}")
        if self.throw is not None:
            self.throw.bare = number
