"""When a throw of three dice counts: the settings of ``[tables.X.shake]``, and the list of reason words.

Sources: ``games.md`` §6 (001 002 003), ``devices.md`` §4 and §8. The figures are ours where no source is named.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from dealer_daemon.verdicts import Held, Refused, Remedy
from dealer_drivers.camera.settings import LOOK_S


class DiceReason(StrEnum):
    """Why a throw was refused (shake again) or held (a person looks), beside the doubts of the pictures."""

    # Refused: a rule was broken, or nothing can be said of it.
    NO_SHAKE_ANSWER = "no_shake_answer"
    NEVER_SHOOK = "never_shook"
    SHAKE_CUT_SHORT = "shake_cut_short"
    SHAKEN_EARLY = "shaken_early"
    NEVER_STOPPED = "never_stopped"
    NEVER_STILL = "never_still"
    NO_LOOK = "no_look"
    MOTION_FAULT = "motion_fault"
    # Held: not clear.
    CAMERA_SAW_NOTHING = "camera_saw_nothing"
    DICE_MOVED_ALONE = "dice_moved_alone"
    DICE_DID_NOT_MOVE = "dice_did_not_move"
    MOVED_AFTER_LOOK = "moved_after_look"
    DICE_UNKNOWN_BEFORE = "dice_unknown_before"
    SHAKEN_AGAIN = "shaken_again"
    IMPOSSIBLE_DICE = "impossible_dice"
    JOINED_MID_SHAKE = "joined_mid_shake"
    SHAKER_LOST = "shaker_lost"
    CAMERA_FAULT = "camera_fault"


LONGEST_S = 600.0


class ShakeRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table's rules for a valid throw."""

    start: Literal["button", "station"] = "button"
    """Who starts the shaker: the dealer's button, or the station once betting is closed (``control = true`` on the
    shaker)."""
    unclear: Literal["reshake", "hold"] = "reshake"
    """Dice that cannot be read: shake again (002, 003), or a person decides first, for bets too (001)."""
    start_s: float = 8.0
    """Longest time from the command to the shaking."""
    min_shake_s: float = 1.0
    """So long at least the shaker must shake, by its own words."""
    max_shake_s: float = 30.0
    """Longest shake; on a dice tower, longest throw."""
    settle_s: float = 10.0
    """Longest time from the stop until the camera sees nothing move. Dice roll on for about a second."""
    look_s: float = 8.0
    """Longest time from the question what lies there to the answer, which takes up to four seconds."""
    lead_s: float = 2.0
    """By so much the shaker's word and the camera's may be apart. Dice that move for longer without the shaker are
    looked into."""
    after_s: float = 1.0
    """Dice that move so soon after they were read were not at rest."""
    pickup_s: float = 5.0
    """Dice tower: dice that are not all there may have been taken up to be thrown; the throw follows within this."""
    min_fall_s: float = 0.25
    """Dice tower: what moves for less was a lamp, not dice."""

    def problems(self) -> list[tuple[str, str]]:
        """Every impossible setting as (key, reason)."""
        found = [
            (key, f"must be above 0 and at most {LONGEST_S:g}")
            for key in ("start_s", "max_shake_s", "settle_s", "look_s", "lead_s", "pickup_s")
            if not 0 < getattr(self, key) <= LONGEST_S
        ]
        found += [
            (key, f"must be 0 to {LONGEST_S:g}")
            for key in ("min_shake_s", "after_s", "min_fall_s")
            if not 0 <= getattr(self, key) <= LONGEST_S
        ]
        if self.max_shake_s <= self.min_shake_s:
            found.append(("max_shake_s", "must be above min_shake_s"))
        if 0 < self.look_s < LOOK_S:
            found.append(("look_s", f"must be {LOOK_S:g} at least: a camera's answer may take as long"))
        return found


def refused(reason: str, detail: str, **figures: float) -> Refused:
    """Shake again."""
    return Refused(str(reason), Remedy.RESHAKE, detail, figures)


def held(reason: str, detail: str, **seen: object) -> Held:
    """A person must look."""
    return Held(str(reason), detail, seen)
