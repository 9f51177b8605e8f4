"""Big eye boy (大眼仔路), small road (小路) and cockroach road (小强路): how regular the big road is.

They compare logical columns and never cells: where a dragon's tail happens to be drawn means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from dealer_daemon.roads.hand import Series

Mark: TypeAlias = Literal["R", "B"]
"""Red or blue; blue is not the banker."""
BIG_EYE, SMALL, COCKROACH = 1, 2, 3
"""How many columns to the left each compares with."""
ROADS = {"big_eye": BIG_EYE, "small": SMALL, "cockroach": COCKROACH}


def derived(columns: Sequence[Series], back: int) -> list[Mark]:
    """All marks of the road that compares ``back`` columns to the left, in order.

    The first one is for the second result of column ``back + 1`` (from zero: ``back``), or, where that has only one,
    for the first result of the column after it.
    """
    return [
        _mark(columns, back, col, depth)
        for col in range(back, len(columns))
        for depth in range(columns[col].length)
        if depth or col > back
    ]


def _mark(columns: Sequence[Series], back: int, col: int, depth: int) -> Mark:
    """The mark for result ``depth`` (from zero) of column ``col``."""
    if depth == 0:
        return "R" if columns[col - 1].length == columns[col - 1 - back].length else "B"
    # Exactly one short is blue. One that reaches this depth is red, and so is one that ended before that.
    return "B" if columns[col - back].length == depth else "R"
