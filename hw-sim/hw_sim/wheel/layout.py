"""Which colour lies where on a simulated wheel, and the wheel's file for the station."""

from __future__ import annotations

from random import Random

from hw_sim.wheel.physics import SEGMENTS

COUNTS = {"yellow": 24, "blue": 12, "pink": 8, "green": 4, "purple": 2, "orange": 1, "red": 1}
"""Rule book 002."""


def layout(rng: Random) -> tuple[str, ...]:
    """Every colour spread over the wheel, begun anywhere."""
    places = sorted(
        ((index + 0.5) / count + rng.uniform(-0.2, 0.2) / count, color)
        for color, count in COUNTS.items()
        for index in range(count)
    )
    colors = [color for _, color in places]
    turn = rng.randrange(SEGMENTS)
    return tuple(colors[turn:] + colors[:turn])


def wheel_file(
    *,
    name: str,
    segments: tuple[str, ...],
    direction: str,
    offset_deg: float,
    reference_deg: float | None,
    correction_deg: list[float],
    slowing: tuple[float, float],
    roll_back_deg: float,
) -> str:
    """The calibration file of a wheel, TOML."""
    colors = ", ".join(f'"{color}"' for color in segments)
    lines = [
        "wheel = 1",
        f'name = "{name}"',
        f"segments = [{colors}]",
        f'direction = "{direction}"',
        f"offset_deg = {offset_deg % 360:.4f}",
        "keep_out_deg = 0.7",
        f"slowing_deg_s2 = {slowing[0]:.2f}",
        f"roll_back_deg = {roll_back_deg:.0f}",
        f"slowing_per_s = {slowing[1]:.4f}",
        f"correction_deg = [{', '.join(f'{value:.4f}' for value in correction_deg)}]",
    ]
    if reference_deg is not None:
        lines.append(f"reference_deg = {reference_deg % 360:.4f}")
    return "\n".join(lines) + "\n"
