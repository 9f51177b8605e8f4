"""Sic bo: the faces of the dice, their sums, equal dice, where they lie, and dice that did not tumble."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import msgspec

from dealer_calibration.statistics.outcomes import Series
from dealer_calibration.statistics.plan import Plan, bad, draws, read_facts
from dealer_calibration.statistics.question import Draws, Question

_FACES = tuple(map(str, range(1, 7)))
_EVEN = (1 / 6,) * 6
_THROWS = tuple(product(range(1, 7), repeat=3))
_LOWEST_BIG = 11


def _share(count: int) -> float:
    return count / len(_THROWS)


_SUMS = Counter(map(sum, _THROWS))
_KINDS = Counter(len(set(throw)) for throw in _THROWS)
"""By how many different faces a throw shows: 1 a triple, 2 a pair, 3 all different."""


def kept(before: tuple[int, ...], now: tuple[int, ...]) -> int:
    """How many dice of a throw could be the same as in the throw before, unmoved."""
    return sum((Counter(before) & Counter(now)).values())


def _kept_chances(before: tuple[int, ...]) -> tuple[float, ...]:
    counted = Counter(kept(before, throw) for throw in _THROWS)
    return tuple(_share(counted[dice]) for dice in range(4))


_KEPT = tuple(_kept_chances(before) for before in ((1, 1, 1), (1, 1, 2), (1, 2, 3)))
"""After a triple, a pair, three different."""

QUESTIONS = (
    Question("faces", "each face of the three dice", _FACES, (_EVEN,), 0.06),
    Question(
        "sums",
        "the sum of the dice",
        tuple(map(str, range(3, 19))),
        (tuple(_share(_SUMS[s]) for s in range(3, 19)),),
        0.1,
    ),
    Question(
        "equal_dice",
        "triples, pairs, and three different",
        ("triple", "pair", "all different"),
        (tuple(_share(_KINDS[kind]) for kind in (1, 2, 3)),),
        0.05,
    ),
    Question(
        "places",
        "each face by the place where the die lies, from left to right in the picture",
        _FACES,
        (_EVEN, _EVEN, _EVEN),
        0.1,
        shares=(1 / 3, 1 / 3, 1 / 3),
    ),
    Question(
        "kept",
        "dice that show what they showed in the throw before",
        ("none kept", "one kept", "two kept", "three kept"),
        _KEPT,
        0.1,
        shares=tuple(_share(_KINDS[kind]) for kind in (1, 2, 3)),
    ),
    Question("runs", "runs of big and small, triples counted in", ("size stays", "size changes"), ((0.5, 0.5),), 0.05),
)


class _Facts(msgspec.Struct):
    dice: list[int]
    by_position: list[int] | None = None


def _draws(series: Series) -> list[Draws]:
    throws: list[tuple[int, ...]] = []
    places: list[tuple[int, int, int]] = []
    for round_, outcome in enumerate(series.outcomes):
        facts = read_facts(series, outcome, _Facts)
        if len(facts.dice) != 3 or not all(1 <= die <= 6 for die in facts.dice):
            raise bad(series, outcome, f"dice {facts.dice}")
        if facts.by_position is not None:
            if sorted(facts.by_position) != sorted(facts.dice):
                raise bad(series, outcome, f"dice {facts.dice} are not those by position, {facts.by_position}")
            places += [(round_, place, die - 1) for place, die in enumerate(facts.by_position)]
        throws.append(tuple(sorted(facts.dice)))
    size = [sum(throw) >= _LOWEST_BIG for throw in throws]
    return [
        draws((round_, 0, die - 1) for round_, throw in enumerate(throws) for die in throw),
        draws((round_, 0, sum(throw) - 3) for round_, throw in enumerate(throws)),
        draws((round_, 0, len(set(throw)) - 1) for round_, throw in enumerate(throws)),
        draws(places),
        draws(
            (round_, len(set(before)) - 1, kept(before, now))
            for round_, (before, now) in enumerate(pairwise(throws), 1)
        ),
        draws((round_, 0, int(now != before)) for round_, (before, now) in enumerate(pairwise(size), 1)),
    ]


PLAN = Plan(
    "sic-bo",
    QUESTIONS,
    _draws,
    left_out=(
        "each die by itself: dice of one kind cannot be told apart in a picture; a single bad die shows in the faces "
        "with a third of its bias",
    ),
)
