"""The wheel and the dealer who spins it: rest, spin, rest again, and what goes wrong on the way. Pure.

The encoder is part of the wheel; what its wire carries is not known here. Faults of the wire are told to ``strike``.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator
from random import Random

from hw_sim.wheel.encoder import Encoder
from hw_sim.wheel.faults import TurnDesk, TurnFault
from hw_sim.wheel.layout import layout
from hw_sim.wheel.options import ColourWheelOptions
from hw_sim.wheel.physics import (
    SEGMENT_DEG,
    SEGMENTS,
    Course,
    Hand,
    coast,
    draw_dynamics,
    push,
    without_pegs,
)
from hw_sim.wheel.truth import Turn

Script = Generator[float, None, None]

SPIN, STEP, BACK, BOUNDARY, SEGMENT, WALK, SLIP = "spin", "step", "back", "boundary", "segment", "walk", "slip"
"""Words: the dealer spins; a technician turns the wheel on by a segment (``step 2``: by two), back, or so that the
pointer stands where segment N begins (``boundary 13``) or within it (``segment 13``); he walks through all others; the
encoder slips."""
NUMBERED = (BOUNDARY, SEGMENT)
WALK_REST_S = 6.0
"""In each segment of a walk: a person reads, types and turns on."""
STEP_WITHIN = (0.25, 0.75)
"""Where in a segment he leaves the pointer, as a part of it."""
BY_EYE_DEG = 0.15
"""So well does he put the pointer on a boundary."""

SETTLE_S = 2.5
"""After it came to rest the dealer leaves the wheel alone for so long."""
ON_PEG_DEG = 0.2
SETTLED_DEG = 0.1
CRAWL_DEG, CRAWL_S = 0.4, 0.3
"""All that a wheel may move while it seems to stand, and how long it takes for that when it comes to rest."""
MOVED_AFTER_S = (0.85, 1.0)
"""While a station watches a wheel that it has just seen at rest."""
WIRE = frozenset(
    {
        TurnFault.MISREAD,
        TurnFault.MISREAD_LONG,
        TurnFault.BUSY,
        TurnFault.LATE_ANSWERS,
        TurnFault.GARBLED,
        TurnFault.LOST_FRAMES,
        TurnFault.UNPLUG,
        TurnFault.POWER_CYCLE,
    }
)


class Turntable:
    """See the module. ``finished`` gets every record, ``strike`` every fault of wire, plug and power when it is due."""

    def __init__(
        self,
        options: ColourWheelOptions,
        rng: Random,
        desk: TurnDesk,
        finished: Callable[[Turn], None],
        strike: Callable[[TurnFault], None],
    ) -> None:
        self._options = options
        self._rng = rng
        # Its own chance, so that how often somebody asks changes no turn.
        self._noise = Random(rng.random())
        self._hand = Random()
        self._hand.setstate(rng.getstate())
        self._desk = desk
        self._finished = finished
        self._strike = strike
        self.segments = layout(rng)
        self.dynamics = draw_dynamics(options.kind, rng)
        self.encoder = Encoder(rng, options.counts_per_turn)
        self.now_s = 0.0
        self.turn: Turn | None = None
        self._turns = 0
        self._course = Course(0.0, (rng.randrange(SEGMENTS) + 0.5) * SEGMENT_DEG)
        self._told: deque[str] = deque()
        self._unsure = self._slipped_between = False
        self._to_come: list[tuple[float, TurnFault]] = []
        self._script = self._life()
        self._wake_s = 0.0
        self.encoder.watch(self._course.end_deg)

    # -- time

    def next_s(self) -> float:
        """When something happens next."""
        return min(self._wake_s, self._to_come[0][0] if self._to_come else math.inf)

    def advance(self, to_s: float) -> None:
        """Goes on to a moment."""
        while (at_s := self.next_s()) <= to_s:
            self.now_s = max(self.now_s, at_s)
            if self._to_come and self._to_come[0][0] <= self.now_s:
                self._happen(self._to_come.pop(0)[1])
            else:
                self._wake_s = next(self._script)
        self.now_s = max(self.now_s, to_s)

    @property
    def moving(self) -> bool:
        """It turns, or somebody is about to turn it."""
        return self.now_s < self._course.end_s or bool(self._told)

    def angle(self) -> float:
        """The wheel's true angle now."""
        return self._course.at(self.now_s)

    def count(self) -> int:
        """The encoder's count now, without bounds."""
        deg = self.angle()
        self.encoder.watch(deg)
        return self.encoder.count(deg, self._noise)

    def tell(self, word: str = SPIN) -> None:
        """Somebody tells the dealer, or the technician, to do something: one of ``is_word``."""
        if word != SPIN or SPIN not in self._told:
            self._told.append(word)
        self._wake_s = min(self._wake_s, self.now_s)

    # -- the dealer

    def _life(self) -> Script:
        yield self.now_s + 2.0  # the station sees it at rest
        while True:
            if self._options.starts == "told":
                while not self._told:
                    yield math.inf
                word = self._told.popleft()
                if word == SLIP:
                    self._slip()
                    continue
                if word != SPIN:
                    yield from self._turned(word)
                    continue
            else:
                yield from self._until(self.now_s + self._rng.uniform(*self._options.between_s))
            yield from self._play(self._desk.next_turn())

    def _until(self, at_s: float) -> Script:
        while self.now_s < at_s:
            yield at_s

    def _play(self, faults: frozenset[TurnFault]) -> Script:
        rng = self._rng
        start_deg = self.angle()
        self._turns += 1
        sign = {"up": 1, "down": -1}.get(self._options.way) or rng.choice((1, -1))
        turn = Turn(
            self._options.name,
            self._turns,
            start_segment=_segment(start_deg),
            segments=self.segments,
            faults=set(faults),
            way="up" if sign > 0 else "down",
            slipped=self._slipped_between,
            unsure=self._unsure,
            times_s={"opened": self.now_s},
        )
        self.turn, self._unsure, self._slipped_between = turn, False, False
        self._course = self._spin(sign, faults)
        self._plan(faults, turn)
        yield from self._until(self._course.end_s)
        turn.times_s["rested"] = self.now_s
        furthest = self._course.furthest_deg(sign)
        if TurnFault.MOVED_AFTER_REST in faults:
            # It may have trembled for a while where it rests.
            moved_s = self._course.settled_s(SETTLED_DEG) + rng.uniform(*MOVED_AFTER_S)
            # After a long crawl a station may rightly have taken it for at rest, and done with it, by then.
            if moved_s < self.now_s or self.now_s - self._course.settled_s(CRAWL_DEG) > CRAWL_S:
                turn.faults.discard(TurnFault.MOVED_AFTER_REST)
        if TurnFault.MOVED_AFTER_REST in turn.faults:
            yield from self._until(moved_s)
            self._nudge(rng.choice((1, -1)) * rng.uniform(5, 25))
            yield from self._until(self._course.end_s)
        yield from self._until(self.now_s + SETTLE_S)
        self._record(turn, sign * (self.angle() - start_deg), furthest)
        self.turn = None
        self.encoder.mark_works = True
        if TurnFault.SLIP_BETWEEN in faults:
            self._slip()
            self._slipped_between = True
        elif turn.slipped:
            yield from self._until(self.now_s + SETTLE_S)
            self._realign()

    def _record(self, turn: Turn, net_deg: float, furthest_deg: float) -> None:
        deg = self.angle()
        turn.segment = _segment(deg)
        inside = deg % SEGMENT_DEG
        turn.margin_deg = min(inside, SEGMENT_DEG - inside)
        turn.net_turns, turn.furthest_turns = net_deg / 360, furthest_deg / 360
        turn.times_s["ended"] = self.now_s
        turn.finished = True
        self._finished(turn)

    def _spin(self, sign: int, faults: frozenset[TurnFault]) -> Course:
        rng = self._rng
        turns = rng.uniform(0.8, 2.8) if TurnFault.SHORT_SPIN in faults else rng.uniform(*self._options.turns)
        hands = []
        if TurnFault.STOPPED_BY_HAND in faults:
            turns = max(turns, 5.0)
            hands = [Hand(-rng.uniform(200, 500), 10.0, from_deg=360 * rng.uniform(3.1, turns - 1.5))]
        if TurnFault.PUSHED_AGAIN in faults:
            hands = [Hand(rng.uniform(200, 400), rng.uniform(0.3, 0.6), from_deg=360 * rng.uniform(1.8, 3.0))]
        if TurnFault.TURNED_BACK in faults:
            # So hard that no peg holds it, so long that even a wheel out of balance turns back further than it rolls.
            hands = [Hand(-180.0, 1.8, from_deg=360 * 2.5, below_deg_s=25.0, back=True)]
        speed = self.dynamics.speed_for(360 * turns)
        back_deg = rng.uniform(5, 30) if TurnFault.WOUND_UP in faults else 0.0
        push_s = rng.uniform(0.3, 0.8)

        def course(speed: float, pegs: bool = True) -> Course:
            planned = Course(self.now_s, self.angle())
            push(planned, sign, speed, push_s, back_deg)
            coast(self.dynamics if pegs else without_pegs(self.dynamics), planned, sign * speed, hands)
            return planned

        if TurnFault.RESTS_ON_PEG in faults:
            return _onto_peg(lambda speed: course(speed, pegs=False), speed)
        return course(speed)

    def _plan(self, faults: frozenset[TurnFault], turn: Turn) -> None:
        """When what goes wrong outside the wheel does."""
        begin_s, end_s = self._course.begin_s + 1.0, self._course.end_s
        for fault in sorted(faults & WIRE):
            self._to_come.append((self._rng.uniform(begin_s, end_s), fault))
        if TurnFault.ENCODER_SLIP in faults:
            self._to_come.append((self._rng.uniform(begin_s + 0.5, end_s + 0.3), TurnFault.ENCODER_SLIP))
        if TurnFault.COUNTS_LOST in faults:
            self._to_come.append((self._rng.uniform(begin_s, end_s), TurnFault.COUNTS_LOST))
        if TurnFault.INDEX_MISSING in faults:
            self.encoder.mark_works = False
        self._to_come.sort()
        turn.times_s["spun"] = self._course.begin_s

    def _happen(self, fault: TurnFault) -> None:
        if fault is TurnFault.ENCODER_SLIP:
            self._slip()
        elif fault is TurnFault.COUNTS_LOST:
            self.encoder.lose(self._rng.choice((-1, 1)) * self._rng.randint(20, 200))
            self._unsure = True
            self._strike(fault)
        else:
            self._strike(fault)
            # A counter that was out of sight is homed anew, and an encoder's next answer may be late.
            self._unsure |= fault in (TurnFault.UNPLUG, TurnFault.POWER_CYCLE)

    # -- what hands and shafts do

    def _turned(self, word: str) -> Script:
        for step in range(SEGMENTS - 1 if word == WALK else 1):
            if step:
                yield from self._until(self.now_s + WALK_REST_S)
            self._by_hand(STEP if word == WALK else word)
            yield from self._until(self._course.end_s)

    def _by_hand(self, word: str) -> None:
        """A technician turns the wheel to a place; where within a segment he leaves to chance."""
        name, _, number = word.partition(" ")
        deg = self.angle()
        if name == BOUNDARY:
            goal = int(number) * SEGMENT_DEG + self._hand.uniform(-BY_EYE_DEG, BY_EYE_DEG)
            self._turn_by((goal - deg) % 360)
            return
        inside = self._hand.uniform(*STEP_WITHIN) * SEGMENT_DEG
        if name == SEGMENT:
            self._turn_by((int(number) * SEGMENT_DEG + inside - deg) % 360)
            return
        here, edge = math.floor(deg / SEGMENT_DEG), round(deg / SEGMENT_DEG)
        if abs(deg - edge * SEGMENT_DEG) <= 2 * BY_EYE_DEG:  # on a boundary: one step is into the next segment
            here = edge - (name == STEP)
        goal = (here + {STEP: 1, BACK: -1}[name] * int(number or 1)) * SEGMENT_DEG + inside
        self._turn_by(goal - deg)

    def _turn_by(self, deg: float) -> None:
        """Slowly, by hand."""
        seconds = max(0.6, abs(deg) / 90)
        course = Course(self.now_s, self.angle())
        from_deg, steps = course.end_deg, max(50, round(seconds / 0.02))
        for step in range(1, steps + 1):
            part = step / steps
            course.add(self.now_s + seconds * part, from_deg + deg * (1 - math.cos(math.pi * part)) / 2)
        self._course = course

    def _nudge(self, deg: float) -> None:
        course = Course(self.now_s, self.angle())
        from_deg = course.end_deg
        for step in range(1, 51):
            part = step / 50
            course.add(self.now_s + 0.5 * part, from_deg + deg * (1 - math.cos(math.pi * part)) / 2)
        self._course = course

    def _slip(self) -> None:
        # By a degree at least; the step is over before the next count.
        self.encoder.slip_deg += self._rng.choice((1, -1)) * self._rng.uniform(1.5, 25)
        if self.turn is not None:
            self.turn.slipped = True

    def _realign(self) -> None:
        """A technician sets encoder and wheel right; a counter is left to its index, passed in the next turn."""
        if self._options.driver == "wheel-modbus":
            self.encoder.slip_deg = 0.0
        else:
            self._unsure = True


def is_word(word: str) -> bool:
    """Whether anybody at the wheel knows it."""
    name, _, number = word.partition(" ")
    if name in NUMBERED:
        return number.isdecimal() and int(number) < SEGMENTS
    if name in (WALK, SLIP):
        return not number
    return name in (SPIN, STEP, BACK) and (not number or (name != SPIN and number.isdecimal()))


def _segment(deg: float) -> int:
    return int(deg % 360 / SEGMENT_DEG) % SEGMENTS


def _onto_peg(course: Callable[[float], Course], speed: float) -> Course:
    """The course from nearly this speed that ends on a peg; where none is found, one that ends elsewhere."""
    found = course(speed)
    for _ in range(60):
        off_deg = (found.end_deg + SEGMENT_DEG / 2) % SEGMENT_DEG - SEGMENT_DEG / 2
        if abs(off_deg) < ON_PEG_DEG:
            break
        # The way grows as the square of the speed.
        speed *= 1 - off_deg / (2 * (found.end_deg - found.begin_deg))
        found = course(speed)
    return found
