"""What shakers and a tower have in common: dice under a camera, a desk that decides, a record of every shake. Pure."""

from __future__ import annotations

import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from hw_sim.device import Action, UnknownWord
from hw_sim.dice.dome import Dome
from hw_sim.dice.faults import HOSTS, POSES, CameraFault, DiceFault, ShakeDesk, ShakerFault, parse_shake, parse_values
from hw_sim.dice.options import ThrowOptions
from hw_sim.dice.rig import rig_of
from hw_sim.dice.truth import By, ShakeRecord
from hw_sim.dice.words import Pose
from hw_sim.faults import Fault, UnknownFault
from hw_sim.truth import TruthLog

FLAT_DEG = 1.0
PATIENCE_S = 30.0
"""A dealer whose button did nothing presses it again after so long."""
WORDS = {
    "shake": "the dealer's button",
    "empty": "the dice are taken out",
    "sheet": "the next shakes end as the answer sheet says, from its first line",
    "next 1-3-6": "the next shake ends so",
    "next POSE": "the next shake ends in this pose; `next POSE 1-3-6`: with these values",
}
KNOWN = ", ".join(f"`{word}`" for word in WORDS)


class Thrower(ABC):
    """Something that throws dice, as a ``SimDevice``. The same options, seed and calls give the same bytes."""

    driver: str
    model: str

    def __init__(self, options: ThrowOptions, seed: int, truth: TruthLog) -> None:
        self.name = options.name
        self.options = options
        # A stream of chance for each part, so that a fault of one changes nothing of the others.
        self._rng = Random(f"{seed}/{options.name}/shaker")
        self.dome = Dome(rig_of(options.rig, options.dice), f"{seed}/{options.name}")
        self._desk = ShakeDesk(
            Random(f"{seed}/{options.name}/faults"),
            options.chances(),
            [parse_shake(entry, options.faults()) for entry in options.shakes],
            [parse_values(entry) for entry in options.values],
            options.touching,
        )
        self._truth = truth
        self._now_s = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._out: list[Action] = []
        self._record: ShakeRecord | None = None
        self._shakes = 0
        self._epoch = 0
        """Rises when power fails: what was due before does not come."""
        self._unplugged = False
        self._presses = 0
        if options.starts == "by_itself":
            self._press_after(self._rng.uniform(1, 3))

    # --- the device's time

    @property
    def now_s(self) -> float:
        """The device's present moment."""
        return self._now_s

    def next_s(self) -> float:
        """When something happens next."""
        return self._due[0][0] if self._due else math.inf

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        while self._due and self._due[0][0] <= to_s:
            self._now_s, _, happens = heapq.heappop(self._due)
            happens()
        self._now_s = max(self._now_s, to_s)
        return self._flush()

    def _flush(self) -> list[Action]:
        out, self._out = self._out, []
        return out

    def _after(self, seconds: float, happens: Callable[[], None]) -> None:
        """Something happens so much later, whatever becomes of the power."""
        heapq.heappush(self._due, (self._now_s + seconds, next(self._count), happens))

    def _powered_after(self, seconds: float, happens: Callable[[], None]) -> None:
        """Something happens so much later, if power does not fail till then."""
        epoch = self._epoch

        def unless_power_failed() -> None:
            if epoch == self._epoch:
                happens()

        self._after(seconds, unless_power_failed)

    # --- one shake

    def _begin(self, by: By, command: str = "") -> ShakeRecord:
        """A shake is ordered, now; one that is not over is over by that."""
        if self._record is not None:
            self._record.interrupted = True
            self._finish(self._record)
        self._shakes += 1
        order = self._desk.next_shake()
        if by != "host":
            order = replace(order, faults=order.faults - HOSTS)
        record = ShakeRecord(self.name, self._shakes, by, command, order, faults=set(order.faults))
        record.disturbed = self._unplugged
        record.times_s["ordered"] = self._now_s
        self._record = record
        return record

    def _motor_on(self, record: ShakeRecord) -> None:
        """The plate begins to move."""
        record.moved = True
        record.times_s["motor_on"] = self._now_s
        stuck = record.pose is Pose.FROZEN and self._rng.random() < 0.5
        self.dome.shake(self._now_s, stuck=stuck, blind=record.order.has(CameraFault.CAMERA_HANG))

    def _motor_off(self, record: ShakeRecord) -> None:
        """The plate stands; the dice roll out."""
        record.times_s["motor_off"] = self._now_s
        self.dome.settle(self._now_s, record.pose, record.order.values)
        self._after(self.dome.rest_s - self._now_s, lambda: self._at_rest(record))

    def _at_rest(self, record: ShakeRecord) -> None:
        """The dice lie still: the shake is over."""
        if not record.finished:
            record.times_s["still"] = self._now_s
            self._finish(record)
            if record.order.has(ShakerFault.BUTTON):
                self._after(self._rng.uniform(0.5, 2.0), self.press)
        if self.options.starts == "by_itself":
            self._press_after(self._rng.uniform(*self.options.between_s))

    def _finish(self, record: ShakeRecord) -> None:
        if record.finished:
            return
        record.dice = self.dome.lies()
        record.times_s["ended"] = self._now_s
        record.finished = True
        self._truth.add(record)
        if self._record is record:
            self._record = None

    def _press_after(self, seconds: float) -> None:
        """The dealer presses the button so much later, and no longer at any moment planned before."""
        self._presses += 1
        number = self._presses

        def unless_otherwise_planned() -> None:
            if number == self._presses:
                self._press_after(PATIENCE_S)
                if self._record is None:
                    self.press()

        self._after(seconds, unless_otherwise_planned)

    @abstractmethod
    def press(self) -> None:
        """The dealer has it shaken, now; nothing happens while it shakes already."""

    # --- what is said to it from outside

    @abstractmethod
    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now."""

    @abstractmethod
    def attached(self) -> None:
        """A host opened the port, now."""

    @abstractmethod
    def power_cycle(self) -> None:
        """Power fails and comes back, now."""

    def inject(self, fault: str) -> None:
        """The next shake gets this pose or fault. Raises ``UnknownFault``."""
        known: dict[str, DiceFault] = {each.value: each for each in self.options.faults()}
        if fault not in known:
            raise UnknownFault(f"a {self.model} has no fault {str(fault)!r}; it has: {', '.join(sorted(known))}")
        self._desk.inject(known[fault])

    def tell(self, word: str) -> None:
        """``shake`` now, ``empty`` the plate now, or how the next shake is to end. Raises ``UnknownWord``."""
        if word == "shake":
            self.press()
            return
        if word == "empty":
            if self._record is None:
                self.dome.empty(self._now_s)
            return
        if word == "sheet":
            self._desk.begin_again([parse_values(entry) for entry in self.options.values])
            return
        asked, *parts = word.split(" ")
        poses = {pose.value: pose for pose in POSES}
        if asked != "next" or not 1 <= len(parts) <= 2:
            raise UnknownWord(f"a {self.model} does not know {word!r}; there are: {KNOWN}")
        pose = poses.get(parts[0])
        rest = parts if pose is None else parts[1:]
        try:
            values = parse_values(rest[0]) if rest else ()
        except ValueError as error:
            raise UnknownWord(f"{error}; or a pose: {', '.join(sorted(poses))}") from error
        if len(rest) > 1:
            raise UnknownWord(f"{word!r} is too much; there are: {KNOWN}")
        if pose is not None:
            self._desk.inject(pose)
        if values:
            self._desk.ask_values(values)

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS

    def look(self) -> Mapping[str, str]:
        """The dice under the dome, as a technician types them; ``x`` where they do not all lie flat."""
        lies = self.dome.lies()
        if self.dome.rest_s > self._now_s:
            return {"dice": "moving"}
        flat = all(one.tilt_deg < FLAT_DEG for one in lies) and self.dome.pose in (Pose.FLAT, Pose.TOUCHING)
        return {"dice": "-" if not lies else " ".join(str(one.value) for one in lies) if flat else "x"}

    def answers(self) -> str:
        """The dice of the shakes whose values the scenario says, a line each; what nobody is asked for as a comment."""
        if self.options.starts != "told":
            return ""
        unasked = self.options.unasked
        lines = [f"{'# ' if number < unasked else ''}{value}" for number, value in enumerate(self.options.values)]
        return "".join(line.replace("-", " ") + "\n" for line in lines)

    def note(self, fault: Fault) -> None:  # noqa: ARG002
        """Something was done from outside: the shake under way may be lost on the host."""
        if self._record is not None:
            self._record.disturbed = True

    def plugged(self, inserted: bool) -> None:
        """The plug of the data line was pulled or put in: shakes till then may be lost on the host."""
        self._unplugged = not inserted
        if self._record is not None:
            self._record.disturbed = True

    def in_play(self) -> dict[str, Any] | None:
        """The unfinished record of the shake under way."""
        return None if self._record is None else self._record.as_json()
