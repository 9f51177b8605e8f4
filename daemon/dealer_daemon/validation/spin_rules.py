"""When a roulette spin counts: the settings of ``[tables.X.spin]``, and the list of reason words.

Sources: rule book 002 (seven laps, re-throw), ``games.md`` §5, ``devices.md`` §1 "Accept a spin only if".
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec


class SpinReason(StrEnum):
    """Why a spin was refused (the ball is thrown again) or held (a person looks)."""

    # Refused: a rule was broken.
    TOO_FEW_LAPS = "too_few_laps"
    SAME_DIRECTION = "same_direction"
    BALL_LEFT_WHEEL = "ball_left_wheel"
    ENDLESS_BALL = "endless_ball"
    NO_BALL = "no_ball"
    LAUNCH_FAILED = "launch_failed"
    SENSOR_FAULT = "sensor_fault"
    ROTOR_STOPPED = "rotor_stopped"
    ROTOR_REVERSED = "rotor_reversed"
    ROTOR_SPEED = "rotor_speed"
    POCKET_BEFORE_LAUNCH = "pocket_before_launch"
    TWO_POCKETS = "two_pockets"
    WHEEL_CLOSED = "wheel_closed"
    LAUNCHED_EARLY = "launched_early"
    DEALER_NO_SPIN = "dealer_no_spin"
    MANAGER_REFUSED = "manager_refused"
    # Held: not clear.
    WITNESSES_DISAGREE = "witnesses_disagree"
    SINGLE_WITNESS = "single_witness"
    NUMBER_UNREADABLE = "number_unreadable"
    SILENCE = "silence"
    DEVICE_LOST = "device_lost"
    JOINED_MID_SPIN = "joined_mid_spin"
    SPIN_NOT_SEEN = "spin_not_seen"
    COUNTER_CHANGED = "counter_changed"
    STATE_ORDER = "state_order"
    LAPS_NOT_COUNTED = "laps_not_counted"


LONGEST_S = 3600.0
"""No spin lasts an hour; and what a clock can add up stays far below its range."""


MOST_LAPS = 100
MOST_WITNESSES = 6
"""A wheel shows its result for three seconds at least: six frames."""


class LapCurve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calibration of one wheel for ``laps = "estimated"``: laps against the seconds that the ball was in the rim.

    ``points`` are pairs (seconds in state 3, laps in the whole spin), rising in both; ``margin_laps`` is the
    largest error seen in the calibration. Outside the points nothing is estimated.
    """

    points: list[tuple[float, float]]
    margin_laps: float


class SpinRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table's rules for a valid spin. Defaults: rule book 002 and ``devices.md`` §1."""

    min_laps: int = 7
    lap_offset: int = 0
    """Added to the wheel's count before it is compared: what the table calls a lap, against what the wheel counts."""
    laps: Literal["counted", "estimated", "unobserved"] = "unobserved"
    unobserved: Literal["confirm", "accept"] = "confirm"
    """Laps nobody observed: a dealer must confirm the spin, or it is accepted as it is."""
    estimate: LapCurve | None = None
    min_rotor_rpm: float = 10.0
    max_rotor_rpm: float = 30.0
    silence_s: float = 1.5
    """Longest gap between status frames while the ball runs; the cadence is 0.5 s. Frames that a stalled reader
    gets late, all of them and at once, are no gap."""
    offline_s: float = 5.0
    """After so long without a frame the spin is held, whatever comes later."""
    max_rim_s: float = 40.0
    max_no_more_bets_s: float = 35.0
    endless_laps: int = 10
    endless_lap_growth: float = 0.005
    """So many laps in a row, each within this part of the first: a ball that will not drop."""
    min_game_s: float = 12.0
    """No whole game is shorter (states 3, 4 and 5 at their recorded minimum): tells a counter reset from a missed
    spin, and on devices without states a repeated line from a second spin."""
    min_witnesses: int | None = None
    """Agreeing reports of the number that are needed; by default 2, or 1 where the device reports it only once."""
    launch: Literal["any", "after_close", "before_close"] = "any"
    """When the ball may be launched against the server's ``betting.close`` (001: after; 003: before)."""

    def problems(self) -> list[tuple[str, str]]:
        """Every impossible setting as (key, reason)."""
        found = []
        if not 0 <= self.min_laps <= MOST_LAPS:
            found.append(("min_laps", f"a number of laps is 0 to {MOST_LAPS}"))
        if abs(self.lap_offset) > MOST_LAPS:
            found.append(("lap_offset", f"must be -{MOST_LAPS} to {MOST_LAPS}"))
        if self.offline_s < self.silence_s:
            found.append(("offline_s", "must not be below silence_s"))
        if self.laps == "estimated" and self.estimate is None:
            found.append(("estimate", 'laps = "estimated" needs the wheel\'s calibration curve'))
        if self.estimate is not None:
            found += _curve_problems(self.estimate)
        if not 0 <= self.min_rotor_rpm < self.max_rotor_rpm:
            found.append(("min_rotor_rpm", "must be 0 or more and below max_rotor_rpm"))
        for key in ("silence_s", "offline_s", "max_rim_s", "max_no_more_bets_s", "endless_lap_growth"):
            if not 0 < getattr(self, key) <= LONGEST_S:
                found.append((key, f"must be above 0 and at most {LONGEST_S:g}"))
        if self.endless_laps < 2:
            found.append(("endless_laps", "must be 2 or more"))
        if not 0 <= self.min_game_s <= LONGEST_S:
            found.append(("min_game_s", f"must be 0 to {LONGEST_S:g}"))
        if self.min_witnesses is not None and not 1 <= self.min_witnesses <= MOST_WITNESSES:
            found.append(("min_witnesses", f"must be 1 to {MOST_WITNESSES}"))
        return found


def _curve_problems(curve: LapCurve) -> list[tuple[str, str]]:
    found = []
    if not all(0 <= value <= LONGEST_S for point in curve.points for value in point):
        return [("estimate.points", f"seconds and laps are numbers from 0 to {LONGEST_S:g}")]
    if len(curve.points) < 2:
        found.append(("estimate.points", "a curve needs two points or more"))
    rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in zip(curve.points, curve.points[1:], strict=False))
    if not rising:
        found.append(("estimate.points", "points must rise: more seconds in the rim, more laps"))
    if curve.margin_laps < 0:
        found.append(("estimate.margin_laps", "must be 0 or more"))
    return found


def estimate_laps(curve: LapCurve, rim_s: float) -> float | None:
    """Laps by linear interpolation, or ``None`` outside the calibrated seconds."""
    for (s0, laps0), (s1, laps1) in zip(curve.points, curve.points[1:], strict=False):
        if s0 <= rim_s <= s1:
            return laps0 + (laps1 - laps0) * (rim_s - s0) / (s1 - s0)
    return None
