"""A fan-tan table: the dealer lifts the bowl, counts the beans off in fours, and clears the cloth. A ``SimDevice``.

What the camera sees is a function of the table's moment. The heap that is not laid out yet stays in its sight.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from hw_sim.beans.layout import BEAN_MM, NEED_THREE_GROUPS, NEED_TWO_GROUPS, ROOM_MM, Layout, LayoutFault, heap, lay_out
from hw_sim.beans.options import BeanTableOptions
from hw_sim.beans.scene import Bowl, Hand, Rig, Scene, Stick, disturbed, make_rig
from hw_sim.device import Action, UnknownWord
from hw_sim.faults import GOOD, Fault, UnknownFault
from hw_sim.truth import TruthLog

if TYPE_CHECKING:
    from hw_sim.mjpeg import Paint

LIFT_S, CLEAR_S, REARRANGE_S = 1.5, 2.0, 4.0
BOWL_AT = (0.0, 40.0)
LAY, EMPTY = "lay", "empty"
WORDS = {
    "lay_out": "the bowl is lifted and the beans counted off",
    "rearrange": "the beans that lie there are laid out anew",
    "clear": "the beans are cleared away and others covered",
    EMPTY: "beans and bowl are taken off the cloth",
    LAY: "other beans are laid out at once, without the bowl; `lay N`: so many",
}
MOST_TOLD = 200
SHUTTER_HZ = 10
"""Movements are drawn in steps of so many a second."""


class Phase(StrEnum):
    """What the dealer does."""

    COVERED = "covered"
    LIFTING = "lifting"
    COUNTING = "counting"
    LAID = "laid"
    CLEARING = "clearing"
    REARRANGING = "rearranging"
    EMPTY = "empty"


@dataclass(slots=True)
class LayoutRecord:
    """One layout: what lay there, and whether anything was wrong with it. Times are the table's own seconds."""

    device: str
    round: int
    attempt: int
    beans: int
    fault: LayoutFault | None
    times_s: dict[str, float] = field(default_factory=dict)
    finished: bool = False

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "round": self.round,
            "attempt": self.attempt,
            "beans": self.beans,
            "groups": -(-self.beans // 4),
            "remainder": (self.beans - 1) % 4 + 1,
            "fault": None if self.fault is None else self.fault.value,
            "expect": "accept" if self.fault is None else "refuse",
            "times_s": {what: round(at_s, 3) for what, at_s in self.times_s.items()},
            "finished": self.finished,
        }


