"""Tables at which everything goes wrong but the camera's eyes, against what really lies there: is a result ever of dice
or beans that lay there before their round waited for them?"""

from __future__ import annotations

import random
from dataclasses import replace

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_daemon.validation.signals import Judged, NotJudged, Signal, Started, Unseen
from dealer_drivers.readings import Fault
from dealer_drivers.readings.dice import Face
from support.cloth import Cloth
from support.throws import Hall, face

CLEAR = 0.7
"""Share of looks that can be read."""


class DiceWorld:
    """A dome or a tower. ``thrown`` is how often the dice were really thrown; ``since`` what it was when the round in
    play began to wait. Each value must be of dice thrown later than that."""

    def __init__(self, seed: int, *, tower: bool, station: bool = False) -> None:
        self.rng = random.Random(seed)
        self.tower = tower
        rules = ShakeRules(start="station" if station else "button")
        judge = (
            TowerJudge(rules, dice_facts, camera="camera")
            if tower
            else DiceJudge(rules, dice_facts, shaker="shaker", camera="camera")
        )
        self.hall = Hall(judge)
        self.hall.lies = None
        self.thrown = 0
        self.since: int | None = None
        self.begun = False
        """The attempt under way began while the round waited."""
        self.told: list[str] = []
        self.values = 0
        self.faces: tuple[Face, ...] = ()
        self._throw()

    def _throw(self) -> None:
        rng = self.rng
        self.thrown += 1
        self.faces = tuple(
            replace(face(rng.randint(1, 6), rng.uniform(50, 600), rng.uniform(50, 430)), turn_deg=rng.uniform(0, 90))
            for _ in range(3)
        )

    def step(self) -> None:
        """One thing that happens."""
        steps = ["due", "due", "hand", "hand", "throw", "throw", "wait", "discard", "camera lost", "camera silent"]
        steps += [] if self.tower else ["lie", "short", "throw unseen", "shaker lost", "shaken early"]
        word = self.rng.choice(steps)
        self.told.append(word)
        match word:
            case "due":
                if self.since is None:
                    self.since = self.thrown
                self.hall.due().wait(0.1)
            case "hand":
                self._moves()
            case "throw" if self.tower:
                self._moves(thrown=True)
            case "throw":
                self._shakes(thrown=True, seen=True)
            case "throw unseen":
                self._shakes(thrown=True, seen=False)
            case "lie":
                self._shakes(thrown=False, seen=True)
            case "short":
                self._shakes(thrown=True, seen=True, seconds=0.4)
            case "shaken early":
                self.hall.moves().wait(0.4)
                self.hall.due()
                self.since = self.thrown + 1 if self.since is None else self.since
                self._shakes(thrown=True, seen=True)
            case "wait":
                self.hall.wait(self.rng.choice([0.3, 2.0, 12.0, 40.0]))
            case "discard":
                self.hall.judge.discard()
                self.since = None
            case "camera lost" | "camera silent":
                fault = Fault.LINK_LOST if word == "camera lost" else Fault.SILENT
                self.hall.fault("camera", fault).wait(3).fault("camera", fault, cleared=True)
                if fault == Fault.LINK_LOST:
                    self.hall.ask = 0
                    self.hall.moves().wait(0.5).still()
            case "shaker lost":
                self.hall.fault("shaker", Fault.LINK_LOST).wait(3)
                self.hall.fault("shaker", Fault.LINK_LOST, cleared=True).idle()
        self._answers()

    def discard(self) -> None:
        """The manager voids the round, and nothing moves any more."""
        self.hall.judge.discard()
        self.since = None
        if not self.tower:
            self.hall.idle()
        self.hall.moves().wait(1).still().wait(0.3)
        self._sees()
        self.hall.wait(15)

    def good_throw(self) -> bool:
        """The round waits, the dice are thrown, and can be read. Whether there is a result."""
        before = self.values
        self._heard()
        self.since = self.thrown
        asked = self.hall.ask
        self.hall.due().wait(0.3)
        if self.hall.ask != asked:
            self._sees()
            self.hall.due().wait(0.1)
        if self.tower:
            self._moves(thrown=True, seconds=2.0)
        else:
            self._shakes(thrown=True, seen=True)
        self.hall.wait(0.3)
        self._sees()
        self.hall.wait(0.1)
        self._heard()
        return self.values > before

    def _moves(self, *, thrown: bool = False, seconds: float | None = None) -> None:
        """A hand before the camera, which may take the dice up and throw them; it may rest there for a while."""
        self.hall.moves().wait(seconds or self.rng.choice([0.05, 1.0, 3.0]))
        if thrown:
            self._throw()
        self.hall.still()
        self._heard()

    def _shakes(self, *, thrown: bool, seen: bool, seconds: float = 4.0) -> None:
        """The shaker says that it shakes, truly or not; the camera sees movement, of dice or of a hand."""
        self.hall.shaking().wait(0.2)
        if seen:
            self.hall.moves()
        self.hall.wait(seconds - 0.2)
        if thrown:
            self._throw()
        self.hall.idle().wait(0.8)
        if seen:
            self.hall.still()
        self._heard()

    def _answers(self) -> None:
        """The camera answers what was asked, some time later, or not at all."""
        for _ in range(3):
            asked = self.hall.ask
            if self.rng.random() < 0.9:
                self.hall.wait(0.3)
                if self.rng.random() < CLEAR:
                    self._sees()
                else:
                    self.hall.unclear(self.rng.choice(["occluded", "leaning", "wrong_count", "glare"]))
            self._heard()
            if self.hall.ask == asked:
                return

    def _sees(self) -> None:
        hall = self.hall
        jitter = tuple(replace(one, x=one.x + self.rng.uniform(-1, 1)) for one in self.faces)
        hall.read(hall._look(jitter, hall.ask, hall.asked_at.plus_s(0.05), max(hall.asked_at.plus_s(0.05), hall.at)))

    def _heard(self) -> None:
        signals, self.hall.signals = self.hall.signals, []
        for signal in signals:
            if isinstance(signal, Started):
                self.begun = self.since is not None
            elif isinstance(signal, Judged):
                if self.since is None or not self.begun:
                    continue  # no round waited for this throw: the table publishes nothing of it
                self.values += 1
                assert self.thrown > self.since, f"dice that lay there before: {self.told}"
                assert signal.value.facts["dice"] == sorted(one.value for one in self.faces)
                self.since = None
            elif isinstance(signal, NotJudged | Unseen) and self.rng.random() < 0.3:
                self.hall.judge.discard()  # a person decides
                self.since = None


