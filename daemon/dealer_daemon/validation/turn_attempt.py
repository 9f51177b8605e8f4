"""One turn of the wheel as it is seen, and the checks that end it before the wheel rests. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dealer_daemon.validation.turn_coast import Coast, Driven
from dealer_daemon.validation.turn_map import MOST_CORRECTION_DEG, WheelMap
from dealer_daemon.validation.turn_motion import Motion, Pace, slowing_limit
from dealer_daemon.validation.turn_rules import TurnReason, TurnRules
from dealer_daemon.validation.turn_track import Sample
from dealer_daemon.verdicts import Held, Refused, Remedy

HAND_FROM_DEG_S = 36.0
"""Below a tenth of a turn a second the pegs stop a wheel as sharply as a hand."""
PEG_KICK_DEG_S = 15.0
"""What a peg's leaf gives back to a slow wheel that did not pass it."""
SAMPLES_TO_BELIEVE = 2
GOING_DEG = 180.0
"""After half a turn it is clear which way the wheel was spun; before it the hand is on the wheel."""
COASTING_PART = 0.8
HAND_OFF_DEG = 540.0
"""Below this part of its highest speed, or after so far a way, the hand has let go and must not touch it again."""
AT_MARK_DEG = 1.0
"""A wheel that rests on its mark may have passed it, or not."""
MARK_WITHIN_TURNS = 1.5
"""A mark that is asked for ten times a second is known half a turn later at the latest."""


def refused(reason: TurnReason, detail: str, **figures: float) -> Refused:
    """Spin the wheel again."""
    return Refused(str(reason), Remedy.RESPIN, detail, figures)


def held(reason: TurnReason, detail: str, **seen: object) -> Held:
    """A person must look."""
    return Held(str(reason), detail, seen)


