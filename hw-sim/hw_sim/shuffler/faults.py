"""What can go wrong at a shuffler, by name, and in which shuffle."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random

from hw_sim.faults import GOOD, UnknownFault


class ShuffleFault(StrEnum):
    """One fault of one shuffle."""

    MISSING = "missing"
    """A card of the set is not there; put back before the next shuffle."""
    EXTRA = "extra"
    """A card too many."""
    FOREIGN = "foreign"
    """A card of another set, instead of one that is missing."""
    MISREAD = "misread"
    """A card cannot be recognised."""
    JAM = "jam"
    """A card jams in mid-shuffle; it is cleared and the shuffle begins anew."""
    DOOR = "door"
    """A door is opened on the shuffled set."""
    SILENCE = "silence"
    """Nothing is said for some seconds of the shuffle."""
    HANG = "hang"
    """The same frame is said again and again for some seconds."""
    ORDER = "order"
    """The machine sends the order of the cards."""
    POWER_CYCLE = "power_cycle"
    """Power fails with the shuffled set in it."""
    UNPLUG = "unplug"
    """The plug is out for some seconds of the shuffle."""


WHOLE_AFTER = frozenset({ShuffleFault.SILENCE, ShuffleFault.HANG, ShuffleFault.UNPLUG})
"""After these the shuffle ends well: the set may be verified."""


def parse_shuffle(text: str) -> ShuffleFault | None:
    """A fault by name, ``None`` for ``good``. Raises ``UnknownFault``."""
    if text == GOOD:
        return None
    known = {fault.value: fault for fault in ShuffleFault}
    if text not in known:
        raise UnknownFault(f"a shuffler has no fault {text!r}; it has: {GOOD}, {', '.join(sorted(known))}")
    return known[text]


class ShuffleDesk:
    """Decides shuffle by shuffle: an injected fault first, then the scenario's list, then its rates."""

    def __init__(
        self, rng: Random, rates: Mapping[ShuffleFault, float], shuffles: Sequence[ShuffleFault | None]
    ) -> None:
        self._rng = rng
        self._rates = sorted(rates.items())
        self._shuffles = deque(shuffles)
        self._injected: deque[ShuffleFault] = deque()

    def inject(self, fault: ShuffleFault) -> None:
        """A shuffle to come gets this fault."""
        self._injected.append(fault)

    def next_shuffle(self) -> ShuffleFault | None:
        """The fault of the shuffle that begins now."""
        drawn = [fault for fault, rate in self._rates if self._rng.random() < rate]
        self._rng.shuffle(drawn)
        if self._injected:
            return self._injected.popleft()
        if self._shuffles:
            return self._shuffles.popleft()
        return drawn[0] if drawn else None
