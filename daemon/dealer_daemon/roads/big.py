"""The bead plate (珠盘路) and the big road (大路), cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dealer_daemon.roads.hand import Hand, Side

ROWS = 6

Place: TypeAlias = tuple[int, int]
"""Column and row."""


@dataclass(frozen=True, slots=True)
class Bead:
    """One hand on the bead plate, ties included. Places count from zero."""

    row: int
    col: int
    hand: Hand


@dataclass(frozen=True, slots=True)
class Cell:
    """One result on the big road. ``side`` is ``None`` only while the shoe has had nothing but ties. ``ties`` came
    after it and before the next result, ``ties_before`` before the first one of all."""

    col: int
    row: int
    side: Side | None
    ties: int = 0
    ties_before: int = 0
    player_pair: bool = False
    banker_pair: bool = False


def beads(hands: Sequence[Hand]) -> list[Bead]:
    """Filled from top to bottom, six to a column."""
    return [Bead(place % ROWS, place // ROWS, hand) for place, hand in enumerate(hands)]


def big_road(hands: Sequence[Hand]) -> list[Cell]:
    """The cells in the order in which they are drawn.

    The same side again goes below the last cell where that place is within the rows and empty, else to its right: a
    dragon's tail. The other side goes to the first empty place of the top row. A tail that turned right over an older
    one goes down again where the place below is free again.
    """
    cells: list[Cell] = []
    taken: set[Place] = set()
    before = 0
    for hand in hands:
        if hand.winner == "tie":
            if cells and cells[-1].side is not None:
                cells[-1] = replace(cells[-1], ties=cells[-1].ties + 1)
            else:
                before += 1
                cells = [Cell(0, 0, None, ties_before=before)]
            continue
        last = cells[-1] if cells and cells[-1].side is not None else None
        place = None if last is None else (last.col, last.row)
        col, row = _next_place(place, last is not None and last.side == hand.winner, taken)
        taken.add((col, row))
        cell = Cell(
            col,
            row,
            hand.winner,
            ties_before=before if last is None else 0,
            player_pair=hand.player_pair,
            banker_pair=hand.banker_pair,
        )
        cells = [cell] if last is None else [*cells, cell]
    return cells


def drawn(marks: Sequence[str]) -> list[Place]:
    """Where the marks of a derived road are drawn, in order: by the same rule, the same mark goes on."""
    places: list[Place] = []
    taken: set[Place] = set()
    for at, mark in enumerate(marks):
        places.append(_next_place(places[-1] if places else None, at > 0 and marks[at - 1] == mark, taken))
        taken.add(places[-1])
    return places


def _next_place(last: Place | None, goes_on: bool, taken: set[Place]) -> Place:
    """``goes_on``: the same as the last one."""
    if last is None:
        return 0, 0
    if not goes_on:
        col = 0
        while (col, 0) in taken:
            col += 1
        return col, 0
    col, row = last
    below = (col, row + 1)
    return below if row + 1 < ROWS and below not in taken else (col + 1, row)