class BeanWorld:
    """A cloth whose dealer never confirms. ``laid`` is how often beans were laid out."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.cloth = Cloth(confirm="never")
        self.laid, self.beans = 1, 40
        self.lies, self.shows = "layout", "seen"
        """What the camera sees: the layout, the bowl, the heap that was below it, or a hand over one of them."""
        self.since: int | None = None
        self.told: list[str] = []
        self.values = 0

    def step(self) -> None:
        """One thing that happens."""
        word = self.rng.choice(["due", "due", "hand", "rests", "lay", "lay", "cover", "wait", "discard", "lost"])
        self.told.append(word)
        cloth = self.cloth
        match word:
            case "due":
                self.since = self.laid if self.since is None else self.since
                cloth.due()
            case "hand" | "rests":
                self._moves("seen" if word == "hand" else "hand")
            case "lay":
                self.laid, self.beans = self.laid + 1, self.rng.randint(1, 200)
                self.lies = "layout"
                self._moves("seen")
            case "cover":
                self.lies = "heap"
                self._moves("bowl")
            case "wait":
                cloth.wait(self.rng.choice([0.5, 3.0, 12.0, 400.0]))
            case "discard":
                cloth.judge.discard()
                self.since = None
            case _:
                cloth.fails()
                cloth.wait(2)
                cloth.mends()
                cloth.ask = 0
                self._moves(self.shows)
        self._heard()
        for _ in range(3):
            asked = cloth.ask
            if self.rng.random() < 0.9:
                self._answers()
            self._heard()
            cloth.wait(1.2)
            if cloth.ask == asked:
                return

    def _moves(self, shows: str) -> None:
        self.cloth.moves()
        self.cloth.wait(self.rng.choice([0.6, 5.0]))
        self.shows = shows
        self.cloth.rests()

    def _answers(self) -> None:
        if (self.shows, self.lies) == ("seen", "layout") and self.rng.random() < CLEAR:
            self.cloth.sees(self.beans)
        elif self.shows == "bowl":
            self.cloth.doubts("covered")
        else:
            self.cloth.doubts(self.rng.choice(["occluded", "beans_touch", "glare"]))

    def _heard(self) -> None:
        said: list[Signal] = list(self.cloth.said)
        self.cloth.said.clear()
        for signal in said:
            if isinstance(signal, Judged):
                self.values += 1
                assert self.since is not None, f"a value and no round waits: {self.told}"
                assert self.laid > self.since, f"beans that lay there before: {self.told}"
                assert signal.value.facts["beans"] == self.beans
                self.since = None
            elif isinstance(signal, NotJudged) and self.rng.random() < 0.3:
                self.cloth.judge.discard()
                self.since = None
