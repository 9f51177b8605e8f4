"""What really happened in a turn of the wheel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hw_sim.wheel.faults import RULE_BREAKING, UNCLEAR, TurnFault

MIN_TURNS = 3.0
"""Rule book 002."""
TURNS_MARGIN = 0.01
KEEP_OUT_DEG = 0.7
KEEP_OUT_MARGIN_DEG = 0.35
"""Encoder and calibration are off by so much at most."""


@dataclass(slots=True)
class Turn:
    """One turn. Times are seconds of the wheel's own clock, keyed by what happened."""

    device: str
    turn: int
    start_segment: int
    segments: tuple[str, ...]
    faults: set[TurnFault] = field(default_factory=set)
    way: str = "up"
    net_turns: float = 0.0
    furthest_turns: float = 0.0
    segment: int | None = None
    margin_deg: float | None = None
    slipped: bool = False
    """The encoder was out of place at some moment of this turn."""
    unsure: bool = False
    """What an earlier turn left behind may still be found in this one."""
    finished: bool = False
    times_s: dict[str, float] = field(default_factory=dict)

    @property
    def expect(self) -> str:
        """What a station should do by itself.

        ``accept`` publish the segment; ``refuse`` the rule is broken: never publish; ``hold`` unclear: never publish
        without a person; ``either`` publish this segment or nothing.
        """
        if self.segment is None or self.margin_deg is None:
            return "hold"
        broken = self.faults & RULE_BREAKING - {TurnFault.SHORT_SPIN}
        if broken or self.net_turns < MIN_TURNS - TURNS_MARGIN or self.margin_deg < KEEP_OUT_DEG - KEEP_OUT_MARGIN_DEG:
            return "refuse"
        if self.slipped or self.faults & UNCLEAR:
            return "hold"
        near = self.net_turns < MIN_TURNS + TURNS_MARGIN or self.margin_deg < KEEP_OUT_DEG + KEEP_OUT_MARGIN_DEG
        harmless = {TurnFault.WOUND_UP, TurnFault.SLIP_BETWEEN, TurnFault.SHORT_SPIN}
        return "either" if near or self.unsure or self.faults - harmless else "accept"

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "game": "rainbow-wheel",
            "turn": self.turn,
            "segment": self.segment,
            "color": None if self.segment is None else self.segments[self.segment],
            "start_segment": self.start_segment,
            "turns": round(self.net_turns, 4),
            "furthest_turns": round(self.furthest_turns, 4),
            "way": self.way,
            "margin_deg": None if self.margin_deg is None else round(self.margin_deg, 3),
            "expect": self.expect,
            "faults": sorted(fault.value for fault in self.faults),
            "slipped": self.slipped,
            "unsure": self.unsure,
            "times_s": {what: round(at_s, 4) for what, at_s in self.times_s.items()},
            "finished": self.finished,
        }