@dataclass(slots=True)
class TurnAttempt:
    """A turn from the moment the wheel left the place ``start_deg`` where it had rested."""

    rules: TurnRules
    wheel: WheelMap
    start_deg: float
    start_segment: int
    start_pointer_deg: float
    """Where the pointer was at the start, from the beginning of segment 0."""
    began_s: float
    marked_deg: float
    """Where the newest pass of the mark was; the start while there was none."""
    motion: Motion
    marks: int = 0
    sign: int = 0
    """Which way it turns on the encoder's scale, 0 while that is open."""
    furthest_deg: float = 0.0
    """The most that it was away from its start, that way."""
    peak_deg_s: float = 0.0
    stepped_deg: float = 0.0
    """How far the encoder slipped in this turn."""
    _coast: Coast | None = None
    _coasting: bool = False
    _by_hand: Refused | None = None
    _odd: dict[TurnReason, int] = field(default_factory=dict)

    def travel(self, deg: float) -> float:
        """Net degrees from the start, roll-back taken off."""
        return abs(deg - self.start_deg) if self.sign == 0 else self.sign * (deg - self.start_deg)

    def note(self, sample: Sample) -> Refused | Held | None:
        """One sample of the turning wheel. A verdict ends the turn."""
        away = sample.deg - self.start_deg
        if self.sign == 0 and abs(away) >= GOING_DEG:
            self.sign = 1 if away > 0 else -1
            self._coast = Coast(self.wheel, self.start_pointer_deg, rising=self.way() == "up")
        driven = None
        if self._coast is not None:
            driven = self._coast.note(self.sign * away, sample.t_s)
            self.furthest_deg = max(self.furthest_deg, self.sign * away)
            back = self.furthest_deg - self.sign * away
            if back > self.wheel.file.roll_back_deg + self.rules.start_deg:
                return refused(
                    TurnReason.TURN_REVERSED,
                    f"the wheel turned {back:.0f}° back; by itself it rolls {self.wheel.file.roll_back_deg:.0f}°",
                )
        if self.rules.reference == "every_turn" and abs(sample.deg - self.marked_deg) > 360 * MARK_WITHIN_TURNS:
            return held(
                TurnReason.INDEX_MISSING,
                f"the wheel turned {abs(sample.deg - self.marked_deg) / 360:.1f} times and its mark was not seen",
            )
        pace = self.motion.pace()
        return None if pace is None or not self.sign else self._moving(pace, driven)

    def _moving(self, pace: Pace, driven: Driven | None) -> Refused | Held | None:
        before, now = self.sign * pace.before, self.sign * pace.now
        self.peak_deg_s = max(self.peak_deg_s, now)
        self._coasting |= now < COASTING_PART * self.peak_deg_s or self.furthest_deg >= HAND_OFF_DEG
        slowing = self.wheel.slowing(max(abs(before), abs(now)))
        step, open_ = self.motion.step(pace, slowing)
        if step is not None and self._coasting:
            self.stepped_deg = step
            return held(
                TurnReason.ENCODER_SLIP,
                f"the encoder's angle stepped by {step:+.1f}° while the wheel's speed stayed: the shaft slips",
            )
        # A step looks like a hand until it is known for one.
        self._by_hand = self._by_hand or self._hand(before, now, pace.span_s, slowing, driven)
        return None if open_ else self._by_hand

    def _hand(self, before: float, now: float, span_s: float, slowing: float, driven: Driven | None) -> Refused | None:
        """What a hand must have done between two speeds, or over whole turns."""
        change = (now - before) / span_s
        limit = slowing_limit(slowing, max(abs(before), abs(now)))
        at_once = before >= HAND_FROM_DEG_S and -change > limit
        over_turns = driven is not None and driven.braked
        slowed = f"it slowed by {-change:.0f}°/s² at {before:.0f}°/s; by itself it slows by {slowing:.0f} at most"
        return (
            self._believe(TurnReason.STOPPED_BY_HAND, at_once or over_turns, slowed if at_once else _why(driven))
            or self._believe(
                TurnReason.TURN_REVERSED,
                now <= -HAND_FROM_DEG_S and -change > limit,
                f"it gained {-change:.0f}°/s² backwards; by itself it gains {slowing:.0f} at most",
            )
            or self._believe(
                TurnReason.PUSHED_AGAIN,
                self._coasting and now - before > limit * span_s + (PEG_KICK_DEG_S if now < HAND_FROM_DEG_S else 0),
                f"it gained {change:.0f}°/s² at {now:.0f}°/s after the hand had let go",
            )
            or self._believe(TurnReason.DRIVEN_BY_HAND, driven is not None and not driven.braked, _why(driven))
        )

    def _believe(self, reason: TurnReason, odd: bool, detail: str) -> Refused | None:
        count = self._odd.get(reason, 0) + 1 if odd else 0
        self._odd[reason] = count
        return refused(reason, detail) if count >= SAMPLES_TO_BELIEVE else None

    def too_short(self, deg: float) -> Refused | None:
        """The rule of the book, for a wheel that rests at ``deg``."""
        net, needed = self.travel(deg) / 360, self.rules.min_turns
        if net >= needed:
            return None
        figures = {"seen": math.floor(100 * net) / 100, "needed": needed}
        if self.furthest_deg / 360 >= needed:
            return refused(
                TurnReason.ROLLED_BACK,
                f"the wheel came {self.furthest_deg / 360:.2f} turns far and rolled back to {net:.2f}; {needed:g} are "
                "needed",
                **figures,
            )
        return refused(TurnReason.TOO_FEW_TURNS, f"the wheel made {net:.2f} of {needed:g} turns", **figures)

    def unmarked(self, deg: float) -> Held | None:
        """A wheel that rests more than a turn behind the newest pass of its mark has passed it unseen."""
        behind_deg = abs(deg - self.marked_deg)
        most_deg = 360 + (MOST_CORRECTION_DEG if self.marks else AT_MARK_DEG)
        if self.rules.reference == "unchecked" or behind_deg <= most_deg:
            return None
        detail = f"the wheel made the last {behind_deg / 360:.2f} turns and its mark was not seen"
        return held(TurnReason.INDEX_MISSING, detail)

    def wrong_way(self) -> Refused | None:
        """The table's rule on the way it must be spun."""
        if self.rules.way in ("either", self.way()):
            return None
        return refused(
            TurnReason.WRONG_WAY,
            f"the wheel was spun so that segment numbers go {self.way()}; this table spins it {self.rules.way}",
        )

    def way(self) -> str:
        """``up`` or ``down``: where the segment numbers went under the pointer."""
        rising = (self.sign > 0) == (self.wheel.file.direction == "up")
        return "up" if rising else "down"


def _why(driven: Driven | None) -> str:
    return "" if driven is None else driven.why
