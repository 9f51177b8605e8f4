"""A shuffler with its port: a ``SimDevice``. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from hw_sim.device import Action, Bytes, SimDevice, UnknownWord
from hw_sim.faults import GOOD, Fault, UnknownFault
from hw_sim.shoe.device import CardDevice
from hw_sim.shuffler import usb
from hw_sim.shuffler.faults import ShuffleDesk, ShuffleFault, parse_shuffle
from hw_sim.shuffler.machine import Machine, Shuffle
from hw_sim.shuffler.options import ShufflerOptions
from hw_sim.truth import TruthLog

SHUFFLE = "shuffle"
WORDS = {
    SHUFFLE: "the set is put in whole and shuffled",
    f"{SHUFFLE} missing": "a card is taken out, and the set shuffled",
    f"{SHUFFLE} door": "the set is put in whole and shuffled, and the door opened on it",
    f"{SHUFFLE} FAULT": "the same with any fault of a shuffle (`hw-sim list`)",
}


class NoSuchTable(ValueError):  # noqa: N818
    """No card table of that name stands before the shuffler in the scenario. The text lists those that do."""


class ShufflerDevice:
    """One shuffler of a scenario. The same options, seed and calls give the same bytes.

    Raises ``NoSuchTable``.
    """

    driver, model = "generic-shuffler", "shuffler"

    def __init__(self, options: ShufflerOptions, seed: int, truth: TruthLog, others: Mapping[str, SimDevice]) -> None:
        self.name = options.name
        self.options = options
        self._truth = truth
        self._desk = ShuffleDesk(
            Random(f"{seed}/{options.name}/faults"), options.rates, [parse_shuffle(entry) for entry in options.shuffles]
        )
        chance = Random(f"{seed}/{options.name}/shuffler")
        self.machine = Machine(options, chance, self._desk, _shoes(options.serves, others), self._finished)

    def _finished(self, shuffle: Shuffle) -> None:
        self._truth.add(shuffle)

    @property
    def now_s(self) -> float:
        """The machine's present moment."""
        return self.machine.now_s

    def next_s(self) -> float:
        """When something happens next."""
        return self.machine.next_s()

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        return self.machine.go_on(to_s)

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now."""
        self.machine.asked(data)
        return self.machine.go_on(self.machine.now_s)

    def attached(self) -> None:
        """A host opened the port: the machine does not notice."""

    def inject(self, fault: str) -> None:
        """A shuffle to come gets this fault. Raises ``UnknownFault``."""
        found = parse_shuffle(fault)
        if found is None:
            raise UnknownFault("a shuffle without a fault cannot be injected")
        self._desk.inject(found)

    def tell(self, word: str) -> None:
        """``shuffle``, with a fault's name behind it. Raises ``UnknownWord``."""
        said, _, fault = word.partition(" ")
        if self.options.starts != "told":
            by_itself = 'it shuffles by itself; starts = "told" in its scenario waits for the word'
            raise UnknownWord(f"nobody stands at {self.name}, a {self.model}: {by_itself}")
        try:
            found = parse_shuffle(fault or GOOD)
        except UnknownFault as error:
            raise UnknownWord(str(error)) from error
        if said != SHUFFLE:
            raise UnknownWord(f"nobody at the machine knows {word!r}; there are: {', '.join(WORDS)}")
        if found is not None:
            self._desk.inject(found)
        self.machine.tell()

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS if self.options.starts == "told" else {}

    def look(self) -> Mapping[str, str]:
        """What the machine's display says."""
        return {"state": self.machine.state}

    def note(self, fault: Fault) -> None:
        """Something was done from outside: a shuffle may end well all the same."""

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in from outside, now."""
        if not inserted and self.machine.current is not None and self.machine.current.fault is None:
            self.machine.current.fault = ShuffleFault.UNPLUG

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        self.machine.power_cycle()

    def in_play(self) -> dict[str, Any] | None:
        """The record of the shuffle whose cards are in the machine."""
        shuffle = self.machine.current
        return None if shuffle is None or shuffle.finished else shuffle.as_json()


class CapturedShuffler(ShufflerDevice):
    """A shuffler at a USB bulk pair, whose shuffles were made before anybody looks: its port is a capture."""

    usb_port = usb.PORT

    def __init__(self, options: ShufflerOptions, seed: int, truth: TruthLog, others: Mapping[str, SimDevice]) -> None:
        super().__init__(options, seed, truth, others)
        self._sent: list[bytes] = []
        while len(truth.records) < options.count:
            actions = super().advance(super().next_s())
            self._sent += [action.data for action in actions if isinstance(action, Bytes)]

    def next_s(self) -> float:
        """Never: all has happened."""
        return math.inf

    def advance(self, to_s: float) -> list[Action]:  # noqa: ARG002
        """Nothing comes any more."""
        return []

    def files(self) -> Mapping[str, str | bytes]:
        """What umockdev needs: the device, and what it says."""
        return {f"{self.name}.umockdev": usb.description(), f"{self.name}.pcap": usb.capture(self._sent)}

    def run_line(self, folder: Path) -> str:
        """Before the command of a host that is to see this shuffler."""
        return usb.run_line(folder / f"{self.name}.umockdev", folder / f"{self.name}.pcap")


def _shoes(table: str, others: Mapping[str, SimDevice]) -> Callable[[], int] | None:
    if not table:
        return None
    served = others.get(table)
    if not isinstance(served, CardDevice):
        known = ", ".join(name for name, other in others.items() if isinstance(other, CardDevice))
        raise NoSuchTable(f"no card table {table!r} stands before the shuffler in the file; there are: {known}")
    return lambda: served.dealer.shoe
