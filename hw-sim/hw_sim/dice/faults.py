"""What can go wrong with a shake, by name; which of it in which shake; and what the station should do about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from hw_sim.dice.words import REASON, Pose
from hw_sim.faults import GOOD, UnknownFault


class ShakerFault(StrEnum):
    """One fault of a shaker or of its link."""

    STALE_IDLE = "stale_idle"
    """Networked: an old ``S0`` comes right after the command, then the usual order."""
    IDLE_BEFORE_MOVED = "idle_before_moved"
    """Networked: ``S2``, ``S0``, and nothing moved: the old dice lie there."""
    IDLE_WHILE_MOVING = "idle_while_moving"
    """Networked: ``S0`` comes while it still shakes, and again at the end."""
    LOST_TAKEN = "lost_taken"
    """Networked: no ``S2``."""
    LOST_SHAKING = "lost_shaking"
    """Networked: no ``S1``."""
    LOST_IDLE = "lost_idle"
    """Networked: no ``S0``; asked for its state it says so."""
    MOTION_FAULT = "motion_fault"
    """Networked: ``S90`` in place of ``S1``; nothing moves."""
    MOTION_FAULT_MIDWAY = "motion_fault_midway"
    """Networked: ``S90`` in mid-shake, which ends there."""

    STOPPED_STUCK = "stopped_stuck"
    """Relay: the input says stopped through the whole shake."""
    MOVING_STUCK = "moving_stuck"
    """Relay: the input says moving for half a minute after the stop."""
    STOPPED_WHILE_MOVING = "stopped_while_moving"
    """Relay: the input says stopped for a moment in mid-shake."""
    NOT_MOVED = "not_moved"
    """Relay: it is on and the motor stands."""

    NO_ANSWER = "no_answer"
    """The command is lost: nothing answers, nothing moves."""
    LATE_ANSWER = "late_answer"
    """Answers come seconds late."""
    DOUBLED_ANSWERS = "doubled_answers"
    """Every text, line and answer comes twice."""
    LOST_ANSWER = "lost_answer"
    """Relay: queries are not answered."""
    POWER_CUT = "power_cut"
    """Power fails in mid-shake and comes back."""
    BUTTON = "button"
    """The dealer presses the button soon after the dice came to rest."""


class CameraFault(StrEnum):
    """One fault of the camera in one shake, beside those that are poses."""

    CAMERA_HANG = "camera_hang"
    """No pictures for some seconds from the shake on, the link being there."""


DiceFault = ShakerFault | CameraFault | Pose

_BOTH = frozenset(
    {
        ShakerFault.NO_ANSWER,
        ShakerFault.LATE_ANSWER,
        ShakerFault.DOUBLED_ANSWERS,
        ShakerFault.POWER_CUT,
        ShakerFault.BUTTON,
    }
)
RELAY_FAULTS: frozenset[ShakerFault] = _BOTH | {
    ShakerFault.STOPPED_STUCK,
    ShakerFault.MOVING_STUCK,
    ShakerFault.STOPPED_WHILE_MOVING,
    ShakerFault.NOT_MOVED,
    ShakerFault.LOST_ANSWER,
}
NETWORKED_FAULTS: frozenset[ShakerFault] = frozenset(ShakerFault) - (RELAY_FAULTS - _BOTH)
POSES: frozenset[Pose] = frozenset(Pose)
CAMERA_FAULTS: frozenset[CameraFault] = frozenset(CameraFault)
DICE_FAULTS: frozenset[DiceFault] = frozenset({*ShakerFault, *CameraFault, *Pose})
"""Every name that scenarios and the control port know for dice."""

STANDS = frozenset(
    {ShakerFault.NO_ANSWER, ShakerFault.IDLE_BEFORE_MOVED, ShakerFault.MOTION_FAULT, ShakerFault.NOT_MOVED}
)
"""Nothing moves: the dice of the shake before lie there."""
HOSTS = STANDS | {ShakerFault.STALE_IDLE, ShakerFault.LOST_TAKEN}
"""Faults of a command; a shake that nobody commanded has none of them."""
CUT_SHORT = frozenset({ShakerFault.POWER_CUT, ShakerFault.MOTION_FAULT_MIDWAY})
"""The shake was not whole."""
PASSES = frozenset({Pose.ROLLING, Pose.CREEPING, Pose.FROZEN})
"""Poses that end by themselves after some seconds; the dice may be read then."""


class Expect(StrEnum):
    """What the station should do by itself."""

    ACCEPT = "accept"
    """Publish the values."""
    EITHER = "either"
    """Publish these values or nothing."""
    REFUSE = "refuse"
    """Publish nothing: shake again, or call a person."""


def expected(pose: Pose, faults: Collection[DiceFault]) -> Expect:
    """By pose and faults of one shake."""
    if STANDS & set(faults) or CUT_SHORT & set(faults):
        return Expect.REFUSE
    if REASON[pose] is not None and pose not in PASSES:
        return Expect.REFUSE
    harmless = {ShakerFault.DOUBLED_ANSWERS, Pose.FLAT, Pose.TOUCHING}
    return Expect.EITHER if pose in PASSES or set(faults) - harmless else Expect.ACCEPT


@dataclass(frozen=True, slots=True)
class ShakeOrder:
    """What is to happen in one shake. ``values`` empty: by chance."""

    pose: Pose = Pose.FLAT
    faults: frozenset[DiceFault] = frozenset()
    values: tuple[int, ...] = ()

    def has(self, fault: DiceFault) -> bool:
        """Whether it is one of this shake's faults."""
        return fault in self.faults


