"""A wheel with its command line, its wire and its plug: a ``SimDevice``. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from hw_sim.device import Action, Bytes, Plug, UnknownWord
from hw_sim.faults import Fault, SpinDesk, UnknownFault, parse_faults
from hw_sim.roulette.commands import Console
from hw_sim.roulette.m360 import M360
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.roulette.ss2 import Ss2
from hw_sim.scripted import Cue, Line
from hw_sim.truth import Throw, TruthLog
from hw_sim.wire import Wire

UNPLUGGED_S = (2.0, 8.0)
WITHIN_S = (0.1, 1.5)
"""From the begin of a state to the plug pulled or the power cut; no state is shorter, but for a weak throw's."""
LONGEST_RUN_IN_S = 3600.0
WORDS = {"throw": "a ball is thrown"}
SHORT = {"clockwise": "cw", "counter_clockwise": "ccw"}


class NeverThere(ValueError):  # noqa: N818
    """No spin ever gets to the state in which the wheel is to start."""


class WheelDevice:
    """One wheel of a scenario. The same options, seed and calls give the same bytes. Raises ``NeverThere``."""

    def __init__(self, options: Ss2Options | M360Options, seed: int, truth: TruthLog) -> None:
        self.name = options.name
        self.options = options
        # A stream of chance for each part, so that a fault of one changes nothing of the others.
        self._rng = Random(f"{seed}/{options.name}/plug")
        self._desk = SpinDesk(
            Random(f"{seed}/{options.name}/faults"),
            options.rates,
            [parse_faults(entry) for entry in options.spins],
            options.numbers,
            options.laps,
        )
        rng = Random(f"{seed}/{options.name}/wheel")
        self.wheel: Ss2 | M360
        if isinstance(options, Ss2Options):
            self.driver, self.model = "cammegh-ss2", "ss2"
            self.wheel = Ss2(options, rng, self._desk, self._finished)
        else:
            self.driver, self.model = "cammegh-m360", "m360"
            self.wheel = M360(options, rng, self._desk, self._finished)
        self._console = Console(self.wheel)
        self._wire = Wire(Random(f"{seed}/{options.name}/wire"))
        self._cut_s = self._unplug_s = self._replug_s = math.inf
        self._away_from_s = math.inf
        """When the plug was last pulled, ``math.inf`` before that, and when it was put in again."""
        self._away_to_s = math.inf
        self._truth = truth
        self._last: Throw | None = None
        self._unheard = isinstance(options.start, int)
        if isinstance(options.start, int):
            self._run_into(options.start)

    def _finished(self, throw: Throw) -> None:
        if self._away_from_s < math.inf and self._away_to_s > throw.times_s["opened"]:
            throw.faults.add(Fault.UNPLUG)
        self._last = throw
        if not self._unheard:
            self._truth.add(throw)

    def _run_into(self, state: int) -> None:
        """Lets the wheel play, unheard, until a spin is in the state asked for."""
        while self.wheel.state != state:
            self.wheel.advance(self.wheel.next_s())
            if self.wheel.now_s > LONGEST_RUN_IN_S:
                raise NeverThere(f"no spin gets to state {state} with these faults; start in another")
        self.wheel.advance(self.wheel.now_s + self._rng.uniform(0.2, 0.9))
        self._unheard = False
        self.wheel.note(Fault.ATTACH_MID_SPIN)
        if self.wheel.throw is not None:
            self.wheel.throw.joined_in_state = state

    @property
    def now_s(self) -> float:
        """The wheel's present moment."""
        return self.wheel.now_s

    def next_s(self) -> float:
        """When something happens next."""
        return min(self.wheel.next_s(), self._wire.release_s(), self._cut_s, self._unplug_s, self._replug_s)

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        actions: list[Action] = []
        while True:
            at_s = min(self.next_s(), to_s)
            for item in self.wheel.advance(at_s):
                if isinstance(item, Cue):
                    self._strike(item.fault)
                else:
                    self._carry(item, actions)
            if (held := self._wire.release(at_s)) != b"":
                actions.append(Bytes(held))
            if at_s >= self._cut_s:
                self._cut_s = math.inf
                self.power_cycle()
            if at_s >= self._unplug_s:
                self._unplug_s, self._replug_s = math.inf, at_s + self._rng.uniform(*UNPLUGGED_S)
                self.plugged(False)
                actions.append(Plug(inserted=False))
            if at_s >= self._replug_s:
                self._replug_s = math.inf
                self.plugged(True)
                actions.append(Plug(inserted=True))
            if self.next_s() > to_s and at_s >= to_s:
                return actions

    def _carry(self, line: Line, actions: list[Action]) -> None:
        if (data := self._wire.pass_line(line.data, line.at_s)) != b"":
            actions.append(Bytes(data))

    def _strike(self, fault: Fault) -> None:
        """A fault outside the wheel is due: on the wire now, at the plug or the power within this state."""
        if fault is Fault.UNPLUG:
            self._unplug_s = self.wheel.now_s + self._rng.uniform(*WITHIN_S)
        elif fault is Fault.POWER_CYCLE:
            self._cut_s = self.wheel.now_s + self._rng.uniform(*WITHIN_S)
        else:
            self._wire.strike(fault, self.wheel.now_s)

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now; the wheel's answers as they arrive."""
        actions: list[Action] = []
        answers = self._console.receive(data)
        for line in answers.splitlines(keepends=True):
            self._carry(Line(self.wheel.now_s, line), actions)
        return actions

    def attached(self) -> None:
        """A host opened the port, now; in the middle of a line if the options say so."""
        if self.options.attach_mid_line:
            self._wire.lose_head()

    def inject(self, fault: str) -> None:
        """The next spin gets this fault. Raises ``UnknownFault``."""
        known = {each.value: each for each in self.options.faults_of_model()}
        if fault not in known:
            raise UnknownFault(f"a {self.model} has no fault {str(fault)!r}; it has: {', '.join(sorted(known))}")
        self._desk.inject(known[fault])

    def tell(self, word: str) -> None:
        """``throw``. Raises ``UnknownWord``, also at a wheel that nobody needs to tell."""
        if self.options.starts != "told":
            by_itself = 'it throws by itself; starts = "told" in its scenario waits for the word'
            raise UnknownWord(f"nobody stands at {self.name}, a {self.model}: {by_itself}")
        if word not in WORDS:
            raise UnknownWord(f"nobody at the wheel knows {word!r}; there are: {', '.join(WORDS)}")
        self.wheel.told = True
        self.wheel.wake()

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS if self.options.starts == "told" else {}

    def look(self) -> Mapping[str, str]:
        """Of the last throw that is over: the laps that a person counts, where the ball lies, how the rotor turned."""
        last = self._last
        if last is None:
            return {"laps": "-", "pocket": "-", "rotor": "-"}
        return {"laps": str(last.laps), "pocket": last.number or "-", "rotor": SHORT.get(last.rotor or "", "-")}

    def note(self, fault: Fault) -> None:
        """Something was done from outside."""
        self.wheel.note(fault)

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in, now; noted in every throw until it is in again."""
        if inserted:
            self._away_to_s = self.now_s
        else:
            self._away_from_s, self._away_to_s = self.now_s, math.inf
            self.wheel.note(Fault.UNPLUG)

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        self._console.power_lost()
        self.wheel.power_cycle()

    def in_play(self) -> dict[str, Any] | None:
        """The unfinished record of the throw in play."""
        throw: Throw | None = self.wheel.throw
        if throw is None:
            return None
        self.wheel.measure(throw)
        return throw.as_json()
