"""Roulette with a single zero: pockets, sectors, both ways of the rotor, and whether a spin knows the last one."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from dealer_calibration.statistics.outcomes import Series
from dealer_calibration.statistics.plan import Plan, bad, draws, read_facts
from dealer_calibration.statistics.question import Draws, Question

# From 0 clockwise (games.md §5).
WHEEL_ORDER = (
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10,
    5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26,
)  # fmt: skip
POCKETS = len(WHEEL_ORDER)
SECTORS = (9, 13)
"""A quarter and a third of the wheel: what a tilt or a worn stretch of the track favours."""

_NUMBERS = tuple(map(str, WHEEL_ORDER))
_EVEN = ((1 / POCKETS,) * POCKETS,)
_WAYS = ("clockwise", "counter_clockwise")

QUESTIONS = (
    Question("pocket", "one pocket more or less often than its share", _NUMBERS, _EVEN, 0.2, windows=(1,)),
    Question("pockets", "any uneven shape over all pockets", _NUMBERS, _EVEN, 0.25),
    Question("sector", "9 or 13 neighbouring pockets, anywhere on the wheel", _NUMBERS, _EVEN, 0.1, windows=SECTORS),
    *(
        Question(
            f"sector_{way}",
            f"9 or 13 neighbouring pockets while the rotor turned {way.replace('_', '-')}",
            _NUMBERS,
            _EVEN,
            0.1,
            windows=SECTORS,
        )
        for way in _WAYS
    ),
    Question(
        "distance",
        "pockets from the last result to this one, clockwise: a spin that knows the one before",
        tuple(f"+{step}" for step in range(POCKETS)),
        _EVEN,
        0.2,
        windows=(1, *SECTORS),
    ),
    Question("runs", "runs of red and black, zeros left out", ("colour stays", "colour changes"), ((0.5, 0.5),), 0.05),
)


class _Facts(msgspec.Struct):
    number: str
    color: str
    pocket_index: int
    rotor_direction: str | None = None


def _draws(series: Series) -> list[Draws]:
    found = []
    for outcome in series.outcomes:
        facts = read_facts(series, outcome, _Facts)
        if not 0 <= facts.pocket_index < POCKETS or _NUMBERS[facts.pocket_index] != facts.number:
            raise bad(series, outcome, f"number {facts.number[:8]!r} does not lie at pocket {facts.pocket_index}")
        found.append(facts)
    pockets = [facts.pocket_index for facts in found]
    everything = draws((round_, 0, pocket) for round_, pocket in enumerate(pockets))
    by_way = [
        draws((round_, 0, facts.pocket_index) for round_, facts in enumerate(found) if facts.rotor_direction == way)
        for way in _WAYS
    ]
    distance = draws((round_, 0, (now - before) % POCKETS) for round_, (before, now) in enumerate(pairwise(pockets), 1))
    colored = [(round_, facts.color) for round_, facts in enumerate(found) if facts.number != "0"]
    runs = draws((round_, 0, int(now != before)) for (_, before), (round_, now) in pairwise(colored))
    return [everything, everything, everything, *by_way, distance, runs]


PLAN = Plan(
    "roulette",
    QUESTIONS,
    _draws,
    left_out=("drop zone and deflectors: no outcome says where the ball left the rim or which deflector it met",),
)
