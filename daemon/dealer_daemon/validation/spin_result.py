"""A spin that counts, and the last question put to it: were there laps enough?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dealer_daemon.validation.spin_attempt import held, refused
from dealer_daemon.validation.spin_rules import SpinReason, SpinRules, estimate_laps
from dealer_daemon.verdicts import Held, Refused


@dataclass(frozen=True, slots=True)
class SpinResult:
    """A spin that counts. ``laps`` is whole laps, ``None`` when nobody observed them."""

    number: str
    laps: int | None
    laps_source: str
    rotor_direction: str | None
    rotor_rpm: float | None
    ball_time_s: float | None
    spin: int | None


def check_laps(
    rules: SpinRules, counted: int | None, rim_s: float | None
) -> tuple[int | None, Refused | Held | str | None]:
    """Laps for the outcome, and what speaks against the spin: a verdict, or a sentence that a dealer must confirm.

    ``counted`` is the wheel's own count, ``rim_s`` the seconds in the rim; each ``None`` where not observed.
    """
    if rules.laps == "counted":
        return _counted(rules, counted)
    if rules.laps == "estimated":
        return _estimated(rules, rim_s)
    if rules.unobserved == "accept":
        return None, None
    return None, "nobody counted the laps: was it a proper spin?"


def _counted(rules: SpinRules, counted: int | None) -> tuple[int | None, Refused | Held | None]:
    if counted is None:
        return None, held(
            SpinReason.LAPS_NOT_COUNTED,
            "the wheel reported no laps: are its lap events or extended frames switched on?",
        )
    laps = counted + rules.lap_offset
    if laps < rules.min_laps:
        return laps, refused(
            SpinReason.TOO_FEW_LAPS, f"the ball made {laps} of {rules.min_laps} laps", seen=laps, needed=rules.min_laps
        )
    return laps, None


def _estimated(rules: SpinRules, rim_s: float | None) -> tuple[int | None, Refused | str | None]:
    guess = None if rules.estimate is None or rim_s is None else estimate_laps(rules.estimate, rim_s)
    if guess is None or rules.estimate is None:
        return None, "the laps could not be estimated from this spin: was it a proper spin?"
    guess += rules.lap_offset
    laps, margin = math.floor(guess), rules.estimate.margin_laps
    if guess + margin < rules.min_laps:
        detail = f"the ball made about {guess:.1f} of {rules.min_laps} laps"
        return laps, refused(SpinReason.TOO_FEW_LAPS, detail, seen=round(guess, 1), needed=rules.min_laps)
    if guess - margin < rules.min_laps:
        return laps, f"the ball made about {guess:.1f} laps and {rules.min_laps} are needed: was it a proper spin?"
    return laps, None
