"""What can go wrong with a colour wheel, by name, and what goes wrong in which turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random

from hw_sim.faults import GOOD, UnknownFault


class TurnFault(StrEnum):
    """One fault of a turn."""

    SHORT_SPIN = "short_spin"
    """Fewer than three turns."""
    STOPPED_BY_HAND = "stopped_by_hand"
    """After three turns and more a hand brakes the wheel until it stands."""
    PUSHED_AGAIN = "pushed_again"
    """A hand speeds up the wheel that ran free already."""
    TURNED_BACK = "turned_back"
    """A hand turns the slow wheel back by more than it ever rolls."""
    RESTS_ON_PEG = "rests_on_peg"
    """The pointer rests on a peg."""
    MOVED_AFTER_REST = "moved_after_rest"
    """Within a second of its rest the wheel is turned on by some degrees."""
    WOUND_UP = "wound_up"
    """The dealer pulls the wheel back before he spins it: nothing is wrong."""
    ENCODER_SLIP = "encoder_slip"
    """The encoder's shaft slips while the wheel turns."""
    SLIP_BETWEEN = "slip_between"
    """The shaft slips after the wheel has rested: seen in the next turn."""
    INDEX_MISSING = "index_missing"
    """The reference mark's sensor says nothing in this turn."""
    MISREAD = "misread"
    """Some single counts read 0xFFFF."""
    MISREAD_LONG = "misread_long"
    """Nothing but 0xFFFF for most of a second."""
    BUSY = "busy"
    """Some answers are exceptions."""
    LATE_ANSWERS = "late_answers"
    """Some answers come when nobody waits for them any more."""
    GARBLED = "garbled"
    """Some frames have flipped bits."""
    LOST_FRAMES = "lost_frames"
    """Some frames do not arrive."""
    COUNTS_LOST = "counts_lost"
    """The counter misses counts, and says so."""
    UNPLUG = "unplug"
    """The plug is pulled for some seconds while the wheel turns."""
    POWER_CYCLE = "power_cycle"
    """The encoder loses power while the wheel turns."""


WHEEL_FAULTS = frozenset(TurnFault)
MODBUS_ONLY = frozenset({TurnFault.MISREAD, TurnFault.MISREAD_LONG, TurnFault.BUSY, TurnFault.LATE_ANSWERS})
COUNTER_ONLY = frozenset({TurnFault.COUNTS_LOST})
REFERENCED = frozenset({TurnFault.INDEX_MISSING, TurnFault.SLIP_BETWEEN, TurnFault.ENCODER_SLIP})
"""Faults that only a reference mark gives away for sure."""

RULE_BREAKING = frozenset(
    {TurnFault.SHORT_SPIN, TurnFault.STOPPED_BY_HAND, TurnFault.PUSHED_AGAIN, TurnFault.TURNED_BACK}
)
"""Never a valid turn, whatever the angles say."""
UNCLEAR = frozenset(
    {
        TurnFault.MOVED_AFTER_REST,
        TurnFault.ENCODER_SLIP,
        TurnFault.INDEX_MISSING,
        TurnFault.MISREAD_LONG,
        TurnFault.COUNTS_LOST,
        TurnFault.UNPLUG,
        TurnFault.POWER_CYCLE,
    }
)
"""A person must look."""


def parse_turn(text: str, known: frozenset[TurnFault]) -> frozenset[TurnFault]:
    """Faults of one turn, ``good`` or names joined by ``+``. Raises ``UnknownFault``."""
    if text == GOOD:
        return frozenset()
    names = {fault.value: fault for fault in known}
    found = set()
    for name in text.split("+"):
        if name not in names:
            raise UnknownFault(f"no fault {name!r}; there are: {GOOD}, {', '.join(sorted(names))}")
        found.add(names[name])
    return frozenset(found)


class TurnDesk:
    """Decides turn by turn: injected faults first, then the scenario's list, then its rates; one by chance at most."""

    def __init__(
        self, rng: Random, rates: Mapping[TurnFault, float], turns: Sequence[frozenset[TurnFault]] = ()
    ) -> None:
        self._rng = rng
        self._rates = sorted(rates.items())
        self._turns = deque(turns)
        self._injected: set[TurnFault] = set()

    def inject(self, fault: TurnFault) -> None:
        """Adds a fault to the next turn that begins."""
        self._injected.add(fault)

    def next_turn(self) -> frozenset[TurnFault]:
        """What goes wrong in the turn that begins now."""
        drawn = [fault for fault, rate in self._rates if self._rng.random() < rate]
        self._rng.shuffle(drawn)
        faults = self._turns.popleft() if self._turns else frozenset(drawn[:1])
        faults |= self._injected
        self._injected.clear()
        return faults
