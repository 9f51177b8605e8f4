"""A shuffler with its attendant: sets of cards go in and out of it, with everything that goes wrong. Pure.

What it says it says every second, and at once when it changes. The attendant sees the machine and the shoe, and not the
station's screen: a set that the machine does not call whole is put right and shuffled again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hw_sim.device import Action, Bytes, Plug
from hw_sim.scripted import Script, Scripted, Wait
from hw_sim.shoe.cards import full_set
from hw_sim.shuffler import lines
from hw_sim.shuffler.faults import WHOLE_AFTER, ShuffleDesk, ShuffleFault
from hw_sim.shuffler.options import ShufflerOptions

BEAT_S = 1.0
OFF = {
    ShuffleFault.MISSING: {"missing": 1},
    ShuffleFault.EXTRA: {"extra": 1},
    ShuffleFault.FOREIGN: {"missing": 1, "foreign": 1},
}
"""What a machine that recognises cards says of a set that is not whole."""
FIRST_REST_S = (2.0, 3.0)
"""The first set lies in the machine so long, that a host may see it."""
TROUBLE_S = (4.0, 8.0)
"""How long it is silent, hangs, or is unplugged."""


@dataclass(slots=True)
class Shuffle:
    """One shuffle and how it really was. Times are seconds of the machine's own clock."""

    device: str
    number: int
    job: int
    deck_set: str
    fault: ShuffleFault | None
    said: str = "shuffling"
    """The last state that the machine gave it."""
    taken: bool = False
    """The set was taken out of the machine as a whole one."""
    finished: bool = False
    times_s: dict[str, float] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """The set may be verified by it."""
        return self.fault is None or self.fault in WHOLE_AFTER

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "shuffle": self.number,
            "job": self.job,
            "deck_set": self.deck_set,
            "fault": None if self.fault is None else self.fault.value,
            "said": self.said,
            "expect": "verify" if self.good else "fail",
            "taken": self.taken,
            "times_s": {what: round(at_s, 3) for what, at_s in self.times_s.items()},
            "finished": self.finished,
        }


