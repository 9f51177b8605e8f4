"""What is asked of a table's outcomes: which cells there are, and how often each comes up where all is well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """One thing that fair wheels and dice do, with its chances known beforehand.

    A draw falls into one of ``labels``. Its chances may hang on what was known before it, its group: ``chances`` has a
    row a group, ``shares`` says how often each group comes up. Without ``windows`` any shape of deviation is looked
    for. With them the cells, all equally likely, lie in a circle, and the question is whether so many neighbours
    together come up too often or too seldom, wherever they lie.
    """

    name: str
    what: str
    labels: tuple[str, ...]
    chances: tuple[tuple[float, ...], ...]
    aim: float
    """There is enough data once a cell (the narrowest window) that comes up so much more often would be seen."""
    shares: tuple[float, ...] = (1.0,)
    windows: tuple[int, ...] = ()

    @property
    def watched(self) -> tuple[int, ...]:
        """The cell of each group that ``power`` speaks of: the likeliest."""
        return tuple(row.index(max(row)) for row in self.chances)

    @property
    def watched_label(self) -> str:
        """That cell, or the narrowest window, in words."""
        if self.windows:
            width = min(self.windows)
            return "one place" if width == 1 else f"{width} places side by side"
        row = self.chances[0]
        return "one of them" if max(row) - min(row) < 1e-12 and len(row) > 2 else self.labels[self.watched[0]]


@dataclass(frozen=True)
class Draws:
    """The draws of a question, in the order in which they came. The three arrays are of one length."""

    round: Ints
    """The round of each, counted from 0; never falls."""
    group: Ints
    cell: Ints

    def __len__(self) -> int:
        return len(self.cell)


def counts_at(question: Question, draws: Draws, rounds: Ints) -> Ints:
    """How often each cell had come up before each of ``rounds`` (ascending): an array of rounds, groups, cells."""
    groups, cells = len(question.chances), len(question.labels)
    found = np.zeros((len(rounds) + 1, groups * cells), dtype=np.int64)
    # A draw of round r counts in the first of `rounds` above r; what is later than all of them falls off the end.
    np.add.at(found, (np.searchsorted(rounds, draws.round, side="right"), draws.group * cells + draws.cell), 1)
    return found[:-1].cumsum(axis=0).reshape(len(rounds), groups, cells)


def window_sums(counts: NDArray[np.int64], width: int) -> Ints:
    """The sums of ``width`` neighbours from each cell on, round the circle, along the last axis."""
    summed: Ints = sum((np.roll(counts, -shift, axis=-1) for shift in range(1, width)), start=counts)
    return summed
