"""When a turn of the colour wheel counts: the settings of ``[tables.X.turn]``, and the list of reason words.

Sources: rule book 002 (three turns, spin again), ``games.md`` §7, ``devices.md`` §5.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec


class TurnReason(StrEnum):
    """Why a turn was refused (the wheel is spun again) or held (a person looks)."""

    # Refused: a rule was broken.
    TOO_FEW_TURNS = "too_few_turns"
    ROLLED_BACK = "rolled_back"
    ON_BOUNDARY = "on_boundary"
    STOPPED_BY_HAND = "stopped_by_hand"
    PUSHED_AGAIN = "pushed_again"
    DRIVEN_BY_HAND = "driven_by_hand"
    TURN_REVERSED = "turn_reversed"
    WRONG_WAY = "wrong_way"
    NO_REST = "no_rest"
    NOT_RESTED = "not_rested"
    # Held: not clear.
    MOVED_AFTER_REST = "moved_after_rest"
    ENCODER_SLIP = "encoder_slip"
    ENCODER_JUMP = "encoder_jump"
    COUNTS_LOST = "counts_lost"
    INDEX_MISSING = "index_missing"
    PLACE_UNKNOWN = "place_unknown"
    SAMPLES_MISSING = "samples_missing"
    ENCODER_RESTARTED = "encoder_restarted"
    DEVICE_LOST = "device_lost"
    JOINED_MID_TURN = "joined_mid_turn"
    TURN_NOT_SEEN = "turn_not_seen"


class TurnRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table's rules for a valid turn. Defaults: rule book 002 and ``devices.md`` §5."""

    wheel: str
    """The wheel's calibration file: segments, zero, keep-out and friction (``docs/howto/add-a-colour-wheel.md``). Read
    once, when the station starts: restart it after a change. Left out where the encoder has ``calibration``."""
    min_turns: float = 3.0
    """Full turns from the segment where the wheel rested to the one where it rests, roll-back taken off (002)."""
    way: Literal["either", "up", "down"] = "either"
    """Which way it must be spun: so that segment numbers rise or fall under the pointer."""
    reference: Literal["every_turn", "unchecked"] = "every_turn"
    """The index or reference mark must agree with the encoder in every turn; ``unchecked`` where there is none: then
    a shaft that slips can give a wrong segment."""
    reference_tolerance_deg: float = 0.5
    """How far mark and encoder may differ."""
    still_deg: float = 0.2
    """At rest the angle stays within this to either side."""
    still_s: float = 0.75
    """For so long, before the wheel counts as at rest."""
    watch_s: float = 0.75
    """And so much longer before its segment counts; a wheel that moves in this time is held."""
    start_deg: float = 15.0
    """The wheel is being spun once it is so far from where it rested: two segments."""
    max_spin_s: float = 180.0
    """A wheel that turns for longer is spun again."""
    max_turns_per_s: float = 4.0
    """No wheel is faster: a count that says so is misread."""
    max_gap_s: float = 0.25
    """Longest time between two counts while the wheel turns."""
    silence_s: float = 1.0
    """After so long without a count the turn is held, whatever comes later."""
    launch: Literal["any", "after_close", "before_close"] = "after_close"
    """When the wheel may be spun against the server's ``betting.close`` (002: after)."""

    def problems(self) -> list[tuple[str, str]]:
        """Every impossible setting as (key, reason)."""
        found = []
        for key, (low, high) in _LIMITS.items():
            if not low <= getattr(self, key) <= high:
                found.append((key, f"must be {low:g} to {high:g}"))
        if self.silence_s < self.max_gap_s:
            found.append(("silence_s", "must not be below max_gap_s"))
        if self.still_s + self.watch_s >= self.max_spin_s:
            reason = "no turn would count: still_s and watch_s are over within it"
            found.append(("max_spin_s", f"{reason}, and take {self.still_s + self.watch_s:g} s by themselves"))
        most = self.max_spin_s * self.max_turns_per_s
        if self.min_turns > most:
            reason = f"no turn would count: in max_spin_s at max_turns_per_s the wheel makes {most:g} turns at most"
            found.append(("min_turns", reason))
        return found


_LIMITS = {
    "min_turns": (1.0, 100.0),
    "reference_tolerance_deg": (0.1, 3.0),
    "still_deg": (0.02, 1.0),
    "still_s": (0.5, 10.0),
    "watch_s": (0.0, 10.0),
    "start_deg": (2.0, 90.0),
    "max_spin_s": (5.0, 3600.0),
    "max_turns_per_s": (0.5, 20.0),
    "max_gap_s": (0.06, 1.0),
    "silence_s": (0.1, 10.0),
}

HALF_WRAP = 0.5
"""An encoder that counts one turn says nothing of a gap in which half a turn is possible."""


def longest_gap_s(rules: TurnRules, turns: float) -> float:
    """The longest time between two counts of an encoder that counts so many turns, seconds."""
    return min(rules.max_gap_s, HALF_WRAP * turns / rules.max_turns_per_s)