class BeanTable:
    """One table of a scenario. The same options, seed and calls give the same pictures."""

    driver, model = "bean-camera", "bean-table"

    def __init__(self, options: BeanTableOptions, seed: int, truth: TruthLog) -> None:
        self.name = options.name
        self.options = options
        self.rig = make_rig(options.rig, options.cloth)
        self._rng = Random(f"{seed}/{options.name}/beans")
        self._chance = Random(f"{seed}/{options.name}/faults")
        self._rates = sorted(options.rates.items())
        self._layouts, self._counts = deque(options.layouts), deque(options.beans)
        self._injected: list[LayoutFault] = []
        self._truth = truth
        self._now_s = 0.0
        self._shots = 0
        self._round = 0
        self.phase = Phase.COVERED
        self._since_s = 0.0
        self._until_s = 0.0
        self._record = LayoutRecord(self.name, 0, 0, 1, None)
        self._final = Scene(Layout(()))
        self._heap = Layout(())
        self._cover()

    # -- the dealer ---------------------------------------------------------------------------------------

    def _enter(self, phase: Phase, seconds: float) -> None:
        self.phase, self._since_s, self._until_s = phase, self._now_s, self._now_s + seconds
        self._record.times_s[phase.value] = self._now_s

    def _cover(self) -> None:
        """A new round: some beans under the bowl."""
        self._round += 1
        count = self._counts.popleft() if self._counts else self._rng.randint(1, 200)
        self._prepare(count, self._next_fault(), attempt=1)
        waits = self.options.starts == "told"
        self._enter(Phase.COVERED, math.inf if waits else self._rng.uniform(*self.options.covered_s))

    def _next_fault(self) -> LayoutFault | None:
        drawn = [fault for fault, rate in self._rates if self._chance.random() < rate]
        if self._injected:
            return self._injected.pop(0)
        if self._layouts:
            name = self._layouts.popleft()
            return None if name == GOOD else LayoutFault(name)
        return self._chance.choice(drawn) if drawn else None

    def _prepare(self, count: int, fault: LayoutFault | None, *, attempt: int) -> None:
        least = 13 if fault in NEED_THREE_GROUPS else 5 if fault in NEED_TWO_GROUPS else 1
        if fault is LayoutFault.TOO_MANY:
            count = self._rng.randint(201, 210)
        count = max(count, least)
        clean = Scene(lay_out(count, self._rng))
        self._final = clean if fault is None else disturbed(clean, fault, self._rng)
        self._heap = Layout((), heap(clean.layout, self._rng, min(count, 60)))
        self._record = LayoutRecord(self.name, self._round, attempt, count, fault)

    def _step(self) -> None:
        match self.phase:
            case Phase.COVERED:
                self._enter(Phase.LIFTING, LIFT_S)
            case Phase.LIFTING:
                groups = max(1, len(self._final.layout.groups))
                self._enter(Phase.COUNTING, groups * self._rng.uniform(*self.options.group_s) + 1.0)
            case Phase.COUNTING | Phase.REARRANGING:
                waits = self.options.starts == "told"
                self._enter(Phase.LAID, math.inf if waits else self._rng.uniform(*self.options.rest_s))
            case Phase.LAID:
                self._finish()
                self._enter(Phase.CLEARING, CLEAR_S)
            case Phase.CLEARING:
                self._cover()
            case Phase.EMPTY:
                pass  # until beans are laid out

    def _finish(self) -> None:
        self._record.finished = True
        self._truth.add(self._record)

    def tell(self, word: str) -> None:
        """One of ``WORDS``; what is not possible now is not heard. Raises ``UnknownWord``."""
        name, _, number = word.partition(" ")
        numbered = name == LAY and number.isdecimal() and 1 <= int(number) <= MOST_TOLD
        if name not in WORDS or (number and not numbered):
            raise UnknownWord(f"a fan-tan dealer does not know {word!r}; there are: {', '.join(WORDS)}")
        if word == "rearrange" and self.phase is Phase.LAID:
            self._finish()
            self._prepare(min(200, self._record.beans), None, attempt=self._record.attempt + 1)
            self._enter(Phase.REARRANGING, REARRANGE_S)
        elif name == LAY:
            self._lay(int(number) if number else None)
        elif word == EMPTY:
            if self.phase is Phase.LAID:
                self._finish()
            self._enter(Phase.EMPTY, math.inf)
        elif (word, self.phase) in (("lay_out", Phase.COVERED), ("clear", Phase.LAID)):
            self._until_s = self._now_s

    def _lay(self, number: int | None) -> None:
        """Other beans in the place of those that lie there, with one movement of the hand."""
        if self.phase is Phase.LAID:
            self._finish()
        self._round += 1
        beans = number or (self._counts.popleft() if self._counts else self._rng.randint(1, MOST_TOLD))
        self._prepare(beans, self._next_fault(), attempt=1)
        self._enter(Phase.REARRANGING, REARRANGE_S)

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS

    def look(self) -> Mapping[str, str]:
        """How many beans lie there, as a technician types it: ``x`` where they do not lie cleanly."""
        if self.phase is not Phase.LAID:
            return {"beans": "-"}
        return {"beans": str(self._record.beans) if self._record.fault is None else "x"}

    # -- the picture --------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """What is before the camera at the present moment."""
        since = math.floor((self._now_s - self._since_s) * SHUTTER_HZ) / SHUTTER_HZ
        part = min(1.0, since / max(0.1, self._until_s - self._since_s))
        skin, sleeve, wood = (150.0, 178.0, 226.0), (30.0, 28.0, 28.0), (60.0, 105.0, 160.0)
        bowl = Bowl(*BOWL_AT, 48.0, (170.0, 172.0, 172.0))
        away = ROOM_MM[1] / 2 + 60
        match self.phase:
            case Phase.COVERED:
                return Scene(Layout(()), bowl=bowl)
            case Phase.EMPTY:
                return Scene(Layout(()))
            case Phase.LIFTING:
                lifted = replace(bowl, y=BOWL_AT[1] + part * 220)
                return Scene(self._heap, bowl=lifted, hand=Hand(lifted.x, lifted.y - 10, 1.4, skin, sleeve))
            case Phase.COUNTING:
                groups = self._final.layout.groups
                done = min(len(groups), int(part * (len(groups) + 1)))
                left = self._heap.loose[: max(0, 4 * (len(groups) - done))]
                beat = 20 * math.sin(since * 5)
                target = groups[min(done, len(groups) - 1)][-1] if groups else None
                x, y = (target.x + 14, target.y + 6 + beat * 0.4) if target else (0.0, 0.0)
                stick = Stick(x, y, x + 90 + beat, away + 100, 6.0, wood)
                return Scene(Layout(groups[:done], left), stick=stick, hand=Hand(x + 45, y + 130, 1.2, skin, sleeve))
            case Phase.LAID:
                if self._record.fault is LayoutFault.SMEARED:
                    sway = (4 * math.sin(since * 9), 2 * math.sin(since * 7))
                    return replace(self._final, shift_mm=sway, smear_px=(8.0, 4.0))
                return self._final
            case Phase.CLEARING | Phase.REARRANGING:
                x = (part * 2 - 1) * ROOM_MM[0] * 0.45
                hand = Hand(x, 30 + 25 * math.sin(since * 6), 1.3, skin, sleeve)
                if self.phase is Phase.REARRANGING:
                    return replace(self._final, hand=hand) if part < 0.9 else self._final
                gone = self._final.layout.beans[: round(len(self._final.layout.beans) * max(0.0, 1 - 2 * part))]
                return Scene(Layout((), gone), bowl=bowl if part > 0.6 else None, hand=hand)

    def shot(self) -> Paint | None:
        """What the camera sees now, to be drawn in another thread."""
        from hw_sim.beans.paint import paint

        self._shots += 1
        return partial(paint, self.rig, self.scene(), self._shots)

    def files(self) -> Mapping[str, str]:
        """The camera's profile, as its technician would have made it."""
        return {f"{self.name}.beans.json": json.dumps(profile_of(self.rig), indent=2) + "\n"}

    # -- the device ---------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """The table's present moment."""
        return self._now_s

    def next_s(self) -> float:
        """When the dealer does the next thing."""
        return self._until_s

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment. A camera sends no bytes of its own: pictures are asked for."""
        while self._until_s <= to_s:
            self._now_s = max(self._now_s, self._until_s)
            self._step()
        self._now_s = max(self._now_s, to_s)
        return []

    def receive(self, data: bytes) -> list[Action]:  # noqa: ARG002
        """A camera is told nothing."""
        return []

    def attached(self) -> None:
        """Somebody looks."""

    def inject(self, fault: str) -> None:
        """The next round's layout gets this fault. Raises ``UnknownFault``."""
        if fault not in set(LayoutFault):
            raise UnknownFault(f"a {self.model} has no fault {fault!r}; it has: {', '.join(sorted(LayoutFault))}")
        self._injected.append(LayoutFault(fault))

    def note(self, fault: Fault) -> None:
        """Something was done from outside."""

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in."""

    def power_cycle(self) -> None:
        """Power fails and comes back: pictures go on."""

    def in_play(self) -> dict[str, Any] | None:
        """The unfinished record of the round in play."""
        return {**self._record.as_json(), "phase": self.phase.value}


def profile_of(rig: Rig) -> dict[str, Any]:
    """What a technician who knew the rig exactly would write down (``docs/howto/set-up-a-fan-tan-table.md``)."""
    bean_px = 0.945 * BEAN_MM * rig.px_per_mm
    return {
        "version": 1,
        "width": rig.width_px,
        "height": rig.height_px,
        "region": [0, 0, rig.width_px, rig.height_px],
        "size": {"middle_px": round(bean_px, 2), "right": 0.0, "down": 0.0},
        "cloth": [round(0.96 * level, 1) for level in rig.cloth],
        "bean": [round(0.84 * level, 1) for level in rig.bean],
        "link": 1.82,
        "apart": 1.95,
        "room": 3.3,
        "edge_px": round(1.7 + rig.softness_px, 2),
        "rows": 10,
    }
