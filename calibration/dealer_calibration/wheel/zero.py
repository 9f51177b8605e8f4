"""Where the segments lie on the encoder's scale, from boundaries on which a technician put the pointer. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dealer_calibration.wheel.watch import Standing
from dealer_daemon.validation.turn_map import SEGMENT_DEG, SEGMENTS

BOUNDARIES = (0, 13, 26, 39)
"""The segments at whose beginnings the pointer is put: all round the wheel, so that an uneven encoder shows."""
LEAST_KEEP_OUT_DEG = 0.7
"""``devices.md`` §5: outside ±0.7° of a peg."""
MOST_KEEP_OUT_DEG = 3.0
BY_EYE_DEG = 0.2
"""So well does a person put a pointer on a peg."""
AGREE_DEG = 0.5
"""Boundaries that differ by more were not met, or the encoder is not as the spins say."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """The pointer was put where ``segment`` begins, and the wheel stood so."""

    segment: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Zero:
    """``offset_deg``: where the pointer is from the beginning of segment 0 when the encoder says 0.
    ``off_deg``: what each boundary differs by from that. ``keep_out_deg``: nearer to a boundary no rest counts."""

    offset_deg: float
    off_deg: tuple[float, ...]
    keep_out_deg: float

    @property
    def worst_deg(self) -> float:
        """The most that a boundary is off."""
        return max(map(abs, self.off_deg))


def find_zero(boundaries: Sequence[Boundary], correction: Callable[[float], float], way: int) -> Zero:
    """``way``: 1 where segment numbers rise with the encoder's angle, -1 where they fall with it."""
    offsets = [
        one.segment * SEGMENT_DEG - way * (one.standing.encoder_deg + correction(one.standing.encoder_deg))
        for one in boundaries
    ]
    mean = _mean(offsets)
    off = tuple(around(offset - mean) for offset in offsets)
    dither = max(one.standing.dither_deg for one in boundaries)
    keep_out = max(LEAST_KEEP_OUT_DEG, BY_EYE_DEG + dither + max(map(abs, off)))
    return Zero(mean % 360, off, min(keep_out, MOST_KEEP_OUT_DEG))


def misplaced(stops: Sequence[float], offset_deg: float, correction: Callable[[float], float], way: int) -> list[int]:
    """By how many segments each stop of the walk lies elsewhere than it was counted: 0 where all is well."""
    found = []
    for number, encoder_deg in enumerate(stops):
        pointer = (way * (encoder_deg + correction(encoder_deg)) + offset_deg) % 360
        here = int(pointer / SEGMENT_DEG) % SEGMENTS
        found.append((here - number + SEGMENTS // 2) % SEGMENTS - SEGMENTS // 2)
    return found


def around(deg: float) -> float:
    """-180 up to 180."""
    return (deg + 180) % 360 - 180


def _mean(degs: Sequence[float]) -> float:
    x = sum(math.cos(math.radians(deg)) for deg in degs)
    y = sum(math.sin(math.radians(deg)) for deg in degs)
    return math.degrees(math.atan2(y, x))