class Machine(Scripted):
    """One shuffler. ``shoes``: how many shoes the table put in so far; ``None`` where it serves none. ``finished`` is
    called with every shuffle's record when its cards leave the machine or are shuffled again."""

    def __init__(
        self,
        options: ShufflerOptions,
        rng: Random,
        desk: ShuffleDesk,
        shoes: Callable[[], int] | None,
        finished: Callable[[Shuffle], None],
    ) -> None:
        self.options = options
        self.current: Shuffle | None = None
        """The shuffle of the cards that are in the machine."""
        self._desk = desk
        self._shoes = shoes
        self._finished = finished
        self._actions: list[Action] = []
        self._state, self._flags, self._off = "idle", set[str](), dict[str, int]()
        self._job, self._number, self._sequence = rng.randint(1, 5000), 0, rng.randrange(65536)
        self._silent = self._hangs = False
        self._said = b""
        self._beat_s = 0.0
        self._seen_shoes = 0
        self._asked_for = 0
        """Shuffles that somebody has asked for, and that did not begin yet."""
        super().__init__(rng)

    @property
    def state(self) -> str:
        """What its display says."""
        return self._state

    # --- bytes

    def go_on(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        self.advance(to_s)
        actions, self._actions = self._actions, []
        return actions

    def asked(self, data: bytes) -> None:
        """The host sent bytes, now."""
        if lines.QUESTION_LINE in data:
            self._say()

    def _other_s(self) -> float:
        return self._beat_s

    def _do_other(self) -> None:
        self._say()
        self.wake()  # the attendant looks at the shoe as often

    def _say(self) -> None:
        self._beat_s = self.now_s + BEAT_S
        if self._silent:
            return
        if not self._hangs or not self._said:
            self._sequence += 1
            named = self.current.deck_set if self.current is not None and self.options.tells_set else None
            self._said = lines.status(
                self._sequence,
                self._state,
                self._job,
                named,
                faces=self.options.faces,
                counted=self._counted(),
                flags=self._flags,
                **self._shown_off(),
            )
        self._actions.append(Bytes(self._said))

    def _counted(self) -> int | None:
        if self._state not in ("ready", "mismatch"):
            return None
        off = self._off
        return 52 * self.options.decks - off.get("missing", 0) + off.get("extra", 0) + off.get("foreign", 0)

    def _shown_off(self) -> dict[str, int]:
        if self._state != "mismatch":
            return {}
        if self.options.faces:
            return self._off
        gone = self._off.get("missing", 0) - self._off.get("extra", 0) - self._off.get("foreign", 0)
        return {"missing": max(0, gone), "extra": max(0, -gone)}

    def _turns(self, state: str) -> None:
        self._state = state
        if self.current is not None and state != "idle":
            self.current.said = state
        self._say()

    # --- the attendant

    def _first_script(self) -> Script:
        return self._shift()

    def _shift(self) -> Script:
        self._job += 1
        self.current = Shuffle(self.options.name, 0, self._job, self.options.deck_sets[0], None, finished=True)
        self._turns("ready")
        yield from self._for(*FIRST_REST_S)
        return self._when_told() if self.options.starts == "told" else self._rounds(0)

    def tell(self) -> None:
        """The set in the machine is shuffled, once."""
        self._asked_for += 1
        self.wake()

    def _when_told(self) -> Script:
        """Shuffles of the first set, one for each time that somebody says so."""
        while True:
            yield from self._ever(lambda: self._asked_for > 0)
            self._asked_for -= 1
            self._flags.clear()
            self._off = {}
            if self.current is not None:
                self._close(self.current)
            yield from self._shuffle(self.options.deck_sets[0])

    def _rounds(self, place: int) -> Script:
        """From the set at ``place``, which lies shuffled in the machine, to the next and so on."""
        sets = self.options.deck_sets
        while True:
            yield from self._until_wanted()
            yield from self._take_out()
            place = (place + 1) % len(sets)
            yield from self._for(*self.options.put_in_s)
            yield from self._shuffle_until_whole(sets[place])

    def _until_wanted(self) -> Wait:
        """The shuffled set waits for the table's next shoe."""
        if self._shoes is None:
            yield from self._for(*self.options.rest_s)
            return
        shoes = self._shoes
        yield from self._ever(lambda: shoes() > self._seen_shoes)
        self._seen_shoes += 1

    def _take_out(self) -> Wait:
        shuffle = self.current
        assert shuffle is not None
        shuffle.taken = True
        shuffle.times_s["taken"] = self.now_s
        self._close(shuffle)
        self.current = None
        self._turns("idle")
        yield from self._for(0.5, 1.0)

    def _close(self, shuffle: Shuffle) -> None:
        if shuffle.number and not shuffle.finished:
            shuffle.finished = True
            self._finished(shuffle)

    def _shuffle_until_whole(self, deck_set: str) -> Wait:
        while True:
            yield from self._shuffle(deck_set)
            shuffle = self.current
            assert shuffle is not None
            if shuffle.good:
                return
            yield from self._for(*self.options.repair_s)
            self._flags.clear()
            self._off = {}
            self._close(shuffle)

    def _shuffle(self, deck_set: str) -> Wait:
        fault = self._desk.next_shuffle()
        if fault is ShuffleFault.FOREIGN and not self.options.faces:
            fault = ShuffleFault.MISSING  # nobody could see that one
        self._number, self._job = self._number + 1, self._job + 1
        self.current = Shuffle(self.options.name, self._number, self._job, deck_set, fault)
        self.current.times_s["began"] = self.now_s
        self._turns("shuffling")
        least, most = self.options.shuffle_s
        yield from self._for(least / 2, most / 2)
        yield from self._in_the_middle(fault)
        yield from self._for(least / 2, most / 2)
        self.current.times_s["ended"] = self.now_s
        yield from self._at_the_end(fault)

    def _in_the_middle(self, fault: ShuffleFault | None) -> Wait:
        if fault is ShuffleFault.JAM:
            self._flags.add("jam")
            self._say()
            yield from self._for(*TROUBLE_S)
        elif fault in (ShuffleFault.SILENCE, ShuffleFault.HANG):
            self._silent, self._hangs = fault is ShuffleFault.SILENCE, fault is ShuffleFault.HANG
            yield from self._for(*TROUBLE_S)
            self._silent = self._hangs = False
        elif fault is ShuffleFault.UNPLUG:
            self._actions.append(Plug(inserted=False))
            yield from self._for(*TROUBLE_S)
            self._actions.append(Plug(inserted=True))
            self._say()

    def _at_the_end(self, fault: ShuffleFault | None) -> Wait:
        if fault is ShuffleFault.JAM:
            return
        if fault in OFF:
            self._off = OFF[fault]
            self._turns("mismatch")
            return
        if fault is ShuffleFault.MISREAD:
            self._flags.add("misread")
        if fault is ShuffleFault.ORDER:
            deck = [card.text for card in full_set(self.options.decks)]
            self._rng.shuffle(deck)
            self._actions.append(Bytes(lines.order(deck)))
        self._turns("ready")
        if fault in (ShuffleFault.DOOR, ShuffleFault.POWER_CYCLE):
            yield from self._for(*TROUBLE_S)
            if fault is ShuffleFault.DOOR:
                self._flags.add("door")
            self._job += 1
            self._turns("idle")

    # --- from outside

    def power_cycle(self) -> None:
        """Power fails and comes back, now: the machine forgets the cards, and the attendant shuffles them anew."""
        shuffle = self.current
        if shuffle is None:
            self._job += 1
            self._say()
            return
        shuffle.fault = ShuffleFault.POWER_CYCLE
        self._flags.clear()
        self._off = {}
        self._job += 1
        self._turns("idle")
        self._begin(self._again(shuffle))

    def _again(self, shuffle: Shuffle) -> Script:
        yield from self._for(*self.options.repair_s)
        self._close(shuffle)
        if self.options.starts == "told":
            return self._when_told()
        yield from self._shuffle_until_whole(shuffle.deck_set)
        return self._rounds(self.options.deck_sets.index(shuffle.deck_set))
