"""What can go wrong, by name, and which of it goes wrong in which spin.

Names are what scenarios, the control port and truth records use.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Fault(StrEnum):
    """One fault. What each does on the wire is written where it happens: the wheel, the wire, or the plug."""

    WEAK_LAUNCH = "weak_launch"
    """Too few laps; nothing else gives it away."""
    SAME_DIRECTION = "same_direction"
    """Ball with the rotor. SS2: flag 2 in state 2, then a retry. M360: flag 2, never leaves state 3."""
    SAME_DIRECTION_IN_RIM = "same_direction_in_rim"
    """Ball with the rotor, flag 2 in states 3 to 5, and a number is shown all the same unless ``*R`` comes."""
    FLYING_BALL = "flying_ball"
    """The ball leaves the wheel; flag 8."""
    FLYING_BALL_UNFLAGGED = "flying_ball_unflagged"
    """The ball leaves the wheel and no flag says so; no number ever comes."""
    NO_BALL = "no_ball"
    """SS2 only: flag 1 in state 4 until the wheel stops itself after 75 s; no number."""
    NO_BALL_BRIEF = "no_ball_brief"
    """SS2 only: flag 1 for under 5 s in state 4, to be ignored."""
    ENDLESS_BALL = "endless_ball"
    """The ball circles without slowing in state 3, for more than 40 s."""
    ENDLESS_BALL_SLOW = "endless_ball_slow"
    """The ball circles without slowing in state 4, for more than 35 s."""
    ROTOR_STOP = "rotor_stop"
    """The rotor is stopped in state 4; a number is shown."""
    ROTOR_REVERSAL = "rotor_reversal"
    """The rotor turns round in state 4. M360: flag 8 if the game mode has it."""
    ROTOR_TOO_FAST = "rotor_too_fast"
    """The rotor runs at 36 to 45 rpm for some seconds of state 4. M360: flag 1; a number is shown."""
    LAUNCH_FAILED = "launch_failed"
    """SS2: flag 8 in state 2, then a retry. M360: thrown under 50 rpm; flag 8 if the game mode has it."""
    SENSOR_FAULT = "sensor_fault"
    """Flag 4 in state 4, then state 6 with the flag latched."""

    WRONG_BARE = "wrong_bare"
    """The bare number is not the frame's, which is right."""
    MISSING_BARE = "missing_bare"
    """No bare number."""
    LATE_BARE = "late_bare"
    """The bare number comes after the first state-5 line."""
    COUNTER_WRAP = "counter_wrap"
    """This spin's counter is 255 and the next one's 000."""

    TORN_LINE = "torn_line"
    """A line loses its head, or its tail with the terminator."""
    GLUED_LINES = "glued_lines"
    """A line breaks off and the next begins in the same line."""
    LOST_BYTES = "lost_bytes"
    """Single bytes vanish from some lines."""
    BIT_FLIPS = "bit_flips"
    """Single bits flip in some lines."""
    STALL = "stall"
    """Nothing for some seconds, then all of it at once."""

    UNPLUG = "unplug"
    """The port disappears for some seconds."""
    POWER_CYCLE = "power_cycle"
    """The wheel loses power: silence, counter back to 001, no number."""

    ATTACH_MID_SPIN = "attach_mid_spin"
    """The wheel was already in a spin when the simulation began. Only a device's ``start`` brings it about."""


WIRE_FAULTS = frozenset({Fault.TORN_LINE, Fault.GLUED_LINES, Fault.LOST_BYTES, Fault.BIT_FLIPS, Fault.STALL})
PLUG_FAULTS = frozenset({Fault.UNPLUG, Fault.POWER_CYCLE})
CUED_FAULTS = WIRE_FAULTS | PLUG_FAULTS
"""Faults that strike at some moment of a spin and not in the wheel itself."""
INJECTABLE = frozenset(Fault) - {Fault.ATTACH_MID_SPIN}

GOOD = "good"
"""The word for a spin without a fault in a scenario's list."""


class UnknownFault(ValueError):  # noqa: N818
    """No fault of that name can be injected. The text lists those that can."""


def parse_faults(text: str) -> frozenset[Fault]:
    """Faults of one spin, ``good`` or names joined by ``+``. Raises ``UnknownFault``."""
    if text == GOOD:
        return frozenset()
    known = {fault.value: fault for fault in INJECTABLE}
    names = text.split("+")
    for name in names:
        if name not in known:
            raise UnknownFault(f"no fault {name!r}; there are: {GOOD}, {', '.join(sorted(known))}")
    return frozenset(known[name] for name in names)


@dataclass(frozen=True, slots=True)
class SpinOrder:
    """What is to happen in one spin. ``None`` leaves it to chance."""

    faults: frozenset[Fault] = frozenset()
    number: str | None = None
    laps: int | None = None
    cue_state: int = 4
    """The state at whose beginning a cued fault strikes (2 to 5)."""


class SpinDesk:
    """Decides spin by spin: injected faults first, then the scenario's list, then its rates."""

    def __init__(
        self,
        rng: Random,
        rates: Mapping[Fault, float],
        spins: Sequence[frozenset[Fault]] = (),
        numbers: Sequence[str] = (),
        laps: Sequence[int] = (),
    ) -> None:
        self._rng = rng
        self._rates = sorted(rates.items())
        self._spins = deque(spins)
        self._numbers = deque(numbers)
        self._laps = deque(laps)
        self._injected: list[Fault] = []

    def inject(self, fault: Fault) -> None:
        """Adds a fault to the next spin that begins."""
        self._injected.append(fault)

    def next_spin(self) -> SpinOrder:
        """The order for the spin that begins now. At most one fault of the wheel and one cued fault come by chance."""
        drawn = [fault for fault, rate in self._rates if self._rng.random() < rate]
        self._rng.shuffle(drawn)
        if self._spins:
            faults = self._spins.popleft()
        else:
            own = [fault for fault in drawn if fault not in CUED_FAULTS][:1]
            faults = frozenset(own + [fault for fault in drawn if fault in CUED_FAULTS][:1])
        faults |= frozenset(self._injected)
        self._injected.clear()
        return SpinOrder(
            faults=faults,
            number=self._numbers.popleft() if self._numbers else None,
            laps=self._laps.popleft() if self._laps else None,
            cue_state=self._rng.choice((2, 3, 4, 4, 5)),
        )
