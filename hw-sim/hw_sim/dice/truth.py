"""What really happened in a shake: who ordered it, what moved, how the dice came to lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from hw_sim.dice.faults import DiceFault, Expect, ShakeOrder, expected
from hw_sim.dice.words import REASON, Pose

By = Literal["host", "button", "dealer"]
"""Who had it shaken: the station, the button at the machine, a hand without any machine."""


@dataclass(frozen=True, slots=True)
class Lies:
    """One die: value, middle and edge of its upper face in the picture, in pixels, turn and tilt."""

    value: int
    x_px: float
    y_px: float
    size_px: float
    turn_deg: float
    tilt_deg: float


@dataclass(slots=True)
class ShakeRecord:
    """One shake, or what should have been one. Times are seconds of the device's own clock, by what happened."""

    device: str
    number: int
    """From 1."""
    by: By
    command: str
    """What the host sent; empty when it was not the host."""
    order: ShakeOrder
    moved: bool = False
    """Whether the motor turned: if not, the dice of the shake before lie there."""
    dice: tuple[Lies, ...] = ()
    faults: set[DiceFault] = field(default_factory=set)
    interrupted: bool = False
    """The next shake began before this one was over."""
    disturbed: bool = False
    """The line was unplugged or hung for some of it."""
    finished: bool = False
    times_s: dict[str, float] = field(default_factory=dict)
    said: list[tuple[float, str]] = field(default_factory=list)
    """What the shaker told the host, and when."""

    @property
    def expect(self) -> Expect:
        """What the station should do."""
        if self.interrupted:
            return Expect.REFUSE
        expect = expected(self.pose, self.faults)
        return Expect.EITHER if self.disturbed and expect is Expect.ACCEPT else expect

    @property
    def pose(self) -> Pose:
        """How the dice came to lie."""
        return self.order.pose

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "shake": self.number,
            "by": self.by,
            "command": self.command,
            "moved": self.moved,
            "pose": self.pose.value,
            "reason": REASON[self.pose],
            "values": sorted(die.value for die in self.dice),
            "dice": [
                {
                    "value": die.value,
                    "x_px": round(die.x_px, 2),
                    "y_px": round(die.y_px, 2),
                    "size_px": round(die.size_px, 2),
                    "turn_deg": round(die.turn_deg, 2),
                    "tilt_deg": round(die.tilt_deg, 2),
                }
                for die in self.dice
            ],
            "faults": sorted(fault.value for fault in self.faults),
            "expect": self.expect.value,
            "interrupted": self.interrupted,
            "disturbed": self.disturbed,
            "times_s": {what: round(at_s, 4) for what, at_s in self.times_s.items()},
            "said": [[round(at_s, 4), text] for at_s, text in self.said],
            "finished": self.finished,
        }
