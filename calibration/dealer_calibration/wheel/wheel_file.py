"""The wheel's file (``validation/turn_map.py``) from what was measured. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from dealer_calibration.wheel.coast_fit import CoastFit
from dealer_calibration.wheel.zero import Zero
from dealer_daemon.validation.turn_map import WheelFile

LEAST_MARGIN = 0.15
"""Friction is not the same on every day: so much less or more is still this wheel."""
SPREADS = 2.0
CORRECTIONS = 72
ROLL_BACK_MARGIN_DEG = 30.0
LEAST_ROLL_BACK_DEG, MOST_ROLL_BACK_DEG = 10.0, 350.0
STEP_S, ROLL_STEPS = 0.01, 6000
"""No wheel rolls back for a minute."""
LEAST_FORCE_DEG_S2 = 0.01


@dataclass(frozen=True, slots=True)
class Measured:
    """What the steps found; ``None`` where a step was left out, and the accepted file's figures stay."""

    segments: Sequence[str] | None = None
    way: int = 0
    zero: Zero | None = None
    coast: CoastFit | None = None
    reference_deg: float | None = None


class Incomplete(ValueError):  # noqa: N818
    """Neither measured nor in the accepted file. The text names the steps that are still to be run."""


def friction_margin(coast: CoastFit) -> float:
    """By what part friction may differ from what was measured."""
    return max(LEAST_MARGIN, SPREADS * coast.spread)


def make_file(name: str, measured: Measured, accepted: WheelFile | None) -> WheelFile:
    """The file; what was not measured stays as accepted. Raises ``Incomplete``."""
    missing = [
        step
        for step, value in (("segments", measured.segments), ("zero", measured.zero), ("friction", measured.coast))
        if value is None and accepted is None
    ]
    if missing:
        raise Incomplete(f"not measured, and no wheel file to take it from: {', '.join(missing)}")
    file = accepted or WheelFile(wheel=1, name=name, segments=[], direction="up", offset_deg=0.0, slowing_deg_s2=1.0)
    if measured.segments is not None:
        direction: Literal["up", "down"] = "up" if measured.way > 0 else "down"
        if accepted is not None and direction != accepted.direction and measured.zero is None:
            raise Incomplete("the wheel turns the other way than its file says: its zero is another, run the step zero")
        file = _with(file, segments=list(measured.segments), direction=direction)
    if measured.zero is not None:
        keep_out = math.ceil(measured.zero.keep_out_deg * 100) / 100
        moved = measured.zero.offset_deg - file.offset_deg
        file = _with(file, offset_deg=round(measured.zero.offset_deg, 3) % 360, keep_out_deg=keep_out)
        if file.imbalance_at_deg is not None:
            file = _with(file, imbalance_at_deg=round(file.imbalance_at_deg + moved, 2) % 360)
    elif measured.coast is not None and file.correction_deg:
        # What was measured has a mean of 0; what is replaced need not have.
        mean = sum(file.correction_deg) / len(file.correction_deg)
        sign = 1 if file.direction == "up" else -1
        file = _with(file, offset_deg=round(file.offset_deg + sign * mean, 3) % 360)
    if measured.coast is not None:
        file = _with(file, **_friction(measured.coast, file))
    if measured.reference_deg is not None:
        file = _with(file, reference_deg=round(measured.reference_deg % 360, 3) % 360)
    return _with(file, name=name)


def _with(file: WheelFile, **values: object) -> WheelFile:
    return msgspec.structs.replace(file, **values)


def _friction(coast: CoastFit, file: WheelFile) -> dict[str, object]:
    margin = friction_margin(coast)
    imbalance = round(coast.imbalance_deg_s2, 3)
    most = round(coast.slowing_deg_s2 * (1 + margin), 3)
    sign = 1 if file.direction == "up" else -1
    cosine, sine = coast.pull
    turned = math.degrees(math.atan2(sine, sign * cosine))
    return {
        "slowing_deg_s2": round(most + (1 + margin) * imbalance, 3),
        "slowing_per_s": round(coast.slowing_per_s * (1 + margin), 5),
        "least_slowing_deg_s2": round(coast.slowing_deg_s2 * (1 - margin), 3),
        "least_slowing_per_s": round(coast.slowing_per_s * (1 - margin), 5),
        "most_slowing_deg_s2": most,
        "imbalance_deg_s2": imbalance,
        "imbalance_at_deg": round((file.offset_deg + turned) % 360, 2) % 360,
        "roll_back_deg": round(roll_back_deg(coast)),
        "correction_deg": [round(coast.correction(index * 360 / CORRECTIONS), 3) for index in range(CORRECTIONS)],
    }


def roll_back_deg(coast: CoastFit) -> float:
    """How far the wheel rolls by itself from a standstill, at its worst place, and a margin."""
    furthest = 0.0
    for begin in range(5, 180, 5):
        # From `begin` degrees before its lowest place; friction holds a wheel that gravity hardly moves.
        deg, speed = float(begin), 0.0
        for _ in range(ROLL_STEPS):
            force = coast.imbalance_deg_s2 * math.sin(math.radians(deg)) - coast.slowing_deg_s2
            if speed == 0.0 and force < LEAST_FORCE_DEG_S2:
                break
            speed = max(0.0, speed + (force - coast.slowing_per_s * speed) * STEP_S)
            deg -= speed * STEP_S
        furthest = max(furthest, begin - deg)
    return min(MOST_ROLL_BACK_DEG, max(LEAST_ROLL_BACK_DEG, furthest + ROLL_BACK_MARGIN_DEG))


def as_toml(file: WheelFile) -> bytes:
    """The file's bytes, as ``parse_wheel`` reads them."""
    lines = []
    for key, value in msgspec.to_builtins(file).items():
        if value is None or value == []:
            continue
        if isinstance(value, list):
            cells = [msgspec.json.encode(one).decode() for one in value]
            rows = [", ".join(cells[at : at + 12]) for at in range(0, len(cells), 12)]
            lines.append(f"{key} = [\n  " + ",\n  ".join(rows) + ",\n]")
        else:
            lines.append(f"{key} = {msgspec.json.encode(value).decode()}")
    return ("\n".join(lines) + "\n").encode()
