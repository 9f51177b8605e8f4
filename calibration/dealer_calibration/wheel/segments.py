"""The segment map of a wheel, from a technician who steps through it and says what colour he sees. Pure.

Numbers are counted from the segment where he begins, 0, in the order in which he steps.
"""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dealer_daemon.validation.turn_map import COUNTS, SEGMENT_DEG, SEGMENTS

ONE_STEP = (0.4, 1.6)
"""In segments: he need not meet the middle of each."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the walk: where the encoder stood, and the colour under the pointer."""

    encoder_deg: float
    color: str


def color_of(text: str) -> str | None:
    """The colour that somebody typed: its name, or as much of its beginning as tells it; ``None`` for none."""
    word = text.strip().lower()
    found = [color for color in COUNTS if word and color.startswith(word)]
    return found[0] if len(found) == 1 else None


def way_of(degs: Sequence[float]) -> int:
    """1 where the encoder's angle rises from stop to stop, -1 where it falls, 0 where it has not moved enough."""
    steps = [after - before for before, after in itertools.pairwise(degs)]
    if not steps:
        return 0
    middle = statistics.median(steps)
    return 0 if abs(middle) < ONE_STEP[0] * SEGMENT_DEG else 1 if middle > 0 else -1


def step_problem(before_deg: float, after_deg: float, way: int) -> str | None:
    """What is wrong with one step; ``way`` is 0 while it is open. For the person, with what to do."""
    segments = (after_deg - before_deg) / SEGMENT_DEG * (way or 1)
    if way == 0:
        segments = abs(segments)
    if segments < 0 and -segments >= ONE_STEP[0]:
        return f"the wheel went back by {-segments:.1f} segments: turn it on the same way as before"
    if segments < ONE_STEP[0]:
        return "the wheel has hardly moved: turn it on to the next segment"
    if segments > ONE_STEP[1]:
        return f"the wheel moved by {segments:.1f} segments: turn it back until the pointer is in the next one"
    return None


def count_problems(colors: Sequence[str]) -> list[str]:
    """How the counts differ from the rule book's."""
    counts = Counter(colors)
    return [f"{counts[color]} {color} for {wanted}" for color, wanted in COUNTS.items() if counts[color] != wanted]


@dataclass(frozen=True, slots=True)
class MapDifference:
    """How the map that was seen differs from the accepted one. ``kind``: ``same``, ``shifted`` (all is right from
    ``shift`` segments on), ``reversed``, or ``wrong`` at ``segments``."""

    kind: str
    shift: int = 0
    segments: tuple[int, ...] = ()


def compare_maps(seen: Sequence[str], accepted: Sequence[str]) -> MapDifference:
    """The two maps, both of ``SEGMENTS`` colours."""
    if list(seen) == list(accepted):
        return MapDifference("same")
    for kind, other in (("shifted", list(accepted)), ("reversed", [accepted[0], *reversed(accepted[1:])])):
        for shift in range(SEGMENTS):
            if list(seen) == other[shift:] + other[:shift]:
                return MapDifference(kind, shift)
    wrong = tuple(number for number, (a, b) in enumerate(zip(seen, accepted, strict=True)) if a != b)
    return MapDifference("wrong", segments=wrong)
