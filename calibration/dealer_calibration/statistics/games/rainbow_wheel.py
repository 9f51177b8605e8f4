"""The rainbow wheel: its colours, its 52 places, sectors, and whether a turn knows where it began."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from dealer_calibration.statistics.outcomes import Outcome, Series
from dealer_calibration.statistics.plan import Plan, bad, draws, read_facts
from dealer_calibration.statistics.question import Draws, Question

COLORS = {"yellow": 24, "blue": 12, "pink": 8, "green": 4, "purple": 2, "orange": 1, "red": 1}
"""Segments of each (rule book 002)."""
SEGMENTS = 52
SECTORS = (9, 13)

_PLACES = tuple(map(str, range(SEGMENTS)))
_EVEN = ((1 / SEGMENTS,) * SEGMENTS,)

QUESTIONS = (
    Question("segment", "one segment more or less often than its share", _PLACES, _EVEN, 0.25, windows=(1,)),
    Question("colors", "each colour", tuple(COLORS), (tuple(n / SEGMENTS for n in COLORS.values()),), 0.05),
    Question("segments", "any uneven shape over all segments", _PLACES, _EVEN, 0.3),
    Question("sector", "9 or 13 neighbouring segments, anywhere: an imbalance", _PLACES, _EVEN, 0.1, windows=SECTORS),
    Question(
        "distance",
        "segments from the last result to this one: a turn that knows where it began",
        tuple(f"+{step}" for step in range(SEGMENTS)),
        _EVEN,
        0.25,
        windows=(1, *SECTORS),
    ),
    Question("runs", "runs in the halves 0 to 25 and 26 to 51", ("half stays", "half changes"), ((0.5, 0.5),), 0.05),
)


class _Facts(msgspec.Struct):
    segment: int | None
    color: str
    segment_map: str


def _draws(series: Series) -> list[Draws]:
    places: list[int | None] = []
    colors: list[int] = []
    for outcome in series.outcomes:
        facts = read_facts(series, outcome, _Facts)
        if facts.color not in COLORS or (facts.segment is not None and not 0 <= facts.segment < SEGMENTS):
            raise bad(series, outcome, f"segment {facts.segment}, colour {facts.color[:12]!r}")
        places.append(facts.segment)
        colors.append(list(COLORS).index(facts.color))
    seen = [(round_, place) for round_, place in enumerate(places) if place is not None]
    # A person may have stated a colour alone: then nobody knows where that turn ended, and the next began.
    after = [
        (round_, before, now)
        for round_, (before, now) in enumerate(pairwise(places), 1)
        if before is not None and now is not None
    ]
    everything = draws((round_, 0, place) for round_, place in seen)
    half = SEGMENTS // 2
    return [
        everything,
        draws((round_, 0, color) for round_, color in enumerate(colors)),
        everything,
        everything,
        draws((round_, 0, (now - before) % SEGMENTS) for round_, before, now in after),
        draws((round_, 0, int(now // half != before // half)) for round_, before, now in after),
    ]


def _wheel(outcome: Outcome) -> str | None:
    name = outcome.facts.get("segment_map")
    return name if isinstance(name, str) else None


PLAN = Plan(
    "rainbow-wheel",
    QUESTIONS,
    _draws,
    left_out=("turns stated by colour alone count for the colours, not for places",),
    split=_wheel,
)