def parse_shake(text: str, allowed: Collection[DiceFault]) -> frozenset[DiceFault]:
    """Faults of one shake: ``good``, or names joined by ``+``; at most one of them a pose. Raises ``UnknownFault``."""
    if text == GOOD:
        return frozenset()
    known = {fault.value: fault for fault in allowed}
    names = text.split("+")
    for name in names:
        if name not in known:
            raise UnknownFault(f"no fault {name!r}; there are: {GOOD}, {', '.join(sorted(known))}")
    faults = frozenset(known[name] for name in names)
    if len(POSES & faults) > 1:
        raise UnknownFault(f"{text!r}: dice lie in one pose only")
    return faults


def parse_values(text: str) -> tuple[int, ...]:
    """Values of one shake, ``1-3-6``: one to four. Raises ``ValueError``."""
    parts = text.split("-")
    if not 1 <= len(parts) <= 4 or any(part not in ("1", "2", "3", "4", "5", "6") for part in parts):
        raise ValueError(f"{text!r} are no values; write them as 1-3-6")
    return tuple(int(part) for part in parts)


class ShakeDesk:
    """Decides shake by shake: what was asked for first, then the scenario's list, then its rates."""

    def __init__(
        self,
        rng: Random,
        rates: Mapping[DiceFault, float],
        shakes: Sequence[frozenset[DiceFault]] = (),
        values: Sequence[tuple[int, ...]] = (),
        touching: float = 0.2,
    ) -> None:
        self._rng = rng
        self._rates = sorted(rates.items())
        self._shakes = deque(shakes)
        self._values = deque(values)
        self._touching = touching
        self._asked: set[DiceFault] = set()
        self._asked_values: tuple[int, ...] = ()

    def inject(self, fault: DiceFault) -> None:
        """Adds a fault to the next shake that begins; a pose replaces one asked for before."""
        if isinstance(fault, Pose):
            self._asked -= POSES
        self._asked.add(fault)

    def begin_again(self, values: Sequence[tuple[int, ...]]) -> None:
        """The next shakes give these, one after the other."""
        self._values = deque(values)

    def ask_values(self, values: tuple[int, ...]) -> None:
        """The next shake gives these."""
        self._asked_values = values

    def next_shake(self) -> ShakeOrder:
        """The order for the shake that begins now. At most one pose, one fault of the shaker and one of the camera
        come by chance."""
        drawn = [fault for fault, rate in self._rates if self._rng.random() < rate]
        self._rng.shuffle(drawn)
        touching = self._rng.random() < self._touching
        faults: set[DiceFault] = set()
        for kind in (Pose, ShakerFault, CameraFault):
            faults |= set([fault for fault in drawn if isinstance(fault, kind)][:1])
        if self._shakes:
            faults = set(self._shakes.popleft())
        if self._asked & POSES:
            faults -= POSES
        faults |= self._asked
        self._asked = set()
        order = ShakeOrder(pose=Pose.TOUCHING if touching else Pose.FLAT)
        for fault in faults:
            if isinstance(fault, Pose):
                order = replace(order, pose=fault)
        values = self._asked_values or (self._values.popleft() if self._values else ())
        self._asked_values = ()
        return replace(order, faults=frozenset(faults), values=values)
